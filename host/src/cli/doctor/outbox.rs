//! What has yet to reach a provider.

use super::{Facts, Finding};
use crate::cli::memory::deliveries;
use crate::clock::utc;
use crate::outbox::{Backlog, Rows};

pub(super) fn outbox(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(db) = &facts.record else { return Vec::new() };
    match Rows(db).backlog() {
        Err(error) => vec![Finding::error(error)],
        Ok(backlog) => {
            let now = facts.context.clock.now();
            backlog.iter().flat_map(|backlog| of_provider(backlog, is_installed(facts, backlog), now)).collect()
        }
    }
}

/// Where the lockfile cannot be read, that is said elsewhere.
fn is_installed(facts: &Facts<'_>, backlog: &Backlog) -> bool {
    facts.lock.as_ref().map_or(true, |lock| lock.plugins.contains_key(&backlog.provider))
}

fn of_provider(backlog: &Backlog, installed: bool, now: u64) -> Vec<Finding> {
    let Backlog { provider, waiting, dead, oldest_ms, held } = backlog;
    let mut findings = Vec::new();
    if *waiting > 0 {
        let since = oldest_ms.map(|at| format!(", the oldest since {}", utc(at))).unwrap_or_default();
        let message = format!("{provider}: {} waiting{since}", deliveries(*waiting));
        findings.push(match backlog.late_since(now).is_some() {
            true => Finding::warning(message).hint("`hermes memory outbox retry` tries again now"),
            false => Finding::ok(message),
        });
    }
    if *dead > 0 {
        let finding = Finding::warning(format!("{provider}: {} given up", deliveries(*dead)));
        findings.push(
            finding.hint("`hermes memory outbox list --dead` shows them, `hermes memory outbox retry` tries again"),
        );
    }
    if let Some(held) = held {
        let until = utc(held.until_ms);
        findings.push(Finding::warning(format!("{provider} is left alone until {until}: {}", held.reason)));
    }
    if !installed && *waiting + *dead > 0 {
        let finding = Finding::warning(format!("{provider} is not installed any more; what it should get is kept"));
        findings.push(finding.hint(format!("`hermes memory outbox list --provider {provider}` shows it")));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::Severity;
    use super::*;
    use crate::outbox::Hold;

    const LATE: u64 = Backlog::LATE_MS;

    fn told(backlog: &Backlog, installed: bool) -> Vec<(Severity, String)> {
        let findings = of_provider(backlog, installed, 3 * LATE);
        findings.into_iter().map(|finding| (finding.severity, finding.message)).collect()
    }

    #[test]
    fn what_waits_is_fine_until_it_waits_for_long() {
        let of = |oldest| Backlog { provider: "p".into(), waiting: 2, dead: 0, oldest_ms: Some(oldest), held: None };
        assert_eq!(told(&of(3 * LATE - 1), true)[0].0, Severity::Ok);
        assert_eq!(told(&of(LATE), true)[0].0, Severity::Warning);
        assert_eq!(told(&of(3 * LATE - 1), false).len(), 2, "it is not installed any more");
    }

    #[test]
    fn what_was_given_up_and_whom_it_is_for_is_named() {
        let held = Some(Hold { until_ms: 4 * LATE, reason: "no credit".into() });
        let found = told(&Backlog { provider: "p".into(), waiting: 0, dead: 1, oldest_ms: None, held }, true);
        assert_eq!(found[0], (Severity::Warning, "p: 1 delivery given up".to_owned()));
        assert!(found[1].1.ends_with("no credit"), "{found:?}");
    }
}
