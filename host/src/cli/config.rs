//! `hermes config`: the settings, read and changed.

pub(super) mod edit;

use hermes_provider_api::records::ConfigField;
use serde_json::{Value, json};

use super::{Context, Exit};
use crate::config::{Config, ConfigEdit, ConfigError, Entry, Source, keys, suggest};
use crate::error::Failure;
use crate::plugins::inspect::inspect;
use crate::plugins::lock::Lock;
use crate::plugins::store::version_folder;

/// Where the deadlines of hooks stand.
const TIMEOUTS: &str = "timeouts.";

/// What to do with the settings.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hermes config list
  hermes config get memory
  hermes config set memory.recall_limit 7
  hermes config unset memory.recall_limit
  hermes config edit")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Print a setting, those of a table, or all, as they are in force
    Get {
        /// The setting or table, such as `memory.recall_limit` or `memory`
        key: Option<String>,
    },
    /// Change a setting; comments and order of the file are kept
    Set {
        /// The setting
        key: String,
        /// Its new value; a list as `["a", "b"]`
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Take a setting out of the file, so that its default is in force
    Unset {
        /// The setting
        key: String,
    },
    /// Open the file in your editor, `VISUAL` or `EDITOR`; what is wrong in it does not count
    Edit,
    /// Print where the file is
    Path,
    /// Print what can be set, with defaults and meaning
    List,
}

/// Does what was asked.
///
/// # Errors
/// A file that cannot be read or written, a key that does not exist, a value that it cannot have.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    match args.action {
        Action::Get { key: None } => show_all(&load(context)?.entries(), context),
        Action::Get { key: Some(key) } => get(&key, context)?,
        Action::Set { key, value } => {
            let mut edit = ConfigEdit::default();
            match provider_field(&key, context)? {
                Some((id, field)) => edit.set_field(&id, &field, &value).map_err(wrong)?,
                None => edit.set(&key, &value).map_err(wrong)?,
            };
            let changed = edit.apply(&context.home)?;
            report(&key, changed, "set", context);
        }
        Action::Unset { key } => {
            let changed = ConfigEdit::default().unset(&key).map_err(wrong)?.apply(&context.home)?;
            report(&key, changed, "unset", context);
        }
        Action::Edit => return edit::run(context),
        Action::Path if context.json => context.ui.json(&json!({ "path": context.home.config_file() })),
        Action::Path => context.ui.out(context.home.config_file().display()),
        Action::List => list(context),
    }
    Ok(Exit::Success)
}

/// The field behind `providers.<id>.<key>` of an installed provider, whose own rules then hold: what they refuse would
/// leave the next command without a memory. Of one that is not installed nothing is known.
fn provider_field(key: &str, context: &Context) -> Result<Option<(String, ConfigField)>, Failure> {
    let Some((id, name)) = key.strip_prefix("providers.").and_then(|rest| rest.split_once('.')) else {
        return Ok(None);
    };
    let Ok(lock) = Lock::read(&context.home) else { return Ok(None) };
    let Some(record) = lock.plugins.get(id).map(|installed| &installed.current) else { return Ok(None) };
    let library = version_folder(&context.home, id, &record.version, &record.library_sha256).join(&record.library);
    // A plugin that cannot be read is told by whatever loads it.
    let Ok(metadata) = inspect(&library) else { return Ok(None) };
    match metadata.config.iter().find(|field| field.key == name) {
        Some(field) => Ok(Some((id.to_owned(), field.clone()))),
        None => Err(no_setting(id, name, &metadata.config, &format!("providers.{id}."))),
    }
}

/// A key that none of a provider's fields has; `prefix` is what stands before the key where it is typed.
pub(super) fn no_setting(id: &str, key: &str, fields: &[ConfigField], prefix: &str) -> Failure {
    let names = || fields.iter().map(|field| field.key.as_str());
    let failure = Failure::usage(format!("`{id}` has no setting `{}`", key.escape_debug()));
    match suggest(key, names()) {
        Some(closest) => failure.hint(format!("did you mean `{prefix}{closest}`?")),
        None if fields.is_empty() => failure.hint(format!("`{id}` needs no settings")),
        None => failure.hint(format!("it has {}", names().collect::<Vec<_>>().join(", "))),
    }
}

/// What was typed cannot be, unlike what is wrong in the file.
fn wrong(error: ConfigError) -> Failure {
    Failure { usage: true, ..error.into() }
}

fn load(context: &Context) -> Result<Config, Failure> {
    let config = Config::load(&context.home)?;
    config.warnings().iter().for_each(|warning| context.ui.warn(warning));
    Ok(config)
}

fn get(key: &str, context: &Context) -> Result<(), Failure> {
    let mut entries = load(context)?.entries();
    let below = format!("{key}.");
    entries.retain(|entry| entry.key == key || entry.key.starts_with(&below));
    match entries.as_slice() {
        [entry] if entry.key == key && context.json => context.ui.json(&to_json(entry)),
        [entry] if entry.key == key => match &entry.value {
            Value::Null => context.ui.note(format!("{key} is not set")),
            Value::String(text) => context.ui.out(text),
            value => context.ui.out(value),
        },
        [] if key == "providers" || key.starts_with("providers.") => context.ui.note(format!("{key} is not set")),
        [] => return Err(wrong(ConfigError::unknown(key))),
        entries => show_all(entries, context),
    }
    Ok(())
}

/// As TOML that could be pasted into the file, with the source behind each line.
fn show_all(entries: &[Entry], context: &Context) {
    if context.json {
        return context.ui.json(&entries.iter().map(to_json).collect::<Vec<_>>());
    }
    for Entry { key, value, source } in entries {
        match (value, source) {
            (Value::Null, _) => context.ui.out(format!("# {key} is not set")),
            (value, Source::Default) => context.ui.out(format!("{key} = {value}  # default")),
            (value, Source::File(line)) => context.ui.out(format!("{key} = {value}  # line {line}")),
        }
    }
}

fn to_json(entry: &Entry) -> Value {
    let Entry { key, value, source } = entry;
    match source {
        Source::Default => json!({ "key": key, "value": value, "source": "default" }),
        Source::File(line) => json!({ "key": key, "value": value, "source": "file", "line": line }),
    }
}

fn report(key: &str, changed: bool, done: &str, context: &Context) {
    if context.json {
        return context.ui.json(&json!({ "key": key, "changed": changed }));
    }
    let path = context.home.config_file();
    match changed {
        true => context.ui.note(format!("{done} {key} in `{}`", path.display())),
        false => context.ui.note(format!("nothing to change in `{}`", path.display())),
    }
}

fn list(context: &Context) {
    let rule = |rule: String| rule.strip_prefix("must be ").map_or(rule.clone(), str::to_owned);
    if context.json {
        let keys = keys().iter().map(|key| {
            let default = key.default.as_ref().map(crate::config::Value::to_json);
            json!({ "key": key.path, "value": rule(key.kind.rule()), "default": default, "help": key.help })
        });
        return context.ui.json(&keys.collect::<Vec<_>>());
    }
    let (hooks, keys): (Vec<_>, Vec<_>) = keys().iter().partition(|key| key.path.starts_with(TIMEOUTS));
    for key in keys {
        let default = key.default.as_ref().map(|value| format!(", default {}", value.to_json())).unwrap_or_default();
        context.ui.out(format!("{}\n    {}\n    {}{default}", key.path, key.help, rule(key.kind.rule())));
    }
    // One rule for all hooks is read once.
    context.ui.out(format!("{TIMEOUTS}<hook>\n    how long a call of the hook may take; unset: the host's own limit"));
    if let Some(key) = hooks.first() {
        context.ui.out(format!("    {}; the hooks are", rule(key.kind.rule())));
    }
    let names: Vec<_> = hooks.iter().filter_map(|key| key.path.strip_prefix(TIMEOUTS)).collect();
    names.chunks(5).for_each(|names| context.ui.out(format!("      {}", names.join(", "))));
    context.ui.out("providers.<id>.<key>\n    a setting of a provider; `hermes memory setup <id>` asks for them");
}
