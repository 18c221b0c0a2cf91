//! A loaded provider as the layers above see it: hooks with deadlines, and errors with causes.

use std::time::Duration;

use hermes_provider_api::metadata::Metadata;
use hermes_provider_api::{ErrorKind, Hook, Interface, ProviderError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::clock::{UnixMillis, utc};
use crate::error::Hint;

/// Takes an answer that came after the deadline.
pub type Late = Box<dyn FnOnce(Vec<u8>) + Send>;

/// Why a hook call did not answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The deadline passed. The call may still be running.
    #[error("`{provider}` did not answer {hook} within {} ms", limit.as_millis())]
    Timeout {
        /// The provider.
        provider: String,
        /// The hook.
        hook: &'static str,
        /// How long the host waited.
        limit: Duration,
    },
    /// The provider answered with an error.
    #[error("`{provider}`: {error}")]
    Failed {
        /// The provider.
        provider: String,
        /// Its answer.
        error: ProviderError,
    },
    /// The provider panicked, or its worker died, during this call.
    #[error("`{provider}` crashed in {hook}: {reason}")]
    Crashed {
        /// The provider.
        provider: String,
        /// The hook.
        hook: &'static str,
        /// The panic's message and place, or the signal.
        reason: String,
    },
    /// The host ended the worker during this call, because of another.
    #[error("{hook} of `{provider}` was cut off: {reason}")]
    Cut {
        /// The provider.
        provider: String,
        /// The hook.
        hook: &'static str,
        /// Why.
        reason: String,
    },
    /// The answer was not the hook's record.
    #[error("`{provider}` answered {hook} with {reason}")]
    BadReply {
        /// The provider.
        provider: String,
        /// The hook.
        hook: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The call was not made, because of earlier failures.
    #[error("`{provider}` is paused until {} after {reason}", utc(*until))]
    Paused {
        /// The provider.
        provider: String,
        /// Every hook is, not only this one.
        entirely: bool,
        /// How many failures of which sort, and the last of them: `3 timeouts: no answer within 2000 ms`.
        reason: String,
        /// When it will be tried again.
        until: UnixMillis,
    },
    /// The provider cannot be opened.
    #[error("`{provider}` cannot be loaded: {reason}")]
    Unloadable {
        /// The provider.
        provider: String,
        /// Why.
        reason: String,
    },
}

impl CallError {
    /// What the provider itself answered, if it did.
    #[must_use]
    pub fn provider_error(&self) -> Option<&ProviderError> {
        match self {
            Self::Failed { error, .. } => Some(error),
            _ => None,
        }
    }

    /// Whether the same call may succeed later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            // Opening is tried again as well: the next time its service or disk may be there.
            Self::Timeout { .. }
            | Self::Crashed { .. }
            | Self::Cut { .. }
            | Self::Paused { .. }
            | Self::Unloadable { .. } => true,
            Self::Failed { error, .. } => error.retryable,
            Self::BadReply { .. } => false,
        }
    }
}

impl Hint for CallError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::Failed { provider, error } => match (&error.hint, error.kind) {
                (Some(hint), _) => vec![hint.clone()],
                (None, ErrorKind::Unauthorized) => vec![format!("set its key with `hermes memory setup {provider}`")],
                _ => Vec::new(),
            },
            Self::Timeout { .. } => vec!["see `hermes memory status`; a longer limit is set under `[timeouts]`".into()],
            Self::Paused { .. } => vec!["`hermes memory status --check` tries it now".into()],
            Self::Crashed { .. } | Self::Cut { .. } => vec!["see `hermes memory status`".into()],
            Self::Unloadable { provider, .. } => vec![format!("`hermes memory setup {provider}` sets it up anew")],
            Self::BadReply { .. } => Vec::new(),
        }
    }
}

/// A loaded provider.
///
/// Calls block until they are answered or their deadline passes, and may be made from several threads.
pub trait Hooks: Send + Sync {
    /// What the plugin says about itself.
    fn metadata(&self) -> &Metadata;

    /// A new session of the conversation begins: a quarantined provider may be tried once more.
    fn session_begins(&self) {}

    /// So many items of its last recall were given to a model: what the status calls hits.
    fn recalled(&self, items: usize) {
        let _ = items;
    }

    /// How long a caller waits for this hook at most.
    fn limit(&self, hook: Hook) -> Duration;

    /// A call was not made, since its caller may not write.
    fn refused(&self, hook: Hook) {
        let _ = hook;
    }

    /// Calls a hook with the JSON of its request. With `late`, an answer that comes after the deadline goes there.
    ///
    /// # Errors
    /// Why there is no answer.
    fn call(&self, hook: Hook, request: &[u8], late: Option<Late>) -> Result<Vec<u8>, CallError>;
}

impl dyn Hooks {
    /// The provider's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.metadata().id
    }

    /// Whether it has an interface.
    #[must_use]
    pub fn has(&self, interface: Interface) -> bool {
        self.metadata().interfaces.iter().any(|id| id == interface.id())
    }

    /// Calls a hook with records.
    ///
    /// # Errors
    /// Why there is no answer; [`CallError::BadReply`] when it is not an `A`.
    pub fn ask<A: DeserializeOwned>(&self, hook: Hook, request: &impl Serialize) -> Result<A, CallError> {
        let bad = |reason: String| CallError::BadReply { provider: self.id().to_owned(), hook: hook.name(), reason };
        let request = serde_json::to_vec(request).map_err(|error| bad(format!("no record: {error}")))?;
        let answer = self.call(hook, &request, None)?;
        read_reply(self.id(), hook, &answer)
    }
}

/// Reads the answer of a hook.
///
/// # Errors
/// [`CallError::BadReply`] when it is not UTF-8, not JSON, or not an `A`.
pub fn read_reply<A: DeserializeOwned>(provider: &str, hook: Hook, answer: &[u8]) -> Result<A, CallError> {
    let bad = |reason: String| CallError::BadReply { provider: provider.to_owned(), hook: hook.name(), reason };
    let text = std::str::from_utf8(answer).map_err(|error| bad(format!("invalid UTF-8: {error}")))?;
    serde_json::from_str(text).map_err(|error| bad(format!("invalid JSON: {error}")))
}
