//! A model that the user runs or pays for, behind the API that most servers speak: `POST …/embeddings` and
//! `POST …/chat/completions`.
//!
//! Where it is stands in `config.toml` under `model`, its key in `.env`. The user typed the address, so it may lie
//! anywhere, also on this machine and in a private network. A key goes to the address that it belongs to and nowhere
//! else: redirects are not followed.
//!
//! | file | what it does |
//! |---|---|
//! | `exchange` | one request with a deadline and a bounded answer |
//! | `embed`, `chat` | what is asked, and the checks of what comes back |
//! | `stream` | the same of an answer that comes piece by piece |
//! | `wire` | how whole conversations are spelt, for those who pass on a client's or hold one with a model |
//! | `error` | what can go wrong, and what to type then |

mod chat;
mod embed;
mod error;
mod exchange;
mod stream;
pub mod wire;

pub use chat::{Message, Reply};
pub use embed::{MAX_CHARS, MAX_TEXTS, Vectors};
pub use error::ModelError;
pub use stream::Question;

use hermes_provider_api::Secret;

use crate::config::Config;
use crate::net::shown;
use crate::secrets::Secrets;

/// The variables that hold the keys of models.
pub const KEYS: [&str; 2] = [KEY, EMBEDDING_KEY];
const KEY: &str = "HERMES_MODEL_API_KEY";
const EMBEDDING_KEY: &str = "HERMES_EMBEDDING_API_KEY";

/// What a model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Vectors of texts.
    Embed,
    /// Answers.
    Chat,
}

impl Use {
    /// The setting that names the model for it.
    #[must_use]
    pub const fn setting(self) -> &'static str {
        match self {
            Self::Embed => "model.embedding",
            Self::Chat => "model.chat",
        }
    }
}

/// A model and where it is.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// The address that paths are added to, without a `/` at its end.
    base: String,
    /// Which setting that is, for errors.
    setting: &'static str,
    key: Option<Secret>,
    /// Which variable that is, for errors.
    variable: &'static str,
}

impl Target {
    /// Where texts go that are sent to it, as it may be shown.
    #[must_use]
    pub fn place(&self) -> String {
        shown(&self.base)
    }
}

/// Where the user's models answer, for those who pass on requests as they are.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// The address that paths are added to, without a `/` at its end.
    pub base: String,
    /// What opens it.
    pub key: Option<Secret>,
}

impl Endpoint {
    /// That of a home.
    ///
    /// # Errors
    /// When the settings name none.
    pub fn of(config: &Config, secrets: &Secrets) -> Result<Self, ModelError> {
        let base = config.text("model.base_url").ok_or(ModelError::NotConfigured { setting: "model.chat" })?;
        Ok(Self { base: base.trim_end_matches('/').to_owned(), key: secrets.get(KEY) })
    }

    /// The same as it may be shown.
    #[must_use]
    pub fn place(&self) -> String {
        shown(&self.base)
    }
}

/// The models that the settings name.
#[derive(Clone, Debug, Default)]
pub struct Models {
    embedding: Option<Target>,
    chat: Option<Target>,
}

impl Models {
    /// Those of a home. Without an address or a name there is none.
    #[must_use]
    pub fn of(config: &Config, secrets: &Secrets) -> Self {
        Self::chatting_with(config, secrets, config.text(Use::Chat.setting()))
    }

    /// The same with another name of the model to chat with.
    #[must_use]
    pub fn chatting_with(config: &Config, secrets: &Secrets, chat: Option<&str>) -> Self {
        let target = |name: Option<&str>, setting, variable| {
            let base = config.text(setting)?.trim_end_matches('/').to_owned();
            Some(Target { name: name?.to_owned(), base, setting, key: secrets.get(variable), variable })
        };
        let embedding = config.text(Use::Embed.setting());
        let own = target(embedding, "model.embedding_base_url", EMBEDDING_KEY);
        Self {
            embedding: own.or_else(|| target(embedding, "model.base_url", KEY)),
            chat: target(chat, "model.base_url", KEY),
        }
    }

    /// The model for a use, if there is one.
    #[must_use]
    pub fn target(&self, of: Use) -> Option<&Target> {
        match of {
            Use::Embed => self.embedding.as_ref(),
            Use::Chat => self.chat.as_ref(),
        }
    }

    fn wanted(&self, of: Use) -> Result<&Target, ModelError> {
        self.target(of).ok_or(ModelError::NotConfigured { setting: of.setting() })
    }
}

#[cfg(test)]
mod tests;
