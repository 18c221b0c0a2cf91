//! What was said in a session, for its end: everything, and of a very long session the newest.

use hermes_provider_api::records::Message;

/// How much a session's end carries at most, bytes of JSON: a quarter of what a call may carry at all, so that masks in
/// the place of secrets cannot make it too much.
const END_BYTES: usize = 8 << 20;

/// Messages since the last end. A session may last for months, and must not fill the memory.
#[derive(Default)]
pub(super) struct Said {
    messages: Vec<Message>,
    bytes: usize,
}

impl Said {
    pub(super) fn push(&mut self, messages: Vec<Message>) {
        self.bytes += messages.iter().map(size).sum::<usize>();
        self.messages.extend(messages);
        // Not at every turn of a long session, which would move all that is kept each time.
        if self.bytes > 2 * END_BYTES {
            self.shorten();
        }
    }

    /// What the end of the session carries. Nothing was said then.
    pub(super) fn take(&mut self) -> Vec<Message> {
        self.shorten();
        self.bytes = 0;
        std::mem::take(&mut self.messages)
    }

    fn shorten(&mut self) {
        self.messages = newest(std::mem::take(&mut self.messages), END_BYTES);
        self.bytes = self.messages.iter().map(size).sum();
    }
}

/// The last of the messages that have at most so many bytes together, as JSON.
fn newest(mut messages: Vec<Message>, bytes: usize) -> Vec<Message> {
    let mut left = bytes;
    let kept = messages.iter().rev().take_while(|message| {
        let rest = left.checked_sub(size(message));
        left = rest.unwrap_or_default();
        rest.is_some()
    });
    let dropped = messages.len() - kept.count();
    messages.drain(..dropped);
    messages
}

/// The bytes of a message as JSON.
fn size(message: &Message) -> usize {
    let json = |message: &Message| serde_json::to_vec(message).expect("messages are texts").len();
    if !message.tool_calls.is_empty() || !message.tool_call_id.is_empty() {
        return json(message);
    }
    // Counted and not written: each turn asks, and most messages are a text.
    json(&Message::new(message.role, "")) + message.content.len() + escapes(&message.content)
}

/// How many bytes more a text has in JSON.
fn escapes(text: &str) -> usize {
    let count = |is: fn(u8) -> bool| -> usize {
        text.as_bytes()
            .chunks(128)
            .map(|many| usize::from(many.iter().fold(0, |sum, byte| sum + u8::from(is(*byte)))))
            .sum()
    };
    let controls = count(|byte| byte < b' ');
    let signs = count(|byte| (byte == b'"') | (byte == b'\\'));
    let short = if controls > 0 { count(|byte| matches!(byte, 0x08 | b'\t' | b'\n' | 0x0C | b'\r')) } else { 0 };
    signs + short + 5 * (controls - short)
}

#[cfg(test)]
mod tests {
    use hermes_provider_api::records::Role;

    use super::*;

    #[track_caller]
    fn check(texts: &[&str], spare: usize, kept: usize) {
        let messages: Vec<Message> = texts.iter().map(|text| Message::new(Role::User, *text)).collect();
        let last = &messages[messages.len() - kept..];
        let bytes: usize = last.iter().map(size).sum();
        assert_eq!(newest(messages.clone(), bytes + spare), last, "{texts:?}");
    }

    #[test]
    fn an_end_carries_the_newest_messages_that_fit() {
        check(&["a", "b", "c"], 0, 2);
        check(&["a", "b", "c"], 5, 2);
        check(&["a", "b", "c"], 1000, 3);
        check(&["a", "longer than the rest", "c"], 0, 1);
        // An older one that would fit does not stand in for a newer one.
        check(&["a", &"x".repeat(200), "c"], 100, 1);
        check(&["a", &"x".repeat(200)], 100, 0);
        // What counts is what is sent: control characters are six bytes there.
        check(&["\u{1}\u{1}\u{1}\u{1}", "c"], 40, 1);
    }

    #[test]
    fn a_message_is_as_large_as_its_json() {
        let texts: Vec<String> =
            (0..=0x100).filter_map(char::from_u32).map(|c| format!("{c} {c}ж").repeat(99)).collect();
        for text in texts.iter().map(String::as_str).chain(["", "a"]) {
            let plain = Message::new(Role::Assistant, text);
            let result = Message { tool_call_id: "1".to_owned(), ..Message::new(Role::Tool, text) };
            for message in [plain, result] {
                assert_eq!(size(&message), serde_json::to_vec(&message).unwrap().len(), "{text:?}");
            }
        }
    }

    #[test]
    fn a_session_without_an_end_does_not_fill_the_memory() {
        let mut said = Said::default();
        let mut all = Vec::new();
        for number in 0..30 {
            let message = Message::new(Role::User, format!("{number} {}", "ж".repeat(1 << 19)));
            said.push(vec![message.clone()]);
            all.push(message);
            assert!(said.bytes <= 2 * END_BYTES && said.messages.iter().map(size).sum::<usize>() == said.bytes);
        }
        assert_eq!(said.take(), newest(all, END_BYTES), "and its end is the same as if all had been kept");
        assert!(said.take().is_empty());
    }
}
