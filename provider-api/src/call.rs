//! What a hook knows about the call that it serves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::{ErrorKind, ProviderError};

/// The deadline of a call, and whether the host has stopped waiting for it.
///
/// The host does not interrupt a thread. Long work should look at [`Call::check`] between its steps.
pub struct Call<'a> {
    deadline: Option<Instant>,
    cancelled: Box<dyn Fn() -> bool + Send + Sync + 'a>,
    trace_id: u64,
}

impl<'a> Call<'a> {
    /// A call that ends after `limit`, or never, and asks `cancelled` whether it should stop.
    pub fn new(limit: Option<Duration>, trace_id: u64, cancelled: impl Fn() -> bool + Send + Sync + 'a) -> Self {
        Self { deadline: limit.map(|limit| Instant::now() + limit), cancelled: Box::new(cancelled), trace_id }
    }

    /// A call without a deadline that `flag` cancels.
    #[must_use]
    pub fn with_flag(flag: Arc<AtomicBool>) -> Self {
        Self::new(None, 0, move || flag.load(Ordering::Relaxed))
    }

    /// How long the host still waits; None when it always does.
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

    /// Joins the log lines of both sides that belong to one call.
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
