//! The names of the interfaces and hooks of ABI major 1.
//!
//! A name never changes its meaning. What changes is a new interface with a new id beside the old one; a host asks for
//! those that it knows, and a plugin has what its manifest lists.

use std::time::Duration;

macro_rules! hooks {
    ($($(#[$doc:meta])* $interface:ident $id:literal {
        $($(#[$hook_doc:meta])* $hook:ident $name:literal),+ $(,)?
    })+) => {
        /// A table of hooks that a plugin may have.
        ///
        /// ```
        /// use hermes_provider_api::Interface;
        ///
        /// assert_eq!(Interface::Prefetch.id(), "hermes.prefetch/1");
        /// assert_eq!(Interface::from_id("hermes.prefetch/2"), None);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Interface {
            $($(#[$doc])* $interface,)+
        }

        impl Interface {
            /// All of them, [`Interface::Core`] first.
            pub const ALL: &'static [Self] = &[$(Self::$interface),+];

            /// The id in the metadata, with its revision.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Self::$interface => $id,)+ }
            }

            /// The interface with this id, if this side knows it.
            #[must_use]
            pub fn from_id(id: &str) -> Option<Self> {
                match id { $($id => Some(Self::$interface),)+ _ => None }
            }
        }

        /// One function of an interface.
        ///
        /// ```
        /// use hermes_provider_api::{Hook, Interface};
        ///
        /// assert_eq!(Hook::SyncTurn.interface(), Interface::Sync);
        /// assert!(Hook::SyncTurn.writes() && !Hook::Prefetch.writes());
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Hook {
            $($($(#[$hook_doc])* $hook,)+)+
        }

        impl Hook {
            /// All of them, grouped by interface.
            pub const ALL: &'static [Self] = &[$($(Self::$hook,)+)+];

            /// Its name, as in the trait and on the wire.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $($(Self::$hook => $name,)+)+ }
            }

            /// The interface that it belongs to.
            #[must_use]
            pub const fn interface(self) -> Interface {
                match self { $($(Self::$hook => Interface::$interface,)+)+ }
            }

            /// The hook with this name, if this side knows it.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($($name => Some(Self::$hook),)+)+ _ => None }
            }
        }
    };
}

hooks! {
    /// Opening, health, the system prompt and the end. Every plugin has it, named or not.
    Core "hermes.core/1" {
        /// Why the provider cannot work as configured.
        UnavailableReason "unavailable_reason",
        /// Static text for the system prompt.
        SystemPromptBlock "system_prompt_block",
        /// Tries whether it works now.
        Health "health",
        /// Finishes what was begun.
        Shutdown "shutdown",
        /// Drops the instance.
        Close "close",
    }
    /// Recall before the model is asked. The heart of most providers: without it nothing is attached to a message, and
    /// the model learns what is stored only through [`Interface::Tools`].
    Prefetch "hermes.prefetch/1" {
        /// Finds what is worth knowing.
        Prefetch "prefetch",
        /// Prepares the next prefetch.
        QueuePrefetch "queue_prefetch",
        /// What the index is doing.
        RecallStatus "recall_status",
    }
    /// Finished turns, whole and in order, for a provider that learns from what is said.
    ///
    /// Leave it out where only explicit facts are kept: what is not sent cannot leak.
    Sync "hermes.sync/1" {
        /// Takes a finished turn.
        SyncTurn "sync_turn",
    }
    /// Writes of the curated memory, the agent's own short notes, for a provider that mirrors them.
    MemoryWrite "hermes.memory_write/1" {
        /// Takes a committed write.
        OnMemoryWrite "on_memory_write",
    }
    /// The life of a session: beginnings of turns, ends, switches, summaries and subagents. All of them are called where
    /// this is listed; those that do not matter keep their defaults.
    Session "hermes.session/1" {
        /// A turn begins.
        OnTurnStart "on_turn_start",
        /// A session is over.
        OnSessionEnd "on_session_end",
        /// Another session goes on.
        OnSessionSwitch "on_session_switch",
        /// The window will be compressed.
        OnPreCompress "on_pre_compress",
        /// A subagent has finished.
        OnDelegation "on_delegation",
    }
    /// Tools for the model, which it calls by itself when a recall is not enough.
    ///
    /// Few tools with clear descriptions: each is in every request to the model, and has to be paid for.
    Tools "hermes.tools/1" {
        /// The tools.
        ToolSchemas "tool_schemas",
        /// Runs one.
        CallTool "call_tool",
        /// Read, write or delete.
        ToolEffect "tool_effect",
    }
    /// Settings that are known only at run time, such as the projects of an account. Those of the
    /// [`Manifest`](crate::Manifest) need no interface.
    Setup "hermes.setup/1" {
        /// The fields.
        ConfigSchema "config_schema",
        /// Takes the answers.
        SaveConfig "save_config",
        /// What a backup should take.
        BackupPaths "backup_paths",
    }
    /// A user's explicit wish to keep something: `hermes memory remember`.
    Remember "hermes.remember/1" {
        /// Stores one text.
        Remember "remember",
    }
    /// Memories from elsewhere: an export of another memory.
    Import "hermes.import/1" {
        /// Takes a batch.
        Import "import",
    }
    /// Looking through the store, and deleting from it. What cannot be looked at is not trusted: have it wherever the
    /// store allows.
    Browse "hermes.browse/1" {
        /// Lists a page.
        ListEntries "list_entries",
        /// Deletes one.
        DeleteEntry "delete_entry",
    }
}

impl Hook {
    /// Whether the hook may change what the provider stores, so that only [`crate::Context::Primary`] may call it.
    ///
    /// A tool call depends on its [`crate::Effect`] and is not counted here.
    #[must_use]
    pub const fn writes(self) -> bool {
        matches!(
            self,
            Self::SyncTurn
                | Self::OnMemoryWrite
                | Self::OnSessionEnd
                | Self::OnSessionSwitch
                | Self::OnDelegation
                | Self::Remember
                | Self::Import
                | Self::DeleteEntry
        )
    }

    /// How long a host waits for an answer unless its user says otherwise. `network` is
    /// [`crate::Capabilities::uses_network`] of the provider: a recall may then wait for somebody else.
    ///
    /// ```
    /// use std::time::Duration;
    /// use hermes_provider_api::Hook;
    ///
    /// assert_eq!(Hook::Prefetch.deadline(false), Duration::from_secs(2));
    /// assert_eq!(Hook::Prefetch.deadline(true), Duration::from_secs(8));
    /// ```
    #[must_use]
    pub const fn deadline(self, network: bool) -> Duration {
        Duration::from_secs(match self {
            Self::Prefetch if network => 8,
            Self::Prefetch
            | Self::ToolSchemas
            | Self::ToolEffect
            | Self::UnavailableReason
            | Self::RecallStatus
            | Self::SystemPromptBlock => 2,
            Self::CallTool | Self::Remember | Self::ListEntries | Self::DeleteEntry | Self::OnPreCompress => 30,
            Self::SyncTurn
            | Self::OnMemoryWrite
            | Self::OnSessionEnd
            | Self::OnSessionSwitch
            | Self::OnDelegation
            | Self::Import => 120,
            // Health, setup, shutdown, the small notices, and hooks that a later version adds.
            _ => 10,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_lead_back() {
        for &hook in Hook::ALL {
            assert_eq!(Hook::from_name(hook.name()), Some(hook));
            assert_eq!(Interface::from_id(hook.interface().id()), Some(hook.interface()));
        }
        assert_eq!(Hook::from_name("on_full_moon"), None);
    }
}
