//! A host whose services answer what a test says.
//!
//! It stands for [`Services`] alone: no capability is checked, no limit is kept and no time passes. A test that wants those
//! goes through the [conformance kit](super::conformance), which puts a watch before it, or through a real host.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::host::{
    ChatReply, ChatRequest, CommandOutput, CommandRequest, EmbedRequest, Embeddings, FileRequest, HttpRequest,
    HttpResponse, LogRecord, ModelPlace, Models, Services, service,
};
use crate::records::UnixMillis;
use crate::{ErrorKind, Host, ProviderError};

type Answer<Q, A> = Box<dyn Fn(&Q) -> Result<A, ProviderError> + Send + Sync>;

/// A host whose services answer what a test says.
///
/// Nothing is there at first: no secret, no file, and every web address and program is refused.
///
/// | a test wants | say |
/// |---|---|
/// | settings, a key, a file of the user | [`with_config`](Self::with_config), [`with_secret`](Self::with_secret), [`with_file`](Self::with_file) |
/// | a service that answers, fails or is slow | [`with_http`](Self::with_http) |
/// | a program | [`with_command`](Self::with_command) |
/// | a model | [`with_embeddings`](Self::with_embeddings), [`with_chat`](Self::with_chat) |
/// | tomorrow | [`clock`](Self::clock) |
/// | what was logged | [`log_lines`](Self::log_lines) |
/// | to look at what the provider asked for | a closure that keeps it, as in `with_http` |
///
/// # Threads
/// A provider may call from any thread, so closures are `Fn + Send + Sync`: what they count or keep lies in an atomic or
/// behind a mutex. Two calls may be in a closure at once.
///
/// # Where it differs from a host
/// * Capabilities and grants are not checked: it answers what the manifest never asked for.
/// * Deadlines and sizes are not kept: `timeout_ms` is there to be looked at, and an answer comes as long as it is.
/// * `save_to` and `body_file` of a request are not followed: a closure that wants to may write the file itself.
/// * The data folder is not made: give it one that is there. All that the provider opens in it is real.
pub struct FakeHost {
    data_dir: PathBuf,
    config: Value,
    secrets: BTreeMap<String, String>,
    files: Mutex<BTreeMap<(String, String), String>>,
    now: Arc<AtomicU64>,
    http: Answer<HttpRequest, HttpResponse>,
    command: Answer<CommandRequest, CommandOutput>,
    models: Models,
    embed: Answer<EmbedRequest, Embeddings>,
    chat: Answer<ChatRequest, ChatReply>,
    log: Arc<Mutex<Vec<LogRecord>>>,
}

impl FakeHost {
    /// A host with this data folder and its clock at 2026-01-01T00:00:00Z ([RFC 3339]), which is 1 767 225 600 000 Unix
    /// milliseconds.
    ///
    /// [RFC 3339]: https://www.rfc-editor.org/rfc/rfc3339
    #[must_use]
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            config: Value::Object(serde_json::Map::new()),
            secrets: BTreeMap::new(),
            files: Mutex::default(),
            now: Arc::new(AtomicU64::new(1_767_225_600_000)),
            http: Box::new(|request| Err(denied("http", &request.url))),
            command: Box::new(|request| Err(denied("command", &request.program))),
            models: Models::default(),
            embed: Box::new(|_| Err(denied("model", "embed"))),
            chat: Box::new(|_| Err(denied("model", "chat"))),
            log: Arc::default(),
        }
    }

    /// Sets the configuration: an object, as [`Host::config`] hands it over. Defaults of the manifest are not filled in.
    ///
    /// ```
    /// use hermes_provider_api::testkit::FakeHost;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, Default)]
    /// #[serde(default)]
    /// struct Settings {
    ///     limit: usize,
    ///     mode: String,
    /// }
    ///
    /// let host = FakeHost::new("/nowhere").with_config(serde_json::json!({"limit": 3})).host();
    /// let settings: Settings = host.config().unwrap();
    /// assert_eq!((settings.limit, settings.mode.as_str()), (3, ""));
    ///
    /// let host = FakeHost::new("/nowhere").with_config(serde_json::json!({"limit": "many"})).host();
    /// assert!(host.config::<Settings>().is_err());
    /// ```
    #[must_use]
    pub fn with_config(mut self, config: Value) -> Self {
        self.config = config;
        self
    }

    /// Sets a secret, by the name of its variable. All others are not set, which is no error.
    ///
    /// ```
    /// use hermes_provider_api::testkit::FakeHost;
    ///
    /// let host = FakeHost::new("/nowhere").with_secret("NOTES_KEY", "nt_1").host();
    /// let key = host.secret("NOTES_KEY").unwrap().unwrap();
    /// assert_eq!((key.expose(), format!("{key:?}").contains("nt_1")), ("nt_1", false));
    /// assert!(host.secret("OTHER_KEY").unwrap().is_none());
    /// ```
    #[must_use]
    pub fn with_secret(mut self, name: &str, value: &str) -> Self {
        self.secrets.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Puts a file below a granted folder, by the key of its grant. All files are kept in memory, and what the provider writes
    /// is read back from there. A path that is not there is [`ErrorKind::NotFound`].
    ///
    /// ```
    /// use hermes_provider_api::ErrorKind;
    /// use hermes_provider_api::testkit::FakeHost;
    ///
    /// let host = FakeHost::new("/nowhere").with_file("vault", "daily/monday.md", "tea with Ann").host();
    /// host.write_file("vault", "daily/tuesday.md", "coffee").unwrap();
    /// assert_eq!(host.list_files("vault", "").unwrap(), ["daily/"]);
    /// assert_eq!(host.list_files("vault", "daily").unwrap(), ["monday.md", "tuesday.md"]);
    /// assert_eq!(host.read_file("vault", "friday.md").unwrap_err().kind, ErrorKind::NotFound);
    /// ```
    #[must_use]
    pub fn with_file(self, grant: &str, path: &str, content: &str) -> Self {
        lock(&self.files).insert((grant.to_owned(), path.to_owned()), content.to_owned());
        self
    }

    /// Answers web requests. The answer may be an error, such as a timeout, or any status.
    ///
    /// A script of answers is a list behind a mutex, and so is what was asked:
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    ///
    /// use hermes_provider_api::host::{HttpRequest, HttpResponse};
    /// use hermes_provider_api::testkit::FakeHost;
    /// use hermes_provider_api::{ErrorKind, ProviderError};
    ///
    /// let asked = Arc::new(Mutex::new(Vec::new()));
    /// let script = Mutex::new(vec![
    ///     Err(ProviderError::new(ErrorKind::Timeout, "no answer within 1500 ms")),
    ///     Ok(HttpResponse { status: 503, ..HttpResponse::default() }),
    ///     Ok(HttpResponse { status: 200, body: r#"{"hits": []}"#.into(), ..HttpResponse::default() }),
    /// ].into_iter());
    /// let seen = Arc::clone(&asked);
    /// let host = FakeHost::new("/nowhere")
    ///     .with_http(move |request| {
    ///         seen.lock().unwrap().push(request.clone());
    ///         script.lock().unwrap().next().expect("the provider asks three times at the most")
    ///     })
    ///     .host();
    ///
    /// let request = HttpRequest { url: "https://notes.example/v1/search".into(), ..HttpRequest::default() };
    /// assert_eq!(host.http(&request).unwrap_err().kind, ErrorKind::Timeout);
    /// assert_eq!(host.http(&request).unwrap().status, 503); // an error for the provider to make, not for the host
    /// assert_eq!(host.http(&request).unwrap().status, 200);
    /// assert_eq!(asked.lock().unwrap().len(), 3);
    /// ```
    #[must_use]
    pub fn with_http(
        mut self,
        answer: impl Fn(&HttpRequest) -> Result<HttpResponse, ProviderError> + Send + Sync + 'static,
    ) -> Self {
        self.http = Box::new(answer);
        self
    }

    /// Answers programs that are run. Nothing is started. [`Host::find_program`] asks it too, without arguments, and takes
    /// any answer but [`ErrorKind::NotFound`] and [`ErrorKind::Denied`] for a program that is there.
    ///
    /// ```
    /// use hermes_provider_api::host::{CommandOutput, CommandRequest};
    /// use hermes_provider_api::testkit::FakeHost;
    /// use hermes_provider_api::{ErrorKind, ProviderError};
    ///
    /// let host = FakeHost::new("/nowhere")
    ///     .with_command(|request| match request.args.first().map(String::as_str) {
    ///         Some("search") => Ok(CommandOutput { stdout: "tea\n".into(), ..CommandOutput::default() }),
    ///         Some(_) => Ok(CommandOutput { status: 2, stderr: "usage: notes search".into(), ..CommandOutput::default() }),
    ///         None => Err(ProviderError::not_found("`notes` is not installed")),
    ///     })
    ///     .host();
    ///
    /// let run = |args: &[&str]| {
    ///     let args = args.iter().map(|arg| arg.to_string()).collect();
    ///     host.command(&CommandRequest { program: "notes".into(), args, ..CommandRequest::default() })
    /// };
    /// assert_eq!(run(&["search", "drinks"]).unwrap().stdout, "tea\n");
    /// assert_eq!(run(&["serch"]).unwrap().status, 2); // a failed program is no error of the service
    /// assert_eq!(run(&[]).unwrap_err().kind, ErrorKind::NotFound);
    /// ```
    #[must_use]
    pub fn with_command(
        mut self,
        answer: impl Fn(&CommandRequest) -> Result<CommandOutput, ProviderError> + Send + Sync + 'static,
    ) -> Self {
        self.command = Box::new(answer);
        self
    }

    /// Turns texts into vectors, under the name `fake-embeddings`.
    ///
    /// ```
    /// use hermes_provider_api::host::Embeddings;
    /// use hermes_provider_api::testkit::FakeHost;
    ///
    /// let by_length = |text: &String| vec![text.len() as f32, 1.0];
    /// let host = FakeHost::new("/nowhere")
    ///     .with_embeddings(move |request| {
    ///         let vectors = request.texts.iter().map(by_length).collect();
    ///         Ok(Embeddings { model: "fake-embeddings".into(), vectors })
    ///     })
    ///     .host();
    /// assert_eq!(host.embed(vec!["tea".into()], None).unwrap().vectors, [[3.0, 1.0]]);
    /// assert_eq!(host.models().unwrap().embedding.unwrap().name, "fake-embeddings");
    /// ```
    #[must_use]
    pub fn with_embeddings(
        mut self,
        answer: impl Fn(&EmbedRequest) -> Result<Embeddings, ProviderError> + Send + Sync + 'static,
    ) -> Self {
        self.models.embedding = Some(place("fake-embeddings"));
        self.embed = Box::new(answer);
        self
    }

    /// Answers as a model of the name `fake-chat` would.
    ///
    /// ```
    /// use hermes_provider_api::host::{ChatMessage, ChatReply, ChatRequest};
    /// use hermes_provider_api::testkit::FakeHost;
    ///
    /// let host = FakeHost::new("/nowhere")
    ///     .with_chat(|request| Ok(ChatReply { text: request.messages[0].content.to_uppercase(), ..ChatReply::default() }))
    ///     .host();
    /// let messages = vec![ChatMessage { role: "user".into(), content: "tea".into() }];
    /// assert_eq!(host.chat(&ChatRequest { messages, ..ChatRequest::default() }).unwrap().text, "TEA");
    /// ```
    #[must_use]
    pub fn with_chat(
        mut self,
        answer: impl Fn(&ChatRequest) -> Result<ChatReply, ProviderError> + Send + Sync + 'static,
    ) -> Self {
        self.models.chat = Some(place("fake-chat"));
        self.chat = Box::new(answer);
        self
    }

    /// The clock, in Unix milliseconds, to set while the provider runs. It stands still until then.
    ///
    /// ```
    /// use std::sync::atomic::Ordering;
    ///
    /// use hermes_provider_api::testkit::FakeHost;
    ///
    /// let fake = FakeHost::new("/nowhere");
    /// let clock = fake.clock();
    /// let host = fake.host();
    /// let today = host.now();
    /// clock.fetch_add(24 * 3_600_000, Ordering::Relaxed);
    /// assert_eq!(host.now() - today, 86_400_000);
    /// ```
    #[must_use]
    pub fn clock(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.now)
    }

    /// What the provider logged through its [`Host`]. Events of `tracing` and `log` arrive here only across the real
    /// boundary.
    ///
    /// ```
    /// use hermes_provider_api::host::LogRecord;
    /// use hermes_provider_api::testkit::FakeHost;
    ///
    /// let fake = FakeHost::new("/nowhere");
    /// let lines = fake.log_lines();
    /// fake.host().log(&LogRecord { level: "warn".into(), message: "the index is old".into(), ..LogRecord::default() });
    /// assert_eq!(lines.lock().unwrap()[0].message, "the index is old");
    /// ```
    #[must_use]
    pub fn log_lines(&self) -> Arc<Mutex<Vec<LogRecord>>> {
        Arc::clone(&self.log)
    }

    /// The handle to open a provider with. Take [`clock`](Self::clock) and [`log_lines`](Self::log_lines) before.
    #[must_use]
    pub fn host(self) -> Host {
        Host::new(Arc::new(self))
    }
}

impl Services for FakeHost {
    fn call(&self, service: &str, method: &str, request: &[u8]) -> Result<Vec<u8>, ProviderError> {
        let answer = match (service, method) {
            (service::LOG, "write") => {
                lock(&self.log).push(read(request)?);
                Value::Null
            }
            (service::CLOCK, "now") => UnixMillis::into(self.now.load(Ordering::Relaxed)),
            (service::DATA_DIR, "path") => json(&self.data_dir)?,
            (service::CONFIG, "get") => self.config.clone(),
            (service::SECRET, "get") => json(&self.secrets.get(&read::<String>(request)?))?,
            (service::HTTP, "send") => json(&(self.http)(&read(request)?)?)?,
            (service::COMMAND, "run") => json(&(self.command)(&read(request)?)?)?,
            (service::COMMAND, "find") => self.find(&read(request)?)?,
            (service::MODEL, "about") => json(&self.models)?,
            (service::MODEL, "embed") => json(&(self.embed)(&read(request)?)?)?,
            (service::MODEL, "chat") => json(&(self.chat)(&read(request)?)?)?,
            (service::FILE, method) => self.file(method, read(request)?)?,
            _ => return Err(ProviderError::unsupported(&format!("service `{service}` {method}"))),
        };
        Ok(answer.to_string().into_bytes())
    }
}

impl FakeHost {
    /// A program is there unless it is said to be missing.
    fn find(&self, request: &CommandRequest) -> Result<Value, ProviderError> {
        match (self.command)(request) {
            Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::Denied) => Err(error),
            _ => Ok(Value::from(format!("/usr/bin/{}", request.program))),
        }
    }

    /// The methods of the file service, on a map from grant and path to text. A copy is a real file.
    fn file(&self, method: &str, request: FileRequest) -> Result<Value, ProviderError> {
        let FileRequest { grant, path, content, to } = request;
        let mut files = lock(&self.files);
        match (method, content) {
            ("read", _) => match files.get(&(grant, path.clone())) {
                Some(text) => Ok(Value::from(text.as_str())),
                None => Err(ProviderError::not_found(format!("no file `{path}`"))),
            },
            ("copy", _) => {
                let text = files.get(&(grant, path.clone()));
                let text = text.ok_or_else(|| ProviderError::not_found(format!("no file `{path}`")))?;
                let to = self.data_dir.join(to.unwrap_or_default());
                std::fs::write(to, text).map_err(|error| ProviderError::storage(error.to_string()))?;
                Ok(Value::from(text.len()))
            }
            ("write", Some(content)) => {
                files.insert((grant, path), content);
                Ok(Value::Null)
            }
            ("list", _) => {
                let prefix = if path.is_empty() { path } else { format!("{}/", path.trim_end_matches('/')) };
                let mut names: Vec<String> = files
                    .keys()
                    .filter(|(folder, _)| *folder == grant)
                    .filter_map(|(_, file)| file.strip_prefix(&prefix))
                    .map(|rest| rest.split_inclusive('/').next().unwrap_or_default().to_owned())
                    .collect();
                names.dedup();
                json(&names)
            }
            _ => Err(ProviderError::unsupported(&format!("file {method}"))),
        }
    }
}

/// A model that is nowhere.
fn place(name: &str) -> ModelPlace {
    ModelPlace { name: name.to_owned(), host: "https://model.example".to_owned() }
}

/// The error of a host for what was not granted, so that a provider under test meets the real one.
fn denied(kind: &str, what: &str) -> ProviderError {
    ProviderError::new(ErrorKind::Denied, format!("capability `{kind} {what}` was not granted"))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T: DeserializeOwned>(request: &[u8]) -> Result<T, ProviderError> {
    serde_json::from_slice(request).map_err(|error| ProviderError::invalid(error.to_string()))
}

fn json<T: serde::Serialize>(value: &T) -> Result<Value, ProviderError> {
    serde_json::to_value(value).map_err(|error| ProviderError::new(ErrorKind::Internal, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_there_until_a_test_says_so() {
        let host = FakeHost::new("/nowhere").host();
        assert_eq!(host.secret("KEY").unwrap(), None);
        assert_eq!(host.http(&HttpRequest::default()).unwrap_err().kind, ErrorKind::Denied);
        assert_eq!(host.command(&CommandRequest::default()).unwrap_err().kind, ErrorKind::Denied);
        assert_eq!(host.read_file("notes", "a.md").unwrap_err().kind, ErrorKind::NotFound);
        assert_eq!(host.now(), 1_767_225_600_000);
    }

    #[test]
    fn files_are_read_written_and_listed() {
        let host =
            FakeHost::new("/nowhere").with_file("notes", "a.md", "one").with_file("notes", "b/c.md", "two").host();
        host.write_file("notes", "b/d.md", "три").unwrap();
        assert_eq!(host.read_file("notes", "b/d.md").unwrap(), "три");
        assert_eq!(host.list_files("notes", "").unwrap(), ["a.md", "b/"]);
        assert_eq!(host.list_files("notes", "b").unwrap(), ["c.md", "d.md"]);
        let folder = tempfile::tempdir().unwrap();
        let host = FakeHost::new(folder.path()).with_file("notes", "a.md", "три").host();
        assert_eq!(host.copy_file("notes", "a.md", "copy").unwrap(), 6);
        assert_eq!(std::fs::read_to_string(folder.path().join("copy")).unwrap(), "три");
        assert_eq!(host.copy_file("notes", "b.md", "copy").unwrap_err().kind, ErrorKind::NotFound);
    }
}
