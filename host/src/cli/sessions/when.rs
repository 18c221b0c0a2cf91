//! Times as they are typed: a day, or an age.

use std::time::Duration;

use crate::clock::{UnixMillis, date};

const DAY_MS: u64 = 86_400_000;

/// A time that was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// The beginning of a day in UTC.
    Day(UnixMillis),
    /// So long ago.
    Ago(Duration),
}

impl When {
    pub(super) fn at(self, now: UnixMillis) -> UnixMillis {
        match self {
            Self::Day(at) => at,
            Self::Ago(age) => now.saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX)),
        }
    }
}

/// `2026-01-05`, or an [`age`].
pub(super) fn parse(text: &str) -> Result<When, String> {
    if let Some(at) = day(text) {
        return Ok(When::Day(at));
    }
    let wrong = |_| "a day, as `2026-01-05`, or how long ago, as `90m`, `12h`, `30d` or `2w`".to_owned();
    age(text).map(When::Ago).map_err(wrong)
}

/// `90m`, `12h`, `30d`, `2w`.
pub(super) fn age(text: &str) -> Result<Duration, String> {
    let wrong = || "a time, as `90m`, `12h`, `30d` or `2w`".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        _ => return Err(wrong()),
    };
    let number: u64 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(wrong)
}

/// The beginning of a day that the calendar has.
fn day(text: &str) -> Option<UnixMillis> {
    let mut parts = text.splitn(3, '-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1970..10_000).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Near enough, and then exactly: what the calendar says is said in one place.
    let near = (year - 1970) * 146_097 / 400 + (month - 1) * 30 + day;
    (near.saturating_sub(8)..near + 10).map(|days| days * DAY_MS).find(|at| date(*at).as_deref() == Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_ages() {
        let now = 1_767_225_600_000;
        let at = |text| parse(text).map(|when| when.at(now));
        assert_eq!(at("2026-01-01"), Ok(now));
        assert_eq!(at("2000-02-29"), Ok(951_782_400_000));
        assert_eq!(at("1970-01-01"), Ok(0));
        assert_eq!((at("1d"), at("48h")), (Ok(now - DAY_MS), Ok(now - 2 * DAY_MS)));
        assert_eq!((at("2w"), at("90m")), (Ok(now - 14 * DAY_MS), Ok(now - 5_400_000)));
        assert_eq!(at("9999999d"), Ok(0));
        for wrong in ["", "d", "2026-02-30", "2026-1-1", "1999", "-3d", "3 д", "дд", "99999999999999999999w", "5y"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_day_of_the_calendar_is_found() {
        for days in (0..(9999 - 1970) * 365).step_by(97) {
            let at = days * DAY_MS;
            assert_eq!(day(&date(at).unwrap()), Some(at));
        }
    }
}
