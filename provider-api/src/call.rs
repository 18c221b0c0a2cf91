//! What a hook knows about the call that it serves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::{ErrorKind, ProviderError};

/// The deadline of a call, and whether the host has stopped waiting for it.
///
/// The host does not interrupt a thread. Long work should look at [`Call::check`] between its steps, and a request to a
/// service should not be given longer than [`Call::remaining`].
///
/// ```
/// use std::time::Duration;
/// use hermes_provider_api::{Call, ProviderError};
///
/// fn embed_all(texts: &[&str], call: &Call<'_>) -> Result<usize, ProviderError> {
///     for text in texts {
///         call.check()?;
///         let _ = text; // one step of the work
///     }
///     Ok(texts.len())
/// }
///
/// assert_eq!(embed_all(&["a", "b"], &Call::default()).unwrap(), 2);
/// assert!(embed_all(&["a"], &Call::new(Some(Duration::ZERO), 0, || false)).is_err());
/// ```
///
/// # Threads
/// May be shared with threads that end before the hook does, such as those of [`std::thread::scope`].
pub struct Call<'a> {
    deadline: Option<Instant>,
    cancelled: Box<dyn Fn() -> bool + Send + Sync + 'a>,
    trace_id: u64,
}

impl<'a> Call<'a> {
    /// A call that ends after `limit`, or never, and asks `cancelled` whether it should stop. `trace_id` is 0 for none.
    ///
    /// The host makes the calls; a test makes its own. [`Call::default`] never ends.
    pub fn new(limit: Option<Duration>, trace_id: u64, cancelled: impl Fn() -> bool + Send + Sync + 'a) -> Self {
        // A limit beyond what a clock can tell is none.
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        Self { deadline, cancelled: Box::new(cancelled), trace_id }
    }

    /// A call without a deadline that `flag` cancels, for tests of what a hook does when the host has gone on.
    #[must_use]
    pub fn with_flag(flag: Arc<AtomicBool>) -> Self {
        Self::new(None, 0, move || flag.load(Ordering::Relaxed))
    }

    /// How long the host still waits; None when it always does, zero when it has gone on.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Whether the host has stopped waiting, or the deadline has passed.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        (self.cancelled)() || self.remaining() == Some(Duration::ZERO)
    }

    /// For use with `?` between the steps of long work.
    ///
    /// # Errors
    /// [`ErrorKind::Cancelled`] once the host has stopped waiting.
    pub fn check(&self) -> Result<(), ProviderError> {
        if self.is_cancelled() {
            return Err(ProviderError::new(ErrorKind::Cancelled, "the host stopped waiting for this call"));
        }
        Ok(())
    }

    /// Joins the log lines of both sides that belong to one call; 0 for none. Lines that are written on the thread of the
    /// hook carry it by themselves.
    #[must_use]
    pub fn trace_id(&self) -> u64 {
        self.trace_id
    }
}

impl Default for Call<'_> {
    fn default() -> Self {
        Self::new(None, 0, || false)
    }
}

impl std::fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call")
            .field("remaining", &self.remaining())
            .field("cancelled", &self.is_cancelled())
            .field("trace_id", &self.trace_id)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_ends_at_its_limit_or_when_it_is_cancelled() {
        let endless = Call::new(Some(Duration::MAX), 7, || false);
        assert_eq!((endless.remaining(), endless.is_cancelled(), endless.trace_id()), (None, false, 7));
        assert!(Call::new(Some(Duration::ZERO), 0, || false).is_cancelled());
        let flag = Arc::new(AtomicBool::new(false));
        let call = Call::with_flag(Arc::clone(&flag));
        call.check().unwrap();
        flag.store(true, Ordering::Relaxed);
        assert_eq!(call.check().unwrap_err().kind, ErrorKind::Cancelled);
    }
}
