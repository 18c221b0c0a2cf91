//! What a session's window already holds, so that no memory is given to the model twice.

use std::collections::{HashSet, VecDeque};

use hermes_provider_api::records::Message;
use memchr::memmem::Finder;

/// How many bytes of messages are kept: more than the window of any model holds. A host that never compresses has let go
/// of the older ones as well.
const MOST: usize = 8 << 20;

/// Until compression. Texts are kept in normal form.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    injected: HashSet<String>,
    /// What was kept from the model and told in the log.
    blocked: HashSet<String>,
    messages: VecDeque<String>,
    bytes: usize,
}

impl Window {
    /// Something was said.
    pub(super) fn say(&mut self, message: &Message) {
        if !message.content.is_empty() {
            let text = hermes_text::normalize(&message.content);
            self.bytes += text.len();
            self.messages.push_back(text);
        }
        while self.bytes > MOST
            && let Some(oldest) = self.messages.pop_front()
        {
            self.bytes -= oldest.len();
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

    /// A memory, in normal form, is kept from the model. Answers whether that is the first time.
    pub(super) fn block(&mut self, memory: String) -> bool {
        self.blocked.insert(memory)
    }

    /// The middle was folded: what it held may be given again.
    pub(super) fn compress(&mut self) {
        *self = Self { blocked: std::mem::take(&mut self.blocked), ..Self::default() };
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
    use hermes_provider_api::records::Role;

    use super::*;

    #[test]
    fn a_window_without_an_end_is_bounded() {
        let mut window = Window::default();
        for number in 0..40 {
            window.say(&Message::new(Role::User, format!("word{number} {}", "x".repeat(1 << 20))));
        }
        assert!(window.bytes <= MOST && window.messages.iter().map(String::len).sum::<usize>() == window.bytes);
        assert!(window.holds("word39") && !window.holds("word0"));
    }

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
