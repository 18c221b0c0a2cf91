//! The recall line: what the memory did for a turn, in one short line for the user.

use std::time::Duration;

use super::{Problem, RecallOutcome, Recalled};

/// The line of a provider; None when recall was skipped.
///
/// ```
/// use std::time::Duration;
/// use hermes_host::turn::{Given, RecallOutcome, Recalled, line};
///
/// let outcome = RecallOutcome::Asked(Recalled {
///     memories: vec![Given::default(); 3], elapsed: Duration::from_micros(1200), ..Recalled::default()
/// });
/// assert_eq!(line("holographic", &outcome).unwrap(), "🧠 holographic — recalled 3 memories · 1.2 ms");
/// ```
#[must_use]
pub fn line(provider: &str, outcome: &RecallOutcome) -> Option<String> {
    let RecallOutcome::Asked(recalled) = outcome else { return None };
    Some(format!("🧠 {provider} — {}", what(recalled)))
}

fn what(recalled: &Recalled) -> String {
    let Recalled { late, known, blocked, elapsed, problem, .. } = recalled;
    let memories = recalled.memories.len();
    if let Some(problem) = problem {
        let trouble = trouble(problem);
        return match memories {
            0 => format!("no recall: {trouble}"),
            _ => format!("recalled {} from the turn before; no new recall: {trouble}", count(memories)),
        };
    }
    let found = match (memories, known) {
        (0, 0) => "recalled nothing".to_owned(),
        (0, _) => "recalled nothing new".to_owned(),
        _ if *late > 0 => format!("recalled {}, {late} of them from the turn before", count(memories)),
        _ => format!("recalled {}", count(memories)),
    };
    let blocked = if *blocked > 0 { format!(", {blocked} blocked as an attack") } else { String::new() };
    format!("{found}{blocked} · {}", millis(*elapsed))
}

fn trouble(problem: &Problem) -> String {
    match problem {
        Problem::TimedOut { limit } => {
            format!(
                "timed out after {} ms (a late answer serves the next turn of its session) — see `hermes memory status`",
                limit.as_millis()
            )
        }
        Problem::Failed { reason } => format!("{reason} — see `hermes memory status`"),
    }
}

fn count(memories: usize) -> String {
    if memories == 1 { "1 memory".to_owned() } else { format!("{memories} memories") }
}

fn millis(elapsed: Duration) -> String {
    format!("{:.1} ms", elapsed.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::Given;

    #[track_caller]
    fn check(recalled: Recalled, expected: &str) {
        let recalled = Recalled { elapsed: Duration::from_micros(840), ..recalled };
        assert_eq!(what(&recalled), expected);
    }

    #[test]
    fn each_outcome_has_its_words() {
        let timed_out = Some(Problem::TimedOut { limit: Duration::from_secs(2) });
        let failed = Some(Problem::Failed { reason: "the store is down".to_owned() });
        check(Recalled { memories: vec![Given::default(); 1], ..Recalled::default() }, "recalled 1 memory · 0.8 ms");
        check(Recalled::default(), "recalled nothing · 0.8 ms");
        check(Recalled { known: 2, ..Recalled::default() }, "recalled nothing new · 0.8 ms");
        check(Recalled { blocked: 1, ..Recalled::default() }, "recalled nothing, 1 blocked as an attack · 0.8 ms");
        check(
            Recalled { memories: vec![Given::default(); 3], late: 1, ..Recalled::default() },
            "recalled 3 memories, 1 of them from the turn before · 0.8 ms",
        );
        check(
            Recalled { problem: timed_out, ..Recalled::default() },
            "no recall: timed out after 2000 ms (a late answer serves the next turn of its session) — see \
             `hermes memory status`",
        );
        check(
            Recalled { memories: vec![Given::default(); 2], late: 2, problem: failed, ..Recalled::default() },
            "recalled 2 memories from the turn before; no new recall: the store is down — see `hermes memory status`",
        );
    }
}
