//! Whether, when and how often a delivery is tried again.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use crate::clock::UnixMillis;

/// What a failure means for the delivery and for the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// Another try of this delivery will not help; others may go through.
    Never,
    /// This delivery may have been the cause: it is tried so many times and then given up.
    Counted,
    /// The provider cannot be reached: this delivery waits, however long that takes. Others are tried.
    Down,
    /// The provider refuses everything: it is left alone, for this long where it said so.
    Hold(Option<Duration>),
    /// It was not tried: the provider is left alone until then, for another reason.
    Until(UnixMillis),
    /// It was not tried, and is not before then. Others are.
    NotBefore(UnixMillis),
}

/// How often and how soon a delivery is tried again.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// How many tries there are for a failure that the delivery may have caused.
    pub tries: u32,
    /// The wait after the first failure; it doubles with each.
    pub first: Duration,
    /// The longest wait that is chosen here.
    pub longest: Duration,
}

/// The longest wait that a provider may ask for.
pub(super) const LONGEST_ASKED: Duration = Duration::from_secs(3600);

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { tries: 12, first: Duration::from_millis(500), longest: Duration::from_secs(600) }
    }
}

impl RetryPolicy {
    /// The wait after so many failures before this one. A fifth of it is up to chance, so that many who failed together
    /// do not come back together.
    pub(super) fn wait(&self, failures: u32) -> Duration {
        let wait = self.first.saturating_mul(2_u32.saturating_pow(failures)).min(self.longest);
        let chance = RandomState::new().hash_one(0) % 1000;
        wait.saturating_sub(wait.mul_f64(f64::from(u32::try_from(chance).unwrap_or_default()) / 5000.0))
    }

    /// No wait is longer: a time that lies further ahead was written under another clock.
    pub(super) fn longest_wait(&self) -> Duration {
        self.longest.max(LONGEST_ASKED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let policy = RetryPolicy { tries: 3, first: Duration::from_secs(1), longest: Duration::from_secs(60) };
        for (failures, longest) in [(0, 1), (1, 2), (5, 32), (6, 60), (u32::MAX, 60)] {
            for _ in 0..50 {
                let wait = policy.wait(failures).as_secs_f64();
                assert!(wait <= f64::from(longest) && wait > f64::from(longest) * 0.79, "{failures}: {wait}");
            }
        }
    }
}
