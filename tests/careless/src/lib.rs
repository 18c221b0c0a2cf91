//! A plain provider that makes the one mistake that it is told to make, by its setting `mistake`: what authors get wrong.
//! Without one it is as it should be.

mod store;

use std::time::Duration;

use hermes_provider_api::host::{CommandRequest, LogRecord};
use hermes_provider_api::records::{
    Author, Caller, EntryPage, FieldType, Health, ImportBatch, ImportReport, ListEntries, MemoryWrite, OpenRequest,
    PrefetchQuery, Recall, Remember, Remembered, SessionEnd, ToolRequest, ToolSchema, Turn, WriteAction,
};
use hermes_provider_api::{
    Call, Effect, ErrorKind, Field, Host, Interface, Manifest, MemoryProvider, ProviderError, Result, export_provider,
};
use serde_json::{Value, json};
use store::{Note, Store};

/// The provider.
pub struct Careless {
    host: Host,
    mistake: String,
    limit: usize,
    store: Store,
    stopped_once: std::sync::atomic::AtomicBool,
}

#[derive(serde::Deserialize)]
#[serde(default)]
struct Settings {
    mistake: String,
    limit: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { mistake: String::new(), limit: 5 }
    }
}

impl MemoryProvider for Careless {
    fn open(host: Host, _request: OpenRequest) -> Result<Self> {
        let raw: Value = host.config()?;
        let panics = raw["mistake"] == "panics at wrong settings";
        let settings = serde_json::from_value(raw);
        let Settings { mistake, limit } = if panics {
            settings.expect("the settings are right")
        } else {
            settings.map_err(|error| ProviderError::invalid(format!("`mistake` or `limit` is wrong: {error}")))?
        };
        if mistake == "ends its process in a worker" && std::env::var_os("HOME").is_none() {
            std::process::abort();
        }
        let store = Store::open(&host, &mistake)?;
        Ok(Self { host, mistake, limit, store, stopped_once: false.into() })
    }

    fn health(&self, _call: &Call<'_>) -> Result<Health> {
        let key = self.host.secret("CARELESS_KEY")?;
        if let (Some(key), true) = (key, self.makes("shows its key")) {
            return Ok(Health::ok(format!("works with the key {}", key.expose())));
        }
        if self.makes("runs what it did not declare") {
            let _ = self.host.command(&CommandRequest { program: "git".to_owned(), ..CommandRequest::default() });
        }
        if let (Ok(Some(key)), true) = (self.host.secret("CARELESS_KEY"), self.makes("logs its key")) {
            let message = format!("trying {}", key.expose());
            self.host.log(&LogRecord { level: "info".to_owned(), message, ..LogRecord::default() });
        }
        Ok(Health::ok("it works"))
    }

    fn system_prompt_block(&self, caller: &Caller) -> Result<String> {
        let notes = self.store.seen_by(caller)?.len();
        Ok(match self.mistake.as_str() {
            "counts in the prompt" => format!("Notes of the user: {notes}"),
            _ => "Notes of the user, found by their words.".to_owned(),
        })
    }

    fn shutdown(&self, _call: &Call<'_>) -> Result<()> {
        self.store.flush()
    }

    fn prefetch(&self, query: &PrefetchQuery, call: &Call<'_>) -> Result<Recall> {
        self.stops(&query.query, call)?;
        if self.makes("knows today's names only") && query.caller.origin.author == Author::Review {
            return Err(ProviderError::invalid("an author that is none"));
        }
        if self.makes("cuts at bytes") && query.query.len() > 20 {
            let _ = &query.query[..20];
        }
        let notes = self.store.searched(&query.caller, false)?;
        let mut items: Vec<_> = matching(&notes, &query.query).map(store::item).collect();
        items.truncate(query.limit.min(self.limit));
        Ok(Recall { items, ..Recall::default() })
    }

    fn sync_turn(&self, turn: &Turn, call: &Call<'_>) -> Result<()> {
        self.stops(turn.user_text(), call)?;
        let text = turn.user_text();
        if text.trim().is_empty() && self.makes("retries what is empty") {
            return Err(ProviderError::new(ErrorKind::Unavailable, "nothing to store"));
        }
        self.store.add(&turn.caller, &turn.idempotency_key, text).map(drop)
    }

    fn on_memory_write(&self, write: &MemoryWrite, _call: &Call<'_>) -> Result<()> {
        if write.action != WriteAction::Add {
            self.store.remove(&write.caller, |note| note.text == write.previous)?;
        }
        if write.action != WriteAction::Remove {
            self.store.add(&write.caller, &write.idempotency_key, &write.content)?;
        }
        Ok(())
    }

    fn on_session_end(&self, end: &SessionEnd, _call: &Call<'_>) -> Result<()> {
        if self.makes("stores sessions again") {
            for note in self.store.seen_by(&end.caller)? {
                self.store.add(&end.caller, "", &format!("{} (whole session)", note.text))?;
            }
        }
        Ok(())
    }

    fn tool_schemas(&self) -> Result<Vec<ToolSchema>> {
        let parameters = json!({
            "type": "object",
            "properties": {"action": {"enum": ["search", "add"]}, "text": {"type": "string"}},
            "required": ["action", "text"],
        });
        let schema = |name: &str| ToolSchema {
            name: name.to_owned(),
            description: "Finds and keeps notes".to_owned(),
            parameters: parameters.clone(),
        };
        Ok(match self.mistake.as_str() {
            "names tools for people" => vec![schema("my notes"), schema("my notes")],
            "has no schema" => vec![ToolSchema { parameters: json!("text"), ..schema("notes") }],
            _ => vec![schema("notes")],
        })
    }

    fn call_tool(&self, request: &ToolRequest, _call: &Call<'_>) -> Result<Value> {
        let text = match request.args["text"].as_str() {
            Some(text) if request.tool == "notes" => text,
            None if self.makes("trusts the model") => panic!("no text"),
            _ => return Err(ProviderError::invalid("`text` is missing").hint(r#"{"action": "search", "text": "tea"}"#)),
        };
        if request.args["action"] == "add" {
            let (id, _) = self.store.add(&request.caller, "", text)?;
            return Ok(json!({"id": id}));
        }
        if self.makes("writes when it reads") {
            self.store.remove(&request.caller, |note| note.text.contains(text))?;
        }
        let notes = self.store.searched(&request.caller, true)?;
        let found: Vec<_> = matching(&notes, text).map(|note| note.text.clone()).collect();
        Ok(json!(found))
    }

    fn tool_effect(&self, _tool: &str, args: &Value) -> Effect {
        if args["action"] == "search" { Effect::Read } else { Effect::Write }
    }

    fn remember(&self, wish: &Remember, _call: &Call<'_>) -> Result<Remembered> {
        let (id, existed) = self.store.add(&wish.caller, "", &wish.text)?;
        Ok(Remembered { id: id.to_string(), existed })
    }

    fn import(&self, batch: &ImportBatch, _call: &Call<'_>) -> Result<ImportReport> {
        let mut report = ImportReport::default();
        for record in &batch.records {
            match self.store.add(&batch.caller, "", &record.text)? {
                (_, true) => report.skipped += 1,
                (_, false) => report.added += 1,
            }
        }
        Ok(report)
    }

    fn list_entries(&self, list: &ListEntries, _call: &Call<'_>) -> Result<EntryPage> {
        let after: usize = match list.cursor.as_str() {
            "" => 0,
            cursor => cursor.parse().map_err(|_| ProviderError::invalid("not a cursor of this list"))?,
        };
        let notes = self.store.seen_by(&list.caller)?;
        let end = after.saturating_add(list.limit.max(1)).min(notes.len());
        let more = end < notes.len();
        let next = match more {
            true if self.makes("turns pages in a circle") => after.to_string(),
            true => end.to_string(),
            false => String::new(),
        };
        let page = notes.get(after.min(end)..end).unwrap_or_default();
        Ok(EntryPage { entries: page.iter().map(store::item).collect(), next })
    }

    fn delete_entry(&self, id: &str, caller: &Caller, _call: &Call<'_>) -> Result<()> {
        match self.store.remove(caller, |note| note.id.to_string() == id)? {
            true => Ok(()),
            false => Err(ProviderError::not_found(format!("there is no note `{id}`"))),
        }
    }
}

impl Careless {
    fn makes(&self, mistake: &str) -> bool {
        self.mistake == mistake
    }

    /// Heeds what the host says about the call, or does not.
    fn stops(&self, text: &str, call: &Call<'_>) -> Result<()> {
        use std::sync::atomic::Ordering::Relaxed;
        if self.makes("does not stop") && text.len() > 50_000 && text.len() < 500_000 {
            std::thread::sleep(Duration::from_secs(3600));
        }
        if self.makes("keeps its lock") {
            self.stopped_once.fetch_or(call.is_cancelled(), Relaxed);
            if self.stopped_once.load(Relaxed) {
                return Err(ProviderError::storage("the notes are locked"));
            }
        }
        let in_a_hurry = || call.remaining().is_some_and(|left| left < Duration::from_secs(20));
        if self.makes("gives up too early") && in_a_hurry() {
            return Err(ProviderError::new(ErrorKind::Cancelled, "the host stopped waiting for this call"));
        }
        while self.makes("is slow and heeds its deadline") && in_a_hurry() {
            call.check()?;
            std::thread::sleep(Duration::from_millis(5));
        }
        call.check()
    }
}

impl Drop for Careless {
    fn drop(&mut self) {
        assert!(!self.makes("falls at the exit"), "a note fell out");
    }
}

/// The notes that have a long word of a text.
fn matching<'a>(notes: &'a [Note], text: &str) -> impl Iterator<Item = &'a Note> {
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words: Vec<String> = text.split_whitespace().take(50).map(plain).filter(|word| word.len() > 5).collect();
    notes.iter().filter(move |note| {
        let known = note.text.to_lowercase();
        words.iter().any(|word| known.contains(word.as_str()))
    })
}

const MANIFEST: Manifest =
    Manifest::new("careless").title("Careless").interfaces(Interface::ALL).secret(&["CARELESS_KEY"]).config(&[
        Field::secret("api_key", "CARELESS_KEY", "A key"),
        Field::new("mistake", FieldType::Text, "What it gets wrong").default(""),
        Field::new("limit", FieldType::Integer, "How many notes are recalled").default("5").bounds(0, 50),
    ]);

export_provider!(Careless, MANIFEST);
