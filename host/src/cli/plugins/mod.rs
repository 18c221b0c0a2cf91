//! `hermes plugins`: what can be installed, what is, and how it goes away again. One file for each verb.

mod install;
mod list;
mod mirror;
mod progress;
mod remove;

pub use install::install_now;

use std::ffi::OsString;

use super::{Context, Exit};
use crate::error::Failure;

/// What to do with plugins.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hermes plugins list
  hermes plugins install holographic
  hermes plugins install 'holographic@^0.1'
  hermes plugins install ./my-plugin.tar.gz
  hermes plugins mirror /media/usb/catalog --all-targets
  hermes plugins remove holographic --yes")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Install a plugin, or another version of it
    Install {
        /// Its name in the catalog, and perhaps a version: `notes`, `notes@1.2.0`, `notes@^1`; or the path of an
        /// archive, a library or a folder that holds one: `./notes.tar.gz`
        #[arg(value_name = "NAME[@VERSION]|PATH")]
        plugin: OsString,
        /// Install it also when the same version is installed already
        #[arg(long)]
        force: bool,
        /// Agree to what it may do
        #[arg(short, long)]
        yes: bool,
    },
    /// List what is installed, and what else the catalogs offer
    List,
    /// Fill a folder that another machine can use as its catalog, without a network
    Mirror(mirror::Args),
    /// Remove a plugin; what it stored is kept
    Remove {
        /// Its name
        name: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
}

/// How the user agrees to what a plugin may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// By `--yes`.
    Given,
    /// By answering a question, where there is a terminal.
    Asked,
}

/// Does what was asked.
///
/// # Errors
/// What could not be installed, listed or removed; nothing was changed then.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let agreement = |yes| if yes { Agreement::Given } else { Agreement::Asked };
    match args.action {
        Action::Install { plugin, force, yes } => install::run(&plugin, agreement(yes), force, context)?,
        Action::Mirror(args) => return mirror::run(&args, context),
        Action::List => list::run(context)?,
        Action::Remove { name, yes } => remove::run(&name, agreement(yes), context)?,
    }
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests;
