//! `hermes sessions reindex`.

use serde_json::json;

use super::search::database;
use crate::cli::{Context, Exit};
use crate::error::Failure;
use crate::layers::episodic::search::{self, Filler, Settings};

/// How to bring the index up to date.
#[derive(Debug, clap::Args)]
pub(super) struct Reindex {
    /// Make it anew, and not only enter what is missing
    #[arg(long)]
    all: bool,
}

/// It may be stopped at any time, and goes on from there.
pub(super) fn run(reindex: &Reindex, context: &Context) -> Result<Exit, Failure> {
    let settings = Settings::from(&context.config);
    if !settings.index {
        return Err(Failure::new("the index is off").hint("`hermes config set sessions.index true` turns it on"));
    }
    let Some(db) = database(context)? else {
        context.ui.note("nothing is recorded yet");
        return Ok(Exit::Success);
    };
    if reindex.all {
        db.with(|connection| {
            let transaction = connection.transaction()?;
            search::clear(&transaction)?;
            transaction.commit()
        })?;
    }
    let behind = db.with(|connection| search::progress(connection, &settings))?.behind;
    let bar = context.ui.progress_of_steps("entering messages", usize::try_from(behind).unwrap_or(0));
    let entered = Filler::start(db, settings).finish(|entered| bar.set_position(u64::try_from(entered).unwrap_or(0)));
    bar.finish_and_clear();
    let entered = entered?;
    if context.json {
        context.ui.json(&json!({"entered": entered}));
    } else if entered == 0 {
        context.ui.note("the index has all messages");
    } else {
        context.ui.note(format!("entered {}", crate::cli::counted(usize::try_from(entered).unwrap_or(0), "message")));
    }
    Ok(Exit::Success)
}
