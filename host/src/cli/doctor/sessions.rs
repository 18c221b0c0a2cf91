//! The archive of what was said.

use super::{Facts, Finding};
use crate::cli::counted_of;
use crate::clock::utc;
use crate::layers::episodic::{Archive, Totals};

pub(super) fn sessions(facts: &Facts<'_>) -> Vec<Finding> {
    let on = facts.context.config.sessions_enabled();
    let totals = match facts.record.clone().map(|db| Archive::new(db).totals()) {
        // A database that cannot be used is told of by its own check.
        None if facts.database.is_err() && on => {
            let finding = Finding::warning("nothing that is said is kept while the database cannot be used");
            return vec![finding.hint("see above for why; `hermes doctor` tells when it is well again")];
        }
        None => Totals::default(),
        Some(Ok(totals)) => totals,
        Some(Err(error)) => return vec![Finding::error(error)],
    };
    vec![Finding::ok(told(on, &totals))]
}

fn told(on: bool, Totals { sessions, messages, last_ms }: &Totals) -> String {
    let mut told = format!("{}, {}", counted_of(*sessions, "session"), counted_of(*messages, "message"));
    told.extend(last_ms.map(|at| format!(", the last at {}", utc(at))));
    if !on {
        told.push_str("; `sessions.enabled` is false, and nothing is added");
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_much_there_is() {
        assert_eq!(told(true, &Totals::default()), "0 sessions, 0 messages");
        let some = Totals { sessions: 1, messages: 2, last_ms: Some(0) };
        let expected = "1 session, 2 messages, the last at 1970-01-01 00:00:00 UTC; `sessions.enabled` is false, and \
                        nothing is added";
        assert_eq!(told(false, &some), expected);
    }
}
