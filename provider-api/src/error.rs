//! What a provider answers when a call fails.

use serde::{Deserialize, Serialize};

/// The sort of a failure. The host decides by it what to do next.
///
/// | kind | retryable | what the host does |
/// |---|---|---|
/// | `Unavailable`, `Timeout`, `Cancelled` | yes | tries a delivery again later, each time after a longer wait |
/// | `RateLimited` | yes | the same, and waits as long as `retry_after` asks, within its own bounds |
/// | `Unauthorized` | no | points to `hermes memory setup`, unless there is a hint |
/// | `Poisoned`, `Panic` | by the host | opens a new instance; the boundary answers these, not a provider |
/// | all others | no | gives a delivery up and says so |
///
/// A *delivery* is what goes to the provider in the background: turns, memory writes, session ends. A recall is never
/// tried again: its turn goes on without. A tool call is not either: the model is told.
///
/// Travels as its name in snake case, `rate_limited`. A kind that the other side does not know arrives as `Internal`.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The service or store cannot be reached now.
    Unavailable,
    /// The key is missing, wrong or expired.
    Unauthorized,
    /// Too many calls; `retry_after` says when to come back.
    RateLimited,
    /// The plan or the disk is used up.
    Quota,
    /// The request itself is wrong: another try will not help.
    InvalidInput,
    /// What was named is not there.
    NotFound,
    /// It took too long.
    Timeout,
    /// The host asked the call to stop.
    Cancelled,
    /// A capability was not granted.
    Denied,
    /// This provider or host does not do that.
    Unsupported,
    /// The local store is broken or cannot be written.
    Storage,
    /// The provider panicked.
    Panic,
    /// The provider panicked before and has to be opened again.
    Poisoned,
    /// Anything else, also a kind that this side does not know yet.
    #[default]
    #[serde(other)]
    Internal,
}

/// A failure of a hook or of a host service.
///
/// ```
/// use hermes_provider_api::{ErrorKind, ProviderError};
///
/// let error = ProviderError::new(ErrorKind::RateLimited, "the service allows 60 calls a minute").retry_after(20);
/// assert!(error.retryable);
/// let error = ProviderError::new(ErrorKind::Unauthorized, "the service refuses the key")
///     .hint("make a new one at https://notes.example/keys");
/// assert_eq!(error.to_string(), "the service refuses the key");
/// ```
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, thiserror::Error)]
#[error("{message}")]
#[serde(default)]
pub struct ProviderError {
    /// The sort of failure.
    pub kind: ErrorKind,
    /// What happened, for a person; no secret, no trailing period.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the same call may succeed later. [`ProviderError::new`] sets it by the kind; it may be set otherwise.
    pub retryable: bool,
    /// Seconds to wait before the next try.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

impl ProviderError {
    /// An error of a kind. Whether it is retryable follows from the kind.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let retryable =
            matches!(kind, ErrorKind::Unavailable | ErrorKind::RateLimited | ErrorKind::Timeout | ErrorKind::Cancelled);
        Self { kind, message: message.into(), hint: None, retryable, retry_after: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says that the same call may succeed after some seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retryable = true;
        self.retry_after = Some(seconds);
        self
    }

    /// The request is wrong.
    #[must_use]
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidInput, message)
    }

    /// What was named is not there.
    #[must_use]
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// This provider does not do that: `this provider has no <what>`.
    #[must_use]
    pub fn unsupported(what: &str) -> Self {
        Self::new(ErrorKind::Unsupported, format!("this provider has no {what}"))
    }

    /// The local store failed.
    #[must_use]
    pub fn storage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Storage, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_kind_is_internal() {
        let error: ProviderError = serde_json::from_str(r#"{"kind": "moon_phase", "message": "x"}"#).unwrap();
        assert_eq!(error.kind, ErrorKind::Internal);
        assert!(!error.retryable);
    }

    #[test]
    fn retryable_follows_from_the_kind() {
        assert!(ProviderError::new(ErrorKind::RateLimited, "slow down").retry_after(3).retryable);
        assert!(!ProviderError::invalid("no such category").retryable);
    }
}
