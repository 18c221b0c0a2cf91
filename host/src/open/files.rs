//! The memory files in the status, and in the remarks at the start of a session.

use hermes_provider_api::records::Scope;
use serde::Serialize;

use super::{Problem, Surroundings, ago};
use crate::clock::UnixMillis;
use crate::guard::Redactor;
use crate::layers::curated::{Curated, Target, Usage, Waiting, entries_in_words};

/// The memory files of a home.
#[derive(Serialize, Debug, Default)]
pub struct Files {
    /// Each of them.
    pub files: Vec<FileStatus>,
    /// Whether the agent's writes wait for the user.
    pub write_approval: bool,
    /// How many wait.
    pub waiting: usize,
    /// Since when the oldest waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_waiting_ms: Option<UnixMillis>,
    /// What is odd, a line each.
    pub problems: Vec<Problem>,
}

/// One of them.
#[derive(Serialize, Debug)]
pub struct FileStatus {
    /// Its name.
    pub file: &'static str,
    /// Whether it is in use.
    pub on: bool,
    /// How many entries it has; None when it cannot be read.
    pub entries: Option<usize>,
    /// How full it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl FileStatus {
    /// In one line.
    #[must_use]
    pub fn line(&self) -> String {
        let state = match (&self.on, self.entries, self.usage) {
            (false, ..) => "off".to_owned(),
            (true, Some(entries), Some(usage)) => {
                format!("{} · {usage}", entries_in_words(entries))
            }
            _ => "cannot be read".to_owned(),
        };
        format!("{}: {state}", self.file)
    }
}

impl Surroundings {
    /// How the memory files are doing.
    #[must_use]
    pub fn files(&self) -> Files {
        let curated = self.curated(Redactor::default());
        let mut files = Files { write_approval: self.config.write_approval(), ..Files::default() };
        for target in Target::ALL {
            let on = curated.settings().of(target).on;
            let (entries, usage) = match curated.list(target) {
                Ok(listing) => {
                    let remark = listing.remark.filter(|_| on);
                    files.problems.extend(remark.map(|message| Problem { message, hints: Vec::new() }));
                    (Some(listing.entries.len()), Some(listing.usage))
                }
                Err(refusal) => {
                    files.problems.push(Problem::from(crate::error::Failure::from(refusal)));
                    (None, None)
                }
            };
            files.files.push(FileStatus { file: target.file_name(), on, entries, usage });
        }
        if let Some(Waiting { count, oldest, .. }) = curated.waiting() {
            (files.waiting, files.oldest_waiting_ms) = (count, Some(oldest));
        }
        files
    }
}

/// What the user, who may see both files, should know of them at the start of a session, a line each.
pub(super) fn remarks(curated: &Curated, now: UnixMillis) -> Vec<String> {
    let waiting = curated.waiting().map(|waiting| waiting_line(&waiting, now));
    curated.snapshot(&Scope::default()).told.into_iter().chain(waiting).collect()
}

/// What waits for the user, in one line.
#[must_use]
pub fn waiting_line(waiting: &Waiting, now: UnixMillis) -> String {
    let Waiting { count, not_stored, oldest } = *waiting;
    let waits = if count == 1 {
        "1 change of the memory waits".to_owned()
    } else {
        format!("{count} changes of the memory wait")
    };
    let lost = match not_stored {
        0 => String::new(),
        _ => format!(", {not_stored} of them because there was no room or the file could not be written"),
    };
    format!("{waits} for you, the oldest since {}{lost}: `hermes memory pending`", ago(oldest, now))
}
