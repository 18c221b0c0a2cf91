//! Facts found by what they mean, with an embedding model of the user's, beside those found by their words. Off until
//! the user turns it on.
//!
//! | file | what it does |
//! |---|---|
//! | `vector` | a vector as it is kept: a byte a number |
//! | `table` | the rows: one vector a fact, of one model |
//! | `fill` | vectors for facts that have none, in the background |
//! | `nearest` | the facts nearest to a question |
//! | `fuse` | two rankings made one |
//! | `rerank` | the order of the best, by a chat model |
//!
//! Words never wait for it: a question is embedded within a part of the call's deadline, and when the model is slow,
//! away or paused, the words alone answer.

mod fill;
mod fuse;
mod nearest;
mod probes;
mod rerank;
mod table;
mod vector;

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_provider_api::host::ModelPlace;
use hermes_provider_api::{Call, ErrorKind, Host, ProviderError};

use crate::config::Settings;
use crate::error::Result;
use crate::search::Hit;
use crate::store::Store;

pub(crate) use fuse::fuse;
pub(crate) use nearest::nearest;
pub(crate) use rerank::RERANKED;
pub(crate) use table::{TABLES, forget};
pub(crate) use vector::Question;

/// How long a model that failed is left alone, at first and at the most.
const FIRST_PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_secs(600);
/// A question is not waited for longer than this, nor longer than half of what is left of its call.
const PATIENCE: Duration = Duration::from_secs(3);
/// A call with less than this left goes on with words at once.
const TOO_LATE: Duration = Duration::from_millis(40);
/// How long the end waits for a batch that is on its way, at the most.
const FAREWELL: Duration = Duration::from_secs(2);

/// What finds by meaning; of a provider that does not, it does nothing.
pub(crate) struct Semantic {
    shared: Option<Arc<Shared>>,
    host: Host,
    rerank: bool,
}

/// What the hooks and the thread in the background have in common.
struct Shared {
    host: Host,
    store: Arc<Store>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The model that the user set up.
    model: Option<ModelPlace>,
    /// There may be facts without vectors.
    work: bool,
    /// The vectors are of another model than the one that answers.
    renew: bool,
    /// What the model could not take, by fact and digest of its text: it would refuse them again, at a price.
    refused: HashSet<(i64, i64)>,
    /// The thread is at it.
    running: bool,
    stopping: bool,
    /// The model failed: why, until when it is left alone, and for how long.
    pause: Option<Pause>,
}

#[derive(Clone)]
struct Pause {
    why: String,
    until: Instant,
    length: Duration,
}

impl Semantic {
    /// Begins to fill in what is missing, if the settings want it.
    pub(crate) fn begin(host: &Host, store: &Arc<Store>, settings: &Settings) -> Self {
        let shared = settings.semantic.then(|| {
            let state = State { work: true, ..State::default() };
            let (host, store) = (host.clone(), Arc::clone(store));
            let shared = Arc::new(Shared { host, store, state: Mutex::new(state), changed: Condvar::new() });
            fill::spawn(&shared);
            shared
        });
        Self { shared, host: host.clone(), rerank: settings.rerank }
    }

    /// Says that facts may have changed.
    pub(crate) fn wake(&self) {
        if let Some(shared) = &self.shared {
            shared.lock().work = true;
            shared.changed.notify_all();
        }
    }

    /// What a question means. None where nothing is found by meaning, or not now: words will do.
    pub(crate) fn question(&self, text: &str, call: &Call<'_>) -> Option<Question> {
        let shared = self.shared.as_ref()?;
        let half = call.remaining().map_or(PATIENCE, |left| left / 2);
        if shared.paused().is_some() || half < TOO_LATE || !shared.store.read(table::any).unwrap_or(false) {
            return None;
        }
        let mut found = shared.embed(vec![text.to_owned()], half.min(PATIENCE)).ok()?;
        let question = Question::new(found.model, &found.vectors.pop()?)?;
        let known = shared.store.read(|db| table::model(db, &question.model, question.vector.len())).ok()?;
        if known.is_none() {
            // Another model answers by this name: its vectors have to be made first.
            shared.lock().renew = true;
            self.wake();
        }
        known.map(|_| question)
    }

    /// The best in the order of the chat model, if there is one and it answers in time.
    pub(crate) fn reranked(&self, question: &str, hits: Vec<Hit>, call: &Call<'_>) -> Vec<Hit> {
        if self.rerank { rerank::reranked(&self.host, question, hits, call) } else { hits }
    }

    /// Whether the order of the best is asked for.
    pub(crate) fn reranks(&self) -> bool {
        self.rerank
    }

    /// How far it is, for a report: behind `; `, or empty when it is off.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn progress(&self) -> Result<String> {
        let Some(shared) = &self.shared else { return Ok(String::new()) };
        let Ok(ModelPlace { name, host }) = shared.model() else { return Ok(String::new()) };
        let (done, all) = shared.store.read(|db| table::progress(db, &name))?;
        Ok(format!("; {done} of {all} found by meaning, with `{name}` at {host}"))
    }

    /// Where facts are sent, to be embedded or put in order.
    pub(crate) fn places(&self) -> Vec<String> {
        let embedding = self.shared.as_ref().and_then(|shared| shared.model().ok());
        let chat = if self.rerank { self.host.models().ok().and_then(|models| models.chat) } else { None };
        let mut places: Vec<String> = embedding.into_iter().chain(chat).map(|place| place.host).collect();
        places.dedup();
        places
    }

    /// Why it does not work now, for a person; None when it does, or is off.
    pub(crate) fn trouble(&self) -> Option<String> {
        let shared = self.shared.as_ref()?;
        let why = shared.paused().map(|pause| pause.why)?;
        Some(format!("facts are found by words alone: {why}"))
    }

    /// Tries the model, so that a report tells how it is now.
    pub(crate) fn try_out(&self, call: &Call<'_>) {
        if let Some(shared) = &self.shared {
            let limit = call.remaining().map_or(PATIENCE, |left| (left / 2).min(PATIENCE));
            // What is wrong is kept in the state.
            let _ = shared.embed(vec!["health".to_owned()], limit);
        }
    }

    /// Ends the work in the background; a batch that is on its way may still be kept.
    pub(crate) fn end(&self, call: &Call<'_>) {
        let Some(shared) = &self.shared else { return };
        let wait = call.remaining().map_or(FAREWELL, |left| (left / 2).min(FAREWELL));
        shared.stop();
        let state = shared.lock();
        let _ = shared.changed.wait_timeout_while(state, wait, |state| state.running);
    }
}

impl Drop for Semantic {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            shared.stop();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        self.lock().stopping = true;
        self.changed.notify_all();
    }

    /// The pause that is not over.
    fn paused(&self) -> Option<Pause> {
        self.lock().pause.clone().filter(|pause| Instant::now() < pause.until)
    }

    /// The model that the user set up, asked for once.
    fn model(&self) -> Result<ModelPlace, ProviderError> {
        if let Some(model) = &self.lock().model {
            return Ok(model.clone());
        }
        let found = self.host.models()?.embedding.ok_or_else(|| {
            ProviderError::new(ErrorKind::NotFound, "no embedding model is set up")
                .hint("`hermes config set model.embedding NAME`")
        })?;
        self.lock().model = Some(found.clone());
        Ok(found)
    }

    /// Has texts embedded, and keeps in mind how it went.
    fn embed(&self, texts: Vec<String>, limit: Duration) -> Result<Embedded, ProviderError> {
        let millis = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        match self.host.embed(texts, Some(millis)) {
            Ok(found) => {
                self.lock().pause = None;
                Ok(Embedded { model: found.model, vectors: found.vectors })
            }
            // One text that the model cannot take says nothing of the next.
            Err(error) if error.kind == ErrorKind::InvalidInput => Err(error),
            Err(error) => {
                self.rest(&error);
                Err(error)
            }
        }
    }

    /// Leaves the model alone for a while, and says so the first time.
    fn rest(&self, error: &ProviderError) {
        let mut state = self.lock();
        let before = state.pause.as_ref().map(|pause| pause.length);
        if before.is_none() {
            tracing::warn!(%error, "facts are found by words alone until the model answers again");
        }
        let asked = error.retry_after.map(Duration::from_secs);
        let length = asked.unwrap_or_else(|| before.map_or(FIRST_PAUSE, |before| before * 2)).min(LONGEST_PAUSE);
        let hint = error.hint.as_ref().map_or_else(String::new, |hint| format!(" ({hint})"));
        let why = format!("{}{hint}", error.message);
        state.pause = Some(Pause { why, until: Instant::now() + length, length });
    }
}

/// Vectors of one model.
struct Embedded {
    model: String,
    vectors: Vec<Vec<f32>>,
}
