//! Bytes that should be UTF-8, made so; and what JSON text may hold that is no Unicode.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

/// What stands for bytes that are no text.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// How much was read, for those who do not hold the reader.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    total: Rc<Cell<u64>>,
    piece: Rc<Cell<u64>>,
    replaced: Rc<Cell<u64>>,
}

impl Progress {
    /// All bytes so far.
    pub(super) fn total(&self) -> u64 {
        self.total.get()
    }

    /// How often bytes were no UTF-8.
    pub(super) fn replaced(&self) -> u64 {
        self.replaced.get()
    }

    /// Another piece begins, which may be as large as the one before.
    pub(super) fn next_piece(&self) {
        self.piece.set(0);
    }
}

/// A reader of valid UTF-8, whatever is in the file, that stops in a piece that would not fit into memory.
pub(super) struct Lossy<R> {
    inner: BufReader<R>,
    ready: Vec<u8>,
    given: usize,
    /// The beginning of a character.
    carry: Vec<u8>,
    limit: u64,
    read: Progress,
}

impl<R: Read> Lossy<R> {
    /// With so many bytes at most in a piece.
    pub(super) fn new(inner: R, limit: u64) -> (Self, Progress) {
        let read = Progress::default();
        let inner = BufReader::with_capacity(1 << 16, inner);
        (Self { inner, ready: Vec::new(), given: 0, carry: Vec::new(), limit, read: read.clone() }, read)
    }

    fn fill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.given = 0;
        while self.ready.is_empty() {
            let chunk = self.inner.fill_buf()?;
            let (length, at_end) = (chunk.len(), chunk.is_empty());
            if at_end && self.carry.is_empty() {
                return Ok(());
            }
            let mut bytes = std::mem::take(&mut self.carry);
            bytes.extend_from_slice(chunk);
            self.inner.consume(length);
            let length = u64::try_from(length).unwrap_or(u64::MAX);
            self.read.total.set(self.read.total.get().saturating_add(length));
            self.read.piece.set(self.read.piece.get().saturating_add(length));
            if self.read.piece.get() > self.limit {
                let text = format!("a conversation is larger than {} MiB", self.limit >> 20);
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
            }
            let whole = if at_end { bytes.len() } else { complete(&bytes) };
            for chunk in bytes[..whole].utf8_chunks() {
                self.ready.extend_from_slice(chunk.valid().as_bytes());
                if !chunk.invalid().is_empty() {
                    self.ready.extend_from_slice(REPLACEMENT);
                    self.read.replaced.set(self.read.replaced.get() + 1);
                }
            }
            self.carry = bytes.split_off(whole);
        }
        Ok(())
    }
}

impl<R: Read> Read for Lossy<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            self.fill()?;
        }
        let rest = &self.ready[self.given..];
        let length = rest.len().min(out.len());
        out[..length].copy_from_slice(&rest[..length]);
        self.given += length;
        Ok(length)
    }
}

/// So many bytes end with no character that more bytes could complete.
fn complete(bytes: &[u8]) -> usize {
    let tail = bytes.len().saturating_sub(3);
    let start = (tail..bytes.len()).rev().find(|at| bytes[*at] >= 0xc0);
    let Some(start) = start else { return bytes.len() };
    let needed = match bytes[start] {
        0xf0.. => 4,
        0xe0.. => 3,
        _ => 2,
    };
    if bytes.len() - start < needed { start } else { bytes.len() }
}

/// JSON text in which no half of a surrogate pair stands alone, which JSON allows and Unicode does not; None where there
/// is none.
pub(super) fn without_halves(json: &str) -> Option<String> {
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    let (mut out, mut done, mut at) = (String::new(), 0, 0);
    let bytes = json.as_bytes();
    while let Some(next) = memchr::memchr(b'\\', &bytes[at..]) {
        at += next;
        match unit(at) {
            Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            Some(0xd800..=0xdfff) => {
                out.push_str(&json[done..at]);
                out.push_str("\\ufffd");
                at += 6;
                done = at;
            }
            // The character after it is escaped, and may be another backslash.
            _ => at = (at + 2).min(bytes.len()),
        }
    }
    (done > 0).then(|| out + &json[done..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pieces: &[&[u8]], expected: &str) {
        // Each piece is a read of its own.
        let chained = pieces.iter().fold(Box::new(io::empty()) as Box<dyn Read>, |before, piece| {
            Box::new(before.chain(io::Cursor::new(piece.to_vec())))
        });
        let (mut lossy, _) = Lossy::new(chained, 1 << 20);
        let mut text = String::new();
        lossy.read_to_string(&mut text).unwrap();
        assert_eq!(text, expected);
    }

    #[test]
    fn characters_are_whole_across_reads() {
        check(&[b"a\xd1", b"\x87b"], "aчb");
        check(&["чай 🍵".as_bytes()], "чай 🍵");
        check(&[b"\xf0\x9f", b"\x8d", b"\xb5"], "🍵");
        check(&[b"a\xff", b"b\xf0\x9f"], "a\u{fffd}b\u{fffd}");
        check(&[b"\xc3", b"x"], "\u{fffd}x");
        check(&[], "");
    }

    #[test]
    fn what_is_replaced_is_counted_and_a_piece_is_bounded() {
        let (mut lossy, read) = Lossy::new(b"\xffa\xfe".as_slice(), 8);
        io::copy(&mut lossy, &mut io::sink()).unwrap();
        assert_eq!((read.replaced(), read.total()), (2, 3));
        let (mut lossy, _) = Lossy::new([b'x'; 100].as_slice(), 8);
        assert!(io::copy(&mut lossy, &mut io::sink()).is_err());
    }

    #[test]
    fn halves_of_pairs_go() {
        assert_eq!(without_halves(r#""\ud83c\udf75""#), None);
        assert_eq!(without_halves(r#""a\ud83c b""#).as_deref(), Some(r#""a\ufffd b""#));
        assert_eq!(without_halves(r#""\udf75\ud83c""#).as_deref(), Some(r#""\ufffd\ufffd""#));
        assert_eq!(without_halves(r#""\\ud83c""#), None);
        assert_eq!(without_halves(r#""чай\"#), None);
        assert_eq!(without_halves(r#""\ud8"#), None);
    }
}
