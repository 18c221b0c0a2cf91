//! The settings in `config.toml`: read with defaults, checked with file and line, edited with comments kept.
//!
//! What can be set stands in one table, [`keys`]; a provider's own settings under `[providers.<id>]` are described by
//! the provider. Secrets never live here but in `.env` ([`crate::secrets`]).

mod curated;
mod edit;
mod error;
mod keys;
mod kind;
mod provider;
mod proxy;
mod sessions;
mod suggest;
mod template;

pub use curated::MemoryNotifications;
pub use edit::ConfigEdit;
pub use error::{ConfigError, Warning};
pub use keys::{Key, keys};
pub use kind::{Kind, Value};
pub use provider::ProviderSettings;
pub use proxy::ProxyToken;
pub use suggest::suggest;
pub use template::{Template, template};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_provider_api::Hook;
use toml_edit::{Document, Item, TableLike};

use crate::home::{Home, files};

/// What is shown in place of a value whose name looks like a secret's.
pub const HIDDEN: &str = "[hidden]";

/// Where a provider's code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// In a worker process: a crash, a hang or a leak costs the calls in flight.
    Process,
    /// In this process: faster, and trusted as this process is.
    InProcess,
}

impl Isolation {
    /// The word in the settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::InProcess => "in-process",
        }
    }
}

/// Where an effective value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Nothing is set.
    Default,
    /// This line of `config.toml`.
    File(usize),
}

/// One effective setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its key, with dots.
    pub key: String,
    /// Its value; null when it is unset and has no fixed default.
    pub value: serde_json::Value,
    /// Where that comes from.
    pub source: Source,
}

/// What `config.toml` says. The default is what holds without one.
#[derive(Clone, Debug)]
pub struct Config {
    path: PathBuf,
    document: Document<String>,
    set: BTreeMap<&'static str, (Value, usize)>,
    warnings: Vec<Warning>,
}

impl Default for Config {
    fn default() -> Self {
        Self::parse("", Path::new("config.toml")).expect("an empty file breaks no rule")
    }
}

impl Config {
    /// Reads the home's `config.toml`; one that is not there is an empty one.
    ///
    /// # Errors
    /// A file that cannot be read, is not TOML, or gives a known key a value that it cannot have. Keys that are not
    /// known are only [warned](Self::warnings) about.
    pub fn load(home: &Home) -> Result<Self, ConfigError> {
        let path = home.config_file();
        let text = files::read_text(&path)?.unwrap_or_default();
        Self::parse(&text, &path)
    }

    /// Reads the text of a `config.toml`; `path` is for messages, and relative catalogs start in its folder.
    ///
    /// # Errors
    /// As [`Self::load`], but for those of reading.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let document = Document::parse(text.clone()).map_err(|error| ConfigError::syntax(path, &text, &error))?;
        let mut reader = Reader { path, text: &text, set: BTreeMap::new(), warnings: Vec::new() };
        reader.table(document.as_table(), "")?;
        let Reader { set, warnings, .. } = reader;
        Ok(Self { path: path.to_owned(), document, set, warnings })
    }

    /// What is odd in the file without being an error.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// `memory.provider`; None when no external provider is wanted.
    #[must_use]
    pub fn provider(&self) -> Option<&str> {
        match self.value("memory.provider") {
            Some(Value::Text(id)) if !matches!(id.as_str(), "" | "none" | "builtin") => Some(id),
            _ => None,
        }
    }

    /// The same, with None for who has never chosen and `Some(None)` for who chose none.
    #[must_use]
    pub fn chosen_provider(&self) -> Option<Option<&str>> {
        self.value("memory.provider").map(|_| self.provider())
    }

    /// `memory.recall_limit`: how many memories are recalled at most.
    #[must_use]
    pub fn recall_limit(&self) -> usize {
        self.whole("memory.recall_limit")
    }

    /// `memory.recall_chars`: how many characters they have at most, together.
    #[must_use]
    pub fn recall_chars(&self) -> usize {
        self.whole("memory.recall_chars")
    }

    /// `memory.shutdown_timeout`: how long the end of the program waits for deliveries.
    #[must_use]
    pub fn shutdown_timeout(&self) -> Duration {
        self.duration("memory.shutdown_timeout").unwrap_or_default()
    }

    /// The deadline that was set for a hook: `timeouts.<hook>`, and for prefetch also `memory.prefetch_timeout`.
    #[must_use]
    pub fn timeout(&self, hook: Hook) -> Option<Duration> {
        let own = self.duration(&format!("timeouts.{}", hook.name()));
        match hook {
            Hook::Prefetch => own.or_else(|| self.duration("memory.prefetch_timeout")),
            _ => own,
        }
    }

    /// `plugins.isolation`, where it is set.
    #[must_use]
    pub fn isolation(&self) -> Option<Isolation> {
        match self.value("plugins.isolation") {
            Some(Value::Text(mode)) if mode == "process" => Some(Isolation::Process),
            Some(_) => Some(Isolation::InProcess),
            None => None,
        }
    }

    /// `plugins.catalogs`, as folders; one that begins with `~` is left as it is.
    #[must_use]
    pub fn catalogs(&self) -> Vec<PathBuf> {
        let Some(Value::Paths(paths)) = self.value("plugins.catalogs") else { return Vec::new() };
        let base = self.path.parent().unwrap_or(Path::new(""));
        paths
            .iter()
            .filter_map(|path| kind::local_path(path))
            .map(|path| if path.starts_with("~") { path } else { base.join(path) })
            .collect()
    }

    /// `plugins.offline`: nothing is fetched from the network.
    #[must_use]
    pub fn offline(&self) -> bool {
        self.flag("plugins.offline")
    }

    /// `plugins.fetch_timeout`: how long nothing may come while an archive is downloaded.
    #[must_use]
    pub fn fetch_timeout(&self) -> Duration {
        self.duration("plugins.fetch_timeout").unwrap_or_default()
    }

    /// `security.allow_lazy_installs`: a configured provider that is missing may be installed without being asked.
    #[must_use]
    pub fn allow_lazy_installs(&self) -> bool {
        self.flag("security.allow_lazy_installs")
    }

    /// A setting that is a text, such as `model.base_url`; None when it is not set or empty.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        match self.value(path) {
            Some(Value::Text(text)) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// `log.level`.
    #[must_use]
    pub fn log_level(&self) -> tracing::Level {
        match self.value("log.level") {
            Some(Value::Text(level)) => level.parse().unwrap_or(tracing::Level::INFO),
            _ => tracing::Level::INFO,
        }
    }

    /// All effective settings: the known keys in their order, then what providers have, secret-looking values hidden.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let known = keys().iter().map(|key| match self.set.get(key.path.as_str()) {
            Some((value, line)) => Entry { key: key.path.clone(), value: value.to_json(), source: Source::File(*line) },
            None => {
                let value = key.default.as_ref().map_or(serde_json::Value::Null, Value::to_json);
                Entry { key: key.path.clone(), value, source: Source::Default }
            }
        });
        let mut entries: Vec<_> = known.collect();
        if let Some(providers) = self.document.get("providers").and_then(Item::as_table_like) {
            self.collect(providers, "providers", &mut entries);
        }
        entries
    }

    fn collect(&self, table: &dyn TableLike, prefix: &str, entries: &mut Vec<Entry>) {
        for (name, item) in table.iter() {
            let key = join(prefix, name);
            match (item.as_table_like(), item.as_value()) {
                (Some(inner), _) => self.collect(inner, &key, entries),
                (None, Some(value)) => {
                    let value = if keys::looks_secret(name) { HIDDEN.into() } else { provider::to_json(value) };
                    let source = Source::File(line_of(self.document.raw(), table, name));
                    entries.push(Entry { key, value, source });
                }
                (None, None) => {}
            }
        }
    }

    /// What is set, else the default.
    fn value(&self, path: &str) -> Option<&Value> {
        let set = self.set.get(path).map(|(value, _)| value);
        set.or_else(|| keys::find(path).and_then(|key| key.default.as_ref()))
    }

    fn duration(&self, path: &str) -> Option<Duration> {
        match self.value(path) {
            Some(Value::Duration(duration)) => Some(*duration),
            _ => None,
        }
    }

    fn flag(&self, path: &str) -> bool {
        matches!(self.value(path), Some(Value::Flag(true)))
    }

    fn whole(&self, path: &str) -> usize {
        match self.value(path) {
            Some(Value::Whole(number)) => usize::try_from(*number).unwrap_or_default(),
            _ => 0,
        }
    }
}

/// Walks through the tables once.
struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    set: BTreeMap<&'static str, (Value, usize)>,
    warnings: Vec<Warning>,
}

impl Reader<'_> {
    fn table(&mut self, table: &dyn TableLike, prefix: &str) -> Result<(), ConfigError> {
        for (name, item) in table.iter() {
            let key = join(prefix, name);
            let line = line_of(self.text, table, name);
            let refuse = |expected: String| ConfigError::value(self.path, line, &key, expected);
            let must_be_table = || refuse("must be a table".to_owned());
            if let Some(known) = keys::find(&key) {
                let value = item.as_value().ok_or_else(|| refuse(known.kind.rule()))?;
                let value = known.kind.read(value).map_err(refuse)?;
                self.set.insert(&known.path, (value, line));
            } else if key == "providers" || prefix == "providers" {
                let inner = item.as_table_like().ok_or_else(must_be_table)?;
                if prefix.is_empty() {
                    self.table(inner, &key)?;
                }
            } else if key == proxy::TOKENS {
                self.table(item.as_table_like().ok_or_else(must_be_table)?, &key)?;
            } else if prefix == proxy::TOKENS {
                proxy::check(item).map_err(refuse)?;
            } else if keys::is_table(&key) {
                self.table(item.as_table_like().ok_or_else(must_be_table)?, &key)?;
            } else {
                self.warnings.push(Warning::unknown(self.path, line, &key, keys::suggestion(&key)));
            }
        }
        Ok(())
    }
}

/// A key in dotted form, quoted where TOML wants quotes, so that `"a.b"` is not taken for `a.b`.
fn join(prefix: &str, name: &str) -> String {
    let name = toml_edit::Key::new(name);
    let name = name.display_repr();
    if prefix.is_empty() { name.into_owned() } else { format!("{prefix}.{name}") }
}

/// The line, from 1, on which a key of a parsed table stands.
fn line_of(text: &str, table: &dyn TableLike, name: &str) -> usize {
    let span = table.key(name).and_then(toml_edit::Key::span);
    line_at(text, span.map_or(0, |span| span.start))
}

/// The line, from 1, of a byte offset.
fn line_at(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    before.iter().filter(|&&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests;
