//! The settings of the archive of sessions.

use super::Config;

impl Config {
    /// `sessions.index`: what is recorded is entered into the index.
    #[must_use]
    pub fn sessions_index(&self) -> bool {
        self.flag("sessions.index")
    }

    /// `sessions.index_tool_chars`: so many bytes of a tool's result, and of what it was called with, are in it.
    #[must_use]
    pub fn sessions_index_tool_chars(&self) -> usize {
        self.whole("sessions.index_tool_chars")
    }

    /// `sessions.typos`: misspelt words are found.
    #[must_use]
    pub fn sessions_typos(&self) -> bool {
        self.flag("sessions.typos")
    }
}
