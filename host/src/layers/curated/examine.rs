//! What is wrong about the files and what lies beside them. Looking changes nothing.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::meta::Meta;
use super::snapshot::first_words;
use super::{Curated, Target};
use crate::clock::UnixMillis;
use crate::home::files::{behind_links, lock_holder};

/// Something that is wrong, or odd.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Odd {
    /// A file cannot be read as one.
    Unreadable {
        /// Why, and that it is left alone.
        message: String,
        /// What to do.
        hints: Vec<String>,
    },
    /// A file is longer than it may be, or has another shape.
    Shape(String),
    /// An entry is not shown to the model.
    Blocked {
        /// Its file.
        target: Target,
        /// Its id.
        id: String,
        /// What it looks like.
        pattern: String,
        /// Where.
        excerpt: String,
    },
    /// An entry holds what looks like a secret.
    Secret {
        /// Its file.
        target: Target,
        /// Its id.
        id: String,
    },
    /// A process has held the lock of a file for as long as was looked.
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The process, where the system tells.
        holder: Option<u32>,
    },
    /// A file lies outside of the home, where others can get at it.
    Open {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// Where entries come from cannot be read.
    Meta {
        /// The record.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Something has waited for the user for long.
    Waiting {
        /// How many wait.
        count: usize,
        /// Since when the oldest waits.
        oldest: UnixMillis,
    },
    /// A file of the queue is no proposal.
    NoProposal {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Earlier versions cannot be kept or read.
    Versions {
        /// The folder or a version.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// Since when something that waits has waited for long: a week, in milliseconds.
const LONG: UnixMillis = 7 * 24 * 3600 * 1000;

impl Curated {
    /// All that is wrong or odd.
    #[must_use]
    pub fn examine(&self) -> Vec<Odd> {
        let mut found = Vec::new();
        for target in Target::ALL {
            self.examine_file(target, &mut found);
            let path = self.store.lock_file(target);
            if let Some(holder) = lock_holder(&path) {
                found.push(Odd::Locked { path, holder });
            }
        }
        if let Some((path, reason)) = Meta::problem(self.store.folder()) {
            found.push(Odd::Meta { path, reason });
        }
        self.examine_versions(&mut found);
        let now = self.now();
        if let Some(waiting) = self.waiting().filter(|waiting| now.saturating_sub(waiting.oldest) > LONG) {
            found.push(Odd::Waiting { count: waiting.count, oldest: waiting.oldest });
        }
        found.extend(self.no_proposals().into_iter().map(|(path, reason)| Odd::NoProposal { path, reason }));
        found
    }

    fn examine_file(&self, target: Target, found: &mut Vec<Odd>) {
        let on = self.settings.of(target).on;
        match self.list(target) {
            Err(refusal) => {
                let crate::error::Failure { message, hints, .. } = refusal.into();
                found.push(Odd::Unreadable { message, hints });
            }
            Ok(listing) => {
                found.extend(listing.remark.filter(|_| on).map(Odd::Shape));
                for entry in listing.entries {
                    if let Some(threat) = (self.checks.scan)(&entry.text).into_iter().next() {
                        let (pattern, excerpt) = (threat.pattern, first_words(&threat.excerpt));
                        found.push(Odd::Blocked { target, id: entry.id, pattern, excerpt });
                    } else if self.checks.redactor.secret_in(&entry.text).is_some() {
                        found.push(Odd::Secret { target, id: entry.id });
                    }
                }
            }
        }
        let path = self.path(target);
        let real = behind_links(&path);
        // Behind a home that is closed nothing is reached; one that is open is looked at as a whole.
        let outside = fs::canonicalize(self.home.root()).is_ok_and(|home| !real.starts_with(home));
        if outside && let Some(mode) = mode(&real).filter(|mode| mode & 0o077 != 0) {
            found.push(Odd::Open { path: real, mode });
        }
    }

    fn examine_versions(&self, found: &mut Vec<Odd>) {
        let folder = self.store.versions(Target::Memory).folder().to_owned();
        let reason = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => error.to_string(),
            Ok(_) if mode(&folder).is_some_and(|mode| mode & 0o200 == 0) => "it cannot be written to".to_owned(),
            Ok(_) => String::new(),
        };
        if !reason.is_empty() {
            return found.push(Odd::Versions { path: folder, reason });
        }
        for target in Target::ALL {
            for kept in self.store.versions(target).all() {
                if let Err(error) = fs::read(&kept.path) {
                    found.push(Odd::Versions { path: kept.path, reason: error.to_string() });
                }
            }
        }
    }
}

fn mode(path: &std::path::Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).ok().map(|file| file.permissions().mode() & 0o777)
}
