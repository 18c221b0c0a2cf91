//! Times of one thing, taken many times.

use std::time::{Duration, Instant};

use serde::Serialize;

/// What was measured, for `cargo xtask bench`, which makes tables of it.
#[derive(Serialize)]
pub(crate) struct Measured {
    /// A word and parameters, such as `call/process/64`.
    pub(crate) what: String,
    runs: usize,
    min_us: f64,
    p50_us: f64,
    p95_us: f64,
}

/// Times in the order in which they were taken.
#[derive(Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    /// Times one run.
    pub(crate) fn time<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let answer = run();
        self.0.push(started.elapsed());
        answer
    }

    /// Adds a time that somebody else took.
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// Median and tail. At least one time was taken.
    pub(crate) fn measured(mut self, what: impl Into<String>) -> Measured {
        self.0.sort();
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let at = |percent: usize| micros(self.0[(self.0.len() - 1) * percent / 100]);
        Measured { what: what.into(), runs: self.0.len(), min_us: at(0), p50_us: at(50), p95_us: at(95) }
    }
}
