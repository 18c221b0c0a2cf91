//! The events of a stream: `data:` lines, with an empty line behind each event.

/// The longest event: more than any server sends in one.
const LONGEST: usize = 16 << 20;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its lines as they came, with the empty one.
    pub raw: Vec<u8>,
    /// What its `data:` lines say; None for a comment.
    pub data: Option<String>,
}

/// An event of a stream is longer than any can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is longer than 16 MiB")]
pub struct TooLong;

/// Reads events from bytes that come in pieces.
#[derive(Debug, Default)]
pub struct Events {
    bytes: Vec<u8>,
    /// Up to here there is no end of an event.
    seen: usize,
}

impl Events {
    /// The next bytes.
    ///
    /// # Errors
    /// When an event is too long.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > LONGEST + bytes.len() { Err(TooLong) } else { Ok(()) }
    }

    /// What is left when the bytes are over, which is an event if its end was not sent.
    #[must_use]
    pub fn rest(&mut self) -> Option<Event> {
        let rest = std::mem::take(&mut self.bytes);
        self.seen = 0;
        (!rest.is_empty()).then(|| event(rest))
    }
}

impl Iterator for Events {
    type Item = Event;

    /// The next event that is there as a whole.
    fn next(&mut self) -> Option<Event> {
        let mut at = self.seen;
        while let Some(found) = self.bytes[at..].iter().position(|&byte| byte == b'\n') {
            let line = at + found + 1;
            // The end of the line before, and one more.
            let before = self.bytes[..line - 1].strip_suffix(b"\r").unwrap_or(&self.bytes[..line - 1]);
            if before.is_empty() || before.ends_with(b"\n") {
                let rest = self.bytes.split_off(line);
                self.seen = 0;
                return Some(event(std::mem::replace(&mut self.bytes, rest)));
            }
            at = line;
        }
        self.seen = at;
        None
    }
}

fn event(raw: Vec<u8>) -> Event {
    let text = String::from_utf8_lossy(&raw);
    let lines = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let lines: Vec<_> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let data = (!lines.is_empty()).then(|| lines.join("\n"));
    Event { data, raw }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_however_the_bytes_are_cut() {
        let text =
            "data: {\"a\":\"чай\"}\n\n: ping\r\n\r\nevent: x\r\ndata:1\r\ndata: 2\r\n\r\n\ndata: [DONE]\n\ndata: cut";
        for size in 1..text.len() {
            let mut events = Events::default();
            let mut found = Vec::new();
            for bytes in text.as_bytes().chunks(size) {
                events.push(bytes).unwrap();
                found.extend(&mut events);
            }
            found.extend(events.rest());
            let data: Vec<_> = found.iter().map(|event| event.data.as_deref()).collect();
            assert_eq!(
                data,
                [Some("{\"a\":\"чай\"}"), None, Some("1\n2"), None, Some("[DONE]"), Some("cut")],
                "{size}"
            );
            let raw: Vec<u8> = found.into_iter().flat_map(|event| event.raw).collect();
            assert_eq!(raw, text.as_bytes());
        }
    }

    #[test]
    fn an_event_without_an_end_is_given_up() {
        let mut events = Events::default();
        let piece = vec![b'x'; 1 << 20];
        let given_up = (0..40).find(|_| {
            let pushed = events.push(&piece);
            assert!(events.next().is_none());
            pushed.is_err()
        });
        assert_eq!(given_up, Some(17));
    }
}
