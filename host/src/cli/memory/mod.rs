//! `hermes memory`: the memory files, and the external provider: chosen, looked at, asked, told, and put aside.

mod answers;
mod browse;
mod curated;
mod import;
mod outbox;
mod pilot;
mod say;
mod setup;
mod status;

pub(super) use curated::ask_now;
pub(super) use outbox::{deliveries, say_kept};
pub(super) use status::{gather as status, show as show_status};

use super::{Context, Exit};
use crate::config::ConfigEdit;
use crate::error::Failure;

/// What to do with the memory.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hermes memory setup                       # choose from a list
  hermes memory setup holographic --yes     # in a script
  hermes memory remember \"Biscuit is a spaniel\"
  hermes memory recall \"Who is Biscuit?\"
  hermes memory browse                      # what it has stored
  hermes memory pilot none holographic --transcript talk.jsonl
  hermes memory add --target user \"Prefers short answers\"
  hermes memory list
  hermes memory status --check              # exits with 1 when something is wrong")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Choose a provider, install it if need be, and answer what it asks
    Setup(setup::Args),
    /// Show how the provider has been doing
    Status {
        /// Call it now; the exit status is 1 when it is degraded
        #[arg(long)]
        check: bool,
    },
    /// Go on without an external provider; its data stays
    Off,
    /// Show what a turn with this message would recall
    Recall {
        /// The message
        text: String,
    },
    /// Have the provider keep something
    Remember {
        /// What to keep
        text: String,
    },
    /// Look through what the provider has stored
    Browse(browse::Args),
    /// Take over what another memory knows
    Import(import::Args),
    /// Try providers on a recorded conversation, in a copy: delay, tokens, and what they recall
    Pilot(pilot::Args),
    #[command(flatten)]
    Curated(curated::Action),
    /// Look after what has yet to reach the provider
    Outbox {
        #[command(subcommand)]
        action: outbox::Action,
    },
}

/// Does what was asked.
///
/// # Errors
/// What the provider, the settings or the catalog say.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    match args.action {
        Action::Setup(args) => setup::run(args, context),
        Action::Status { check } => status::run(check, context),
        Action::Off => off(context),
        Action::Recall { text } => say::recall(&text, context),
        Action::Remember { text } => say::remember(&text, context),
        Action::Browse(args) => browse::run(args, context),
        Action::Import(args) => import::run(&args, context),
        Action::Pilot(args) => pilot::run(&args, context),
        Action::Curated(action) => curated::run(action, context),
        Action::Outbox { action } => outbox::run(action, context),
    }
}

fn off(context: &Context) -> Result<Exit, Failure> {
    let old = context.config.provider().map(str::to_owned);
    old.iter().for_each(|id| context.stop_programs(id));
    ConfigEdit::default().set("memory.provider", "none")?.apply(&context.home)?;
    if context.json {
        context.ui.json(&serde_json::json!({ "provider": null, "was": old }));
        return Ok(Exit::Success);
    }
    match old {
        Some(id) => {
            context.ui.note(format!(
                "`{id}` is off; its data stays in `{}`, and `hermes memory setup {id}` brings it back",
                context.home.provider_data(&id).display()
            ));
            outbox::say_kept(&id, context);
        }
        None => context.ui.note("no external provider was on"),
    }
    Ok(Exit::Success)
}
