//! The table of all settings that the host knows: the one source of reading, setting, help and checks.

use std::sync::LazyLock;

use hermes_provider_api::Hook;

use super::suggest;
use super::{Kind, Value};

/// One setting.
#[derive(Debug)]
pub struct Key {
    /// With dots, as in `memory.provider`.
    pub path: String,
    /// What it may be.
    pub kind: Kind,
    /// What holds when it is not set; None where that depends on something else, as `help` says.
    pub default: Option<Value>,
    /// What it does, in one line.
    pub help: String,
}

/// Path, kind, default as it would be typed (empty for none), help.
const TABLE: &[(&str, Kind, &str, &str)] = &[
    (
        "memory.provider",
        Kind::Provider,
        "",
        "the external memory provider; `none` or empty for the built-in memory alone",
    ),
    (
        "memory.prefetch_timeout",
        Kind::Duration,
        "",
        "how long a turn waits for recall; unset: 2s, and 8s for a provider that uses the network",
    ),
    ("memory.recall_limit", Kind::Whole { min: 1, max: 20 }, "5", "how many memories a turn recalls at most"),
    (
        "memory.recall_chars",
        Kind::Whole { min: 100, max: 100_000 },
        "4000",
        "how many characters they have at most, together",
    ),
    ("memory.shutdown_timeout", Kind::Duration, "5s", "how long the end of the program waits for deliveries"),
    ("memory.memory_enabled", Kind::Flag, "true", "keep and show MEMORY.md, what the agent notes for itself"),
    ("memory.user_profile_enabled", Kind::Flag, "true", "keep and show USER.md, what the agent knows of the user"),
    (
        "memory.memory_char_limit",
        Kind::Whole { min: 100, max: 1_000_000 },
        "2200",
        "how many characters the entries of MEMORY.md have at most, together",
    ),
    (
        "memory.user_char_limit",
        Kind::Whole { min: 100, max: 1_000_000 },
        "1375",
        "how many characters the entries of USER.md have at most, together",
    ),
    (
        "memory.write_approval",
        Kind::Flag,
        "false",
        "writes of the agent wait until you approve them with `hermes memory approve`",
    ),
    ("sessions.enabled", Kind::Flag, "true", "keep what is said in the archive that `hermes sessions` shows"),
    (
        "sessions.redact",
        Kind::Flag,
        "true",
        "mask secrets before they are archived; off, they stand there as they were said",
    ),
    (
        "sessions.retention_days",
        Kind::Whole { min: 0, max: 36_500 },
        "90",
        "after how many days `hermes sessions prune` deletes sessions that are over and not pinned; 0 for never",
    ),
    ("sessions.auto_prune", Kind::Flag, "false", "do that at the end of every command that records, without asking"),
    (
        "display.memory_notifications",
        Kind::Choice(&["off", "on", "verbose"]),
        "on",
        "what you are told when the agent writes its memory: nothing, that it did, or what",
    ),
    ("sessions.index", Kind::Flag, "true", "keep an index of what is recorded, without which nothing can be searched"),
    (
        "sessions.index_tool_chars",
        Kind::Whole { min: 0, max: 1_000_000 },
        "2048",
        "how many bytes of a tool's result, and of what it was called with, can be searched; 0 for nothing of tools",
    ),
    (
        "sessions.typos",
        Kind::Flag,
        "true",
        "find words that are rare or unknown by how they may have been misspelt, too",
    ),
    (
        "plugins.isolation",
        Kind::Choice(&["process", "in-process"]),
        "",
        "where a provider runs; unset: a process of its own under `hermes`, in-process in the library",
    ),
    ("plugins.catalogs", Kind::Paths, "", "catalogs to search, beside the one that came with hermes"),
    ("plugins.offline", Kind::Flag, "false", "fetch nothing from the network"),
    (
        "plugins.fetch_timeout",
        Kind::Duration,
        "30s",
        "how long nothing may come from a server while a plugin is downloaded; there is no limit in all",
    ),
    (
        "security.allow_lazy_installs",
        Kind::Flag,
        "true",
        "install a configured provider that is missing without asking, where it needs no new rights",
    ),
    (
        "model.base_url",
        Kind::Url,
        "",
        "where a model of yours answers as OpenAI's API does, such as http://localhost:11434/v1; its key is \
         HERMES_MODEL_API_KEY in `.env`",
    ),
    ("model.chat", Kind::Text, "", "the name of the model there that answers"),
    ("model.embedding", Kind::Text, "", "the name of the model there that turns texts into vectors"),
    (
        "model.embedding_base_url",
        Kind::Url,
        "",
        "where that one is, if it is elsewhere; its key is HERMES_EMBEDDING_API_KEY in `.env`",
    ),
    (
        "log.level",
        Kind::Choice(&["error", "warn", "info", "debug", "trace"]),
        "info",
        "the least severe lines that a provider sends; `--verbose` shows them",
    ),
];

static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let fixed = TABLE.iter().map(|&(path, kind, default, help)| Key {
        path: path.to_owned(),
        kind,
        default: (!default.is_empty()).then(|| kind.parse(default).expect("the table's defaults are of their kind").0),
        help: help.to_owned(),
    });
    let timeouts = Hook::ALL.iter().map(|hook| Key {
        path: format!("timeouts.{}", hook.name()),
        kind: Kind::Duration,
        default: None,
        help: format!("how long a call of {} may take; unset: the host's own limit", hook.name()),
    });
    fixed.chain(timeouts).collect()
});

/// All settings, in the order in which they are shown.
#[must_use]
pub fn keys() -> &'static [Key] {
    &KEYS
}

/// The setting of this path.
pub(super) fn find(path: &str) -> Option<&'static Key> {
    keys().iter().find(|key| key.path == path)
}

/// Whether settings stand below this path.
pub(super) fn is_table(path: &str) -> bool {
    tables().any(|table| table == path)
}

/// The setting or table that was perhaps meant: one of this name in another table, or one
/// spelt alike.
pub(super) fn suggestion(path: &str) -> Option<String> {
    let all = || keys().iter().map(|key| key.path.as_str());
    let same_name = || all().find(|known| known.rsplit('.').next() == path.rsplit('.').next());
    same_name().or_else(|| suggest(path, all().chain(tables()).chain(["providers"]))).map(str::to_owned)
}

/// Whether a provider's setting of this name is most likely a secret.
pub(super) fn looks_secret(name: &str) -> bool {
    let name = name.to_lowercase().replace('-', "_");
    ["api_key", "apikey", "token", "password", "secret"].iter().any(|end| name.ends_with(end))
}

fn tables() -> impl Iterator<Item = &'static str> {
    keys().iter().filter_map(|key| key.path.split_once('.')).map(|(table, _)| table)
}
