//! The settings of the curated memory.

use super::{Config, Value};

/// `display.memory_notifications`: what the user is told when the agent writes its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryNotifications {
    /// Nothing.
    Off,
    /// That it did.
    On,
    /// What it wrote.
    Verbose,
}

impl Config {
    /// `memory.memory_enabled`: `MEMORY.md` is kept and shown.
    #[must_use]
    pub fn memory_enabled(&self) -> bool {
        self.flag("memory.memory_enabled")
    }

    /// `memory.user_profile_enabled`: `USER.md` is kept and shown.
    #[must_use]
    pub fn user_profile_enabled(&self) -> bool {
        self.flag("memory.user_profile_enabled")
    }

    /// `memory.memory_in_groups`: `MEMORY.md` is used also where others read along.
    #[must_use]
    pub fn memory_in_groups(&self) -> bool {
        self.flag("memory.memory_in_groups")
    }

    /// `memory.user_profile_in_groups`: `USER.md` is used also where others read along.
    #[must_use]
    pub fn user_profile_in_groups(&self) -> bool {
        self.flag("memory.user_profile_in_groups")
    }

    /// `memory.memory_char_limit`: how many characters the entries of `MEMORY.md` have at most, together.
    #[must_use]
    pub fn memory_char_limit(&self) -> usize {
        self.whole("memory.memory_char_limit")
    }

    /// `memory.user_char_limit`: the same for `USER.md`.
    #[must_use]
    pub fn user_char_limit(&self) -> usize {
        self.whole("memory.user_char_limit")
    }

    /// `memory.write_approval`: writes of the agent wait for the user.
    #[must_use]
    pub fn write_approval(&self) -> bool {
        self.flag("memory.write_approval")
    }

    /// `display.memory_notifications`.
    #[must_use]
    pub fn memory_notifications(&self) -> MemoryNotifications {
        match self.value("display.memory_notifications") {
            Some(Value::Text(word)) if word == "off" => MemoryNotifications::Off,
            Some(Value::Text(word)) if word == "verbose" => MemoryNotifications::Verbose,
            _ => MemoryNotifications::On,
        }
    }
}
