//! A provider on a folder of its own, and a `brv` that puts each text into a file.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use hermes_provider_api::host::{CommandOutput, CommandRequest};
use hermes_provider_api::records::{
    Caller, MemoryTarget, MemoryWrite, OpenRequest, PrefetchQuery, Remember, WriteAction,
};
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, ErrorKind, MemoryProvider as _, ProviderError};
use hermes_provider_byterover::ByteRover;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Answers as `brv` does.
pub(crate) fn brv(request: &CommandRequest, data: &Path) -> Result<CommandOutput, ProviderError> {
    let command = request.args.first().map(String::as_str).unwrap_or_default();
    let folder = data.join(&request.folder);
    let after = |flag: &str| {
        let at = request.args.iter().position(|arg| arg == flag);
        at.and_then(|at| request.args.get(at + 1)).cloned().unwrap_or_default()
    };
    let answer = match command {
        "providers" => json!({"activeModel": "m", "providerId": "x", "providerName": "X"}),
        "curate" if request.args[1] == "view" => json!([]),
        "curate" => {
            let file = after("-f");
            let to = folder.join(".brv/context-tree/notes").join(Path::new(&file).file_name().unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(folder.join(file), to).unwrap();
            json!({"event": "completed", "status": "completed"})
        }
        "query" => {
            json!({"event": "completed", "status": "completed", "matchedDocs": [], "result": "No matching knowledge found"})
        }
        _ => json!({"authStatus": "not_logged_in", "cliVersion": "3.14.0"}),
    };
    let stdout = json!({"command": command, "data": answer, "success": true}).to_string();
    Ok(CommandOutput { stdout, ..CommandOutput::default() })
}

pub(crate) struct Case {
    pub(crate) provider: ByteRover,
    pub(crate) folder: TempDir,
    pub(crate) caller: Caller,
    /// What `brv` was told.
    pub(crate) asked: Arc<Mutex<Vec<CommandRequest>>>,
}

impl Case {
    pub(crate) fn new() -> Self {
        Self::configured(json!({"auto_extract": true}))
    }

    pub(crate) fn configured(config: Value) -> Self {
        Self::with(config, brv)
    }

    /// With another `brv`.
    pub(crate) fn with(
        config: Value,
        brv: impl Fn(&CommandRequest, &Path) -> Result<CommandOutput, ProviderError> + Send + Sync + 'static,
    ) -> Self {
        Self::open(tempfile::tempdir().unwrap(), config, brv)
    }

    /// The same folder with other settings.
    pub(crate) fn reopened(self, config: Value) -> Self {
        Self::open(self.folder, config, brv)
    }

    fn open(
        folder: TempDir,
        config: Value,
        brv: impl Fn(&CommandRequest, &Path) -> Result<CommandOutput, ProviderError> + Send + Sync + 'static,
    ) -> Self {
        let asked = Arc::<Mutex<Vec<CommandRequest>>>::default();
        let (seen, data) = (Arc::clone(&asked), folder.path().to_owned());
        let host = FakeHost::new(folder.path()).with_config(config).with_command(move |request| {
            seen.lock().unwrap().push(request.clone());
            brv(request, &data)
        });
        let provider = ByteRover::open(host.host(), OpenRequest::default()).unwrap();
        Self { provider, folder, caller: caller(), asked }
    }

    pub(crate) fn remember(&self, text: &str) -> String {
        let wish = Remember { caller: self.caller.clone(), text: text.to_owned() };
        self.provider.remember(&wish, &Call::default()).unwrap().id
    }

    pub(crate) fn write(&self, action: WriteAction, content: &str, previous: &str) {
        let write = MemoryWrite {
            caller: self.caller.clone(),
            action,
            target: MemoryTarget::User,
            content: content.to_owned(),
            previous: previous.to_owned(),
            ..MemoryWrite::default()
        };
        self.provider.on_memory_write(&write, &Call::default()).unwrap();
    }

    pub(crate) fn recall(&self, message: &str) -> Vec<String> {
        let query = PrefetchQuery { caller: self.caller.clone(), query: message.to_owned(), limit: 5 };
        let recall = self.provider.prefetch(&query, &Call::default()).unwrap();
        recall.items.into_iter().map(|item| item.text).collect()
    }

    /// How often `brv` was told to curate.
    pub(crate) fn curated(&self) -> usize {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .filter(|request| request.args.first().is_some_and(|arg| arg == "curate") && request.args[1] != "view")
            .count()
    }
}

pub(crate) fn caller() -> Caller {
    let mut caller = Caller::default();
    caller.scope.profile = "default".to_owned();
    caller
}

pub(crate) fn down(_: &CommandRequest, _: &Path) -> Result<CommandOutput, ProviderError> {
    Err(ProviderError::new(ErrorKind::Timeout, "`brv` did not end within 110 s"))
}
