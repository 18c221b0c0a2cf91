//! The memory files, and what lies beside them.

use std::path::Path;

use super::repair::Repair;
use super::{Facts, Finding, Severity};
use crate::clock::ago;
use crate::guard::Redactor;
use crate::layers::curated::{Odd, Target, entries_in_words};
use crate::open::Surroundings;

pub(super) fn memory(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(surroundings) = facts.surroundings.as_ref().filter(|_| facts.context.home.memories().exists()) else {
        return Vec::new();
    };
    let curated = surroundings.curated(redactor(surroundings));
    let now = facts.context.clock.now();
    let mut findings: Vec<Finding> = curated.examine().into_iter().map(|odd| finding(odd, now)).collect();
    findings.extend(spare_record(&facts.context.home.memories()));
    if findings.is_empty() {
        let told = Target::ALL.iter().filter_map(|target| {
            let listing = curated.list(*target).ok()?;
            Some(format!("{}: {}", target.file_name(), entries_in_words(listing.entries.len())))
        });
        findings.push(Finding::ok(told.collect::<Vec<_>>().join(", ")));
    }
    findings
}

fn redactor(surroundings: &Surroundings) -> Redactor {
    Redactor::new(surroundings.secrets.mask(std::iter::empty()))
}

fn finding(odd: Odd, now: u64) -> Finding {
    match odd {
        Odd::Unreadable { message, hints } => Finding { hints, ..Finding::new(Severity::Error, message) },
        Odd::Shape(remark) => Finding::warning(remark).hint("`hermes memory list` shows how it was read"),
        Odd::Blocked { target, id, pattern, excerpt } => {
            let file = target.file_name();
            Finding::warning(format!(
                "an entry of {file} looks like {pattern} and is not shown to the model: {excerpt}"
            ))
            .hint(format!("`hermes memory edit {id} <text>` says it otherwise, `hermes memory remove {id}` deletes it"))
        }
        Odd::Secret { target, id } => {
            Finding::warning(format!("an entry of {} holds what looks like a secret", target.file_name()))
                .hint(format!("keep it in `.env`, and `hermes memory remove {id}`"))
        }
        Odd::Locked { path, holder } => {
            let whom = holder.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
            Finding::warning(format!("{whom} holds `{}`: nothing can be written meanwhile", path.display()))
                .hint("wait until it has ended, or end it if it was stopped")
        }
        Odd::Open { path, mode } => {
            let shown = path.display();
            Finding::warning(format!("`{shown}` lies outside of the home and is open to other users (mode {mode:o})"))
                .hint(format!("run `chmod 600 '{shown}'`, unless they should read it"))
        }
        Odd::Meta { path, reason } => {
            Finding::warning(format!("where entries come from cannot be read from `{}`: {reason}", path.display()))
                .hint("it begins anew with the next entry, and the old record is kept beside it")
                .repaired_by(Repair::SetAside(path))
        }
        Odd::Waiting { count, oldest } => {
            let waits = if count == 1 { "1 change waits".to_owned() } else { format!("{count} changes wait") };
            Finding::warning(format!("{waits} for your approval, the oldest since {}", ago(oldest, now)))
                .hint("`hermes memory pending` shows them, `approve` writes one, `reject` drops it")
        }
        Odd::NoProposal { path, reason } => {
            Finding::warning(format!("`{}` waits for nobody: it is no proposal ({reason})", path.display()))
                .hint("look at it, and delete it")
        }
        Odd::Versions { path, reason } => {
            Finding::warning(format!("earlier versions cannot be kept or read in `{}`: {reason}", path.display()))
                .hint("`hermes memory undo` needs them: check the owner and mode of the folder, or move it away")
        }
    }
}

/// What was set aside once is for the user to look at.
fn spare_record(memories: &Path) -> Option<Finding> {
    let path = memories.join(".meta.json.bad");
    let finding = || {
        Finding::ok(format!("`{}` is a damaged record that was set aside", path.display()))
            .hint("delete it if you do not want to know more about it")
    };
    path.exists().then(finding)
}
