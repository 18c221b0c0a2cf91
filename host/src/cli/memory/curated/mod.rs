//! `hermes memory` on the memory files: what stands in them, what was changed, and what waits to be.

mod change;
mod look;
mod pending;
mod stats;

use hermes_provider_api::records::{Author, Caller, Context as Role, Origin};

pub(in crate::cli) use pending::ask_now;

use crate::cli::{Context, Exit, open};
use crate::error::Failure;
use crate::guard::Redactor;
use crate::layers::curated::{Curated, Entry, Facts, Listing, Refusal, Target};
use crate::open::{OpenMemory, ago};

/// What to do with the memory files.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Action {
    /// List the entries of MEMORY.md and USER.md
    List(Only),
    /// Show one entry whole, and where it comes from
    Show {
        /// `m1`, `u2`, the beginning of its id, or a part of its text
        which: String,
    },
    /// Add an entry
    Add(change::Add),
    /// Change the text of an entry, or of a proposal that waits
    Edit {
        /// `m1`, `u2`, the beginning of its id, a part of its text, or the id of a proposal
        which: String,
        /// The new text; `-` reads it from stdin
        text: String,
    },
    /// Remove an entry
    Remove {
        /// `m1`, `u2`, the beginning of its id, or a part of its text
        which: String,
    },
    /// Find entries that have all of these words
    Search {
        /// The words
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// Put the file back as it was before the last change
    Undo(change::Undo),
    /// Show what was changed, and when
    History(Only),
    /// Show how full the files are, and who wrote what
    Stats,
    /// List what waits for your approval
    Pending,
    /// Show what a proposal would change
    Diff {
        /// Its id
        id: String,
    },
    /// Write what was proposed
    Approve {
        /// Its id, or `all`
        id: String,
        /// Apply it to the file as it is now, although the entry that it is about has changed
        #[arg(long)]
        rebase: bool,
    },
    /// Drop what was proposed
    Reject {
        /// Its id, or `all`
        id: String,
    },
    /// Have the agent's writes wait for your approval, or not
    Approval {
        /// `on` or `off`; without it, says which it is
        switch: Option<Switch>,
    },
}

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Switch {
    On,
    Off,
}

/// One of the files, or both.
#[derive(Debug, clap::Args)]
pub(super) struct Only {
    /// Only this file
    #[arg(long, value_name = "FILE")]
    target: Option<File>,
}

/// A memory file, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum File {
    /// MEMORY.md
    Memory,
    /// USER.md
    User,
}

impl From<File> for Target {
    fn from(file: File) -> Self {
        match file {
            File::Memory => Self::Memory,
            File::User => Self::User,
        }
    }
}

impl Only {
    fn targets(&self) -> Vec<Target> {
        self.target.map_or_else(|| Target::ALL.to_vec(), |file| vec![file.into()])
    }
}

/// Does what was asked.
pub(super) fn run(action: Action, context: &Context) -> Result<Exit, Failure> {
    match action {
        Action::List(only) => look::list(&only.targets(), context),
        Action::Show { which } => look::show(&which, context),
        Action::Search { words } => look::search(&words.join(" "), context),
        Action::History(only) => look::history(&only.targets(), context),
        Action::Stats => stats::run(context),
        Action::Add(add) => change::add(&add, context),
        Action::Edit { which, text } => change::edit(&which, text, context),
        Action::Remove { which } => change::remove(&which, context),
        Action::Undo(undo) => change::undo(&undo, context),
        Action::Pending => pending::list(context),
        Action::Diff { id } => pending::diff(&id, context),
        Action::Approve { id, rebase } => pending::approve(&id, rebase, context),
        Action::Reject { id } => pending::reject(&id, context),
        Action::Approval { switch } => pending::switch(switch, context),
    }
}

/// The files without a provider: for looking.
fn files(context: &Context) -> Result<Curated, Failure> {
    let surroundings = context.surroundings_with(&context.home, context.config.clone(), None)?;
    let mask = surroundings.secrets.mask(std::iter::empty());
    Ok(surroundings.curated(Redactor::new(mask)))
}

/// The whole memory, for changes: a provider that is set up hears of them.
fn memory(context: &Context) -> Result<OpenMemory, Failure> {
    if context.config.provider().is_some() {
        return open::memory(context);
    }
    let opened = context.surroundings()?.memory_of(None)?;
    context.ui.mask(opened.mask.clone());
    Ok(opened)
}

/// The user, at the command line.
fn user(context: &Context) -> Caller {
    let origin = Origin { author: Author::User, session: "cli".to_owned(), at: context.clock.now() };
    Caller { scope: open::scope(&context.home), origin, context: Role::Primary }
}

/// Both files, or why one cannot be read.
fn listings(curated: &Curated) -> Vec<Result<Listing, Refusal>> {
    Target::ALL.into_iter().map(|target| curated.list(target)).collect()
}

/// The one entry that is named, in whichever file it is.
fn find(curated: &Curated, which: &str) -> Result<(Target, Entry), Failure> {
    let numbered = |letter: char| which.strip_prefix(letter).filter(|number| number.parse::<usize>().is_ok());
    for (letter, target) in [('m', Target::Memory), ('u', Target::User)] {
        if let Some(number) = numbered(letter) {
            return Ok((target, curated.list(target)?.find(number)?.clone()));
        }
    }
    let mut found = Vec::new();
    let mut problem = None;
    for target in Target::ALL {
        match curated.list(target).and_then(|listing| listing.find(which).cloned()) {
            Ok(entry) => found.push((target, entry)),
            // That several have it says more than that none has.
            Err(refusal) => problem = problem.or(Some(refusal)),
        }
    }
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(_), false) => Err(Failure::new(format!("both files have an entry “{which}”"))
            .hint("name it as `m1` or `u1`, as `hermes memory list` does")),
        (None, _) => Err(problem.map_or_else(|| Failure::new(format!("no entry has “{which}”")), Failure::from)),
    }
}

/// How an entry is named at the command line.
fn name(target: Target, number: usize) -> String {
    let letter = if target == Target::Memory { 'm' } else { 'u' };
    format!("{letter}{number}")
}

/// Who wrote an entry.
fn author(facts: Option<&Facts>) -> &'static str {
    match facts.and_then(|facts| facts.author) {
        Some(Author::User) => "you",
        Some(Author::Assistant | Author::Tool) => "the agent",
        Some(_) => "[auto]",
        None => "by hand",
    }
}

/// Who wrote an entry, and when, in a few words.
fn origin(facts: Option<&Facts>, context: &Context) -> String {
    let now = context.clock.now();
    let Some(facts) = facts else { return "by hand".to_owned() };
    let mut told = format!("{}, {}", author(Some(facts)), ago(facts.changed.unwrap_or(facts.created), now));
    if let Some(expires) = facts.expires {
        told.push_str(if expires <= now { ", expired" } else { ", expires" });
    }
    told
}
