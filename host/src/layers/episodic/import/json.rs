//! Files of JSON: a list of conversations, a line for each, or a line for each message. One of them is in memory at a time.

use std::io::{self, BufRead, BufReader, Read};

use serde::de::{Error as _, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserializer as _, de};
use serde_json::Value;
use serde_json::value::RawValue;

use super::lossy::{Lossy, Progress, without_halves};
use super::{File, ImportError, Sink, Step, chatgpt, claude, exported, openai};

/// The largest conversation that is read.
const LARGEST: u64 = 512 << 20;
const BOM: &[u8] = "\u{feff}".as_bytes();

/// Reads a file to its end. False: nothing in it is a conversation, and nothing was handed on.
pub(super) fn read(input: impl Read, file: &File, sink: &mut dyn Sink) -> Result<bool, ImportError> {
    let (lossy, progress) = Lossy::new(input, LARGEST);
    let mut input = BufReader::with_capacity(1 << 16, lossy);
    let mut elements = Elements {
        file,
        sink,
        progress,
        count: 0,
        is_known: false,
        messages: openai::Lines::default(),
        export: exported::Lines::default(),
    };
    let ended = match first(&mut input) {
        Ok(Some((b'[', _))) => elements.list(input),
        Ok(Some((b'{', skipped))) => {
            elements.count = skipped;
            elements.lines(input)
        }
        Ok(_) => return Ok(false),
        Err(error) => elements.broken(file.shown.clone(), error.to_string()),
    };
    match ended.and_then(|()| elements.end()) {
        Ok(()) => Ok(elements.is_known),
        Err(Stop::Unknown) => Ok(false),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// Why a file is not read on.
enum Stop {
    /// It is something else.
    Unknown,
    Failed(ImportError),
}

impl From<ImportError> for Stop {
    fn from(error: ImportError) -> Self {
        Self::Failed(error)
    }
}

/// The first character that is no space, which stays to be read, and how many lines are before it.
fn first(input: &mut impl BufRead) -> io::Result<Option<(u8, u64)>> {
    if input.fill_buf()?.starts_with(BOM) {
        input.consume(BOM.len());
    }
    let mut lines = 0;
    loop {
        match input.fill_buf()?.first() {
            None => return Ok(None),
            Some(byte) if byte.is_ascii_whitespace() => lines += u64::from(*byte == b'\n'),
            Some(byte) => return Ok(Some((*byte, lines))),
        }
        input.consume(1);
    }
}

/// What goes through a file.
struct Elements<'a> {
    file: &'a File,
    sink: &'a mut dyn Sink,
    progress: Progress,
    /// Of a list, or lines.
    count: u64,
    /// Something in it was a conversation.
    is_known: bool,
    messages: openai::Lines,
    export: exported::Lines,
}

impl Elements<'_> {
    fn list(&mut self, input: impl Read) -> Result<(), Stop> {
        let mut stop = None;
        let mut reader = serde_json::Deserializer::from_reader(input);
        let read = reader.deserialize_seq(List { elements: self, stop: &mut stop });
        match (stop, read.and_then(|()| reader.end())) {
            (Some(stop), _) => Err(stop),
            (None, Ok(())) => Ok(()),
            (None, Err(error)) => self.broken(self.file.conversation(self.count + 1), not_json(&error)),
        }
    }

    fn lines(&mut self, mut input: impl BufRead) -> Result<(), Stop> {
        let mut line = Vec::new();
        let mut read = input.read_until(b'\n', &mut line);
        let is_open = serde_json::from_slice::<IgnoredAny>(&line).is_err_and(|error| error.is_eof());
        // In a file of lines the next one begins another value.
        if is_open && input.fill_buf().is_ok_and(|next| next.first().is_some_and(|byte| *byte != b'{')) {
            return self.values(io::Cursor::new(line).chain(input));
        }
        loop {
            self.count += 1;
            let place = self.file.line(self.count);
            match read {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) => return self.broken(place, error.to_string()),
            }
            let text = String::from_utf8_lossy(&line);
            if !text.trim().is_empty() {
                self.take(text.trim(), &place)?;
            }
            line.clear();
            read = input.read_until(b'\n', &mut line);
        }
    }

    /// Values that have lines of their own inside.
    fn values(&mut self, input: impl Read) -> Result<(), Stop> {
        for value in serde_json::Deserializer::from_reader(input).into_iter::<Box<RawValue>>() {
            self.count += 1;
            let place = self.file.conversation(self.count);
            match value {
                Ok(raw) => self.take(raw.get(), &place)?,
                Err(error) => return self.broken(place, not_json(&error)),
            }
        }
        Ok(())
    }

    fn take(&mut self, raw: &str, place: &str) -> Result<(), Stop> {
        self.progress.next_piece();
        self.sink.step(Step::At(self.progress.total()));
        if exported::is_header(raw) {
            self.is_known = true;
            self.export.end(self.sink);
            self.part()?;
            return Ok(self.export.header(raw, place, self.sink)?);
        }
        if self.export.is_open() {
            return Ok(self.export.message(raw, place, self.sink)?);
        }
        let value: Value = match parse(raw) {
            Ok(value) => value,
            Err(reason) => {
                self.sink.left_out(place.to_owned(), reason);
                return Ok(());
            }
        };
        let has = |key: &str, is: fn(&Value) -> bool| value.get(key).is_some_and(is);
        if has("mapping", Value::is_object) {
            chatgpt::read(&value, place, self.sink)?;
            self.part()?;
        } else if has("chat_messages", Value::is_array) {
            claude::read(&value, place, self.sink)?;
            self.part()?;
        } else if has("messages", Value::is_array) {
            openai::conversation(&value, raw, self.file, place, self.sink)?;
            self.part()?;
        } else if has("role", Value::is_string) {
            self.messages.message(&value, raw, self.file, place, self.sink)?;
        } else if self.is_known {
            self.sink.left_out(place.to_owned(), "neither a conversation nor a message".to_owned());
        } else {
            return Err(Stop::Unknown);
        }
        self.is_known = true;
        Ok(())
    }

    /// A conversation has ended.
    fn part(&mut self) -> Result<(), Stop> {
        self.messages.pause();
        Ok(self.sink.part()?)
    }

    /// What comes after this place cannot be read.
    fn broken(&mut self, place: String, reason: String) -> Result<(), Stop> {
        self.sink.left_out(place, format!("{reason}; what follows is not read"));
        self.is_known = true;
        Ok(())
    }

    fn end(&mut self) -> Result<(), Stop> {
        self.export.end(self.sink);
        if self.progress.replaced() > 0 {
            let what = format!("{} places were not UTF-8 and are `\u{fffd}` now", self.progress.replaced());
            self.sink.remark(format!("`{}`", self.file.shown), what);
        }
        self.part()
    }
}

/// The elements of a list, one after another.
struct List<'a, 'b> {
    elements: &'a mut Elements<'b>,
    stop: &'a mut Option<Stop>,
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of conversations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(raw) = list.next_element::<Box<RawValue>>()? {
            self.elements.count += 1;
            let place = self.elements.file.conversation(self.elements.count);
            if let Err(stop) = self.elements.take(raw.get(), &place) {
                *self.stop = Some(stop);
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// A value; half a surrogate pair, which some programs write, is no reason to lose it.
pub(super) fn parse<T: de::DeserializeOwned>(raw: &str) -> Result<T, String> {
    // Most are in one line, whose number is told with the place.
    let told = |error: serde_json::Error| not_json(&error).replace(" at line 1 column ", " at column ");
    serde_json::from_str(raw).or_else(|error| match without_halves(raw) {
        Some(mended) => serde_json::from_str(&mended).map_err(told),
        None => Err(told(error)),
    })
}

fn not_json(error: &serde_json::Error) -> String {
    match error.classify() {
        serde_json::error::Category::Io | serde_json::error::Category::Data => error.to_string(),
        _ => format!("not JSON: {error}"),
    }
}
