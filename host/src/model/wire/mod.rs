//! How conversations travel in OpenAI's API: messages as bytes that are kept as they came, answers whole or in pieces,
//! and the events of a stream. No input or output here.

mod answer;
mod events;
mod message;
mod object;
pub mod output;

pub use answer::{Answer, Piece};
pub use events::{Event, Events, TooLong};
pub use message::{Digest, WireMessage};
pub use object::Object;

use hermes_provider_api::records::ToolSchema;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// Which of the two forms of the API a conversation has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Messages: `/chat/completions`.
    #[default]
    Chat,
    /// Items, of which an answer may have several: `/responses`.
    Responses,
}

/// A value as JSON, for the inside of an [`Object`]. Nothing is lost that JSON can hold.
///
/// # Panics
/// When a map in it has keys that are no texts.
#[must_use]
pub fn raw(value: &(impl Serialize + ?Sized)) -> Box<RawValue> {
    to_raw_value(value).expect("what is written has texts for keys")
}

/// A tool as a request offers it to a model.
#[must_use]
pub fn tool(form: Form, tool: &ToolSchema) -> Value {
    match form {
        Form::Chat => json!({"type": "function", "function": tool}),
        Form::Responses => {
            let (name, about, parameters) = (&tool.name, &tool.description, &tool.parameters);
            json!({"type": "function", "name": name, "description": about, "parameters": parameters, "strict": false})
        }
    }
}
