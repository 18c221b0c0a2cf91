//! The memory of a home while it is open, shared by the clients that are connected.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_provider_api::records::{Context, Scope};

use super::Hints;
use crate::error::Failure;
use crate::open::{Closed, OpenMemory, Surroundings};
use crate::outbox::Lost;
use crate::turn::Session;

/// An open memory and the sessions that are held in it.
pub(super) struct Running {
    pub(super) open: OpenMemory,
    pub(super) surroundings: Surroundings,
    pub(super) hints: Hints,
    /// Each is told once by the memory, and every time by a status.
    lost: Mutex<Vec<Lost>>,
    /// Those that are not over, by their id.
    sessions: Mutex<HashMap<String, Arc<Session>>>,
}

impl Running {
    /// Opens the memory of the home.
    pub(super) fn open(surroundings: Surroundings, hints: Hints) -> Result<Self, Failure> {
        let open = surroundings.memory()?;
        open.notes.iter().for_each(|note| tracing::info!(note, "opened"));
        open.remarks().iter().for_each(|remark| tracing::warn!(remark, "the memory files"));
        let (lost, sessions) = Default::default();
        Ok(Self { open, surroundings, hints, lost, sessions })
    }

    /// An id that no session had before: two clients of one home may connect at the same moment, to one server or to two.
    pub(super) fn new_id(&self) -> String {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        format!("mcp-{}-{}-{number}", self.surroundings.clock.now(), std::process::id())
    }

    /// Begins a session, or goes on with one of an earlier memory.
    pub(super) fn session(&self, id: String) -> Arc<Session> {
        let session = Arc::new(self.open.memory.session(id, Scope::default(), Context::Primary));
        lock(&self.sessions).insert(session.id().to_owned(), Arc::clone(&session));
        session
    }

    /// Ends a session whose client is gone. A second time nothing happens.
    pub(super) fn leave(&self, session: &Session) {
        if let Err(error) = session.end() {
            tracing::warn!(%error, "the end of a session");
        }
        // Not before: whoever closes the memory meanwhile waits for this end.
        lock(&self.sessions).remove(session.id());
    }

    /// What did not reach the provider and was given up.
    pub(super) fn lost(&self, more: Vec<Lost>) -> Vec<Lost> {
        let mut lost = lock(&self.lost);
        lost.extend(more);
        lost.extend(self.open.memory.take_lost());
        lost.clone()
    }

    /// Ends the sessions, delivers what is left, and closes the provider; all within the limits of the settings.
    pub(super) fn end(&self) -> Closed {
        let sessions: Vec<_> = lock(&self.sessions).values().cloned().collect();
        sessions.iter().for_each(|session| self.leave(session));
        self.open.close()
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
