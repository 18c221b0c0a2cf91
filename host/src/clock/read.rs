//! Times as others write them.

use std::time::Duration;

use serde_json::Value;

use super::UnixMillis;

/// From here on a whole number is too large for seconds that anybody means.
const MILLISECONDS: u64 = 100_000_000_000;

/// RFC 3339, where a time without a zone is UTC, or Unix seconds; a number too large for seconds is milliseconds.
#[must_use]
pub fn read(value: &Value) -> Option<UnixMillis> {
    match value {
        Value::String(text) => rfc3339(text),
        Value::Number(number) => match number.as_u64() {
            Some(whole) if whole >= MILLISECONDS => Some(whole),
            Some(whole) => Some(whole * 1000),
            None => seconds(number.as_f64()?),
        },
        _ => None,
    }
}

/// Unix seconds with fractions; None for what no clock shows.
#[must_use]
pub fn seconds(seconds: f64) -> Option<UnixMillis> {
    if !(0.0..1e11).contains(&seconds) {
        return None;
    }
    // To the nearest: the fraction of a float is rarely exact.
    u64::try_from(Duration::from_secs_f64(seconds + 0.0005).as_millis()).ok()
}

/// `2026-01-05T12:00:00Z`, with fractions of a second, other zones or none, or a space for the `T`.
fn rfc3339(text: &str) -> Option<UnixMillis> {
    let number = |range: std::ops::Range<usize>| {
        let part = text.get(range)?;
        part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<i64>().ok())?
    };
    let sign = |at: usize, signs: &str| text.get(at..=at).is_some_and(|sign| signs.contains(sign));
    if !(sign(4, "-") && sign(7, "-") && sign(10, "Tt ") && sign(13, ":") && sign(16, ":")) {
        return None;
    }
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut zone = text.get(19..)?;
    let mut millis = 0;
    if let Some(fraction) = zone.strip_prefix('.') {
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        zone = &fraction[digits..];
        millis = format!("{:0<3}", fraction.get(..digits.min(3)).filter(|digits| !digits.is_empty())?).parse().ok()?;
    }
    let offset = match zone {
        "Z" | "z" | "" => 0,
        _ => {
            let (sign, rest) = (zone.get(..1)?, zone.get(1..)?);
            let (hours, minutes) = rest.split_once(':')?;
            if hours.len() != 2 || minutes.len() != 2 || !rest.is_ascii() {
                return None;
            }
            let minutes = hours.parse::<u8>().ok().filter(|hours| *hours < 24).map(i64::from)? * 60
                + minutes.parse::<u8>().ok().filter(|minutes| *minutes < 60).map(i64::from)?;
            match sign {
                "+" => minutes,
                "-" => -minutes,
                _ => return None,
            }
        }
    };
    // Days since 1970, counted in eras of 400 years that begin in March.
    let (shifted_year, shifted_month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = shifted_year.div_euclid(400);
    let year_of_era = shifted_year.rem_euclid(400);
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + (153 * shifted_month + 2) / 5 + day - 1;
    let days = era * 146_097 + day_of_era - 719_468;
    let seconds = days * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
    u64::try_from(seconds * 1000 + millis).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check_time(value: Value, expected: Option<UnixMillis>) {
        assert_eq!(read(&value), expected, "{value}");
    }

    #[test]
    fn times() {
        check_time(json!("1970-01-01T00:00:00Z"), Some(0));
        check_time(json!("2026-01-05T12:00:00.5Z"), Some(1_767_614_400_500));
        check_time(json!("2026-01-05T15:00:00+03:00"), Some(1_767_614_400_000));
        check_time(json!("2024-02-29 00:00:00.123456-00:30"), Some(1_709_166_600_123));
        check_time(json!("2026-01-05T12:00:00"), Some(1_767_614_400_000));
        check_time(json!("2026-01-05 12:00:00.25"), Some(1_767_614_400_250));
        check_time(json!(1_767_614_400), Some(1_767_614_400_000));
        check_time(json!(1_767_614_400.25), Some(1_767_614_400_250));
        check_time(json!(1_767_614_400_000_u64), Some(1_767_614_400_000));
        for wrong in [
            "",
            "2026-01-05",
            "2026-02-29T00:00:00Z",
            "2026-01-05T25:00:00Z",
            "2026-01-05T12:00:00 ",
            "2026-01-05T12:00:00.",
            "1960-01-01T00:00:00Z",
            "2026-01-05T12:00:00.Z",
            "２026-01-05T12:00:00Z",
            "2026-01-05T12:00:00+3:00",
        ] {
            check_time(json!(wrong), None);
        }
        for wrong in [json!(-1), json!(1e300), json!(true)] {
            check_time(wrong, None);
        }
    }

    #[test]
    fn fractions_are_rounded() {
        assert_eq!(seconds(1_700_000_000.001), Some(1_700_000_000_001));
        assert_eq!(seconds(1_700_000_000.75), Some(1_700_000_000_750));
        assert_eq!((seconds(f64::NAN), seconds(-0.1), seconds(f64::INFINITY)), (None, None, None));
    }
}
