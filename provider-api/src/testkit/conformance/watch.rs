//! The host services that the kit offers: those of a [`FakeHost`], with an eye on what the provider asks for.
//!
//! A fake alone answers whatever it is asked. A host compares each call with what was granted, so here each is compared with
//! what the manifest declares: an author who forgot a capability learns it from a test, not from a user.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

use super::Kit;
use crate::host::{CommandRequest, FileRequest, HttpRequest, Services, service};
use crate::testkit::FakeHost;
use crate::{Capabilities, ErrorKind, ProviderError};

/// What a provider asked its host for, in all scenarios together. Shared by all instances of a run, on whatever threads.
#[derive(Default)]
pub(super) struct Seen(Mutex<Asked>);

/// The record itself, which [`Seen::lock`] lends.
#[derive(Default)]
pub(super) struct Asked {
    /// Capabilities that it declares and used, as in [`Capabilities::lines`].
    pub used: BTreeSet<String>,
    /// What it asked for without declaring it.
    pub refused: BTreeSet<String>,
    /// A secret was in one of its log lines.
    pub secret_logged: bool,
}

impl Seen {
    /// What was asked until now.
    pub(super) fn lock(&self) -> MutexGuard<'_, Asked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The services of one instance. May be called from any thread, as those of a host.
pub(super) struct Watch {
    pub fake: FakeHost,
    pub data_dir: PathBuf,
    pub declared: Capabilities,
    pub settings: Map<String, Value>,
    pub canaries: Vec<String>,
    pub seen: Arc<Seen>,
}

impl Watch {
    /// A fake host that answers web requests, and for programs, as the kit was told.
    pub(super) fn fake(data_dir: PathBuf, settings: &Map<String, Value>, kit: &Kit) -> FakeHost {
        let mut fake = FakeHost::new(data_dir.clone()).with_config(Value::Object(settings.clone()));
        if let Some(programs) = kit.programs.clone() {
            fake = fake.with_command(move |request| programs(request, &data_dir));
        }
        match kit.web.clone() {
            Some(web) => fake.with_http(move |request| web(request)),
            None => fake.with_http(|_| Err(ProviderError::new(ErrorKind::Unavailable, "the kit has no network"))),
        }
    }

    /// Notes what is asked for, and refuses what the manifest does not declare, as a host would.
    fn admit(&self, kind: &str, declared: &[String], wanted: &str, covers: impl Fn(&str) -> bool) -> Admitted {
        match declared.iter().find(|entry| covers(entry)) {
            Some(entry) => {
                self.seen.lock().used.insert(format!("{kind} {entry}"));
                Ok(())
            }
            None => {
                self.seen.lock().refused.insert(format!("{kind} {wanted}"));
                Err(ProviderError::new(ErrorKind::Denied, format!("the capability {kind} `{wanted}` is not declared")))
            }
        }
    }

    /// Whether the manifest covers a call, by the rules that hosts go by.
    ///
    /// Secrets and programs are compared by name. Writing a file includes reading it. A web request is compared by origin, of
    /// `config:<key>` with the address that stands in that setting, and one to the model by what it is for and, of
    /// `<what>:config:<key>`, whether that setting is on. All other services need no capability.
    ///
    /// # Errors
    /// [`ErrorKind::Denied`] for what is not covered, [`ErrorKind::InvalidInput`] for what is no request of the service.
    fn check(&self, service: &str, method: &str, request: &[u8]) -> Admitted {
        let Capabilities { http, secret, command, file, model, .. } = &self.declared;
        match service {
            service::SECRET => {
                let name: String = read(request)?;
                self.admit("secret", secret, &name, |entry| entry == name)
            }
            service::COMMAND => {
                let CommandRequest { program, .. } = read(request)?;
                self.admit("command", command, &program, |entry| entry == program)
            }
            service::FILE => {
                let FileRequest { grant, .. } = read(request)?;
                let (reads, writes) = (format!("read:{grant}"), format!("write:{grant}"));
                let wanted = if method == "write" { &writes } else { &reads };
                self.admit("file", file, wanted, |entry| entry == writes || (method != "write" && entry == reads))
            }
            service::MODEL if method != "about" => {
                self.admit("model", model, method, |entry| match entry.split_once(":config:") {
                    Some((kind, key)) => kind == method && self.settings.get(key).is_some_and(is_on),
                    None => entry == method,
                })
            }
            service::HTTP => {
                let HttpRequest { url, .. } = read(request)?;
                let wanted = origin(&url);
                self.admit("http", http, &wanted, |entry| {
                    let address = match entry.strip_prefix("config:") {
                        Some(key) => self.settings.get(key).and_then(Value::as_str).unwrap_or_default(),
                        None => entry,
                    };
                    !wanted.is_empty() && origin(address) == wanted
                })
            }
            _ => Ok(()),
        }
    }
}

/// Whether a call may be made.
type Admitted = Result<(), ProviderError>;

impl Services for Watch {
    fn call(&self, service: &str, method: &str, request: &[u8]) -> Result<Vec<u8>, ProviderError> {
        if service == service::LOG && self.canaries.iter().any(|canary| contains(request, canary)) {
            self.seen.lock().secret_logged = true;
        }
        if service == service::DATA_DIR {
            std::fs::create_dir_all(&self.data_dir).map_err(|error| ProviderError::storage(error.to_string()))?;
        }
        self.check(service, method, request)?;
        self.fake.call(service, method, request)
    }
}

/// Whether a setting is turned on.
fn is_on(value: &Value) -> bool {
    matches!(value.as_str(), Some("on" | "true")) || *value == Value::Bool(true)
}

/// A request as its record.
fn read<T: serde::de::DeserializeOwned>(request: &[u8]) -> Result<T, ProviderError> {
    serde_json::from_slice(request).map_err(|error| ProviderError::invalid(error.to_string()))
}

/// Whether a text is somewhere in these bytes.
pub(super) fn contains(bytes: &[u8], text: &str) -> bool {
    !text.is_empty() && bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Scheme, host and port of an address, the usual port left out; empty for what is no web address.
///
/// That is the origin of [RFC 6454](https://www.rfc-editor.org/rfc/rfc6454), by which capabilities are granted. A user name
/// stays in it, so that `https://granted.example@other.example` is not taken for the granted host.
fn origin(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return String::new() };
    let scheme = scheme.to_ascii_lowercase();
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    let usual = match scheme.as_str() {
        "https" => ":443",
        "http" => ":80",
        _ => return String::new(),
    };
    format!("{scheme}://{}", authority.strip_suffix(usual).unwrap_or(&authority))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins() {
        assert_eq!(origin("https://Notes.example:443/v1?x=1"), "https://notes.example");
        assert_eq!(origin("http://127.0.0.1:9"), "http://127.0.0.1:9");
        assert_ne!(origin("https://notes.example@other.example/"), "https://notes.example");
        assert_eq!(origin("file:///etc/passwd"), "");
    }
}
