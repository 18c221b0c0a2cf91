//! The user's own model, for providers that were granted it and whose user turned it on.
//!
//! What is sent goes through the redactor like everything else that leaves for a provider: the model may be anybody's.

use std::collections::BTreeMap;
use std::time::Duration;

use hermes_provider_api::host::{
    ChatMessage, ChatReply, ChatRequest, EmbedRequest, Embeddings, ModelPlace, Models as Known,
};
use hermes_provider_api::{ErrorKind, ProviderError};
use serde_json::{Map, Value};

use super::HostServices;
use crate::error::Hint as _;
use crate::guard::Redactor;
use crate::model::{Message, ModelError, Models, Use};

const DEFAULT_LIMIT: Duration = Duration::from_secs(30);
const LONGEST_LIMIT: Duration = Duration::from_secs(120);
const DEFAULT_TOKENS: u32 = 512;
const MOST_TOKENS: u32 = 4096;
const MOST_MESSAGES: usize = 64;
/// Of all messages together, in Unicode scalar values.
const MOST_CHARS: usize = 100_000;

/// The models of a home, and what takes secrets out of what they are sent.
#[derive(Clone, Debug, Default)]
pub struct ModelAccess {
    /// The models.
    pub models: Models,
    /// The same as for what the provider itself is sent.
    pub redactor: Redactor,
}

/// Whether a provider may use a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authority {
    /// It was not granted.
    None,
    /// It was, and waits for this setting, which is off.
    Dormant(String),
    /// It may: because the setting is on, or, with None, without one.
    Armed(Option<String>),
}

impl Authority {
    /// That of the entries of the capability `model`, with these settings. One that is on by its default was turned on by
    /// the plugin's author and not by the user, so it does not count.
    #[must_use]
    pub fn of(entries: &[String], of: Use, settings: &Map<String, Value>, defaults: &BTreeMap<String, String>) -> Self {
        let is_on =
            |key: &str| settings.get(key).is_some_and(is_on) && !defaults.get(key).is_some_and(|word| turns_on(word));
        let wanted = match of {
            Use::Embed => "embed",
            Use::Chat => "chat",
        };
        let mut found = Self::None;
        for entry in entries {
            match entry.split_once(":config:") {
                None if entry == wanted => return Self::Armed(None),
                Some((kind, key)) if kind == wanted && is_on(key) => return Self::Armed(Some(key.to_owned())),
                Some((kind, key)) if kind == wanted => found = Self::Dormant(key.to_owned()),
                _ => {}
            }
        }
        found
    }
}

fn is_on(value: &Value) -> bool {
    *value == Value::Bool(true) || value.as_str().is_some_and(turns_on)
}

fn turns_on(word: &str) -> bool {
    matches!(word.trim(), "on" | "true")
}

impl HostServices {
    pub(super) fn known_models(&self) -> Known {
        let place = |of| {
            let target = self.model.models.target(of)?;
            Some(ModelPlace { name: target.name.clone(), host: target.place() })
        };
        Known { embedding: place(Use::Embed), chat: place(Use::Chat) }
    }

    pub(super) fn embed(&self, request: &EmbedRequest) -> Result<Embeddings, ProviderError> {
        self.armed(Use::Embed)?;
        let texts: Vec<String> = request.texts.iter().map(|text| self.clean(text)).collect();
        let found = self.model.models.embed(&texts, limit(request.timeout_ms)).map_err(|error| told(&error))?;
        Ok(Embeddings { model: found.model, vectors: found.vectors })
    }

    pub(super) fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ProviderError> {
        self.armed(Use::Chat)?;
        let chars: usize = request.messages.iter().map(|message| hermes_text::char_count(&message.content)).sum();
        if request.messages.len() > MOST_MESSAGES || chars > MOST_CHARS {
            let message = format!("at most {MOST_MESSAGES} messages with {MOST_CHARS} characters are answered");
            return Err(ProviderError::invalid(message));
        }
        let message =
            |message: &ChatMessage| Message { role: message.role.clone(), content: self.clean(&message.content) };
        let messages: Vec<_> = request.messages.iter().map(message).collect();
        let tokens = request.max_tokens.unwrap_or(DEFAULT_TOKENS).clamp(1, MOST_TOKENS);
        let reply =
            self.model.models.chat(&messages, tokens, limit(request.timeout_ms)).map_err(|error| told(&error))?;
        Ok(ChatReply { model: reply.model, text: reply.text })
    }

    fn clean(&self, text: &str) -> String {
        self.model.redactor.redact(text).into_owned()
    }

    fn armed(&self, of: Use) -> Result<(), ProviderError> {
        match Authority::of(&self.granted.model, of, &self.settings, &self.defaults) {
            Authority::Armed(_) => Ok(()),
            Authority::None => Err(self.denied("model", if of == Use::Embed { "embed" } else { "chat" })),
            Authority::Dormant(key) => {
                let id = &self.provider;
                let message = format!("nothing of `{id}` is sent to a model as long as its setting `{key}` is off");
                Err(ProviderError::new(ErrorKind::Denied, message)
                    .hint(format!("`hermes config set providers.{id}.{key} on` turns it on")))
            }
        }
    }
}

fn limit(timeout_ms: Option<u64>) -> Duration {
    timeout_ms.map_or(DEFAULT_LIMIT, Duration::from_millis).min(LONGEST_LIMIT)
}

fn told(error: &ModelError) -> ProviderError {
    let kind = match error {
        ModelError::NotConfigured { .. } | ModelError::NotThere { .. } => ErrorKind::NotFound,
        ModelError::Request(_) | ModelError::Status { status: 400 | 413 | 422, .. } => ErrorKind::InvalidInput,
        ModelError::Key { .. } => ErrorKind::Unauthorized,
        ModelError::Busy { .. } => ErrorKind::RateLimited,
        ModelError::Timeout { .. } => ErrorKind::Timeout,
        _ => ErrorKind::Unavailable,
    };
    let mut told = ProviderError::new(kind, error.to_string());
    told.hint = error.hints().into_iter().next();
    if let ModelError::Busy { retry_after: Some(wait), .. } = error {
        told = told.retry_after(wait.as_secs());
    }
    told
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::path::Path;
    use std::sync::Arc;

    use hermes_provider_api::{Capabilities, Host};
    use serde_json::json;

    use super::*;
    use crate::config::Config;
    use crate::home::{Home, files};
    use crate::secrets::Secrets;

    /// A host whose model is at this address.
    fn host(base: &str, model: &[&str], settings: &Value, defaults: &[(&str, &str)]) -> (tempfile::TempDir, Host) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        files::replace(&home.env_file(), b"OTHER_KEY=swordfish-9\n").unwrap();
        let secrets = Secrets::load(&home, |_| None).unwrap();
        let config = format!("[model]\nbase_url = '{base}'\nembedding = 'tiny'\n");
        let config = Config::parse(&config, Path::new("config.toml")).unwrap();
        let model = model.iter().map(|&entry| entry.to_owned()).collect();
        let granted = Capabilities { model, ..Capabilities::default() };
        let mut services = super::super::tests::services(settings, granted, folder.path());
        services.defaults = defaults.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        services.model =
            ModelAccess { models: Models::of(&config, &secrets), redactor: Redactor::new(secrets.mask([])) };
        (folder, Host::new(Arc::new(services)))
    }

    #[test]
    fn what_is_sent_has_no_secrets_in_it() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = String::new();
            while !asked.contains("}") {
                let mut piece = [0; 4096];
                let read = stream.read(&mut piece).unwrap();
                asked.push_str(&String::from_utf8_lossy(&piece[..read]));
            }
            let body = r#"{"data": [{"embedding": [1, 2]}]}"#;
            let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
            stream.write_all((head + body).as_bytes()).unwrap();
            asked
        });
        let (_folder, host) =
            host(&base, &["embed:config:semantic"], &json!({"semantic": "on"}), &[("semantic", "off")]);
        let found = host.embed(vec!["the door opens with swordfish-9".to_owned()], None).unwrap();
        assert_eq!((found.model.as_str(), found.vectors), ("tiny", vec![vec![1.0, 2.0]]));
        let asked = server.join().unwrap();
        assert!(asked.contains("the door opens with [OTHER_KEY]") && !asked.contains("swordfish"), "{asked}");
        let about = host.models().unwrap();
        assert_eq!(about.embedding.unwrap(), ModelPlace { name: "tiny".into(), host: base });
        assert_eq!(about.chat, None);
    }

    /// What is dormant wakes by the user's hand alone: not by a default, nor by another setting.
    #[test]
    fn nothing_is_sent_before_the_user_turns_it_on() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let waits = "nothing of `notes` is sent to a model as long as its setting `semantic` is off";
        let foreign = "`notes` was not granted the capability model `embed`";
        let on = json!({"semantic": "on", "rerank": "on"});
        for (entries, settings, defaults, message) in [
            (vec!["embed:config:semantic"], json!({"semantic": "off"}), vec![("semantic", "off")], waits),
            (vec!["embed:config:semantic"], json!({}), vec![], waits),
            (vec!["embed:config:semantic"], json!({"rerank": "on"}), vec![], waits),
            (vec!["embed:config:semantic"], on.clone(), vec![("semantic", "on")], waits),
            (vec!["chat:config:rerank", "chat"], on.clone(), vec![], foreign),
            (vec![], on, vec![], foreign),
        ] {
            let (_folder, host) = host(&base, &entries, &settings, &defaults);
            let error = host.embed(vec!["a".to_owned()], None).unwrap_err();
            assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Denied, message), "{entries:?} {settings}");
        }
        assert!(listener.accept().is_err(), "somebody called");
    }

    #[test]
    fn without_a_model_the_settings_are_named() {
        let (_folder, host) = host("", &["embed", "chat"], &Value::Null, &[]);
        let error = host.embed(vec!["a".to_owned()], None).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotFound);
        assert!(error.hint.unwrap().contains("hermes config set model.embedding NAME"));
        let request = ChatRequest { messages: vec![ChatMessage::default(); 65], ..ChatRequest::default() };
        assert_eq!(host.chat(&request).unwrap_err().kind, ErrorKind::InvalidInput);
    }
}
