//! What was accepted against what arrived.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A turn, end or write that the library accepted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Accepted {
    /// `turn`, `end` or `write`.
    pub what: String,
    /// In which session.
    pub session: String,
    /// A text that nobody else said; of an end, what was said last before.
    pub text: String,
}

/// A line of the provider's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// Its idempotency key.
    pub key: String,
    /// The key was known.
    pub repeat: bool,
    /// What it was, and where.
    pub of: Accepted,
    /// Of a turn: its number in its session.
    pub number: u64,
}

/// What a comparison shows.
#[derive(Clone, Debug, Default)]
pub struct Check {
    /// What arrived, repeats left out.
    pub delivered: usize,
    /// What came with a known key.
    pub repeats: usize,
    /// What is not as it should be.
    pub broken: Vec<String>,
}

/// What a driver said was accepted.
#[must_use]
pub fn accepted(said: &str) -> Vec<Accepted> {
    let line = |line: &str| {
        let [state, what, session, text] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        let of = Accepted { what: str::to_owned(what), session: str::to_owned(session), text: str::to_owned(text) };
        (state == "accepted").then_some(of)
    };
    said.lines().filter_map(line).collect()
}

/// What the provider recorded in its data folder.
#[must_use]
pub fn arrived(data: &Path) -> Vec<Arrived> {
    let line = |line: &str| {
        let parts: Vec<_> = line.strip_suffix("\t.")?.split('\t').collect();
        let &[key, state, what, session, number, text] = &*parts else { return None };
        let of = Accepted { what: what.to_owned(), session: session.to_owned(), text: text.to_owned() };
        Some(Arrived { key: key.to_owned(), repeat: state == "repeat", of, number: number.parse().ok()? })
    };
    let record = fs::read(data.join("deliveries")).unwrap_or_default();
    String::from_utf8_lossy(&record).lines().filter_map(line).collect()
}

/// Everything accepted arrived, nothing arrived twice, each session is in order, and its turns have numbers that grow.
#[must_use]
pub fn check(accepted: &[Accepted], arrived: &[Arrived]) -> Check {
    let mut check = Check::default();
    let mut keys = BTreeMap::<&Accepted, &str>::new();
    let mut last = BTreeMap::<&str, (u64, u64, u8)>::new();
    let mut numbers = BTreeMap::<&str, u64>::new();
    for line in arrived {
        if line.repeat {
            check.repeats += 1;
            continue;
        }
        check.delivered += 1;
        // The same two sessions are switched between again and again.
        if line.of.what == "switch" {
            continue;
        }
        if let Some(before) = keys.insert(&line.of, &line.key) {
            check.broken.push(format!("doubled: {:?} as {before} and {}", line.of, line.key));
        }
        let Some(place) = place(&line.of) else {
            check.broken.push(format!("nobody said {:?}", line.of));
            continue;
        };
        if let Some(before) = last.insert(&line.of.session, place)
            && before >= place
        {
            check.broken.push(format!("out of order: {:?} after {before:?}", line.of));
        }
        if line.of.what == "turn"
            && let Some(before) = numbers.insert(&line.of.session, line.number)
            && before >= line.number
        {
            check.broken.push(format!("numbered {} after {before}: {:?}", line.number, line.of));
        }
    }
    let there: BTreeSet<_> = keys.into_keys().collect();
    let lost = accepted.iter().filter(|accepted| !there.contains(accepted));
    check.broken.extend(lost.map(|lost| format!("lost: {lost:?}")));
    check
}

/// In its session: the life of the driver, what it said there, and an end after all else.
fn place(of: &Accepted) -> Option<(u64, u64, u8)> {
    let [life, _writer, said] = of.text.split('.').collect::<Vec<_>>().try_into().ok()?;
    Some((str::parse(life).ok()?, str::parse(said).ok()?, u8::from(of.what == "end")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Arrived {
        let of = Accepted { what: "turn".to_owned(), session: "s".to_owned(), text: text.to_owned() };
        let number = text.bytes().filter(u8::is_ascii_digit).fold(0, |all, digit| all * 10 + u64::from(digit - b'0'));
        Arrived { key: text.to_owned(), repeat: false, of, number }
    }

    #[test]
    fn what_is_wrong_is_found() {
        let lines = [line("1.0.1"), line("1.0.2"), line("2.0.1")];
        let all: Vec<_> = lines.iter().map(|line| line.of.clone()).collect();
        assert!(check(&all, &lines).broken.is_empty());
        assert!(check(&all, &lines[..2]).broken[0].starts_with("lost"));
        assert!(check(&all[..2], &[lines[1].clone(), lines[0].clone()]).broken[0].starts_with("out of order"));
        let again = Arrived { key: "other".to_owned(), ..line("1.0.1") };
        assert!(check(&all[..1], &[lines[0].clone(), again.clone()]).broken[0].starts_with("doubled"));
        let restarted = [lines[1].clone(), Arrived { number: 1, ..lines[2].clone() }];
        assert!(check(&all[1..], &restarted).broken[0].starts_with("numbered 1 after 102"));
        let checked = check(&all[..1], &[lines[0].clone(), Arrived { repeat: true, ..again }]);
        assert_eq!((checked.broken.len(), checked.repeats), (0, 1));
    }
}
