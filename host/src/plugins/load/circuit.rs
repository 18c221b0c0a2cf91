//! Pausing hooks that keep the host waiting.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use hermes_provider_api::Hook;

const TIMEOUTS_TO_PAUSE: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_secs(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// A circuit for each hook: a provider that takes turns at once may still be too slow for every recall.
#[derive(Default)]
pub(super) struct Circuits(HashMap<Hook, Circuit>);

#[derive(Default)]
struct Circuit {
    in_a_row: u32,
    pauses: u32,
    until: Option<Instant>,
    reason: String,
}

impl Circuits {
    /// How much longer a hook is paused, and why.
    pub(super) fn paused(&self, hook: Hook) -> Option<(Duration, &str)> {
        let circuit = self.0.get(&hook)?;
        let left = circuit.until?.checked_duration_since(Instant::now())?;
        Some((left, &circuit.reason))
    }

    /// Closes a hook's circuit; a provider that is healthy is tried in all.
    pub(super) fn answered(&mut self, hook: Hook) {
        match hook {
            Hook::Health => self.0.clear(),
            hook => drop(self.0.remove(&hook)),
        }
    }

    /// Counts a timeout. After a pause, one more is enough for the next.
    pub(super) fn timed_out(&mut self, hook: Hook, reason: &str) {
        let circuit = self.0.entry(hook).or_default();
        circuit.in_a_row += 1;
        if circuit.in_a_row >= TIMEOUTS_TO_PAUSE {
            let pause = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(circuit.pauses)).min(LONGEST_PAUSE);
            circuit.until = Some(Instant::now() + pause);
            circuit.pauses += 1;
            reason.clone_into(&mut circuit.reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_timeouts_in_a_row_pause_one_hook() {
        let mut circuits = Circuits::default();
        let times_out =
            |circuits: &mut Circuits, times| (0..times).for_each(|_| circuits.timed_out(Hook::Prefetch, "slow"));
        // An answer in between begins anew, one of another hook does not.
        times_out(&mut circuits, 2);
        circuits.answered(Hook::Prefetch);
        times_out(&mut circuits, 2);
        circuits.answered(Hook::SyncTurn);
        assert!(circuits.paused(Hook::Prefetch).is_none());
        times_out(&mut circuits, 1);
        let (left, reason) = circuits.paused(Hook::Prefetch).unwrap();
        assert!(left <= FIRST_PAUSE && reason == "slow");
        assert!(circuits.paused(Hook::SyncTurn).is_none());
        // Each further timeout doubles the pause, up to the longest.
        times_out(&mut circuits, 1);
        assert!(circuits.paused(Hook::Prefetch).unwrap().0 > FIRST_PAUSE);
        times_out(&mut circuits, 40);
        assert!(circuits.paused(Hook::Prefetch).unwrap().0 <= LONGEST_PAUSE);
        circuits.answered(Hook::Health);
        assert!(circuits.paused(Hook::Prefetch).is_none());
    }
}
