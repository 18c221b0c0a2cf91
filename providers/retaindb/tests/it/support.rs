//! A provider on a folder of its own, the service that it talks to, and short ways to call it.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_provider_api::host::{HttpRequest, HttpResponse};
use hermes_provider_api::records::{
    Caller, MemoryWrite, Message, OpenRequest, Origin, PrefetchQuery, Recall, Role, ToolRequest, Turn,
};
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, ChatKind, ErrorKind, MemoryProvider as _, ProviderError, Scope};
use hermes_provider_retaindb::RetainDb;
use hermes_tests_retaindb::{Cloud, KEY, Kind, Request};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const URL: &str = "https://retaindb.test";
/// 2026-01-01T00:00:00Z.
pub(crate) const NOW: u64 = 1_767_225_600_000;

pub(crate) struct Case {
    pub(crate) provider: RetainDb,
    pub(crate) cloud: Cloud,
    pub(crate) folder: TempDir,
    pub(crate) caller: Caller,
}

/// Sends a request of the provider to a cloud, with the files of the data folder that it names.
pub(crate) fn send(cloud: &Cloud, folder: &Path, request: &HttpRequest) -> Result<HttpResponse, ProviderError> {
    let gone = || ProviderError::new(ErrorKind::Unavailable, "https://retaindb.test cannot be reached: closed");
    let path = request.url.strip_prefix(URL).ok_or_else(gone)?.to_owned();
    let body = match (&request.body, &request.body_file) {
        (Some(text), _) => text.clone().into_bytes(),
        (None, Some(name)) => fs::read(folder.join(name)).unwrap(),
        (None, None) => Vec::new(),
    };
    let headers = request.headers.iter().map(|(name, value)| (name.to_lowercase(), value.clone())).collect();
    let answer = cloud.answer(&Request { method: request.method.clone(), path, headers, body }).ok_or_else(gone)?;
    let headers = answer.headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let body = match &request.save_to {
        Some(name) => {
            fs::write(folder.join(name), answer.body).unwrap();
            String::new()
        }
        None => String::from_utf8(answer.body).unwrap(),
    };
    Ok(HttpResponse { status: answer.status, headers, body })
}

impl Case {
    pub(crate) fn new() -> Self {
        Self::with(Kind::Hosted, json!({}), |fake| fake)
    }

    pub(crate) fn of(kind: Kind) -> Self {
        Self::with(kind, json!({}), |fake| fake)
    }

    pub(crate) fn with(kind: Kind, mut config: Value, host: impl FnOnce(FakeHost) -> FakeHost) -> Self {
        let (cloud, folder) = (Cloud::new(kind), tempfile::tempdir().unwrap());
        config["base_url"] = format!("{URL}/").into();
        let (to, path): (_, PathBuf) = (cloud.clone(), folder.path().to_owned());
        let fake = FakeHost::new(folder.path()).with_config(config).with_secret("RETAINDB_API_KEY", KEY);
        let fake = host(fake.with_http(move |request| send(&to, &path, request)));
        let provider = RetainDb::open(fake.host(), OpenRequest::default()).unwrap();
        let caller =
            Caller { origin: Origin { session: "s1".into(), at: NOW, ..Origin::default() }, ..Caller::default() };
        Self { provider, cloud, folder, caller }
    }

    pub(crate) fn speaking_as(mut self, scope: Scope) -> Self {
        self.caller.scope = scope;
        self
    }

    pub(crate) fn in_session(&self, session: &str) -> Caller {
        let mut caller = self.caller.clone();
        session.clone_into(&mut caller.origin.session);
        caller
    }

    pub(crate) fn try_tool(&self, tool: &str, args: Value) -> Result<Value, ProviderError> {
        let request = ToolRequest { caller: self.caller.clone(), tool: format!("retaindb_{tool}"), args };
        self.provider.call_tool(&request, &Call::default())
    }

    #[track_caller]
    pub(crate) fn tool(&self, tool: &str, args: Value) -> Value {
        match self.try_tool(tool, args.clone()) {
            Ok(answer) => answer,
            Err(error) => panic!("{tool} {args}: {error:?}"),
        }
    }

    /// Keeps a text and answers with its id.
    #[track_caller]
    pub(crate) fn add(&self, text: &str) -> String {
        self.tool("remember", json!({"content": text}))["memory_id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn query(&self, text: &str) -> PrefetchQuery {
        PrefetchQuery { caller: self.caller.clone(), query: text.to_owned(), limit: 10 }
    }

    #[track_caller]
    pub(crate) fn recall(&self, text: &str) -> Recall {
        self.provider.prefetch(&self.query(text), &Call::default()).unwrap()
    }

    /// The texts of a recall.
    #[track_caller]
    pub(crate) fn recalled(&self, text: &str) -> Vec<String> {
        self.recall(text).items.into_iter().map(|item| item.text).collect()
    }

    pub(crate) fn turn(&self, key: &str, user: &str, answer: &str) -> Turn {
        let messages = vec![Message::new(Role::User, user), Message::new(Role::Assistant, answer)];
        Turn { caller: self.caller.clone(), idempotency_key: key.into(), number: 1, messages, ..Turn::default() }
    }

    pub(crate) fn sync(&self, turn: &Turn) -> Result<(), ProviderError> {
        self.provider.sync_turn(turn, &Call::default())
    }

    pub(crate) fn write(&self, write: MemoryWrite) -> Result<(), ProviderError> {
        self.provider.on_memory_write(&MemoryWrite { caller: self.caller.clone(), ..write }, &Call::default())
    }

    /// The texts that the service holds.
    pub(crate) fn stored(&self) -> Vec<String> {
        self.cloud.rows().into_iter().map(|row| row.content).collect()
    }
}

pub(crate) fn private(user: &str) -> Scope {
    Scope { platform: "telegram".to_owned(), user: user.to_owned(), ..Scope::default() }
}

pub(crate) fn group(chat: &str, user: &str) -> Scope {
    Scope { chat: chat.to_owned(), chat_kind: ChatKind::Group, ..private(user) }
}
