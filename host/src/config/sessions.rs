//! The settings of the archive.

use std::time::Duration;

use super::Config;

impl Config {
    /// `sessions.enabled`: what is said is archived.
    #[must_use]
    pub fn sessions_enabled(&self) -> bool {
        self.flag("sessions.enabled")
    }

    /// `sessions.redact`: secrets are masked before they are archived.
    #[must_use]
    pub fn sessions_redacted(&self) -> bool {
        self.flag("sessions.redact")
    }

    /// `sessions.retention_days`: how long sessions that are over are kept; None for ever.
    #[must_use]
    pub fn sessions_retention(&self) -> Option<Duration> {
        let days = u64::try_from(self.whole("sessions.retention_days")).unwrap_or_default();
        (days > 0).then(|| Duration::from_secs(days * 86_400))
    }

    /// `sessions.auto_prune`: older ones are deleted without being asked.
    #[must_use]
    pub fn sessions_auto_prune(&self) -> bool {
        self.flag("sessions.auto_prune")
    }

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
