//! What a provider may ask of the host. Every request is checked against what the user granted.

mod beneath;
mod command;
mod files;
mod model;
mod web;

pub use command::Stops;
pub use model::{Authority, ModelAccess};

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use hermes_provider_api::host::{LogRecord, service};
use hermes_provider_api::{Capabilities, ErrorKind, ProviderError, Secret, Services};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::clock::Clock;
use crate::home::files as home_files;

/// Finds a secret by the name of its variable.
pub type SecretSource = Arc<dyn Fn(&str) -> Option<Secret> + Send + Sync>;

/// Takes a provider's line for the log.
pub type LogSink = Arc<dyn Fn(&str, &LogRecord) + Send + Sync>;

/// The services of one provider.
pub struct HostServices {
    /// The provider's id.
    pub provider: String,
    /// The folder for its files; made when it is first asked for.
    pub data_dir: PathBuf,
    /// Its settings, checked against its schema, without secrets.
    pub settings: Map<String, Value>,
    /// What its settings are unless the user sets another: the plugin's choice, not the user's.
    pub defaults: BTreeMap<String, String>,
    /// The home. No program is run that lies in it: everything there was written by providers or came with them.
    pub home: PathBuf,
    /// What the user granted.
    pub granted: Capabilities,
    /// Where secrets come from.
    pub secrets: SecretSource,
    /// The time.
    pub clock: Clock,
    /// Where its log lines go.
    pub log: LogSink,
    /// The user's models.
    pub model: ModelAccess,
}

impl Services for HostServices {
    fn call(&self, service: &str, method: &str, request: &[u8]) -> Result<Vec<u8>, ProviderError> {
        match (service, method) {
            (service::LOG, "write") => {
                (self.log)(&self.provider, &read(request)?);
                write(&())
            }
            (service::CLOCK, "now") => write(&self.clock.now()),
            (service::DATA_DIR, "path") => {
                home_files::create_dir(&self.data_dir).map_err(|error| ProviderError::storage(error.to_string()))?;
                write(&self.data_dir)
            }
            (service::CONFIG, "get") => write(&self.settings),
            (service::SECRET, "get") => {
                let name: String = read(request)?;
                self.require("secret", &self.granted.secret, &name)?;
                write(&(self.secrets)(&name))
            }
            (service::HTTP, "send") => write(&self.send(&read(request)?)?),
            (service::COMMAND, "run") => write(&self.run(&read(request)?)?),
            (service::COMMAND, "find") => write(&self.find_program(&read(request)?)?),
            (service::MODEL, "about") => write(&self.known_models()),
            (service::MODEL, "embed") => write(&self.embed(&read(request)?)?),
            (service::MODEL, "chat") => write(&self.chat(&read(request)?)?),
            (service::FILE, "read") => write(&self.read_file(&read(request)?)?),
            (service::FILE, "write") => write(&self.write_file(&read(request)?)?),
            (service::FILE, "copy") => write(&self.copy_file(&read(request)?)?),
            (service::FILE, "list") => write(&self.list_files(&read(request)?)?),
            _ => Err(ProviderError::new(ErrorKind::Unsupported, format!("this host has no `{service}` {method}"))),
        }
    }
}

impl HostServices {
    fn require(&self, kind: &str, granted: &[String], entry: &str) -> Result<(), ProviderError> {
        if granted.iter().any(|known| known == entry) {
            return Ok(());
        }
        Err(self.denied(kind, entry))
    }

    fn denied(&self, kind: &str, entry: &str) -> ProviderError {
        let message = format!("`{}` was not granted the capability {kind} `{entry}`", self.provider);
        ProviderError::new(ErrorKind::Denied, message)
            .hint(format!("`hermes plugins list` shows what `{}` may do", self.provider))
    }
}

fn read<T: DeserializeOwned>(request: &[u8]) -> Result<T, ProviderError> {
    serde_json::from_slice(request).map_err(|error| ProviderError::invalid(error.to_string()))
}

fn write(answer: &impl Serialize) -> Result<Vec<u8>, ProviderError> {
    serde_json::to_vec(answer).map_err(|error| ProviderError::new(ErrorKind::Internal, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hermes_provider_api::Host;
    use hermes_provider_api::host::{CommandRequest, HttpRequest};

    pub(super) fn host(settings: &Value, granted: Capabilities, data: &std::path::Path) -> Host {
        Host::new(Arc::new(services(settings, granted, data)))
    }

    pub(super) fn services(settings: &Value, granted: Capabilities, data: &std::path::Path) -> HostServices {
        HostServices {
            provider: "notes".to_owned(),
            data_dir: data.to_owned(),
            settings: settings.as_object().cloned().unwrap_or_default(),
            defaults: BTreeMap::new(),
            home: data.join("home"),
            granted,
            secrets: Arc::new(|name| (name == "NOTES_KEY").then(|| Secret::new("nt_1"))),
            clock: Clock::fixed(7),
            log: Arc::new(|_, _| {}),
            model: ModelAccess::default(),
        }
    }

    #[test]
    fn nothing_is_reached_that_was_not_granted() {
        let folder = tempfile::tempdir().unwrap();
        let host = host(&Value::Null, Capabilities::default(), folder.path());
        let denied = |result: Result<(), ProviderError>| {
            let error = result.unwrap_err();
            assert_eq!(error.kind, ErrorKind::Denied, "{error}");
            error.message
        };
        assert_eq!(
            denied(host.secret("NOTES_KEY").map(drop)),
            "`notes` was not granted the capability secret `NOTES_KEY`"
        );
        let request = HttpRequest { url: "https://notes.example/v1".to_owned(), ..HttpRequest::default() };
        assert_eq!(
            denied(host.http(&request).map(drop)),
            "`notes` was not granted the capability http `https://notes.example`"
        );
        let request = CommandRequest { program: "sh".to_owned(), ..CommandRequest::default() };
        denied(host.command(&request).map(drop));
        denied(host.read_file("notes_dir", "a.md").map(drop));
    }

    #[test]
    fn granted_services_answer() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let granted = Capabilities { secret: vec!["NOTES_KEY".into()], ..Capabilities::default() };
        let host = host(&serde_json::json!({"mode": "local"}), granted, &data);
        assert_eq!(host.secret("NOTES_KEY").unwrap().unwrap().expose(), "nt_1");
        assert_eq!(host.now(), 7);
        assert_eq!(host.config::<Value>().unwrap(), serde_json::json!({"mode": "local"}));
        assert_eq!(host.data_dir().unwrap(), data);
        assert!(data.is_dir());
    }
}
