//! What every secure connection needs: servers that answer, and a clock that is right.

use std::collections::BTreeSet;
use std::fs;
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use super::{Facts, Finding};
use crate::cli::executable;
use crate::clock::{UnixMillis, utc};
use crate::outbox::Rows;
use crate::plugins::fetch::{reach, server};

/// No more servers are asked, all at once.
const MOST: usize = 8;
/// Clocks of a network may differ by so much.
const SLACK: Duration = Duration::from_secs(5 * 60);

/// Whether the servers that the catalogs name answer.
pub(super) fn network(facts: &Facts<'_>) -> Vec<Finding> {
    let artifacts = facts.catalogs.listings().flat_map(|listing| &listing.entry.releases);
    let artifacts = artifacts.flat_map(|release| &release.artifacts);
    let servers: BTreeSet<_> = artifacts.filter_map(|artifact| server(&artifact.location)).collect();
    if servers.is_empty() || facts.quick || facts.context.offline {
        return Vec::new();
    }
    thread::scope(|scope| {
        let asked: Vec<_> = servers.iter().take(MOST).map(|server| (server, scope.spawn(|| reach(server)))).collect();
        let answers = asked.into_iter().filter_map(|(server, asked)| Some((server, asked.join().ok()?)));
        let findings = answers.map(|(server, answer)| match answer {
            Ok(()) => Finding::ok(format!("{server} answers")),
            Err(reason) => Finding::warning(format!("{server} cannot be reached: {reason}")).hint(
                "check the network and the proxy (`HTTPS_PROXY`); what is installed works without it, and \
                 `hermes config set plugins.offline true` stops asking",
            ),
        });
        findings.collect()
    })
}

/// Whether the clock goes behind what was written before.
pub(super) fn clock(facts: &Facts<'_>) -> Vec<Finding> {
    let program = executable().ok().and_then(|path| fs::metadata(path).ok()?.modified().ok());
    let program = program.and_then(|at| UnixMillis::try_from(at.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok());
    let recorded = facts.record.as_ref().and_then(|db| Rows(db).newest_turn_ms().ok().flatten());
    let known = [(program, "this program was made"), (recorded, "the last turn was written down")];
    let latest = known.into_iter().filter_map(|(at, what)| Some((at?, what))).max();
    vec![told(facts.context.clock.now(), latest)]
}

fn told(now: UnixMillis, latest: Option<(UnixMillis, &str)>) -> Finding {
    let slack = UnixMillis::try_from(SLACK.as_millis()).unwrap_or_default();
    match latest {
        Some((at, what)) if at > now.saturating_add(slack) => {
            Finding::warning(format!("it is {}, but {what} at {}", utc(now), utc(at)))
                .hint("set the clock right (`timedatectl`); secure connections and the order of memories need it")
        }
        _ => Finding::ok(format!("it is {}", utc(now))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Severity;
    use super::*;

    #[test]
    fn a_clock_behind_what_was_written_is_told() {
        let now = 1_800_000_000_000;
        assert_eq!(told(now, None).severity, Severity::Ok);
        assert_eq!(told(now, Some((now + 60_000, "x"))).severity, Severity::Ok);
        let finding = told(now, Some((now + 3_600_000, "the last turn was written down")));
        assert_eq!(finding.severity, Severity::Warning);
        assert_eq!(
            finding.message,
            "it is 2027-01-15 08:00:00 UTC, but the last turn was written down at 2027-01-15 09:00:00 UTC"
        );
    }
}
