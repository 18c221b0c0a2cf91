//! `hermes sessions`: the archive of what was said.

mod change;
mod delete;
mod export;
mod import;
mod list;
mod prune;
mod reindex;
mod search;
mod show;
mod stats;
mod when;

pub(super) use list::line;

use std::sync::Arc;

use hermes_provider_api::records::Context as Role;

use crate::cli::{Context, Exit};
use crate::clock::UnixMillis;
use crate::db::Db;
use crate::error::Failure;
use crate::layers::episodic::{Archive, ArchiveError, Emptied, Filter, Session};

/// What to do.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hermes sessions list --platform telegram --since 30d
  hermes sessions show 2026-01 | less
  hermes sessions prune --older-than 30d --dry-run
  hermes sessions import --from ~/.hermes/state.db
  hermes sessions export --all --output sessions.jsonl")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

/// What to do with the archive.
#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List sessions, the newest first
    List(list::List),
    /// Show a session with all that was said
    Show {
        /// Its id, or how it begins
        id: String,
    },
    /// Give a session another title
    Rename {
        /// Its id, or how it begins
        id: String,
        /// The new title
        title: String,
    },
    /// Have a session never pruned
    Pin {
        /// Its id, or how it begins
        id: String,
    },
    /// Have a pinned session pruned again like others
    Unpin {
        /// Its id, or how it begins
        id: String,
    },
    /// Delete sessions for good
    Delete(delete::Delete),
    /// Delete old sessions that are over and not pinned
    Prune(prune::Prune),
    /// Show how much there is
    Stats,
    /// Give the room of what was deleted back to the disk
    Vacuum,
    /// Take in conversations with other programs
    Import(import::Import),
    /// Write sessions out, to keep them elsewhere or to read them
    Export(export::Export),
    /// Find what was said about something
    Search(search::Search),
    /// Bring the index that search uses up to date
    Reindex(reindex::Reindex),
}

/// In which conversations.
#[derive(Debug, clap::Args)]
pub(super) struct Place {
    /// Only of this platform, such as `cli` or `telegram`
    #[arg(long, value_name = "NAME")]
    platform: Option<String>,
    /// Only of this chat
    #[arg(long, value_name = "ID")]
    chat: Option<String>,
    /// Only with this user
    #[arg(long, value_name = "ID")]
    user: Option<String>,
    /// Only about this project
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
}

/// Which sessions.
#[derive(Debug, clap::Args)]
pub(super) struct Which {
    #[command(flatten)]
    place: Place,
    /// Only in which something was said since: `2026-01-05`, or so long ago: `12h`, `30d`, `2w`
    #[arg(long, value_name = "WHEN", value_parser = when::parse)]
    since: Option<when::When>,
    /// Only those that began before: a date or an age
    #[arg(long, value_name = "WHEN", value_parser = when::parse)]
    until: Option<when::When>,
    /// Only in this role
    #[arg(long, value_name = "ROLE")]
    context: Option<Kind>,
    /// Only those whose title has this, in any case
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

/// A role that sessions run in.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Kind {
    /// A conversation with the user
    Primary,
    /// A helper that the agent started
    Subagent,
    /// A scheduled job
    Cron,
    /// A background review
    Review,
}

impl Which {
    /// Whether nothing was named.
    fn is_all(&self) -> bool {
        let Self { place: Place { platform, chat, user, project }, since, until, context, title } = self;
        let texts = [platform, chat, user, project, title];
        texts.iter().all(|text| text.is_none()) && since.is_none() && until.is_none() && context.is_none()
    }

    /// As the archive knows it.
    pub(super) fn filter(&self, limit: Option<usize>, now: UnixMillis) -> Filter {
        let context = self.context.map(|kind| match kind {
            Kind::Primary => Role::Primary,
            Kind::Subagent => Role::Subagent,
            Kind::Cron => Role::Cron,
            Kind::Review => Role::Review,
        });
        Filter {
            platform: self.place.platform.clone(),
            chat: self.place.chat.clone(),
            user: self.place.user.clone(),
            project: self.place.project.clone(),
            context,
            since: self.since.map(|when| when.at(now)),
            until: self.until.map(|when| when.at(now)),
            title: self.title.clone(),
            limit,
        }
    }
}

pub(super) fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    // What is printed must not show a secret that was said before it was one.
    context.secrets()?;
    match args.action {
        Action::List(list) => list::run(&list, context),
        Action::Show { id } => show::run(&id, context),
        Action::Rename { id, title } => change::rename(&id, &title, context),
        Action::Pin { id } => change::pin(&id, true, context),
        Action::Unpin { id } => change::pin(&id, false, context),
        Action::Delete(delete) => delete::run(&delete, context),
        Action::Prune(prune) => prune::run(&prune, context),
        Action::Stats => stats::stats(context),
        Action::Vacuum => stats::vacuum(context),
        Action::Import(import) => import::run(&import, context),
        Action::Export(export) => export::run(&export, context),
        Action::Search(search) => search::run(&search, context),
        Action::Reindex(reindex) => reindex::run(&reindex, context),
    }
}

/// The archive; None where nothing was ever recorded.
pub(super) fn archive(context: &Context) -> Result<Option<Archive>, Failure> {
    if !context.home.database().exists() {
        return Ok(None);
    }
    let opened = Db::open(&context.home)?;
    opened.warning.iter().for_each(|warning| context.ui.warn(warning));
    Ok(Some(Archive::new(Arc::new(opened.db))))
}

/// The archive, and a session of it that is named.
pub(super) fn session(which: &str, context: &Context) -> Result<(Archive, Session), Failure> {
    let archive = archive(context)?.ok_or_else(|| ArchiveError::Unknown(which.to_owned()))?;
    let session = archive.find(which)?;
    Ok((archive, session))
}

/// What a person is told after something was deleted.
pub(super) fn say_emptied(emptied: Emptied, context: &Context) {
    if !emptied.log {
        context.ui.note("another process reads just now; what was deleted is in the log of the database until it ends");
        context.ui.note("hint: `hermes sessions vacuum` empties it then");
    }
}
