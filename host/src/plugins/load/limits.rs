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
    /// The provider runs programs of the user: to say whether it is healthy it may have to start one for the first time.
    pub programs: bool,
    /// How long a call may run on after its deadline before it is given up.
    pub late: Duration,
}

/// A program that unpacks itself, or looks for a newer one, at its first start.
const FIRST_START: Duration = Duration::from_secs(60);

/// A limit for the other side of a boundary, in milliseconds: rounded up, so that it never ends before the host's own.
pub(super) fn millis(limit: Duration) -> u64 {
    u64::try_from(limit.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

impl Default for Limits {
    fn default() -> Self {
        Self { own: BTreeMap::new(), network: false, programs: false, late: Duration::from_secs(30) }
    }
}

impl Limits {
    /// The deadline of a hook.
    #[must_use]
    pub fn of(&self, hook: Hook) -> Duration {
        self.own.get(&hook).copied().unwrap_or_else(|| match hook {
            Hook::Health if self.programs => FIRST_START,
            _ => hook.deadline(self.network),
        })
    }

    /// How long opening may take.
    #[must_use]
    pub fn open(&self) -> Duration {
        self.own.get(&Hook::Health).copied().unwrap_or_else(|| Hook::Health.deadline(self.network))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_may_start_slowly() {
        let seconds = |limits: &Limits, hook| limits.of(hook).as_secs();
        let programs = Limits { network: true, programs: true, ..Limits::default() };
        assert_eq!((seconds(&programs, Hook::Health), seconds(&programs, Hook::Prefetch)), (60, 8));
        assert_eq!(programs.open().as_secs(), 10, "opening starts none");
        assert_eq!(seconds(&Limits::default(), Hook::Health), 10);
        let own = Limits { own: [(Hook::Health, Duration::from_secs(3))].into(), ..programs };
        assert_eq!((seconds(&own, Hook::Health), own.open().as_secs()), (3, 3));
    }
}
