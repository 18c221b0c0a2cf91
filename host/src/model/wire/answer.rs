//! What a model answers, gathered from one piece or many.

use std::collections::BTreeMap;

use hermes_provider_api::records::{Message, Role, ToolCall};
use serde_json::{Map, Value, json};

use super::message::call;
use super::{Form, WireMessage, output};

/// The most calls of one answer that are kept.
const MOST_CALLS: u64 = 128;

/// The answer of a model, as far as it is there.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub(super) text: String,
    /// By their index.
    pub(super) calls: BTreeMap<u64, Value>,
    /// Why the model stopped: `stop`, `tool_calls`, `length`, … None while it goes on.
    pub finish: Option<String>,
    /// Its server's name for it, where that can be gone on from.
    pub id: String,
    /// The items that it has in the newer API.
    pub(super) items: Option<Vec<Value>>,
}

/// A part of an answer, as it is given back to the model and as its client has it.
#[derive(Debug)]
pub struct Piece {
    /// As the model said it.
    pub own: WireMessage,
    /// As the client sees it; None where it does not.
    pub shown: Option<WireMessage>,
}

impl Answer {
    /// The answer that is one choice of a whole response.
    #[must_use]
    pub fn of_choice(choice: &Value) -> Self {
        let mut answer = Self::default();
        answer.add(&choice["message"]);
        answer.finish = choice["finish_reason"].as_str().map(str::to_owned);
        answer
    }

    /// An answer of one text.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Which form of the API it has.
    #[must_use]
    pub fn form(&self) -> Form {
        if self.items.is_some() { Form::Responses } else { Form::Chat }
    }

    /// Adds a piece. Answers the indexes of the tool calls that it has pieces of.
    pub fn add(&mut self, delta: &Value) -> Vec<u64> {
        self.text.push_str(delta["content"].as_str().unwrap_or_default());
        let mut touched = Vec::new();
        for piece in delta["tool_calls"].as_array().into_iter().flatten() {
            let index = self.index_of(piece);
            if index < MOST_CALLS {
                join(self.calls.entry(index).or_insert_with(|| json!({})), piece);
                touched.push(index);
            }
        }
        touched
    }

    /// Some servers leave the index out; an id then begins another call.
    fn index_of(&self, piece: &Value) -> u64 {
        let last = self.calls.keys().next_back().copied();
        piece["index"].as_u64().unwrap_or_else(|| match last {
            None => 0,
            Some(last) if piece["id"].as_str().is_some_and(|id| !id.is_empty()) => last + 1,
            Some(last) => last,
        })
    }

    /// The same with another text.
    #[must_use]
    pub fn with_text(mut self, text: &str) -> Self {
        text.clone_into(&mut self.text);
        self
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The name of the tool that a call is for; empty while it is not known.
    #[must_use]
    pub fn tool(&self, index: u64) -> &str {
        self.calls.get(&index).and_then(|call| call["function"]["name"].as_str()).unwrap_or_default()
    }

    /// A call as far as it is there.
    #[must_use]
    pub fn call(&self, index: u64) -> Option<&Value> {
        self.calls.get(&index)
    }

    /// The tools that it calls, each with an id.
    #[must_use]
    pub fn calls(&self) -> Vec<ToolCall> {
        self.whole_calls().iter().map(call).collect()
    }

    /// All of it as it is given back to the model.
    #[must_use]
    pub fn messages(&self) -> Vec<WireMessage> {
        match &self.items {
            Some(items) => items.iter().cloned().map(WireMessage::new).collect(),
            None => vec![self.message_with(|_| true)],
        }
    }

    /// What a tool answered to one of its calls.
    #[must_use]
    pub fn result(&self, call: &str, content: &str) -> WireMessage {
        WireMessage::new(match self.form() {
            Form::Chat => json!({"role": "tool", "tool_call_id": call, "content": content}),
            Form::Responses => json!({"type": "function_call_output", "call_id": call, "output": content}),
        })
    }

    /// What a client has of it: this text, cleaned as by `clean`, and the calls of tools that are `theirs`. Other calls
    /// are given back to the model only if they `ran`: one may not be shown without its result.
    #[must_use]
    pub fn pieces(
        &self,
        text: &str,
        clean: &dyn Fn(&str) -> String,
        theirs: &dyn Fn(&str) -> bool,
        ran: bool,
    ) -> Vec<Piece> {
        let Some(items) = &self.items else {
            let own = self.message_with(|tool| ran || theirs(tool));
            let shown = Self { text: text.to_owned(), ..self.clone() }.message_with(theirs);
            return vec![Piece { own, shown: Some(shown) }];
        };
        let shown = items.iter().map(|item| output::shown(item, clean, &|tool| !theirs(tool)));
        let pieces = items.iter().zip(shown).filter(|(_, shown)| ran || shown.is_some());
        let new = |(item, shown): (&Value, Option<Value>)| Piece {
            own: WireMessage::new(item.clone()),
            shown: shown.map(WireMessage::new),
        };
        pieces.map(new).collect()
    }

    /// The same for the record of the turn.
    #[must_use]
    pub fn to_record(&self) -> Message {
        let (content, tool_calls) = (self.text.clone(), self.calls());
        Message { role: Role::Assistant, content, tool_calls, tool_call_id: String::new() }
    }

    fn message_with(&self, wanted: impl Fn(&str) -> bool) -> WireMessage {
        let calls = self.whole_calls();
        let calls: Vec<_> =
            calls.into_iter().filter(|call| wanted(call["function"]["name"].as_str().unwrap_or_default())).collect();
        let content = if self.text.is_empty() && !calls.is_empty() { Value::Null } else { self.text.as_str().into() };
        let mut message = json!({"role": "assistant", "content": content});
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        WireMessage::new(message)
    }

    fn whole_calls(&self) -> Vec<Value> {
        let whole = self.calls.iter().map(|(index, call)| {
            let mut whole = call.clone();
            if whole["id"].as_str().unwrap_or_default().is_empty() {
                whole["id"] = format!("call_{index}").into();
            }
            if whole["type"].as_str().is_none() {
                whole["type"] = "function".into();
            }
            if !whole["function"]["arguments"].is_string() {
                whole["function"]["arguments"] = self::call(call).arguments.into();
            }
            whole
        });
        whole.collect()
    }
}

/// Adds a piece of a call to what is there of it. Arguments come bit by bit, all else at once.
fn join(whole: &mut Value, piece: &Value) {
    let (Value::Object(whole), Value::Object(piece)) = (whole, piece) else { return };
    for (name, value) in piece {
        match (whole.get_mut(name), value) {
            (_, Value::Null) => {}
            _ if name == "index" => {}
            (Some(Value::String(old)), Value::String(new)) if name == "arguments" => old.push_str(new),
            // Sent again with every piece by some servers, and empty by others.
            (Some(Value::String(_)), Value::String(new)) if new.is_empty() => {}
            (Some(old @ Value::Object(_)), Value::Object(_)) => join(old, value),
            (None, Value::Object(_)) => {
                let mut new = Value::Object(Map::new());
                join(&mut new, value);
                whole.insert(name.clone(), new);
            }
            _ => {
                whole.insert(name.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_in_pieces_become_whole() {
        let mut answer = Answer::default();
        for delta in [
            json!({"role": "assistant", "content": "Я "}),
            json!({"content": "ищу"}),
            json!({"tool_calls": [{"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}]}),
            json!({"tool_calls": [{"index": 1, "id": "b", "extra": {"sig": "x"}, "function": {"name": "g", "arguments": "{"}}]}),
            json!({"tool_calls": [{"index": 0, "function": {"arguments": "{\"q\":"}}, {"index": 1, "id": "", "function": {"name": "", "arguments": "}"}}]}),
            json!({"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]}),
        ] {
            answer.add(&delta);
        }
        let calls: Vec<_> =
            answer.calls().into_iter().map(|call| [call.id, call.name, call.arguments].join(" ")).collect();
        assert_eq!((answer.text(), calls), ("Я ищу", vec!["a f {\"q\":1}".to_owned(), "b g {}".to_owned()]));
        let pieces = answer.pieces("", &str::to_owned, &|tool| tool == "g", true);
        assert_eq!(
            pieces[0].shown.as_ref().unwrap().raw().get(),
            r#"{"content":null,"role":"assistant","tool_calls":[{"extra":{"sig":"x"},"function":{"arguments":"{}","name":"g"},"id":"b","type":"function"}]}"#
        );
    }

    #[test]
    fn servers_that_leave_things_out_are_understood() {
        let mut answer = Answer::default();
        answer.add(&json!({"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {"q": 1}}}]}));
        answer.add(
            &json!({"tool_calls": [{"id": "b", "function": {"name": "g"}}, {"index": 5, "function": {"name": "h"}}]}),
        );
        let calls: Vec<_> =
            answer.calls().into_iter().map(|call| [call.id, call.name, call.arguments].join(" ")).collect();
        assert_eq!(calls, ["a f {\"q\":1}", "b g ", "call_5 h "]);
        let many = Value::from_iter((0..1000).map(|index| json!({"index": index, "function": {"name": "f"}})));
        answer.add(&json!({"tool_calls": many}));
        assert_eq!(answer.calls().len(), 128);
        let whole = Answer::of_choice(&json!({"message": {"content": "hi"}, "finish_reason": "stop"}));
        assert_eq!((whole.text(), whole.finish.as_deref(), whole.calls().len()), ("hi", Some("stop"), 0));
    }
}
