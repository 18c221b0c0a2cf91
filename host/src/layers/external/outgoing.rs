//! Copies of what leaves: without secrets, without echoes of memory blocks. Cleaning a clean text changes nothing.

use std::borrow::Cow;
use std::sync::Arc;

use hermes_provider_api::Interface;
use hermes_provider_api::records::{Message, ToolCall};
use serde_json::Value;

use crate::guard::{Redactor, fence};
use crate::plugins::hooks::Hooks;
use crate::secrets::{Place, change_texts};

/// What cleans and checks whatever leaves for one provider.
#[derive(Clone, Debug)]
pub struct Outgoing {
    pub(super) provider: String,
    /// What the provider has. None when that is not known, because it is not there: then it is taken to have all.
    interfaces: Option<Vec<Interface>>,
    pub(super) redactor: Arc<Redactor>,
}

impl Outgoing {
    /// For a provider that is not there now: what is made for it waits.
    #[must_use]
    pub fn to_absent(provider: &str, redactor: Arc<Redactor>) -> Self {
        Self { provider: provider.to_owned(), interfaces: None, redactor }
    }

    pub(super) fn to(hooks: &(dyn Hooks + 'static), redactor: Arc<Redactor>) -> Self {
        let interfaces = Interface::ALL.iter().copied().filter(|interface| hooks.has(*interface)).collect();
        Self { interfaces: Some(interfaces), ..Self::to_absent(hooks.id(), redactor) }
    }

    /// The provider's id.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// Whether the provider has an interface, as far as is known.
    pub(super) fn has(&self, interface: Interface) -> bool {
        self.interfaces.as_ref().is_none_or(|known| known.contains(&interface))
    }

    /// A text as a provider may see it.
    pub(super) fn clean(&self, text: &str) -> String {
        self.redactor.redact(&fence::strip(text)).into_owned()
    }

    /// The same for every text in a JSON value.
    pub(super) fn clean_json(&self, value: &mut Value) {
        strip_json(value);
        self.redactor.redact_json(value);
    }

    pub(super) fn clean_messages(&self, messages: &[Message]) -> Vec<Message> {
        messages.iter().map(|message| self.clean_message(message)).collect()
    }

    /// A message as a provider may see it.
    #[must_use]
    pub fn clean_message(&self, message: &Message) -> Message {
        let call = |call: &ToolCall| ToolCall {
            // A model may write anything into these, too.
            id: self.clean_id(&call.id),
            name: self.clean(&call.name),
            arguments: self.clean_text_of_json(&call.arguments),
        };
        Message {
            role: message.role,
            content: self.clean_text_of_json(&message.content),
            tool_calls: message.tool_calls.iter().map(call).collect(),
            tool_call_id: self.clean_id(&message.tool_call_id),
        }
    }

    /// Ids begin with a word such as `call_`, which would hide how a secret behind it begins.
    fn clean_id(&self, id: &str) -> String {
        if let Some((word, rest)) = id.split_once('_') {
            let clean = self.clean(rest);
            if clean != rest {
                return format!("{word}_{clean}");
            }
        }
        self.clean(id)
    }

    /// Arguments and results of tools are JSON in a text: inside, so that escapes hide nothing; else as any text. Where
    /// nothing has to go, not a byte is changed.
    fn clean_text_of_json(&self, text: &str) -> String {
        if text.trim_start().starts_with(['{', '['])
            && let Ok(value) = serde_json::from_str::<Value>(text)
        {
            let mut clean = value.clone();
            self.clean_json(&mut clean);
            return if clean == value { text.to_owned() } else { clean.to_string() };
        }
        self.clean(text)
    }
}

fn strip_json(value: &mut Value) {
    change_texts(value, &|place, text| match (place, fence::strip(text)) {
        (Place::Value(_), Cow::Owned(stripped)) => Some(stripped),
        _ => None,
    });
}
