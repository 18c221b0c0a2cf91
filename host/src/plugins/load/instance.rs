//! One open instance of a provider, wherever it runs.

use std::time::Duration;

use hermes_provider_api::{Hook, ProviderError};
use serde::{Deserialize, Serialize};

/// The most bytes of one reply or frame.
pub(super) const MAX_REPLY: usize = 32 << 20;

/// The most characters of what a provider says about a failure.
const LONGEST_REASON: usize = 2000;

/// Why a call has no answer.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The provider answered with an error.
    Error(ProviderError),
    /// It panicked; the text has message and place.
    Panic(String),
    /// It panicked before, or its instance was taken away: this call did not run. Open a new one.
    Gone(String),
    /// Its process had ended by itself before this call, which did not run.
    Lost(String),
    /// Its process ended by itself.
    Died(String),
    /// Its process was ended by the host, because of another call or for good.
    Cut(String),
    /// What it answered cannot be used.
    BadReply(String),
    /// It could not be opened at all.
    Unloadable(String),
    /// Its boundary is another than this host's. The report has hundreds of lines.
    Incompatible {
        /// What differs, in a sentence.
        reason: String,
        /// Everything that differs.
        report: String,
    },
}

impl Fault {
    /// What happened.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Error(ProviderError { message: text, .. })
            | Self::Panic(text)
            | Self::Gone(text)
            | Self::Lost(text)
            | Self::Died(text)
            | Self::Cut(text)
            | Self::BadReply(text)
            | Self::Unloadable(text)
            | Self::Incompatible { reason: text, .. } => text,
        }
    }

    /// Bounds what a provider says about its failure: it goes to the screen, the log and the database.
    pub(super) fn bound(&mut self) {
        let text = match self {
            Self::Error(ProviderError { message, hint, .. }) => {
                hint.as_mut().map(bound);
                message
            }
            Self::Panic(text)
            | Self::Gone(text)
            | Self::Lost(text)
            | Self::Died(text)
            | Self::Cut(text)
            | Self::BadReply(text)
            | Self::Unloadable(text)
            | Self::Incompatible { reason: text, .. } => text,
        };
        bound(text);
    }
}

fn bound(text: &mut String) {
    let kept = hermes_text::truncate_chars(text, LONGEST_REASON).len();
    if kept < text.len() {
        text.truncate(kept);
        text.push('…');
    }
}

/// Takes the outcome of a call, on a thread of the instance.
pub(super) type Done = Box<dyn FnOnce(Result<Vec<u8>, Fault>) + Send>;

/// A way to call hooks without waiting for them. To drop one waits for nothing either.
pub(super) trait Instance: Send + Sync {
    /// Starts a call. `done` runs once, whatever happens. `limit` is what the provider is told about its deadline.
    fn start(&self, hook: Hook, request: &[u8], limit: Duration, done: Done) -> u64;

    /// Asks a call to stop. It may still answer.
    fn cancel(&self, call: u64);

    /// Gives up a call that did not stop: whatever it holds is taken away from it, as far as that can be done.
    fn give_up(&self, call: u64);

    /// Asks the calls that still run to stop, and drops the provider after the last of them. Waits until it is gone or the
    /// limit has passed: a worker is then ended, and in process the provider is dropped when its last call ends.
    ///
    /// # Errors
    /// A panic in its drop, or one that did not end in time.
    fn close(&self, limit: Duration) -> Result<(), Fault>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_provider_says_of_its_failure_is_bounded() {
        let long = "ж".repeat(3000);
        let mut fault = Fault::Error(ProviderError::storage(long.as_str()).hint(long.as_str()));
        fault.bound();
        let Fault::Error(error) = fault else { unreachable!() };
        assert_eq!(error.message, format!("{}…", &long[..4000]));
        assert_eq!(error.hint, Some(format!("{}…", &long[..4000])));
        let mut short = Fault::Panic("стена".to_owned());
        short.bound();
        assert_eq!(short, Fault::Panic("стена".to_owned()));
    }
}
