//! Times as people write them, in UTC.

use hermes_provider_api::records::UnixMillis;

const DAY: i64 = 86_400_000;

/// A stretch of time that a text names: a moment, a day, a month or a year. Unix milliseconds, the end not within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Its first millisecond.
    pub start: UnixMillis,
    /// The first one after it.
    pub end: UnixMillis,
}

/// Reads `2026`, `2026-03`, `2026-03-05`, and a day with a time after `T` or a space: `09:30`, `09:30:15.25`, with `Z`,
/// `UTC` or `+02:00` after it (RFC 3339), UTC when none is there. None for anything else, and for times before 1970.
pub(crate) fn parse(text: &str) -> Option<Span> {
    let text = text.trim();
    let (date, time) = match text.find(['T', 't', ' ']) {
        Some(at) => (text.get(..at)?, Some(text.get(at + 1..)?)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4)?;
    let month = parts.next().map(|month| digits(month, 2)).map_or(Some(None), |month| month.map(Some))?;
    let day = parts.next().map(|day| digits(day, 2)).map_or(Some(None), |day| day.map(Some))?;
    if parts.next().is_some() || month.is_some_and(|month| !(1..=12).contains(&month)) {
        return None;
    }
    let first = days(year, month.unwrap_or(1), 1);
    let next_month = match month {
        None => days(year + 1, 1, 1),
        Some(12) => days(year + 1, 1, 1),
        Some(month) => days(year, month + 1, 1),
    };
    let (start, end) = match (day, time) {
        (None, None) => (first * DAY, next_month * DAY),
        (Some(day), time) if day >= 1 && first + day - 1 < next_month => {
            let midnight = (first + day - 1) * DAY;
            match time.map(millis_of_day) {
                None => (midnight, midnight + DAY),
                Some(millis) => (midnight + millis?, midnight + millis? + 1),
            }
        }
        _ => return None,
    };
    Some(Span { start: UnixMillis::try_from(start).ok()?, end: UnixMillis::try_from(end).ok()? })
}

/// A moment as RFC 3339 in UTC, to the second; None for the year 10000 and later.
pub(crate) fn rfc3339(at: UnixMillis) -> Option<String> {
    let days = i64::try_from(at / 86_400_000).ok()?;
    // Days to civil date, counted in eras of 400 years from 0000-03-01 (H. Hinnant, "chrono-compatible low-level date
    // algorithms").
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let seconds = at / 1000 % 86_400;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    (year < 10_000).then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

/// Days from 1970-01-01 to a civil date, by the same source.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Milliseconds from midnight in UTC; negative or more than a day where the offset leads there.
fn millis_of_day(time: &str) -> Option<i64> {
    let time = time.trim();
    let zone = time.find(['Z', 'z', '+', '-', 'U', ' ']).unwrap_or(time.len());
    let (clock, zone) = (time.get(..zone)?, time.get(zone..)?.trim());
    let offset = match zone {
        "" | "Z" | "z" | "UTC" => 0,
        zone => {
            let (hours, minutes) = zone.get(1..)?.split_once(':')?;
            let minutes = digits(hours, 2)? * 60 + digits(minutes, 2)?;
            match zone.chars().next()? {
                '+' => minutes,
                '-' => -minutes,
                _ => return None,
            }
        }
    };
    let mut parts = clock.split(':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let (second, fraction) = match parts.next() {
        None => (0, 0),
        Some(second) => {
            let (second, fraction) = second.split_once('.').unwrap_or((second, ""));
            let thousandths: String = fraction.chars().chain("000".chars()).take(3).collect();
            (digits(second, 2)?, digits(&thousandths, 3)?)
        }
    };
    let within = parts.next().is_none() && hour < 24 && minute < 60 && second <= 60;
    within.then_some((hour * 3600 + (minute - offset) * 60 + second) * 1000 + fraction)
}

/// A number of so many digits.
fn digits(text: &str, count: usize) -> Option<i64> {
    let plain = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, start: &str, end: &str) {
        let span = parse(text).unwrap();
        let told = (rfc3339(span.start).unwrap(), rfc3339(span.end).unwrap());
        assert_eq!((told.0.as_str(), told.1.as_str()), (start, end), "{text}");
    }

    #[test]
    fn years_months_days_and_moments_are_read() {
        check("2024", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z");
        check("2024-02", "2024-02-01T00:00:00Z", "2024-03-01T00:00:00Z");
        check("2023-12", "2023-12-01T00:00:00Z", "2024-01-01T00:00:00Z");
        check(" 2024-02-29 ", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z");
        check("1970-01-01", "1970-01-01T00:00:00Z", "1970-01-02T00:00:00Z");
        check("2000-03-01T12:00Z", "2000-03-01T12:00:00Z", "2000-03-01T12:00:00Z");
        check("2026-01-05 09:30:15", "2026-01-05T09:30:15Z", "2026-01-05T09:30:15Z");
        check("2026-01-05T00:30:00.250+02:00", "2026-01-04T22:30:00Z", "2026-01-04T22:30:00Z");
        check("2026-01-05 09:30:15 UTC", "2026-01-05T09:30:15Z", "2026-01-05T09:30:15Z");
        assert_eq!(parse("2026-01-05T00:00:00.25Z").unwrap().start % 1000, 250);
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "yesterday",
            "26",
            "2026-13",
            "2026-00",
            "2026-02-29",
            "2026-1-5",
            "2026-01-05T25:00",
            "1969-12-31",
            "2026-01-05-06",
            "２０２６",
            "2026-01T10:00",
            "2026-01-05T10:00+ab:cd",
            "2026-01-05T10:00+",
            "2026-01-05 вечер",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(rfc3339(UnixMillis::MAX), None);
    }
}
