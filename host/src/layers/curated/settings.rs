//! The two files, their limits, and how full they are.

use std::fmt;

use hermes_provider_api::records::{ChatKind, MemoryTarget, Scope};
use serde::{Deserialize, Serialize};

use crate::config::{Config, MemoryNotifications};

/// A memory file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// `MEMORY.md`: what the agent notes for itself.
    Memory,
    /// `USER.md`: what it knows of the user.
    User,
}

impl Target {
    /// Both, in the order in which a model is given them.
    pub const ALL: [Self; 2] = [Self::Memory, Self::User];

    /// The word in calls of the tool and at the command line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::User => "user",
        }
    }

    /// The name of the file.
    #[must_use]
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Memory => "MEMORY.md",
            Self::User => "USER.md",
        }
    }

    /// The setting that turns it on and off.
    #[must_use]
    pub const fn switch(self) -> &'static str {
        match self {
            Self::Memory => "memory.memory_enabled",
            Self::User => "memory.user_profile_enabled",
        }
    }

    /// The setting that has it used where others read along.
    #[must_use]
    pub const fn switch_in_groups(self) -> &'static str {
        match self {
            Self::Memory => "memory.memory_in_groups",
            Self::User => "memory.user_profile_in_groups",
        }
    }

    /// What it is called in the system prompt.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Memory => "MEMORY (your personal notes)",
            Self::User => "USER PROFILE (who the user is)",
        }
    }
}

impl From<Target> for MemoryTarget {
    fn from(target: Target) -> Self {
        match target {
            Target::Memory => Self::Memory,
            Target::User => Self::User,
        }
    }
}

/// Whether a file is used, and how long its entries may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// It is shown to the model and can be written.
    pub on: bool,
    /// That is so also where others than the user read along.
    pub in_groups: bool,
    /// How many characters its entries have at most, the separators counted.
    pub chars: usize,
}

/// How the curated memory is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `MEMORY.md`.
    pub memory: Limits,
    /// `USER.md`.
    pub user: Limits,
    /// Every write but the user's own waits for approval.
    pub write_approval: bool,
    /// What the user is told of writes.
    pub notifications: MemoryNotifications,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            memory: Limits { on: true, in_groups: true, chars: 2200 },
            user: Limits { on: true, in_groups: false, chars: 1375 },
            write_approval: false,
            notifications: MemoryNotifications::On,
        }
    }
}

impl From<&Config> for Settings {
    fn from(config: &Config) -> Self {
        let (on, in_groups) = (config.memory_enabled(), config.memory_in_groups());
        let memory = Limits { on, in_groups, chars: config.memory_char_limit() };
        let (on, in_groups) = (config.user_profile_enabled(), config.user_profile_in_groups());
        Self {
            memory,
            user: Limits { on, in_groups, chars: config.user_char_limit() },
            write_approval: config.write_approval(),
            notifications: config.memory_notifications(),
        }
    }
}

impl Settings {
    /// Those of one file.
    #[must_use]
    pub const fn of(&self, target: Target) -> Limits {
        match target {
            Target::Memory => self.memory,
            Target::User => self.user,
        }
    }

    /// Whether a file may be shown to an audience at all, used or not.
    #[must_use]
    pub fn is_for(&self, target: Target, audience: &Scope) -> bool {
        self.of(target).in_groups || audience.chat_kind == ChatKind::Private
    }

    /// The files that are in use before this audience.
    pub fn targets(&self, audience: &Scope) -> impl Iterator<Item = Target> {
        Target::ALL.into_iter().filter(|target| self.of(*target).on && self.is_for(*target, audience))
    }
}

/// How full a file is. Displays as `12% — 264/2,200 chars`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Characters of the entries and what separates them.
    pub used: usize,
    /// How many there may be.
    pub limit: usize,
}

impl Usage {
    /// From this share on, in percent, whoever writes is warned.
    const FULL: usize = 80;

    /// Whole percent, at most 100: in floating point, as the reference counts, so that 638 of 2,200 are 28 for both.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the rest of a percent is what is cut off")]
    pub fn percent(self) -> usize {
        if self.used >= self.limit { 100 } else { (self.used as f64 / self.limit as f64 * 100.0) as usize }
    }

    /// Whether it is time to make room.
    #[must_use]
    pub fn is_nearly_full(self) -> bool {
        self.percent() >= Self::FULL
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}% — {}/{} chars", self.percent(), grouped(self.used), grouped(self.limit))
    }
}

/// `1234567` as `1,234,567`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_told_as_the_reference_tells_it() {
        let told = |used: usize, limit: usize| Usage { used, limit }.to_string();
        assert_eq!(told(9, 2200), "0% — 9/2,200 chars");
        assert_eq!(told(1_234_567, 1375), "100% — 1,234,567/1,375 chars");
        assert_eq!(told(638, 2200), "28% — 638/2,200 chars");
        assert!(Usage { used: 80, limit: 100 }.is_nearly_full() && !Usage { used: 79, limit: 100 }.is_nearly_full());
    }
}
