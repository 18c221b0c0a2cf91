//! Time, as something that tests can set.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970-01-01T00:00:00Z.
pub type UnixMillis = u64;

/// The wall clock. It may jump: use it for records, and [`std::time::Instant`] for deadlines.
#[derive(Clone, Debug, Default)]
pub struct Clock(Option<Arc<AtomicU64>>);

impl Clock {
    /// A clock that stands at a time until it is set.
    #[must_use]
    pub fn fixed(now: UnixMillis) -> Self {
        Self(Some(Arc::new(AtomicU64::new(now))))
    }

    /// Sets a fixed clock; the system's clock stays as it is.
    pub fn set(&self, now: UnixMillis) {
        if let Some(fixed) = &self.0 {
            fixed.store(now, Ordering::Relaxed);
        }
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> UnixMillis {
        match &self.0 {
            Some(fixed) => fixed.load(Ordering::Relaxed),
            None => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |age| u64::try_from(age.as_millis()).unwrap_or(u64::MAX)),
        }
    }
}
