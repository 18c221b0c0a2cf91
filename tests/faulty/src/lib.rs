//! A provider that misbehaves when it is told to: by the text of a query or turn, or by its configuration.
//!
//! A test can see from outside what it does: each call leaves a line in the file `started` of its data folder, and
//! calls that wait do so until a file `release` is there. Where a file `boast` is, it tells its secret in what it says of
//! itself.

mod deeds;

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hermes_provider_api::records::{
    Caller, FieldType, Health, OpenRequest, PrefetchQuery, Recall, RecallItem, RecallState, RecallStatus, ToolRequest,
    ToolSchema, Turn,
};
use hermes_provider_api::{
    Call, Effect, Field, Host, Interface, Manifest, MemoryProvider, ProviderError, export_provider,
};
use serde_json::{Value, json};

/// The provider.
struct Faulty {
    host: Host,
    folder: PathBuf,
    /// What its drop does.
    at_drop: String,
    /// What it says when it is asked whether it can work, and of its index; empty when all is well.
    unavailable: String,
    index: String,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct Settings {
    at_open: String,
    at_drop: String,
    unavailable: String,
    index: String,
}

impl MemoryProvider for Faulty {
    fn open(host: Host, _request: OpenRequest) -> Result<Self, ProviderError> {
        let folder = host.data_dir()?;
        let Settings { at_open, at_drop, unavailable, index } = host.config()?;
        deeds::run(&at_open, &host, &folder, &Call::default())?;
        Ok(Self { host, folder, at_drop, unavailable, index })
    }

    fn health(&self, _call: &Call<'_>) -> Result<Health, ProviderError> {
        Ok(Health::ok(format!("process {}", std::process::id())))
    }

    fn unavailable_reason(&self) -> Option<String> {
        Some(self.unavailable.clone()).filter(|reason| !reason.is_empty())
    }

    fn system_prompt_block(&self, _caller: &Caller) -> Result<String, ProviderError> {
        Ok(self.boast())
    }

    fn recall_status(&self, _call: &Call<'_>) -> Result<RecallStatus, ProviderError> {
        let state = if self.index.is_empty() { RecallState::Ready } else { RecallState::Degraded };
        Ok(RecallStatus { state, detail: self.index.clone(), ..RecallStatus::default() })
    }

    fn prefetch(&self, query: &PrefetchQuery, call: &Call<'_>) -> Result<Recall, ProviderError> {
        let text = self.run(&query.query, "prefetch", call)?;
        Ok(Recall { items: vec![RecallItem { text, ..RecallItem::default() }], ..Recall::default() })
    }

    fn queue_prefetch(&self, query: &PrefetchQuery, call: &Call<'_>) -> Result<(), ProviderError> {
        self.run(&query.query, "queue_prefetch", call).map(drop)
    }

    fn sync_turn(&self, turn: &Turn, call: &Call<'_>) -> Result<(), ProviderError> {
        self.run(turn.user_text(), "sync_turn", call).map(drop)
    }

    fn tool_schemas(&self) -> Result<Vec<ToolSchema>, ProviderError> {
        let boast = self.boast();
        let mut parameters = json!({"type": "object", "properties": {"deed": {"type": "string"}}});
        if !boast.is_empty() {
            parameters["properties"][&boast] = json!({"default": boast});
        }
        Ok(vec![ToolSchema { name: "do".to_owned(), description: format!("Does a deed{boast}"), parameters }])
    }

    fn call_tool(&self, request: &ToolRequest, call: &Call<'_>) -> Result<Value, ProviderError> {
        let deed = request.args["deed"].as_str().unwrap_or_default();
        let answer = self.run(deed, "call_tool", call)?;
        let parsed = request.args["as_json"].as_bool().and_then(|_| serde_json::from_str(&answer).ok());
        Ok(parsed.unwrap_or(Value::String(answer)))
    }

    fn tool_effect(&self, _tool: &str, _args: &Value) -> Effect {
        Effect::Read
    }
}

impl Faulty {
    fn boast(&self) -> String {
        if self.folder.join("boast").exists() { format!(" with {}", deeds::secret(&self.host)) } else { String::new() }
    }

    fn run(&self, deed: &str, hook: &str, call: &Call<'_>) -> Result<String, ProviderError> {
        note(&self.folder, &format!("{} {hook} {deed}", std::process::id()));
        deeds::run(deed, &self.host, &self.folder, call)
    }
}

impl Drop for Faulty {
    fn drop(&mut self) {
        note(&self.folder, &format!("{} drop", std::process::id()));
        // Nobody is left to take an error.
        let _ = deeds::run(&self.at_drop, &self.host, &self.folder, &Call::default());
    }
}

/// One line in `started`; lost when the test has removed the folder.
fn note(folder: &Path, line: &str) {
    if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(folder.join("started")) {
        let _ = file.write_all(format!("{line}\n").as_bytes());
    }
}

const MANIFEST: Manifest = Manifest::new("faulty")
    .title("Faulty")
    .interfaces(&[Interface::Prefetch, Interface::Sync, Interface::Tools])
    .secret(&["FAULTY_KEY"])
    .config(&[
        Field::new("at_open", FieldType::Text, "What opening does"),
        Field::new("at_drop", FieldType::Text, "What dropping does"),
    ]);

export_provider!(Faulty, MANIFEST);
