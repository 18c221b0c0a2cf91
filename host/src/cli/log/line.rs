//! An event as one line that nobody can make look like two.

use std::fmt::{Debug, Write as _};

use serde_json::{Value, json};
use tracing::Event;
use tracing::field::{Field, Visit};

use crate::clock::{UnixMillis, utc};

/// The longest line, with its end.
const LONGEST: usize = 8 << 10;

/// Time, process, level, target, message and fields; `hide` takes the secrets out before anything is escaped or cut.
pub(super) fn of(event: &Event<'_>, at: UnixMillis, pid: u32, hide: impl Fn(&str) -> String) -> String {
    let mut said = Said::default();
    event.record(&mut said);
    let time = utc(at).trim_end_matches(" UTC").replace(' ', "T");
    let about = event.metadata();
    let text = format!("{}{}", said.message, said.fields);
    let start = format!("{time}.{:03}Z {pid} {:5} {}", at % 1000, about.level().as_str(), about.target());
    in_one_line(&start, &hide(&text))
}

/// A line taken apart again; one that is not of this form is all message.
pub(crate) fn to_json(line: &str) -> Value {
    let parts = || {
        let (start, message) = line.split_once(": ")?;
        let [time, pid, level, target] = start.split_whitespace().collect::<Vec<_>>().try_into().ok()?;
        let pid: u32 = pid.parse().ok()?;
        Some(json!({ "time": time, "pid": pid, "level": level, "target": target, "message": message }))
    };
    parts().unwrap_or_else(|| json!({ "message": line }))
}

fn in_one_line(start: &str, text: &str) -> String {
    let mut line = format!("{start}: ");
    for char in text.chars() {
        let turns = matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}');
        if char.is_control() || turns {
            line.extend(char.escape_default());
        } else {
            line.push(char);
        }
        if line.len() >= LONGEST {
            break;
        }
    }
    if line.len() >= LONGEST {
        let fits = (0..=LONGEST - "…\n".len()).rev().find(|&at| line.is_char_boundary(at));
        line.truncate(fits.unwrap_or_default());
        line.push('…');
    }
    line.push('\n');
    line
}

#[derive(Default)]
struct Said {
    message: String,
    fields: String,
}

impl Visit for Said {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // A string takes whatever is written to it.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_taken_apart() {
        let line = "2026-01-01T00:00:00.000Z 12 WARN  hermes_host::db: it is: чай";
        let parts = json!({
            "time": "2026-01-01T00:00:00.000Z", "pid": 12, "level": "WARN", "target": "hermes_host::db", "message": "it is: чай",
        });
        assert_eq!(to_json(line), parts);
        assert_eq!(to_json("who: knows"), json!({ "message": "who: knows" }));
    }

    #[test]
    fn a_line_is_one_line_and_not_endless() {
        let forged = "ok\n2026-01-01T00:00:00.000Z 1 ERROR x: forged\r\u{1b}[31m\u{2028}чай";
        let line = in_one_line("now", forged);
        assert_eq!(line, "now: ok\\n2026-01-01T00:00:00.000Z 1 ERROR x: forged\\r\\u{1b}[31m\\u{2028}чай\n");
        let long = in_one_line("now", &"чай".repeat(LONGEST));
        assert!(long.len() <= LONGEST && long.ends_with("…\n"), "{}", long.len());
    }
}
