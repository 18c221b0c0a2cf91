//! `hermes sessions reindex`.

use serde_json::json;

use super::search::database;
use crate::cli::{Context, Exit};
use crate::db::Db;
use crate::error::Failure;
use crate::layers::episodic::search::{self, Settings};

/// How many messages are entered in one transaction: others who write wait no longer than that takes.
const AT_ONCE: i64 = 2000;

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
    let bar = context.ui.progress("entering messages", None);
    let mut entered = 0;
    loop {
        let done = catch_up(&db, &settings, AT_ONCE)?;
        if done == 0 {
            break;
        }
        entered += done;
        bar.set_message(format!("entering messages: {entered} of {}", behind.max(entered)));
    }
    bar.finish_and_clear();
    if context.json {
        context.ui.json(&json!({"entered": entered}));
    } else if entered == 0 {
        context.ui.note("the index has all messages");
    } else {
        context.ui.note(format!("entered {}", crate::cli::counted(usize::try_from(entered).unwrap_or(0), "message")));
    }
    Ok(Exit::Success)
}

/// Enters messages into the index, in one transaction. Answers how many.
fn catch_up(db: &Db, settings: &Settings, most: i64) -> Result<i64, Failure> {
    let done = db.with_relaxed(|connection| {
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let done = search::catch_up(&transaction, settings, most)?;
        transaction.commit()?;
        Ok(done)
    });
    Ok(done?)
}
