//! How long each hook may take.

use std::collections::BTreeMap;
use std::time::Duration;

use hermes_provider_api::Hook;

/// The deadlines of a provider's hooks.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Set by the user, before the defaults.
    pub own: BTreeMap<Hook, Duration>,
    /// The provider waits for a network: recall then has 8 s instead of 2.
    pub network: bool,
    /// How long a call may run on after its deadline before it is given up.
    pub late: Duration,
}

/// A limit for the other side of a boundary, in milliseconds: rounded up, so that it never ends before the host's own.
pub(super) fn millis(limit: Duration) -> u64 {
    u64::try_from(limit.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

impl Default for Limits {
    fn default() -> Self {
        Self { own: BTreeMap::new(), network: false, late: Duration::from_secs(30) }
    }
}

impl Limits {
    /// The deadline of a hook.
    #[must_use]
    pub fn of(&self, hook: Hook) -> Duration {
        self.own.get(&hook).copied().unwrap_or_else(|| hook.deadline(self.network))
    }

    /// How long opening may take.
    #[must_use]
    pub fn open(&self) -> Duration {
        self.of(Hook::Health)
    }
}
