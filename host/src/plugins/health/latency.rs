//! How long calls took, as counts in fixed steps: two processes add up, and a percentile needs no list of times.

use std::collections::BTreeMap;
use std::time::Duration;

/// How many steps there are; the last holds all that took longer.
const STEPS: usize = 44;

/// Where each step ends, in microseconds: 0.1 ms at first, twice as long every second step, 209 s at last.
const ENDS: [u64; STEPS] = {
    let mut ends = [0; STEPS];
    let mut step = 0;
    while step < STEPS {
        let tenths = if step % 2 == 0 { 1000 } else { 1414 };
        ends[step] = (tenths << (step / 2)) / 10;
        step += 1;
    }
    ends
};

/// Calls by the step that their time falls into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Histogram(BTreeMap<usize, u64>);

impl Histogram {
    /// Counts a call.
    pub(super) fn add(&mut self, took: Duration) {
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.put(ENDS.partition_point(|end| *end <= took), 1);
    }

    /// Counts calls of a step; what a newer host wrote beyond the last one falls into the last.
    pub(super) fn put(&mut self, step: usize, calls: u64) {
        *self.0.entry(step.min(STEPS - 1)).or_default() += calls;
    }

    /// Counts all calls of another one.
    pub(super) fn merge(&mut self, other: &Self) {
        other.steps().for_each(|(step, calls)| self.put(step, calls));
    }

    /// Each step that has calls.
    pub(super) fn steps(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.0.iter().map(|(step, calls)| (*step, *calls))
    }

    /// The time in milliseconds within which so many of a hundred calls were over, as if the calls of a step lay evenly
    /// in it; None without calls.
    pub(super) fn percentile(&self, percent: u64) -> Option<f64> {
        let all: u64 = self.0.values().sum();
        let wanted = (all.saturating_mul(percent)).div_ceil(100).max(1);
        let mut before = 0;
        for (step, calls) in self.steps() {
            if before + calls >= wanted {
                let start = step.checked_sub(1).map_or(0, |below| ENDS[below]);
                #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
                let (start, end, part) = (start as f64, ENDS[step] as f64, (wanted - before) as f64 / calls as f64);
                return Some((start + (end - start) * part) / 1000.0);
            }
            before += calls;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_lie_within_one_step_of_the_truth() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.percentile(50), None);
        (1..=1000).for_each(|ms| histogram.add(Duration::from_millis(ms)));
        for (percent, truth) in [(50, 500.0), (95, 950.0), (100, 1000.0)] {
            let found = histogram.percentile(percent).unwrap();
            assert!((truth / 1.42..=truth * 1.42).contains(&found), "p{percent}: {found}");
        }
    }

    #[test]
    fn no_time_is_too_short_or_too_long() {
        let mut histogram = Histogram::default();
        histogram.add(Duration::ZERO);
        assert!(histogram.percentile(50).unwrap() <= 0.1);
        let mut histogram = Histogram::default();
        histogram.add(Duration::MAX);
        histogram.put(usize::MAX, 1);
        assert_eq!(histogram.steps().collect::<Vec<_>>(), [(STEPS - 1, 2)]);
        assert!(ENDS.is_sorted());
    }
}
