//! Vectors for facts that have none: batch after batch on a thread of its own, by one process at a time.
//!
//! Each batch is kept at once, so an end at any moment costs no more than the batch that is on its way.

use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_provider_api::ErrorKind;
use hermes_text::truncate_chars;

use super::probes::PROBES;
use super::table::{self, Waiting};
use super::vector::Vector;
use super::{Embedded, Shared};
use crate::error::{Error, Result};

/// How many facts are sent at once.
const BATCH: usize = 32;
/// Of a longer fact the beginning says what it is about, and models read no more than some hundred words.
const MAX_CHARS: usize = 2000;
/// How long a batch may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked whether another process wrote facts, or let go of the work.
const LOOK_AGAIN: Duration = Duration::from_secs(30);
/// So many texts in a row that the model cannot take are no accident.
const ODD_TEXTS: usize = 3;

/// Starts the thread. Without one, facts are found by words.
pub(super) fn spawn(shared: &Arc<Shared>) {
    let own = Arc::clone(shared);
    if let Err(error) = std::thread::Builder::new().name("semantic".to_owned()).spawn(move || own.work()) {
        tracing::warn!(%error, "no thread: facts are found by words alone");
    }
}

impl Shared {
    fn work(&self) {
        loop {
            {
                let mut state = self.lock();
                state.running = false;
                self.changed.notify_all();
                let pause = state.pause.as_ref().map(|pause| pause.until.saturating_duration_since(Instant::now()));
                let wait = pause.filter(|pause| !pause.is_zero());
                // During a pause work may come, and waits with it.
                let idle = |state: &mut super::State| !state.stopping && (wait.is_some() || !state.work);
                let (mut state, _) = self
                    .changed
                    .wait_timeout_while(state, wait.unwrap_or(LOOK_AGAIN), idle)
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                if state.stopping {
                    return;
                }
                (state.running, state.work) = (true, false);
            }
            if let Err(error) = self.fill() {
                tracing::debug!(%error, "vectors wait");
            }
        }
    }

    /// Goes through all facts once.
    fn fill(&self) -> Result<()> {
        if self.paused().is_some() {
            return Ok(());
        }
        let place = self.model().inspect_err(|error| self.rest(error))?;
        let Some(_alone) = self.alone()? else { return Ok(()) };
        let renew = std::mem::take(&mut self.lock().renew);
        if renew {
            self.lock().refused.clear();
        }
        let mut model = self.store.read(|db| table::newest(db, &place.name))?.filter(|_| !renew);
        let (mut after, mut batch, mut odd) = (0, BATCH, 0);
        while !self.lock().stopping {
            let waiting = self.store.read(|db| table::waiting(db, model.unwrap_or(-1), after, batch))?;
            let Some(last) = waiting.last() else { return Ok(()) };
            let next = last.id;
            let waiting = self.not_refused(waiting);
            if waiting.is_empty() {
                after = next;
                continue;
            }
            let texts = waiting.iter().map(|fact| truncate_chars(&fact.content, MAX_CHARS).to_owned()).collect();
            match self.embed(texts, PATIENCE) {
                Ok(found) => {
                    let kept = Some(self.keep(&waiting, &found)?);
                    // Of another model than those that were passed over: from the beginning.
                    after = if kept == model { next } else { 0 };
                    (model, batch, odd) = (kept, (batch * 2).min(BATCH), 0);
                }
                // One of them is too much for the model: the odd one is looked for, and left out.
                Err(error) if error.kind == ErrorKind::InvalidInput && batch > 1 => batch /= 2,
                Err(error) if error.kind == ErrorKind::InvalidInput && odd < ODD_TEXTS => {
                    tracing::warn!(%error, fact = next, "the model cannot take this fact: it is found by words alone");
                    self.refuse(&waiting);
                    (after, odd) = (next, odd + 1);
                }
                // `embed` has noted that the model failed; of odd texts it has not.
                Err(error) if error.kind == ErrorKind::InvalidInput => {
                    self.rest(&error);
                    return Err(error.into());
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn not_refused(&self, mut waiting: Vec<Waiting>) -> Vec<Waiting> {
        let state = self.lock();
        waiting.retain(|fact| !state.refused.contains(&(fact.id, fact.digest)));
        waiting
    }

    fn refuse<'a>(&self, facts: impl IntoIterator<Item = &'a Waiting>) {
        self.lock().refused.extend(facts.into_iter().map(|fact| (fact.id, fact.digest)));
    }

    /// Keeps the vectors of a batch; answers the id of their model.
    fn keep(&self, waiting: &[Waiting], found: &Embedded) -> Result<i64> {
        let numbers = found.vectors.first().map_or(&[] as &[f32], Vec::as_slice);
        let dimensions = Vector::new(numbers).map_or(0, |vector| vector.len());
        let known = self.store.read(|db| table::model(db, &found.model, dimensions))?;
        let probes = match known {
            Some(_) => Vec::new(),
            None => {
                let neutral = self.embed(PROBES.map(str::to_owned).to_vec(), PATIENCE)?;
                neutral.vectors.iter().filter_map(|numbers| Vector::new(numbers)).collect()
            }
        };
        let pairs = || waiting.iter().zip(&found.vectors).map(|(fact, numbers)| (fact, Vector::new(numbers)));
        self.refuse(pairs().filter(|(_, vector)| vector.is_none()).map(|(fact, _)| fact));
        self.store.write(|db| {
            let model = match &known {
                Some(model) => model.id,
                None => table::add_model(db, &found.model, &probes)?,
            };
            for (fact, vector) in pairs() {
                if let Some(vector) = vector {
                    table::save(db, model, fact, &vector)?;
                }
            }
            Ok(model)
        })
    }

    /// Held by the process that is at it; None while another one is.
    fn alone(&self) -> Result<Option<File>> {
        let path = self.host.data_dir()?.join("semantic.lock");
        let file = File::create(&path).map_err(Error::file(&path))?;
        Ok(file.try_lock().is_ok().then_some(file))
    }
}
