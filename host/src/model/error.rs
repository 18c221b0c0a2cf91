//! Why a model did not answer, and what to type then. No text in here holds a key, or what was sent.

use std::time::Duration;

use crate::error::Hint;
use crate::net::NetworkError;

/// Why a model did not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The settings name none.
    #[error("no model is set up: `{setting}` and `model.base_url` say which one answers, and where")]
    NotConfigured {
        /// The setting that names it.
        setting: &'static str,
    },
    /// More, or longer texts than are sent at once.
    #[error("{0}")]
    Request(String),
    /// The key is missing or wrong.
    #[error("{place} refuses the key ({status})")]
    Key {
        /// Where the model is.
        place: String,
        /// 401 or 403.
        status: u16,
        /// The variable that holds the key.
        variable: &'static str,
        /// Whether there was one.
        sent: bool,
    },
    /// Nothing of this API is there, or not this model.
    #[error("{place} has no `{route}`, or no model `{model}` (404){said}")]
    NotThere {
        /// Where the model should be.
        place: String,
        /// What was asked for.
        route: &'static str,
        /// The model.
        model: String,
        /// What the server says of it, after a colon.
        said: String,
        /// The setting of the address.
        setting: &'static str,
    },
    /// It has too much to do now.
    #[error("{place} has too much to do ({status})")]
    Busy {
        /// Where the model is.
        place: String,
        /// 429 or 503.
        status: u16,
        /// When to come back, if it says so.
        retry_after: Option<Duration>,
    },
    /// Any other status.
    #[error("{place} answers {status}{said}")]
    Status {
        /// Where the model is.
        place: String,
        /// The status.
        status: u16,
        /// What the server says, after a colon.
        said: String,
        /// The setting of the address.
        setting: &'static str,
    },
    /// It is something else.
    #[error("{place} does not answer as a model does: {reason}")]
    Answer {
        /// Where the model should be.
        place: String,
        /// What is wrong.
        reason: String,
        /// The setting of the address.
        setting: &'static str,
    },
    /// It takes too long.
    #[error("{place} did not answer within {} ms", limit.as_millis())]
    Timeout {
        /// Where the model is.
        place: String,
        /// How long it had.
        limit: Duration,
    },
    /// There is no connection.
    #[error("{place} cannot be reached: {reason}")]
    Unreachable {
        /// Where the model should be.
        place: String,
        /// Why not.
        reason: String,
        /// The setting of the address.
        setting: &'static str,
    },
    /// A variable of the environment cannot be used.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl Hint for ModelError {
    fn hints(&self) -> Vec<String> {
        let hint = match self {
            Self::NotConfigured { setting } => {
                format!("`hermes config set model.base_url URL` and `hermes config set {setting} NAME`")
            }
            Self::Request(_) | Self::Busy { .. } => return Vec::new(),
            Self::Key { variable, sent: false, .. } => format!("write `{variable}=…` into the home's `.env`"),
            Self::Key { variable, .. } => format!("put the right one at `{variable}` in `.env` or the environment"),
            Self::NotThere { setting, .. } | Self::Answer { setting, .. } => {
                format!("`hermes config set {setting} URL`; for most servers the address ends in `/v1`")
            }
            Self::Status { setting, .. } => format!("`hermes config get {setting}` shows the address"),
            Self::Timeout { .. } => "a model that is loaded only now answers sooner the next time".to_owned(),
            Self::Unreachable { setting, .. } => {
                format!("start the server, or name another with `hermes config set {setting} URL`")
            }
            Self::Network(error) => return error.hints(),
        };
        vec![hint]
    }
}
