//! A provider that writes down each delivery in the file `deliveries` of its data folder, synced before it answers.
//!
//! It honours keys: what comes with a known one is marked as a repeat, also when another process was handed it first.
//! A file `mode` in the same folder has it fail: `<kind of error> <seconds to wait, or 0> <text of a session, or *>`,
//! or `hang 0 <text of a session>`. A line of `tries` says that a call has begun.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hermes_provider_api::records::{
    Caller, FieldType, Health, MemoryWrite, Message, OpenRequest, Role, SessionEnd, SessionSwitch, Turn,
};
use hermes_provider_api::{
    Call, ErrorKind, Field, Host, Interface, Manifest, MemoryProvider, ProviderError, export_provider,
};
use serde_json::Value;

/// The provider.
struct Recorder {
    folder: PathBuf,
    known: Mutex<Known>,
}

/// What was read of the file so far.
#[derive(Default)]
struct Known {
    keys: HashSet<String>,
    read: u64,
}

/// What is noted of a delivery.
struct Note<'a> {
    hook: &'a str,
    key: &'a str,
    caller: &'a Caller,
    number: u64,
    text: &'a str,
}

impl MemoryProvider for Recorder {
    fn open(host: Host, _request: OpenRequest) -> Result<Self, ProviderError> {
        let folder = host.data_dir()?;
        let made = open(&folder.join("deliveries")).and_then(|_| File::open(&folder)?.sync_all());
        made.map_err(|error| ProviderError::storage(error.to_string()))?;
        Ok(Self { folder, known: Mutex::default() })
    }

    fn health(&self, _call: &Call<'_>) -> Result<Health, ProviderError> {
        Ok(Health::ok("it records"))
    }

    fn sync_turn(&self, turn: &Turn, call: &Call<'_>) -> Result<(), ProviderError> {
        let (key, caller, number, text) = (&turn.idempotency_key, &turn.caller, turn.number, turn.user_text());
        self.record(&Note { hook: "turn", key, caller, number, text }, call)
    }

    fn on_memory_write(&self, write: &MemoryWrite, call: &Call<'_>) -> Result<(), ProviderError> {
        let (key, caller, text) = (&write.idempotency_key, &write.caller, write.content.as_str());
        self.record(&Note { hook: "write", key, caller, number: 0, text }, call)
    }

    fn on_session_end(&self, end: &SessionEnd, call: &Call<'_>) -> Result<(), ProviderError> {
        let (key, caller, text) = (&end.idempotency_key, &end.caller, last_said(&end.messages));
        self.record(&Note { hook: "end", key, caller, number: 0, text }, call)
    }

    fn on_session_switch(&self, switch: &SessionSwitch, call: &Call<'_>) -> Result<(), ProviderError> {
        let (key, caller) = (&switch.idempotency_key, &switch.caller);
        self.record(&Note { hook: "switch", key, caller, number: 0, text: &switch.from }, call)
    }
}

/// What the user said last.
fn last_said(messages: &[Message]) -> &str {
    messages.iter().rfind(|message| message.role == Role::User).map_or("", |message| &message.content)
}

impl Recorder {
    fn record(&self, note: &Note<'_>, call: &Call<'_>) -> Result<(), ProviderError> {
        let broken = |error: std::io::Error| ProviderError::storage(error.to_string());
        // One write each: whoever is killed leaves a whole line or none.
        let line = |file: &mut File, line: String| file.write_all(line.as_bytes());
        let mut tries = open(&self.folder.join("tries")).map_err(broken)?;
        line(&mut tries, format!("{} {} {}\n", note.hook, note.caller.origin.session, note.text)).map_err(broken)?;
        self.obey(&note.caller.origin.session, call)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = open(&self.folder.join("deliveries")).map_err(broken)?;
        file.lock().map_err(broken)?;
        known.read(&mut file).map_err(broken)?;
        let seen = if known.keys.contains(note.key) { "repeat" } else { "new" };
        let Note { hook, key, caller, number, text } = note;
        let session = &caller.origin.session;
        line(&mut file, format!("{key}\t{seen}\t{hook}\t{session}\t{number}\t{text}\t.\n")).map_err(broken)?;
        file.sync_data().map_err(broken)
    }

    /// Does what the file says, for sessions like this.
    fn obey(&self, session: &str, call: &Call<'_>) -> Result<(), ProviderError> {
        loop {
            let mode = fs::read_to_string(self.folder.join("mode")).unwrap_or_default();
            let mut words = mode.split_whitespace();
            let (Some(what), wait, whom) = (words.next(), words.next(), words.next().unwrap_or("*")) else {
                return Ok(());
            };
            if whom != "*" && !session.contains(whom) {
                return Ok(());
            }
            match what {
                "hang" => call.check()?,
                "deaf" => {}
                "panic" => panic!("told to"),
                kind => {
                    let kind: ErrorKind = serde_json::from_value(Value::from(kind)).unwrap_or_default();
                    let error = ProviderError::new(kind, format!("told to fail: {}", mode.trim()));
                    let seconds = wait.and_then(|wait| wait.parse().ok()).unwrap_or(0);
                    return Err(if seconds > 0 { error.retry_after(seconds) } else { error });
                }
            }
            if !self.folder.exists() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Known {
    /// Learns the keys of what was written since, by whomever.
    fn read(&mut self, file: &mut File) -> std::io::Result<()> {
        let mut new = String::new();
        file.seek(SeekFrom::Start(self.read))?;
        file.read_to_string(&mut new)?;
        // A power cut may leave a part of a line, which is made good by ending it.
        if !new.is_empty() && !new.ends_with('\n') {
            file.write_all(b"\n")?;
            new.push('\n');
        }
        self.read += new.len() as u64;
        // A line that was cut off is not known to have arrived.
        let whole = new.lines().filter(|line| line.ends_with("\t."));
        self.keys.extend(whole.filter_map(|line| line.split('\t').next()).map(str::to_owned));
        Ok(())
    }
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).open(path)
}

const MANIFEST: Manifest = Manifest::new("recorder")
    .title("Recorder")
    .interfaces(&[Interface::Sync, Interface::MemoryWrite, Interface::Session])
    .config(&[Field::new("unused", FieldType::Text, "Nothing")]);

export_provider!(Recorder, MANIFEST);
