//! What a session has once for the user alone, and once for all who read along.

use std::sync::OnceLock;

use hermes_provider_api::records::{ChatKind, Scope};

/// What is made once, and again where others read along: they may be shown less.
#[derive(Debug)]
pub(super) struct ForAudience<T> {
    private: OnceLock<T>,
    group: OnceLock<T>,
}

impl<T> Default for ForAudience<T> {
    fn default() -> Self {
        Self { private: OnceLock::new(), group: OnceLock::new() }
    }
}

impl<T> ForAudience<T> {
    pub(super) fn of(&self, audience: &Scope) -> &OnceLock<T> {
        if audience.chat_kind == ChatKind::Private { &self.private } else { &self.group }
    }
}
