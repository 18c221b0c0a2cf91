//! Time, as something that tests can set.

mod read;

pub use read::{read, seconds};

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

/// A number that no other process and no earlier call had, to all intents.
#[must_use]
pub fn nonce() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(std::process::id())
}

/// `2026-01-05` in UTC; None for the year 10000 and later.
#[must_use]
pub fn date(at: UnixMillis) -> Option<String> {
    let days = i64::try_from(at / 86_400_000).ok()?;
    // Days to civil date, counted in eras of 400 years from 0000-03-01.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year < 10_000).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// `2026-01-05 09:30:00 UTC`; a time that no calendar has is its number.
#[must_use]
pub fn utc(at: UnixMillis) -> String {
    let Some(date) = date(at) else { return at.to_string() };
    let seconds = at / 1000 % 86_400;
    format!("{date} {:02}:{:02}:{:02} UTC", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// How long ago that was, as people say it.
#[must_use]
pub fn ago(at: UnixMillis, now: UnixMillis) -> String {
    let seconds = now.saturating_sub(at) / 1000;
    match seconds {
        0..=1 => "just now".to_owned(),
        2..=119 => format!("{seconds} s ago"),
        120..=7199 => format!("{} min ago", seconds / 60),
        7200..=172_799 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(at: UnixMillis, expected: &str) {
        assert_eq!(utc(at), expected);
        assert_eq!(date(at).as_deref(), expected.split_once(' ').map(|(date, _)| date));
    }

    #[test]
    fn times_of_the_calendar() {
        check(0, "1970-01-01 00:00:00 UTC");
        check(951_782_400_000, "2000-02-29 00:00:00 UTC");
        check(1_798_675_199_999, "2026-12-30 23:59:59 UTC");
        check(u64::MAX, "18446744073709551615");
    }

    #[test]
    fn times_are_told_as_people_do() {
        let told = |seconds: u64| ago(1_000_000_000_000, 1_000_000_000_000 + seconds * 1000);
        assert_eq!(
            [0, 5, 119, 120, 7199, 7200, 172_800].map(told),
            ["just now", "5 s ago", "119 s ago", "2 min ago", "119 min ago", "2 h ago", "2 days ago"]
        );
        assert_eq!(ago(10, 5), "just now", "a clock that went back");
    }
}
