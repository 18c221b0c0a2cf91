//! One open instance of a provider, wherever it runs.

use std::time::Duration;

use hermes_provider_api::{Hook, ProviderError};
use serde::{Deserialize, Serialize};

/// The most bytes of one reply or frame.
pub(super) const MAX_REPLY: usize = 32 << 20;

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
}

/// Takes the outcome of a call, on a thread of the instance.
pub(super) type Done = Box<dyn FnOnce(Result<Vec<u8>, Fault>) + Send>;

/// A way to call hooks without waiting for them.
pub(super) trait Instance: Send + Sync {
    /// Starts a call. `done` runs once, whatever happens. `limit` is what the provider is told about its deadline.
    fn start(&self, hook: Hook, request: &[u8], limit: Duration, done: Done) -> u64;

    /// Asks a call to stop. It may still answer.
    fn cancel(&self, call: u64);

    /// Gives up a call that did not stop: whatever it holds is taken away from it, as far as that can be done.
    fn give_up(&self, call: u64);

    /// Drops the provider, after its last call. Waits until it is gone or the limit has passed.
    ///
    /// # Errors
    /// A panic in its drop, or a worker that did not end by itself.
    fn close(&self, limit: Duration) -> Result<(), Fault>;
}
