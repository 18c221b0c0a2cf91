//! What a session's window already holds, so that no memory is given to the model twice.

use std::collections::HashSet;

use hermes_provider_api::records::Message;
use memchr::memmem::Finder;

/// Until compression. Texts are kept in normal form.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    injected: HashSet<String>,
    messages: Vec<String>,
}

impl Window {
    /// Something was said.
    pub(super) fn say(&mut self, message: &Message) {
        if !message.content.is_empty() {
            self.messages.push(hermes_text::normalize(&message.content));
        }
    }

    /// A memory, in normal form, was given to the model.
    pub(super) fn inject(&mut self, memory: String) {
        self.injected.insert(memory);
    }

    /// Whether a memory, in normal form, was given before and is unchanged, or was said word for word.
    pub(super) fn holds(&self, memory: &str) -> bool {
        // Made once for all messages: a long conversation is looked through for every memory of every turn.
        let finder = Finder::new(memory);
        self.injected.contains(memory) || self.messages.iter().any(|message| contains_whole(message, &finder))
    }

    /// The middle was folded: what it held may be given again.
    pub(super) fn compress(&mut self) {
        *self = Self::default();
    }
}

/// Whether a part stands in `text` and not inside of longer words.
fn contains_whole(text: &str, part: &Finder<'_>) -> bool {
    part.find_iter(text.as_bytes()).any(|start| {
        let word = char::is_alphanumeric;
        !text[..start].ends_with(word) && !text[start + part.needle().len()..].starts_with(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, part: &str, whole: bool) {
        assert_eq!(contains_whole(text, &Finder::new(part)), whole, "{part:?} in {text:?}");
    }

    #[test]
    fn a_memory_inside_of_a_word_was_not_said() {
        check("i like tea, really", "i like tea", true);
        check("steak", "tea", false);
        check("ann likes teapots", "ann likes tea", false);
        check("你好，我住在上海。", "我住在上海", true);
        check("анна любит чай", "анна любит чай", true);
    }
}
