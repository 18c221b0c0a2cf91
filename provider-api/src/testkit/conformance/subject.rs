//! What the scenarios are written against: something that opens a provider, and a provider that is open.
//!
//! The scenarios know no way of loading. The same stories are run on a type in its own tests and, by `hermes plugins
//! validate`, on a library in a worker and in process, so that what differs between two reports is the loading.

use std::sync::Arc;
use std::time::Duration;

use crate::host::Services;
use crate::metadata::Metadata;
use crate::records::OpenRequest;
use crate::{Hook, ProviderError};

/// A way to open a provider: the type itself, or its library through a loader.
///
/// [`Direct`](super::Direct) is the one for tests of the provider's own crate; the host has one for libraries. Another is
/// needed only for a way of loading that neither knows.
///
/// # Threads
/// The kit opens from one thread, and calls what is open from several.
pub trait Subject: Sync {
    /// What the provider says about itself before any of its code runs. The same at each call.
    fn metadata(&self) -> Metadata;

    /// Opens one more instance. Several may be open at once, also with the same data folder.
    ///
    /// `services` is all that the provider may reach: its settings, its keys and its folder come from there, and what it asks
    /// for is watched. `request` has the highest log level, so that nothing that is logged escapes.
    ///
    /// # Errors
    /// Why it does not open. A provider that hangs in it is given up after `limit`.
    fn open(
        &self,
        services: Arc<dyn Services>,
        request: OpenRequest,
        limit: Duration,
    ) -> Result<Box<dyn Opened>, Failure>;
}

/// An instance of a provider. It may be called from several threads at once.
pub trait Opened: Send + Sync {
    /// Calls a hook. Request and answer are the UTF-8 JSON of the hook's records, as in the table of
    /// [`records`](crate::records); the request of a hook without one is `null`. Blocks until there is an outcome.
    ///
    /// # Errors
    /// Why there is no answer.
    fn call(&self, hook: Hook, request: &[u8], patience: Patience) -> Result<Vec<u8>, Failure>;

    /// Drops the provider's instance and waits for its end, at most so long. Calls after that are [`Failure::Gone`]. To let
    /// go of this value without closing is what a crash of the host would be, as far as the way of loading allows.
    ///
    /// # Errors
    /// A panic in the provider's drop, or one that did not end.
    fn close(&self, limit: Duration) -> Result<(), Failure>;
}

/// How a call is waited for.
///
/// A host waits for `limit` and then goes on; `wait` is longer, to see whether the call ends at all. Both count from the
/// beginning of the call, and include what a worker needs for passing it on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The deadline that the provider is told.
    pub limit: Duration,
    /// The host has asked the call to stop as soon as it began.
    pub cancelled: bool,
    /// How long it is waited for at all; the call is then [`Failure::Hang`].
    pub wait: Duration,
}

/// Why a call has no answer.
///
/// An [`Error`](Self::Error) is a word of the provider and often right. All others are findings wherever they occur, and the
/// instance is not used after them. New variants may come: take one that you do not know for a crash.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// The provider answered with an error, as it may.
    Error(ProviderError),
    /// It panicked; the text has message and place.
    Panic(String),
    /// Its process ended: by an abort, a stack overflow, `exit`, or a signal. The text says what is known of it.
    Died(String),
    /// It did not end, and was given up.
    Hang,
    /// The instance is not there any more, because of an earlier failure; this call did not run.
    Gone,
    /// Its answer cannot be used, or it cannot be loaded at all.
    Unusable(String),
}
