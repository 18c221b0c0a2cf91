//! What the search does, by the settings.

use crate::config::Config;

/// The settings of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `sessions.index`: messages are entered into the index.
    pub index: bool,
    /// `sessions.index_tool_chars`: so many bytes of a tool's result, and of what it was called with, are searched.
    pub index_tool_chars: usize,
    /// `sessions.typos`: rare and unknown words are also taken for misspellings.
    pub typos: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self::from(&Config::default())
    }
}

impl From<&Config> for Settings {
    fn from(config: &Config) -> Self {
        Self {
            index: config.sessions_index(),
            index_tool_chars: config.sessions_index_tool_chars(),
            typos: config.sessions_typos(),
        }
    }
}

impl Settings {
    /// As the index keeps it.
    pub(super) fn tool_chars(&self) -> i64 {
        i64::try_from(self.index_tool_chars).unwrap_or(i64::MAX)
    }
}
