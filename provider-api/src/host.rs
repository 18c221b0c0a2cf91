//! The host's services, as a provider calls them.
//!
//! A provider reaches everything outside its own data folder through a [`Host`]. Each call is checked against what the
//! manifest asks for, the catalog admits and the user granted; what is not covered is answered with
//! [`ErrorKind::Denied`] and the name of the missing capability.
//!
//! | method | capability | what it reaches |
//! |---|---|---|
//! | [`Host::log`], [`Host::now`], [`Host::data_dir`], [`Host::config`] | none | the provider's own |
//! | [`Host::secret`] | `secret` | one variable of `.env` or the environment |
//! | [`Host::http`] | `http` | scheme, host and port; any path |
//! | [`Host::command`] | `command` | one program, with the user's full authority |
//! | [`Host::read_file`], [`Host::copy_file`], [`Host::write_file`], [`Host::list_files`] | `file` | what lies below one folder |
//! | [`Host::models`], [`Host::embed`], [`Host::chat`] | `model` | the model that the user set up |
//!
//! The calls block. In a worker each is one exchange over a pipe, so cache what does not change.

mod model;

pub use model::{ChatMessage, ChatReply, ChatRequest, EmbedRequest, Embeddings, ModelPlace, Models};

use std::path::PathBuf;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::records::UnixMillis;
use crate::{ErrorKind, ProviderError};

/// The ids of the host services.
pub mod service {
    /// `write` ([`LogRecord`](super::LogRecord)).
    pub const LOG: &str = "hermes.host.log/1";
    /// `now` → Unix milliseconds.
    pub const CLOCK: &str = "hermes.host.clock/1";
    /// `path` → the absolute path of the data folder.
    pub const DATA_DIR: &str = "hermes.host.data_dir/1";
    /// `get` → the values of the provider's configuration as an object, secrets left out.
    pub const CONFIG: &str = "hermes.host.config/1";
    /// `get` (name) → the value, or null when it is not set.
    pub const SECRET: &str = "hermes.host.secret/1";
    /// `send` ([`HttpRequest`](super::HttpRequest)) → [`HttpResponse`](super::HttpResponse).
    pub const HTTP: &str = "hermes.host.http/1";
    /// `run` ([`CommandRequest`](super::CommandRequest)) → [`CommandOutput`](super::CommandOutput), and `find`
    /// ([`CommandRequest`](super::CommandRequest), of which only the program counts) → its path.
    pub const COMMAND: &str = "hermes.host.command/1";
    /// `read`, `write`, `list` and `copy` ([`FileRequest`](super::FileRequest)).
    pub const FILE: &str = "hermes.host.file/1";
    /// `about` → [`Models`](super::Models), `embed` ([`EmbedRequest`](super::EmbedRequest)) →
    /// [`Embeddings`](super::Embeddings), `chat` ([`ChatRequest`](super::ChatRequest)) → [`ChatReply`](super::ChatReply).
    pub const MODEL: &str = "hermes.host.model/1";
}

/// A way to the host's services: the boundary, a worker's pipe, or a fake.
///
/// A provider has no need of it: it uses the typed methods of [`Host`]. A service that a newer host offers can be
/// called through it by its id before this crate has a method for it.
pub trait Services: Send + Sync {
    /// Calls a method of a service. Request and answer are JSON.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for a service or method that this host does not have, [`ErrorKind::Denied`] for
    /// what was not granted, or the service's own error.
    fn call(&self, service: &str, method: &str, request: &[u8]) -> Result<Vec<u8>, ProviderError>;
}

/// The host's services. Cheap to clone; may be used from any thread, also from one that the provider started.
///
/// A clone that outlives the provider's instance keeps working; it keeps the host's side of the services alive.
#[derive(Clone)]
pub struct Host {
    services: Arc<dyn Services>,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Host")
    }
}

impl Host {
    /// A host that reaches its services in this way.
    #[must_use]
    pub fn new(services: Arc<dyn Services>) -> Self {
        Self { services }
    }

    fn call<T: DeserializeOwned>(
        &self,
        service: &str,
        method: &str,
        request: &impl Serialize,
    ) -> Result<T, ProviderError> {
        let broken = |error: serde_json::Error| {
            ProviderError::new(ErrorKind::Internal, format!("`{service}` {method}: {error}"))
        };
        let request = serde_json::to_vec(request).map_err(broken)?;
        serde_json::from_slice(&self.services.call(service, method, &request)?).map_err(broken)
    }

    /// Writes a line to the host's log. Never fails: there is nowhere else to say so.
    pub fn log(&self, record: &LogRecord) {
        let _: Result<(), _> = self.call(service::LOG, "write", record);
    }

    /// The host's clock in Unix milliseconds, which tests can set. Use it instead of the system's for all that is stored or
    /// compared. 0 when the host cannot be reached any more.
    #[must_use]
    pub fn now(&self) -> UnixMillis {
        self.call(service::CLOCK, "now", &()).unwrap_or_default()
    }

    /// The folder in which the provider keeps its files, and the only one that it may open files in. It is there, and
    /// the same each time. Removing the plugin keeps it.
    ///
    /// Two processes may have the provider open at once: lock what must not be written by both.
    ///
    /// # Errors
    /// When the host cannot make it.
    pub fn data_dir(&self) -> Result<PathBuf, ProviderError> {
        self.call(service::DATA_DIR, "path", &())
    }

    /// The provider's configuration, defaults filled in and secrets left out: an object with the manifest's fields by key,
    /// numbers and booleans as such. A field without value and default, or whose condition does not hold, is absent.
    ///
    /// It does not change while the provider is open.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] when it does not fit `T`.
    pub fn config<T: DeserializeOwned>(&self) -> Result<T, ProviderError> {
        let value: serde_json::Value = self.call(service::CONFIG, "get", &())?;
        serde_json::from_value(value)
            .map_err(|error| ProviderError::invalid(format!("the configuration does not fit: {error}")))
    }

    /// A secret that the manifest asks for; None when the user has not set it.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`] when the manifest does not ask for it or the user did not grant it.
    pub fn secret(&self, name: &str) -> Result<Option<Secret>, ProviderError> {
        self.call(service::SECRET, "get", &name)
    }

    /// Sends a request and waits for its whole answer, 30 s unless it says otherwise and at most 300 s.
    ///
    /// Up to five redirects are followed, only to granted hosts; another origin is not sent headers that may hold a key.
    /// The headers `host`, `content-length`, `transfer-encoding`, `connection` and their like are the host's to set. The
    /// user's proxy is used, but not for this machine.
    ///
    /// ```no_run
    /// use hermes_provider_api::host::HttpRequest;
    /// use hermes_provider_api::{ErrorKind, Host, ProviderError};
    ///
    /// fn search(host: &Host, query: &str) -> Result<String, ProviderError> {
    ///     let missing = || ProviderError::new(ErrorKind::Unauthorized, "no key is set");
    ///     let key = host.secret("NOTES_API_KEY")?.ok_or_else(missing)?;
    ///     let answer = host.http(&HttpRequest {
    ///         method: "POST".into(),
    ///         url: "https://api.notes.example/v1/search".into(),
    ///         headers: vec![("authorization".into(), format!("Bearer {}", key.expose()))],
    ///         body: Some(serde_json::json!({"query": query}).to_string()),
    ///         timeout_ms: Some(1500),
    ///         ..HttpRequest::default()
    ///     })?;
    ///     match answer.status {
    ///         200 => Ok(answer.body),
    ///         401 => Err(ProviderError::new(ErrorKind::Unauthorized, "the service refuses the key")),
    ///         status => Err(ProviderError::new(ErrorKind::Unavailable, format!("the service answers {status}"))),
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Denied`] for a host that was not granted, [`ErrorKind::Timeout`], [`ErrorKind::Unavailable`]. An
    /// answer with an error status is not an error here.
    pub fn http(&self, request: &HttpRequest) -> Result<HttpResponse, ProviderError> {
        self.call(service::HTTP, "send", request)
    }

    /// Runs a granted program and waits for its end, 30 s unless the request says otherwise and at most 120 s.
    ///
    /// It is looked for on `PATH` and in the usual folders, never below the home of hermes, starts in the data folder or
    /// in a folder there, with hardly any environment, and all that it leaves behind in its process group is ended with it. A daemon that
    /// leaves the group goes on: declare with [`Manifest::stop`](crate::Manifest::stop) how it is ended.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`], [`ErrorKind::NotFound`] when it is not installed, [`ErrorKind::Timeout`]. A program that
    /// ends with another status than 0 is not an error here.
    pub fn command(&self, request: &CommandRequest) -> Result<CommandOutput, ProviderError> {
        self.call(service::COMMAND, "run", request)
    }

    /// Where a granted program lies, without running it: for
    /// [`unavailable_reason`](crate::MemoryProvider::unavailable_reason), which says where a missing one comes from.
    ///
    /// It is looked for anew each time, so that one that was installed meanwhile is found.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`], [`ErrorKind::NotFound`] when it is not installed, [`ErrorKind::Unsupported`] from a host
    /// that is too old to say.
    pub fn find_program(&self, program: &str) -> Result<PathBuf, ProviderError> {
        let request = CommandRequest { program: program.to_owned(), ..CommandRequest::default() };
        self.call(service::COMMAND, "find", &request)
    }

    /// Reads a text file below a folder that the user granted: `grant` is the key in `read:<key>`, `path` is relative,
    /// with `/` and without `..`. Links are followed as long as they stay below the folder.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`], [`ErrorKind::NotFound`], or [`ErrorKind::Storage`].
    pub fn read_file(&self, grant: &str, path: &str) -> Result<String, ProviderError> {
        let request = FileRequest { grant: grant.to_owned(), path: path.to_owned(), ..FileRequest::default() };
        self.call(service::FILE, "read", &request)
    }

    /// Copies a file of any kind from below a folder that the user granted, as in [`Host::read_file`], into the data folder:
    /// to `to`, a relative path there, in place of what it held. Answers with the size in bytes, 1 GiB at the most.
    ///
    /// For what is no text, or is sent on with [`HttpRequest::body_file`]. Delete the copy when it has served.
    ///
    /// # Errors
    /// As [`Host::read_file`]; [`ErrorKind::Unsupported`] by a host that is older than this method.
    pub fn copy_file(&self, grant: &str, path: &str, to: &str) -> Result<u64, ProviderError> {
        let (grant, path) = (grant.to_owned(), path.to_owned());
        let request = FileRequest { grant, path, to: Some(to.to_owned()), ..FileRequest::default() };
        self.call(service::FILE, "copy", &request)
    }

    /// Writes a text file below a folder that the user granted with `write:<key>`, as a whole: a reader sees the old text
    /// or the new one. Folders on the way are made; the mode of a file that is there is kept.
    ///
    /// # Errors
    /// As [`Host::read_file`].
    pub fn write_file(&self, grant: &str, path: &str, content: &str) -> Result<(), ProviderError> {
        let request = FileRequest {
            grant: grant.to_owned(),
            path: path.to_owned(),
            content: Some(content.to_owned()),
            ..FileRequest::default()
        };
        self.call(service::FILE, "write", &request)
    }

    /// The names in a folder below one that the user granted; folders end in `/`.
    ///
    /// # Errors
    /// As [`Host::read_file`].
    pub fn list_files(&self, grant: &str, path: &str) -> Result<Vec<String>, ProviderError> {
        let request = FileRequest { grant: grant.to_owned(), path: path.to_owned(), ..FileRequest::default() };
        self.call(service::FILE, "list", &request)
    }
}

/// A value that is not printed: its `Debug` shows no part of it, and it has no `Display`.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value itself, for a request's header.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A line for the log.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct LogRecord {
    /// `error`, `warn`, `info`, `debug` or `trace`.
    pub level: String,
    /// The module that says it.
    pub target: String,
    /// What it says.
    pub message: String,
    /// The call it belongs to; 0 for none.
    pub trace_id: u64,
}

/// A request to a web service.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct HttpRequest {
    /// `GET`, `POST`, …; empty for `GET`.
    pub method: String,
    /// The whole address, with `http://` or `https://` and without user name and password.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The body, as text. Goes before `body_file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// A file in the data folder whose bytes are the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_file: Option<String>,
    /// A file in the data folder that takes the answer's body, by a relative path. For what is not UTF-8, or large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub save_to: Option<String>,
    /// Milliseconds for the whole exchange; the host's own limit is never exceeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Its answer.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct HttpResponse {
    /// The status code.
    pub status: u16,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body, where it is text and was not saved to a file.
    pub body: String,
}

/// A program to run.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct CommandRequest {
    /// Its granted name.
    pub program: String,
    /// Its arguments; there is no shell.
    pub args: Vec<String>,
    /// What it reads.
    pub stdin: String,
    /// The folder in the data folder that it starts in, as a relative path without `..`; empty for the data folder itself.
    /// It must be there, and no link leads to it. A host that does not know the field yet has no
    /// [`find`](Host::find_program) either.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// Milliseconds until it is stopped; 30 s when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// What it did.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct CommandOutput {
    /// Its exit status; −1 when a signal ended it.
    pub status: i32,
    /// What it printed, invalid UTF-8 replaced.
    pub stdout: String,
    /// What it complained about, likewise.
    pub stderr: String,
    /// There was more: of each, the first 4 MiB are kept.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// A file below a granted folder.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct FileRequest {
    /// What the capability calls it: `notes_dir` in `read:notes_dir`.
    pub grant: String,
    /// Relative, with `/`; no `..`.
    pub path: String,
    /// What to write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Where a copy goes: a relative path in the data folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}
