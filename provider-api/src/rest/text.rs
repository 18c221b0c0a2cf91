//! How texts, times and files are written for a service.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use serde_json::Value;

use super::FilePart;
use crate::records::UnixMillis;

/// A text as a part of a path or query, percent-encoded: everything but the letters and digits of ASCII.
///
/// ```
/// use hermes_provider_api::rest::segment;
///
/// assert_eq!(segment("telegram:Ян/1"), "telegram%3A%D0%AF%D0%BD%2F1");
/// ```
#[must_use]
pub fn segment(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}"); // a String takes everything
        }
        out
    })
}

/// A time as RFC 3339 has it, in UTC and with milliseconds: services that are picky take this form.
///
/// ```
/// use hermes_provider_api::rest::rfc3339;
///
/// assert_eq!(rfc3339(1_767_225_600_007), "2026-01-01T00:00:00.007Z");
/// ```
#[must_use]
pub fn rfc3339(at: UnixMillis) -> String {
    let seconds = at / 1000;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days to civil date, counted in eras of 400 years from 0000-03-01.
    let (era, day_of_era) = ((days + 719_468) / 146_097, (days + 719_468) % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second, milli) = (second / 3600, second / 60 % 60, second % 60, at % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// Takes NUL out of all texts.
pub(super) fn without_nul(value: &mut Value) {
    match value {
        Value::String(text) => text.retain(|letter| letter != '\0'),
        Value::Array(items) => items.iter_mut().for_each(without_nul),
        Value::Object(fields) => fields.values_mut().for_each(without_nul),
        _ => {}
    }
}

/// FNV-1a of 128 bits over these texts and a byte that no text has after each, as 32 digits: the same in every release. It
/// tells keys and bodies apart that nobody made to clash, and guards nothing.
pub(super) fn sum(texts: &[&str]) -> String {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0xff]));
    let sum = bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, |sum, byte| {
        (sum ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b)
    });
    format!("{sum:032x}")
}

/// Writes a form into a file, as RFC 7578 has it.
pub(super) fn multipart(boundary: &str, fields: &[(&str, &str)], file: FilePart<'_>, to: &Path) -> io::Result<()> {
    let FilePart { field, name, kind, path } = file;
    let mut out = File::create(to)?;
    for (field, value) in fields {
        write!(out, "--{boundary}\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{value}\r\n")?;
    }
    let name = name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
    let head = format!("Content-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"");
    write!(out, "--{boundary}\r\n{head}\r\nContent-Type: {kind}\r\n\r\n")?;
    io::copy(&mut File::open(path)?, &mut out)?;
    write!(out, "\r\n--{boundary}--\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_end_in_z() {
        assert_eq!(rfc3339(1_767_225_600_007), "2026-01-01T00:00:00.007Z");
        assert_eq!(rfc3339(951_782_399_999), "2000-02-28T23:59:59.999Z");
        assert_eq!(rfc3339(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
    }

    /// Keys that were written down by one release are known to the next.
    #[test]
    fn sums_stay_what_they_are() {
        assert_eq!(sum(&["tea"]), "69d061873a757277b806e99413c84afa");
        assert_ne!(sum(&["a", "b"]), sum(&["ab", ""]));
    }
}
