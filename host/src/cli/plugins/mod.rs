//! `hermes plugins`: what can be installed, what is, how it goes away again, and how a new one comes to be. One file for
//! each verb.

mod info;
mod inspect;
mod install;
mod list;
mod mirror;
mod new;
mod pack;
mod progress;
mod quarantine;
mod remove;
mod rollback;
mod search;
mod switched;
mod update;
mod validate;
mod verify;

pub use install::{install_in, install_now};

use std::convert::Infallible;
use std::ffi::OsString;
use std::path::PathBuf;

use super::{Context, Exit};
use crate::error::Failure;
use crate::plugins::catalog::is_plugin_id;

/// What to do with plugins.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hermes plugins search facts
  hermes plugins list
  hermes plugins install holographic
  hermes plugins install 'holographic@^0.1'
  hermes plugins install ./my-plugin.tar.gz
  hermes plugins mirror /media/usb/catalog --all-targets
  hermes plugins update --check
  hermes plugins info holographic
  hermes plugins verify
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
    /// Replace plugins by the newest releases that fit
    Update {
        /// Their names; without any, all that are installed
        #[arg(value_name = "NAME", value_parser = plugin_name)]
        names: Vec<String>,
        /// Agree to what they may do
        #[arg(short, long)]
        yes: bool,
        /// Only tell what there is
        #[arg(long)]
        check: bool,
    },
    /// Go back to the version before, and forth again
    Rollback {
        /// Its name
        #[arg(value_parser = plugin_name)]
        name: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// List what is installed, and what else the catalogs offer
    List,
    /// Fill a folder that another machine can use as its catalog, without a network
    Mirror(mirror::Args),
    /// Find plugins by name, title and description
    Search {
        /// What to look for; all words have to be there
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// Show all that is known of a plugin, installed or not
    Info {
        /// Its name
        #[arg(value_parser = plugin_name)]
        name: String,
    },
    /// Check what is installed, byte by byte
    Verify {
        /// Their names; without any, all that are installed
        #[arg(value_name = "NAME", value_parser = plugin_name)]
        names: Vec<String>,
    },
    /// Read what a library or archive says about itself, without running it
    Inspect {
        /// The file
        file: PathBuf,
    },
    /// Show or end what keeps a provider from being used
    #[command(subcommand)]
    Quarantine(quarantine::Action),
    /// Remove a plugin; what it stored is kept
    Remove {
        /// Its name
        #[arg(value_parser = plugin_name)]
        name: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Write the crate of a new plugin, for its author
    New(new::Args),
    /// Make the archive of a built plugin, and its catalog entry
    Pack(pack::Args),
    /// For authors: check a plugin's file, and what it does to its users
    Validate(validate::Args),
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
/// What could not be done; nothing was changed then.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let agreement = |yes| if yes { Agreement::Given } else { Agreement::Asked };
    match args.action {
        Action::Install { plugin, force, yes } => install::run(&plugin, agreement(yes), force, context)?,
        Action::Mirror(args) => return mirror::run(&args, context),
        Action::Update { names, check: true, .. } => return update::check(&names, context),
        Action::Update { names, yes, .. } => return update::run(&names, agreement(yes), context),
        Action::Rollback { name, yes } => rollback::run(&name, agreement(yes), context)?,
        Action::List => list::run(context)?,
        Action::Search { words } => search::run(&words, context)?,
        Action::Info { name } => info::run(&name, context)?,
        Action::Verify { names } => return verify::run(&names, context),
        Action::Inspect { file } => return inspect::run(&file, context),
        Action::Quarantine(action) => quarantine::run(action, context)?,
        Action::Remove { name, yes } => remove::run(&name, agreement(yes), context)?,
        Action::New(args) => new::run(&args, context)?,
        Action::Pack(args) => pack::run(args, context)?,
        Action::Validate(args) => return validate::run(&args, context),
    }
    Ok(Exit::Success)
}

/// Reads `name` or `name@version`, with `-` where `_` was typed: names hold no `_`, and libraries and crates write them
/// with it. What is no name even then stays as it was typed, for an error to show.
///
/// # Errors
/// Never; arguments are read by functions that may fail.
pub fn plugin_name(text: &str) -> Result<String, Infallible> {
    let (name, rest) = text.split_at(text.find('@').unwrap_or(text.len()));
    let dashed = name.replace('_', "-");
    Ok(if is_plugin_id(&dashed) { dashed + rest } else { text.to_owned() })
}

#[cfg(test)]
mod tests;
