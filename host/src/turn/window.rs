//! What a session's window already holds, so that no memory is given to the model twice.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher as _, Hash, Hasher, RandomState};
use std::sync::Arc;

use hermes_provider_api::records::Message;
use memchr::memmem::Finder;

/// How many bytes of messages are kept: more than the window of any model holds. A host that never compresses has let go
/// of the older ones as well.
const MOST: usize = 8 << 20;

/// Until compression. Texts are kept in normal form.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    injected: HashSet<Memory>,
    /// What was kept from the model and told in the log.
    blocked: HashSet<Memory>,
    messages: VecDeque<String>,
    bytes: usize,
    hashes: RandomState,
}

/// A memory in normal form, hashed once for all sets that it is looked up in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    hash: u64,
    text: Arc<str>,
}

impl Memory {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

impl Hash for Memory {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
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

    /// The memory that a text is.
    pub(super) fn memory(&self, text: &str) -> Memory {
        let text: Arc<str> = hermes_text::normalize(text).into();
        Memory { hash: self.hashes.hash_one(&*text), text }
    }

    /// A memory was given to the model.
    pub(super) fn inject(&mut self, memory: Memory) {
        self.injected.insert(memory);
    }

    /// Whether a memory was given before and is unchanged, or was said word for word.
    pub(super) fn holds(&self, memory: &Memory) -> bool {
        // Made once for all messages: a long conversation is looked through for every memory of every turn.
        let part = Part::new(&memory.text);
        self.injected.contains(memory) || self.messages.iter().any(|message| part.is_whole_in(message))
    }

    /// A memory is kept from the model. Answers whether that is the first time.
    pub(super) fn block(&mut self, memory: Memory) -> bool {
        self.blocked.insert(memory)
    }

    /// The middle was folded: what it held may be given again.
    pub(super) fn compress(&mut self) {
        // What is blocked is known by these hashes.
        let (blocked, hashes) = (std::mem::take(&mut self.blocked), self.hashes.clone());
        *self = Self { blocked, hashes, ..Self::default() };
    }
}

/// How much of a part is looked for at first: to make a search for a long one ready takes longer than to find it.
const BEGINNING: usize = 64;
/// In how many places the beginning of a part may stand in vain before all of it is looked for, so that no text takes
/// longer than its length.
const IN_VAIN: usize = 64;

/// What is looked for in many texts.
struct Part<'a> {
    text: &'a str,
    beginning: Finder<'a>,
}

impl<'a> Part<'a> {
    fn new(text: &'a str) -> Self {
        let beginning = Finder::new(&text.as_bytes()[..text.len().min(BEGINNING)]);
        Self { text, beginning }
    }

    /// Whether it stands in `text` and not inside of longer words.
    fn is_whole_in(&self, text: &str) -> bool {
        let mut from = 0;
        for _ in 0..IN_VAIN {
            let Some(found) = self.beginning.find(&text.as_bytes()[from..]) else { return false };
            if self.is_whole_at(text, from + found) {
                return true;
            }
            from += found + 1;
        }
        let all = Finder::new(self.text);
        all.find_iter(&text.as_bytes()[from..]).any(|found| self.is_whole_at(text, from + found))
    }

    fn is_whole_at(&self, text: &str, at: usize) -> bool {
        let word = char::is_alphanumeric;
        let stands = text.as_bytes()[at..].starts_with(self.text.as_bytes());
        stands && !text[..at].ends_with(word) && !text[at + self.text.len()..].starts_with(word)
    }
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
        assert!(window.holds(&window.memory("word39")) && !window.holds(&window.memory("word0")));
    }

    #[track_caller]
    fn check(text: &str, part: &str, whole: bool) {
        assert_eq!(Part::new(part).is_whole_in(text), whole, "{part:?} in {text:?}");
    }

    #[test]
    fn a_long_memory_is_found_behind_many_that_begin_alike() {
        let (beginning, end) = ("tea ".repeat(30), "and milk");
        let memory = format!("{beginning}{end}");
        for others in [0, 1, IN_VAIN - 1, IN_VAIN, 3 * IN_VAIN] {
            let text = format!("{}{memory}", format!("{beginning}or ").repeat(others));
            check(&text, &memory, true);
            check(&text, &format!("{memory}s"), false);
            check(&format!("{text}s"), &memory, false);
            check(&text.replace(end, "and milk, and"), &memory, true);
        }
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
