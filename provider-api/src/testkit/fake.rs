//! A host whose services answer what a test says.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::host::{
    CommandOutput, CommandRequest, FileRequest, HttpRequest, HttpResponse, LogRecord, Services, service,
};
use crate::records::UnixMillis;
use crate::{ErrorKind, Host, ProviderError};

type Answer<Q, A> = Box<dyn Fn(&Q) -> Result<A, ProviderError> + Send + Sync>;

/// A host whose services answer what a test says.
///
/// Nothing is there at first: no secret, no file, and every web address and program is refused.
pub struct FakeHost {
    data_dir: PathBuf,
    config: Value,
    secrets: BTreeMap<String, String>,
    files: Mutex<BTreeMap<(String, String), String>>,
    now: Arc<AtomicU64>,
    http: Answer<HttpRequest, HttpResponse>,
    command: Answer<CommandRequest, CommandOutput>,
    log: Arc<Mutex<Vec<LogRecord>>>,
}

impl FakeHost {
    /// A host with this data folder and its clock at 2026-01-01T00:00:00Z.
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
            log: Arc::default(),
        }
    }

    /// Sets the configuration, an object.
    #[must_use]
    pub fn with_config(mut self, config: Value) -> Self {
        self.config = config;
        self
    }

    /// Sets a secret, by the name of its variable. All others are not set, which is no error.
    #[must_use]
    pub fn with_secret(mut self, name: &str, value: &str) -> Self {
        self.secrets.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Puts a file below a granted folder, by the key of its grant. All files are kept in memory.
    #[must_use]
    pub fn with_file(self, grant: &str, path: &str, content: &str) -> Self {
        lock(&self.files).insert((grant.to_owned(), path.to_owned()), content.to_owned());
        self
    }

    /// Answers web requests. The answer may be an error, such as a timeout, or any status.
    #[must_use]
    pub fn with_http(
        mut self,
        answer: impl Fn(&HttpRequest) -> Result<HttpResponse, ProviderError> + Send + Sync + 'static,
    ) -> Self {
        self.http = Box::new(answer);
        self
    }

    /// Answers programs that are run.
    #[must_use]
    pub fn with_command(
        mut self,
        answer: impl Fn(&CommandRequest) -> Result<CommandOutput, ProviderError> + Send + Sync + 'static,
    ) -> Self {
        self.command = Box::new(answer);
        self
    }

    /// The clock, in Unix milliseconds, to set while the provider runs.
    #[must_use]
    pub fn clock(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.now)
    }

    /// What the provider logged through its [`Host`]. Events of `tracing` and `log` arrive here only across the real
    /// boundary.
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
            (service::FILE, method) => self.file(method, read(request)?)?,
            _ => return Err(ProviderError::unsupported(&format!("service `{service}` {method}"))),
        };
        Ok(answer.to_string().into_bytes())
    }
}

impl FakeHost {
    fn file(&self, method: &str, request: FileRequest) -> Result<Value, ProviderError> {
        let FileRequest { grant, path, content } = request;
        let mut files = lock(&self.files);
        match (method, content) {
            ("read", _) => match files.get(&(grant, path.clone())) {
                Some(text) => Ok(Value::from(text.as_str())),
                None => Err(ProviderError::not_found(format!("no file `{path}`"))),
            },
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
    }
}
