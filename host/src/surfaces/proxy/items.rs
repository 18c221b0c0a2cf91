//! What a client sees of answers that are lists of items, as those of `/v1/responses` are.
//!
//! No input or output here. Most events pass as they came; those of a hidden call are left out, and what is counted in a
//! stream, items and events, is counted anew. What says that an answer has begun waits until something is seen of it: an
//! answer that only calls the memory's tools is none to the client.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::ask::Ask;
use super::relay::{Relay, Whole, added};
use crate::guard::{Scrubber, fence};
use crate::model::wire::{Answer, Event, output};

/// What a model says piece by piece: the name of its events, the field of the whole, and which of several it is in.
const SPOKEN: [(&str, &str, &str); 4] = [
    (TEXT, "text", "content_index"),
    ("response.refusal", "refusal", "content_index"),
    ("response.reasoning_text", "text", "content_index"),
    ("response.reasoning_summary_text", "text", "summary_index"),
];
const TEXT: &str = "response.output_text";

/// A text that is being said: the item and the part that it is in, and the name of its events.
type Place = (u64, u64, &'static str);

/// A stream of events about items.
pub(super) struct Items {
    ask: Arc<Ask>,
    /// Each with the last of its events, as the client would see it.
    texts: BTreeMap<Place, (Scrubber, Value)>,
    answer: Answer,
    shown: String,
    /// The items of this round that are whole.
    gathered: Vec<Value>,
    /// The client's index of an item, by the model's; None for calls of the memory's tools.
    places: BTreeMap<u64, Option<u64>>,
    next_place: u64,
    /// The whole items that the client has seen in all rounds, and how many of them in earlier ones.
    seen: Vec<Value>,
    seen_before: usize,
    /// The number of the next event.
    number: u64,
    /// What waits until something is seen.
    head: Vec<Change>,
    has_begun: bool,
    /// The id that the answer had when the client first saw it. Clients take another for a mistake, so it keeps it, and
    /// what goes on from it goes on from the last.
    id: Option<Value>,
    used: Option<Value>,
    last: Option<Value>,
    failed: bool,
}

/// An event as it came, and as it is to be.
struct Change {
    raw: Vec<u8>,
    was: Value,
    is: Value,
}

impl Items {
    pub(super) fn new(ask: Arc<Ask>) -> Self {
        let (texts, answer, shown, gathered, places, next_place, seen, seen_before) = Default::default();
        let (number, head, has_begun, id, used, last, failed) = Default::default();
        Self {
            ask,
            texts,
            answer,
            shown,
            gathered,
            places,
            next_place,
            seen,
            seen_before,
            number,
            head,
            has_begun,
            id,
            used,
            last,
            failed,
        }
    }

    /// The client sees an event.
    fn see(&mut self, change: Change, out: &mut Vec<u8>) {
        self.has_begun = true;
        self.id = self.id.take().or_else(|| self.head.first()?.is["response"].get("id").cloned());
        for change in std::mem::take(&mut self.head).into_iter().chain([change]) {
            self.write(change, out);
        }
    }

    fn write(&mut self, Change { raw, was, mut is }: Change, out: &mut Vec<u8>) {
        if let Some(number) = is.get_mut("sequence_number") {
            *number = self.number.into();
        }
        self.number += 1;
        if is == was {
            out.extend(raw);
        } else {
            let kind = is["type"].as_str().unwrap_or_default();
            out.extend(format!("event: {kind}\ndata: {is}\n\n").bytes());
        }
    }

    /// The client's index of an item.
    fn place(&mut self, index: u64) -> Option<u64> {
        let next = &mut self.next_place;
        *self.places.entry(index).or_insert_with(|| {
            *next += 1;
            Some(*next - 1)
        })
    }

    /// An item begins, or is whole.
    fn item(&mut self, mut change: Change, ours: &dyn Fn(&str) -> bool, out: &mut Vec<u8>) {
        let index = change.was["output_index"].as_u64().unwrap_or(0);
        let item = &change.was["item"];
        let is_whole = change.was["type"] == "response.output_item.done";
        let is_unnamed = item["type"] == "function_call" && item["name"].as_str().unwrap_or_default().is_empty();
        if is_whole {
            self.gathered.push(item.clone());
        }
        let Some(shown) = output::shown(item, &Scrubber::scrubbed, ours).filter(|_| !is_unnamed) else {
            self.places.insert(index, None);
            return;
        };
        if is_whole && matches!(self.places.get(&index), None | Some(None)) {
            // Its name was not known when it began.
            self.places.remove(&index);
            let mut begins = change.was.clone();
            begins["type"] = "response.output_item.added".into();
            (begins["output_index"], begins["item"]) = (self.place(index).into(), shown.clone());
            self.see(Change { raw: Vec::new(), was: Value::Null, is: begins }, out);
        }
        if is_whole {
            self.flush(Some(index), out);
            self.seen.push(shown.clone());
        }
        (change.is["output_index"], change.is["item"]) = (self.place(index).into(), shown);
        self.see(change, out);
    }

    /// Something about an item.
    fn about(&mut self, index: u64, mut change: Change, out: &mut Vec<u8>) {
        let Some(place) = self.place(index) else { return };
        change.is["output_index"] = place.into();
        if let Some(Value::Object(part)) = change.is.get_mut("part") {
            output::clean_part(part, &Scrubber::scrubbed);
        }
        let kind = change.was["type"].as_str().unwrap_or_default().to_owned();
        for (name, field, part) in SPOKEN {
            let Some(step) = kind.strip_prefix(name) else { continue };
            let at = (index, change.was[part].as_u64().unwrap_or(0), name);
            match (step, change.was["delta"].as_str(), change.was[field].as_str()) {
                (".delta", Some(said), _) => {
                    let (scrubber, last) = self.texts.entry(at).or_default();
                    let seen = scrubber.push(said);
                    if name == TEXT {
                        self.answer.add(&json!({"content": said}));
                        self.shown.push_str(&seen);
                    }
                    if seen != said {
                        without_tokens(&mut change.is);
                    }
                    change.is["delta"] = seen.as_str().into();
                    last.clone_from(&change.is);
                    if seen.is_empty() && !said.is_empty() {
                        return;
                    }
                }
                (".done", _, Some(whole)) => {
                    self.flush_at(at, out);
                    let seen = Scrubber::scrubbed(whole);
                    if seen != whole {
                        without_tokens(&mut change.is);
                    }
                    change.is[field] = seen.into();
                }
                _ => {}
            }
        }
        self.see(change, out);
    }

    /// What is held of the texts of an item, or of all, is no block.
    fn flush(&mut self, item: Option<u64>, out: &mut Vec<u8>) {
        let of_it: Vec<Place> = self.texts.keys().filter(|at| item.is_none_or(|item| at.0 == item)).copied().collect();
        of_it.into_iter().for_each(|at| self.flush_at(at, out));
    }

    fn flush_at(&mut self, at: Place, out: &mut Vec<u8>) {
        let Some((mut scrubber, mut is)) = self.texts.remove(&at) else { return };
        let rest = scrubber.finish();
        if rest.is_empty() {
            return;
        }
        if at.2 == TEXT {
            self.shown.push_str(&rest);
        }
        without_tokens(&mut is);
        is["delta"] = rest.into();
        self.see(Change { raw: Vec::new(), was: Value::Null, is }, out);
    }

    /// The answer is over.
    fn close(&mut self, change: Change, ours: &dyn Fn(&str) -> bool, out: &mut Vec<u8>) {
        self.flush(None, out);
        let response = &change.was["response"];
        self.failed |= change.was["type"] == "response.failed";
        if let Some(answer) = Answer::of_response(response, &self.gathered) {
            if self.seen.len() == self.seen_before {
                let items = response["output"].as_array().into_iter().flatten();
                self.seen.extend(items.filter_map(|item| output::shown(item, &Scrubber::scrubbed, ours)));
            }
            self.answer = answer;
        }
        let mut last = change.is;
        self.ask.restore(&mut last["response"], ours);
        self.last = Some(last);
    }
}

impl Relay for Items {
    fn answer(&self) -> &Answer {
        &self.answer
    }

    fn shown(&self) -> &str {
        &self.shown
    }

    fn is_complete(&self) -> bool {
        self.is_done()
    }

    fn is_done(&self) -> bool {
        self.last.is_some() || self.failed
    }

    fn has_failed(&self) -> bool {
        self.failed
    }

    fn event(&mut self, event: Event, ours: &dyn Fn(&str) -> bool, out: &mut Vec<u8>) {
        let Some(data) = &event.data else {
            out.extend(event.raw);
            return;
        };
        let Ok(was @ Value::Object(_)) = serde_json::from_str::<Value>(data) else {
            // No event of this API. Whatever it is, no block is in it.
            if fence::strip(data) == *data {
                out.extend(event.raw);
            }
            return;
        };
        let kind = was["type"].as_str().unwrap_or_default().to_owned();
        let index = was["output_index"].as_u64();
        let mut change = Change { raw: event.raw, is: was.clone(), was };
        match (kind.as_str(), index) {
            ("response.created" | "response.queued" | "response.in_progress", _) => {
                if !self.has_begun {
                    self.ask.restore(&mut change.is["response"], ours);
                    self.head.push(change);
                }
            }
            ("response.completed" | "response.incomplete" | "response.failed", _) => self.close(change, ours, out),
            ("response.output_item.added" | "response.output_item.done", _) => self.item(change, ours, out),
            (_, Some(index)) => self.about(index, change, out),
            (kind, None) => {
                self.failed |= kind == "error";
                self.see(change, out);
            }
        }
    }

    fn next_round(&mut self) {
        let last = self.last.take().unwrap_or_default();
        let used = Some(last["response"]["usage"].clone()).filter(Value::is_object);
        self.used = added(self.used.take(), used);
        self.answer = Answer::default();
        self.texts.clear();
        self.gathered.clear();
        self.places.clear();
        self.head.clear();
        self.seen_before = self.seen.len();
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        let Some(mut is) = self.last.take() else { return };
        if let Some(id) = &self.id {
            is["response"]["id"].clone_from(id);
        }
        if is["response"]["output"].is_array() {
            is["response"]["output"] = std::mem::take(&mut self.seen).into();
        }
        if let Some(before) = self.used.take() {
            let used = Some(is["response"]["usage"].take()).filter(Value::is_object);
            is["response"]["usage"] = added(used, Some(before)).unwrap_or_default();
        }
        self.see(Change { raw: Vec::new(), was: Value::Null, is }, out);
    }

    fn cut(&mut self, out: &mut Vec<u8>) {
        self.flush(None, out);
    }

    fn error(&mut self, error: &Value, out: &mut Vec<u8>) {
        let error = &error["error"];
        let (code, message) = (error["code"].as_str().or(error["type"].as_str()), &error["message"]);
        let is = json!({"type": "error", "code": code, "message": message, "param": null, "sequence_number": 0});
        self.see(Change { raw: Vec::new(), was: Value::Null, is }, out);
    }
}

/// How likely each piece of a text was says what the text was.
fn without_tokens(event: &mut Value) {
    if let Some(tokens) = event.get_mut("logprobs") {
        *tokens = json!([]);
    }
}

/// Answers that come each as a whole, over all rounds.
pub(super) struct WholeItems {
    ask: Arc<Ask>,
    answer: Answer,
    shown: String,
    seen: Vec<Value>,
    used: Option<Value>,
}

impl WholeItems {
    pub(super) fn new(ask: Arc<Ask>) -> Self {
        let (answer, shown, seen, used) = Default::default();
        Self { ask, answer, shown, seen, used }
    }
}

impl Whole for WholeItems {
    fn answer(&self) -> &Answer {
        &self.answer
    }

    fn shown(&self) -> &str {
        &self.shown
    }

    fn has_failed(&self) -> bool {
        self.answer.finish.as_deref() == Some("failed")
    }

    fn read(&mut self, bytes: &[u8], ours: &dyn Fn(&str) -> bool) -> Option<Value> {
        let response: Value = serde_json::from_slice(bytes).ok()?;
        self.answer = Answer::of_response(&response, &[])?;
        self.shown.push_str(&Scrubber::scrubbed(self.answer.text()));
        let items = response["output"].as_array().into_iter().flatten();
        self.seen.extend(items.filter_map(|item| output::shown(item, &Scrubber::scrubbed, ours)));
        Some(response)
    }

    fn next_round(&mut self, response: &mut Value) {
        self.used = added(self.used.take(), Some(response["usage"].take()).filter(Value::is_object));
    }

    fn end(&mut self, response: &Value, ours: &dyn Fn(&str) -> bool) -> Option<Value> {
        let mut shown = response.clone();
        self.ask.restore(&mut shown, ours);
        shown["output"] = self.seen.clone().into();
        if let Some(before) = self.used.take() {
            let used = Some(shown["usage"].take()).filter(Value::is_object);
            shown["usage"] = added(used, Some(before)).unwrap_or_default();
        }
        (shown != *response).then_some(shown)
    }
}

#[cfg(test)]
#[path = "items_tests.rs"]
mod tests;
