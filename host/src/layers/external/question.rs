//! What a provider is asked for a message. It is made once: the same is asked when the turn begins, and told as what will
//! probably be asked next when it ends.

use std::borrow::Cow;

use hermes_provider_api::Hook;
use hermes_provider_api::records::{Caller, PrefetchQuery};

use super::clean::may_be_json;
use super::{Outgoing, encode};
use crate::outbox::Delivery;

/// The longest query, in characters.
const QUERY_CHARS: usize = 8000;

/// A question that is clean.
#[derive(Debug)]
pub struct Question {
    session: String,
    /// Its record.
    pub(super) payload: String,
    said: Option<String>,
}

impl Question {
    /// The whole message as a provider may see it, where that was made on the way; once.
    pub fn take_said(&mut self) -> Option<String> {
        self.said.take()
    }
}

impl Outgoing {
    /// What is asked for a message.
    #[must_use]
    pub fn question(&self, caller: &Caller, message: &str, limit: usize) -> Question {
        // All of the message is clean before it is cut, so that no secret is cut in two. JSON is cleaned by its texts
        // elsewhere, and here as it stands.
        let said = (!may_be_json(message)).then(|| self.cleaner.text(message));
        let query = match &said {
            Some(said) => cut(said).into_owned(),
            None => self.cleaner.text(&cut(message)),
        };
        let query = PrefetchQuery { caller: caller.clone(), query, limit };
        Question { session: query.caller.origin.session.clone(), payload: encode(&query), said }
    }

    /// What will probably be asked next; only a hint.
    pub(crate) fn queue_prefetch(&self, question: Question) -> Option<Delivery> {
        let hook = Hook::QueuePrefetch;
        self.has(hook.interface()).then(|| Self::hint(hook, question.session, question.payload))
    }
}

/// What is asked for: the message, or its beginning and end when it is a whole document.
fn cut(message: &str) -> Cow<'_, str> {
    if message.len() <= QUERY_CHARS || hermes_text::char_count(message) <= QUERY_CHARS {
        return Cow::Borrowed(message);
    }
    const HALF: usize = QUERY_CHARS / 2;
    let start = hermes_text::truncate_chars(message, HALF);
    let end = match message.len() - HALF {
        at if message.as_bytes()[at..].is_ascii() => at,
        _ => message.char_indices().rev().nth(HALF - 1).map_or(0, |(at, _)| at),
    };
    Cow::Owned(format!("{start}\n{}", &message[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_asked_for_by_its_beginning_and_end() {
        assert_eq!(cut("короткий вопрос"), "короткий вопрос");
        let long = format!("первое {}последнее", "слово ".repeat(1_000_000));
        let query = cut(&long);
        assert!(query.starts_with("первое") && query.ends_with("последнее"));
        assert_eq!(hermes_text::char_count(&query), QUERY_CHARS + 1);
        assert_eq!(cut(&"a".repeat(3 * QUERY_CHARS)).len(), QUERY_CHARS + 1);
    }

    /// Cut first, half of it would stay, too short to be known.
    #[test]
    fn no_secret_is_cut_in_two() {
        let key = "sk-0123456789abcdefXY";
        let outgoing = Outgoing::to_absent("notes", std::sync::Arc::default());
        for before in QUERY_CHARS / 2 - key.len()..QUERY_CHARS / 2 {
            let message = format!("{} {key} {}", "x".repeat(before), "слово ".repeat(4000));
            let question = outgoing.question(&Caller::default(), &message, 5);
            assert!(!question.payload.contains("sk-0"), "{before}");
        }
    }
}
