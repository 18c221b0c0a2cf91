//! A JSON writer that runs at compile time, for the metadata section. Run once with `N` 0 to count, then with the
//! length.
//!
//! It writes what [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259) asks for and no more: in texts, only quotes, backslashes
//! and control characters are escaped, and everything else stays UTF-8. It checks no nesting: its one caller opens and closes
//! in pairs, and a test reads the outcome with serde_json.

/// JSON that is being written. Bytes beyond `N` are counted and not kept.
pub(crate) struct Writer<const N: usize> {
    bytes: [u8; N],
    len: usize,
    /// A comma is due before the next key or item.
    comma: bool,
}

impl<const N: usize> Writer<N> {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; N], len: 0, comma: false }
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) const fn bytes(&self) -> &[u8; N] {
        &self.bytes
    }

    const fn byte(&mut self, byte: u8) {
        if self.len < N {
            self.bytes[self.len] = byte;
        }
        self.len += 1;
    }

    const fn separate(&mut self) {
        if self.comma {
            self.byte(b',');
        }
        self.comma = false;
    }

    pub(crate) const fn open(&mut self, bracket: u8) {
        self.separate();
        self.byte(bracket);
    }

    pub(crate) const fn close(&mut self, bracket: u8) {
        self.byte(bracket);
        self.comma = true;
    }

    pub(crate) const fn key(&mut self, key: &str) {
        self.item(key);
        self.byte(b':');
        self.comma = false;
    }

    pub(crate) const fn item(&mut self, text: &str) {
        self.separate();
        self.byte(b'"');
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                quoted @ (b'"' | b'\\') => {
                    self.byte(b'\\');
                    self.byte(quoted);
                }
                control @ 0..0x20 => {
                    const HEX: &[u8; 16] = b"0123456789abcdef";
                    self.byte(b'\\');
                    self.byte(b'u');
                    self.byte(b'0');
                    self.byte(b'0');
                    self.byte(HEX[(control >> 4) as usize]);
                    self.byte(HEX[(control & 15) as usize]);
                }
                other => self.byte(other),
            }
            at += 1;
        }
        self.byte(b'"');
        self.comma = true;
    }

    pub(crate) const fn string(&mut self, key: &str, value: &str) {
        self.key(key);
        self.item(value);
    }

    pub(crate) const fn strings(&mut self, key: &str, values: &[&str]) {
        self.key(key);
        self.open(b'[');
        let mut at = 0;
        while at < values.len() {
            self.item(values[at]);
            at += 1;
        }
        self.close(b']');
    }

    pub(crate) const fn flag(&mut self, key: &str, value: bool) {
        self.key(key);
        let word: &[u8] = if value { b"true" } else { b"false" };
        let mut at = 0;
        while at < word.len() {
            self.byte(word[at]);
            at += 1;
        }
        self.comma = true;
    }

    pub(crate) const fn integer(&mut self, value: i64) {
        self.separate();
        if value < 0 {
            self.byte(b'-');
        }
        let mut power = 1;
        let size = value.unsigned_abs();
        while size / power >= 10 {
            power *= 10;
        }
        while power > 0 {
            self.byte(b'0' + (size / power % 10) as u8);
            power /= 10;
        }
        self.comma = true;
    }
}
