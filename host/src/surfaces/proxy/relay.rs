//! What a client sees of the model's answers: all of it but memory blocks and the calls of the memory's tools.
//!
//! No input or output here: events go in, the bytes for the client come out. Most events pass as they came.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::guard::{Scrubber, fence};
use crate::model::wire::{Answer, Event};

/// The fields of a message in which a model speaks.
const SPOKEN: [&str; 4] = ["content", "reasoning_content", "reasoning", "refusal"];
/// The last event of a stream.
const DONE: &str = "[DONE]";

/// The streamed answers of one request, which may be several rounds.
pub(super) trait Relay: Send {
    /// This round, as far as it is there.
    fn answer(&self) -> &Answer;
    /// The text of all rounds, as the client sees it.
    fn shown(&self) -> &str;
    /// Whether the model said that it is done.
    fn is_complete(&self) -> bool;
    /// Whether nothing more is to come.
    fn is_done(&self) -> bool;
    /// Whether the model's server said that it is no answer.
    fn has_failed(&self) -> bool {
        false
    }
    /// An event of the model's stream. What the client sees of it goes to `out`.
    fn event(&mut self, event: Event, ours: &dyn Fn(&str) -> bool, out: &mut Vec<u8>);
    /// Another round begins, and nothing of how this one ended is shown.
    fn next_round(&mut self);
    /// The answer is over: how it ended.
    fn end(&mut self, out: &mut Vec<u8>);
    /// The stream was cut: what is still held of the text, and is no block.
    fn cut(&mut self, out: &mut Vec<u8>);
    /// The last event is that of an error, whose body this is.
    fn error(&mut self, error: &Value, out: &mut Vec<u8>);
}

/// The answers of one request that come each as a whole.
pub(super) trait Whole: Send {
    /// This round.
    fn answer(&self) -> &Answer;
    /// The text of all rounds, as the client sees it.
    fn shown(&self) -> &str;
    /// Whether the model's server said that it is no answer.
    fn has_failed(&self) -> bool {
        false
    }
    /// The answer of a round. None when it is no answer of this API.
    fn read(&mut self, bytes: &[u8], ours: &dyn Fn(&str) -> bool) -> Option<Value>;
    /// Another round follows this one.
    fn next_round(&mut self, response: &mut Value);
    /// The answer for the client; None when it is that of the model, byte for byte.
    fn end(&mut self, response: &Value, ours: &dyn Fn(&str) -> bool) -> Option<Value>;
}

/// A stream of chunks, as chat completions are.
#[derive(Default)]
pub(super) struct Chunks {
    /// For each choice and each field in which it speaks.
    scrubbers: BTreeMap<(u64, &'static str), Scrubber>,
    /// The first choice of this round.
    answer: Answer,
    /// Its text in all rounds, as the client sees it.
    shown: String,
    /// The client's index of its own calls, by the model's; None for those of the memory.
    calls: BTreeMap<u64, Option<u64>>,
    round: u32,
    /// What all events of the stream say of it: that of the first round.
    head: Map<String, Value>,
    /// What was used in the rounds before this one, and in this one.
    used: [Option<Value>; 2],
    /// The events that end a stream are held until it is known that there is no other round.
    held: Vec<Value>,
    done: bool,
}

impl Relay for Chunks {
    fn answer(&self) -> &Answer {
        &self.answer
    }

    fn shown(&self) -> &str {
        &self.shown
    }

    fn is_complete(&self) -> bool {
        self.done || self.answer.finish.is_some()
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn event(&mut self, event: Event, ours: &dyn Fn(&str) -> bool, out: &mut Vec<u8>) {
        let Some(data) = &event.data else {
            out.extend(event.raw);
            return;
        };
        if data.trim() == DONE {
            self.done = true;
            return;
        }
        let Ok(mut chunk @ Value::Object(_)) = serde_json::from_str::<Value>(data) else {
            // No event of this API. Whatever it is, no block is in it.
            if fence::strip(data) == *data {
                out.extend(event.raw);
            }
            return;
        };
        if let usage @ Value::Object(_) = &chunk["usage"] {
            self.used[1] = Some(usage.clone());
        }
        let Some(choices) = chunk["choices"].as_array_mut() else {
            out.extend(event.raw);
            return;
        };
        if choices.is_empty() {
            self.held.push(chunk);
            return;
        }
        let (mut is_changed, mut ends) = (false, false);
        for choice in choices.iter_mut() {
            is_changed |= self.choice(choice, ours);
            ends |= choice["index"].as_u64().unwrap_or(0) == 0 && choice["finish_reason"].is_string();
        }
        is_changed |= self.keep_head(&mut chunk);
        if ends {
            self.held.push(chunk);
        } else if !is_changed {
            out.extend(event.raw);
        } else if says_something(&chunk) {
            write(&chunk, out);
        }
    }

    fn next_round(&mut self) {
        let [before, this] = std::mem::take(&mut self.used);
        self.used[0] = added(before, this);
        self.answer = Answer::default();
        self.calls.clear();
        self.held.clear();
        self.done = false;
        self.round += 1;
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        let has_calls = self.calls.values().any(Option::is_some);
        let hid_calls = self.calls.values().any(Option::is_none);
        for mut chunk in std::mem::take(&mut self.held) {
            if let Some(before) = &self.used[0]
                && chunk["usage"].is_object()
            {
                chunk["usage"] = added(Some(chunk["usage"].take()), Some(before.clone())).unwrap_or_default();
            }
            let choices = chunk["choices"].as_array_mut().into_iter().flatten();
            for choice in choices.filter(|choice| choice["finish_reason"] == "tool_calls") {
                if hid_calls && !has_calls {
                    choice["finish_reason"] = "stop".into();
                }
            }
            write(&chunk, out);
        }
        if self.done {
            out.extend(format!("data: {DONE}\n\n").bytes());
        }
    }

    fn cut(&mut self, out: &mut Vec<u8>) {
        let rest = self.scrubbers.get_mut(&(0, SPOKEN[0])).map(Scrubber::finish).unwrap_or_default();
        if !rest.is_empty() {
            self.shown.push_str(&rest);
            let mut chunk = self.head.clone();
            chunk
                .insert("choices".to_owned(), json!([{"index": 0, "delta": {"content": rest}, "finish_reason": null}]));
            write(&chunk.into(), out);
        }
    }

    fn error(&mut self, error: &Value, out: &mut Vec<u8>) {
        write(error, out);
    }
}

impl Chunks {
    /// Answers whether the choice is another now.
    fn choice(&mut self, choice: &mut Value, ours: &dyn Fn(&str) -> bool) -> bool {
        let index = choice["index"].as_u64().unwrap_or(0);
        let ends = choice["finish_reason"].is_string();
        let mut is_changed = false;
        let Some(delta) = choice.get_mut("delta").and_then(Value::as_object_mut) else { return false };
        let touched = if index == 0 { self.answer.add(&Value::Object(delta.clone())) } else { Vec::new() };
        for field in SPOKEN {
            let said = delta.get(field).and_then(Value::as_str).unwrap_or_default();
            let scrubber = self.scrubbers.get_mut(&(index, field));
            if said.is_empty() && (!ends || scrubber.is_none()) {
                continue;
            }
            let scrubber = self.scrubbers.entry((index, field)).or_default();
            let mut seen = scrubber.push(said);
            if ends {
                seen.push_str(&scrubber.finish());
            }
            if (index, field) == (0, SPOKEN[0]) {
                self.shown.push_str(&seen);
            }
            if seen != said {
                is_changed = true;
                if seen.is_empty() {
                    delta.remove(field);
                } else {
                    delta.insert(field.to_owned(), seen.into());
                }
            }
        }
        // How likely each piece of a text was says what the text was.
        let hides_text = is_changed;
        if self.round > 0 && delta.remove("role").is_some() {
            is_changed = true;
        }
        if !touched.is_empty() {
            is_changed |= self.split_calls(delta, &touched, ours);
        }
        if ends && index == 0 {
            self.answer.finish = choice["finish_reason"].as_str().map(str::to_owned);
        }
        if hides_text && let Some(tokens) = choice.get_mut("logprobs") {
            *tokens = Value::Null;
        }
        is_changed
    }

    /// Takes the calls of the memory's tools out, and those whose tool is not known yet.
    fn split_calls(&mut self, delta: &mut Map<String, Value>, touched: &[u64], ours: &dyn Fn(&str) -> bool) -> bool {
        let pieces = delta.get_mut("tool_calls").and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default();
        let (mut shown, mut is_changed) = (Vec::new(), false);
        for (mut piece, &index) in pieces.into_iter().zip(touched) {
            match self.calls.get(&index) {
                Some(None) => is_changed = true,
                Some(&Some(to)) => {
                    is_changed |= piece["index"] != to;
                    piece["index"] = to.into();
                    shown.push(piece);
                }
                None => {
                    let tool = self.answer.tool(index);
                    if tool.is_empty() || ours(tool) {
                        is_changed = true;
                        if !tool.is_empty() {
                            self.calls.insert(index, None);
                        }
                        continue;
                    }
                    let to = self.calls.values().flatten().count() as u64;
                    self.calls.insert(index, Some(to));
                    // What came of it before its name was known is in this one.
                    let mut whole = self.answer.call(index).cloned().unwrap_or_default();
                    whole["index"] = to.into();
                    is_changed |= whole != piece;
                    shown.push(whole);
                }
            }
        }
        if shown.is_empty() {
            delta.remove("tool_calls");
        } else {
            delta.insert("tool_calls".to_owned(), shown.into());
        }
        is_changed
    }

    /// All events of a stream are of one answer. Answers whether this one is another now.
    fn keep_head(&mut self, chunk: &mut Value) -> bool {
        let Value::Object(fields) = chunk else { return false };
        if self.head.is_empty() {
            let kept = ["id", "object", "created", "model"];
            let kept = kept.iter().filter_map(|&name| Some((name.to_owned(), fields.get(name)?.clone())));
            self.head = kept.collect();
        }
        if self.round > 0 {
            fields.extend(self.head.clone());
        }
        self.round > 0
    }
}

/// Whether an event has anything in it for a client.
fn says_something(chunk: &Value) -> bool {
    let says = |choice: &Value| {
        choice["finish_reason"].is_string() || choice["delta"].as_object().is_some_and(|delta| !delta.is_empty())
    };
    chunk["choices"].as_array().is_some_and(|choices| choices.iter().any(says))
}

fn write(chunk: &Value, out: &mut Vec<u8>) {
    out.extend(format!("data: {chunk}\n\n").bytes());
}

/// What two rounds used, together.
pub(super) fn added(one: Option<Value>, other: Option<Value>) -> Option<Value> {
    match (one, other) {
        (Some(mut one), Some(other)) => {
            add(&mut one, &other);
            Some(one)
        }
        (one, other) => one.or(other),
    }
}

fn add(sum: &mut Value, more: &Value) {
    match (sum, more) {
        (Value::Object(sum), Value::Object(more)) => {
            for (name, value) in more {
                match sum.get_mut(name) {
                    Some(known) => add(known, value),
                    None => drop(sum.insert(name.clone(), value.clone())),
                }
            }
        }
        (sum @ Value::Number(_), Value::Number(_)) => {
            if let (Some(one), Some(other)) = (sum.as_u64(), more.as_u64()) {
                *sum = one.saturating_add(other).into();
            }
        }
        (sum @ Value::Null, _) => *sum = more.clone(),
        _ => {}
    }
}

/// An answer that came as a whole, over all its rounds.
#[derive(Default)]
pub(super) struct WholeChat {
    /// What the client sees of the first choice.
    shown: String,
    /// The first choice of this round.
    answer: Answer,
    used: Option<Value>,
    rounds: u32,
}

impl Whole for WholeChat {
    fn answer(&self) -> &Answer {
        &self.answer
    }

    fn shown(&self) -> &str {
        &self.shown
    }

    fn read(&mut self, bytes: &[u8], _: &dyn Fn(&str) -> bool) -> Option<Value> {
        let response: Value = serde_json::from_slice(bytes).ok()?;
        self.answer = Answer::of_choice(response["choices"].get(0)?);
        self.shown.push_str(&Scrubber::scrubbed(self.answer.text()));
        Some(response)
    }

    fn next_round(&mut self, response: &mut Value) {
        self.used = added(self.used.take(), Some(response["usage"].take()).filter(Value::is_object));
        self.rounds += 1;
    }

    fn end(&mut self, response: &Value, ours: &dyn Fn(&str) -> bool) -> Option<Value> {
        let mut shown = response.clone();
        for choice in shown["choices"].as_array_mut().into_iter().flatten() {
            let is_first = choice["index"].as_u64().unwrap_or(0) == 0;
            let Some(message) = choice["message"].as_object_mut() else { continue };
            let mut hides_text = false;
            for field in SPOKEN {
                if let Some(Value::String(text)) = message.get_mut(field) {
                    let seen = Scrubber::scrubbed(text);
                    hides_text |= seen != *text;
                    *text = seen;
                }
            }
            if is_first && self.rounds > 0 && !self.shown.is_empty() {
                message.insert(SPOKEN[0].to_owned(), self.shown.as_str().into());
            }
            let mut has_none = false;
            if let Some(calls) = message.get_mut("tool_calls").and_then(Value::as_array_mut) {
                let before = calls.len();
                calls.retain(|call| !ours(call["function"]["name"].as_str().unwrap_or_default()));
                has_none = calls.is_empty() && before > 0;
            }
            if has_none {
                message.remove("tool_calls");
                if choice["finish_reason"] == "tool_calls" {
                    choice["finish_reason"] = "stop".into();
                }
            }
            if hides_text && let Some(tokens) = choice.get_mut("logprobs") {
                *tokens = Value::Null;
            }
        }
        if let Some(before) = &self.used {
            shown["usage"] = added(Some(shown["usage"].take()), Some(before.clone())).unwrap_or_default();
        }
        (shown != *response).then_some(shown)
    }
}

#[cfg(test)]
#[path = "relay_tests.rs"]
mod tests;
