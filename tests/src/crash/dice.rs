//! Small numbers of a seed.

use std::time::{SystemTime, UNIX_EPOCH};

/// Throws the same for the same seed.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A seed: that of the variable, else of the time.
    #[must_use]
    pub fn seed(variable: &str) -> u64 {
        let given = std::env::var(variable).ok().and_then(|seed| seed.parse().ok());
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.subsec_nanos());
        given.unwrap_or_else(|| u64::from(now()))
    }

    /// Below `most`, which is not 0.
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}
