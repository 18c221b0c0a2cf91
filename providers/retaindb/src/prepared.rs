//! What was asked ahead for the next message of a session: slow answers about the user and the agent.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::audience::Audience;

/// Answers for the next message; each serves once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ahead {
    pub(crate) synthesis: Option<String>,
    pub(crate) model: Option<String>,
}

/// Sessions whose next message never came are forgotten beyond so many.
const SESSIONS: usize = 64;

#[derive(Default)]
pub(crate) struct Prepared(Mutex<State>);

#[derive(Default)]
struct State {
    /// Grows with each switch: what was asked for before it is not kept after it.
    generation: u64,
    ahead: HashMap<Audience, Ahead>,
}

impl Prepared {
    pub(crate) fn generation(&self) -> u64 {
        self.lock().generation
    }

    /// Keeps an answer, unless sessions were switched since the question.
    pub(crate) fn put(&self, who: &Audience, generation: u64, ahead: Ahead) {
        let mut state = self.lock();
        if state.generation != generation {
            return;
        }
        if state.ahead.len() >= SESSIONS {
            state.ahead.clear();
        }
        state.ahead.insert(who.clone(), ahead);
    }

    pub(crate) fn take(&self, who: &Audience) -> Ahead {
        self.lock().ahead.remove(who).unwrap_or_default()
    }

    /// Another session goes on: neither has anything ahead, nor what is being asked now.
    pub(crate) fn switch(&self, sessions: [&str; 2]) {
        let mut state = self.lock();
        state.generation += 1;
        state.ahead.retain(|who, _| !sessions.contains(&who.session.as_str()));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
