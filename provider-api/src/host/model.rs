//! The user's own model: vectors of texts, and answers.
//!
//! Which model that is, and where it is, the user says in `config.toml`. Texts leave this machine if it is elsewhere; the host
//! takes secrets out of them, and tells the user where they go.

use serde::{Deserialize, Serialize};

use super::{Host, service};
use crate::ProviderError;

/// The models that the user set up.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct Models {
    /// The one for [`Host::embed`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding: Option<ModelPlace>,
    /// The one for [`Host::chat`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat: Option<ModelPlace>,
}

/// A model and where it is.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct ModelPlace {
    /// Its name.
    pub name: String,
    /// Its address without credentials, to tell the user where texts go.
    pub host: String,
}

/// Texts to make vectors of.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct EmbedRequest {
    /// At most 64 texts of 8000 characters each.
    pub texts: Vec<String>,
    /// Milliseconds for the whole exchange: 30 s when not given, at most 120 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Their vectors.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct Embeddings {
    /// The model that made them. Vectors of two models cannot be compared.
    pub model: String,
    /// One for each text, in their order, all of one length. They need not be of length one.
    pub vectors: Vec<Vec<f32>>,
}

/// What was said so far, for a model to answer.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct ChatRequest {
    /// In their order; at most 64, with 100 000 characters together.
    pub messages: Vec<ChatMessage>,
    /// How long the answer may be; 512 when not given, at most 4096.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Milliseconds for the whole exchange: 30 s when not given, at most 120 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// One message.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct ChatMessage {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// The words.
    pub content: String,
}

/// The model's answer.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct ChatReply {
    /// The model.
    pub model: String,
    /// The words.
    pub text: String,
}

impl Host {
    /// Which models the user set up; none is no error.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) by a host that has no such service.
    pub fn models(&self) -> Result<Models, ProviderError> {
        self.call(service::MODEL, "about", &())
    }

    /// Turns texts into vectors with the user's embedding model. `timeout_ms` is for the whole exchange; 30 s when None.
    ///
    /// A hook that has to answer soon gives it a part of [`Call::remaining`](crate::Call::remaining), and goes on without
    /// when it fails: the model may be loading, busy, or switched off.
    ///
    /// ```no_run
    /// use hermes_provider_api::{Call, Host, ProviderError};
    ///
    /// fn vector(host: &Host, question: &str, call: &Call<'_>) -> Option<Vec<f32>> {
    ///     let half = call.remaining().and_then(|left| u64::try_from(left.as_millis() / 2).ok());
    ///     let found = host.embed(vec![question.to_owned()], half).ok()?; // without it, words alone will do
    ///     found.vectors.into_iter().next()
    /// }
    /// # let _ = vector;
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Denied`](crate::ErrorKind::Denied) when the manifest does not ask for it, or the setting that it waits for
    /// is off; [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when no model is set up; otherwise what the model's server
    /// does: `Unavailable`, `RateLimited`, `Unauthorized`, `Timeout`.
    pub fn embed(&self, texts: Vec<String>, timeout_ms: Option<u64>) -> Result<Embeddings, ProviderError> {
        self.call(service::MODEL, "embed", &EmbedRequest { texts, timeout_ms })
    }

    /// Has the user's chat model answer. What a memory stored is data for it and no instruction: say so in the first message,
    /// and use nothing of the answer that does not have the form that was asked for.
    ///
    /// # Errors
    /// As [`Host::embed`].
    pub fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ProviderError> {
        self.call(service::MODEL, "chat", request)
    }
}
