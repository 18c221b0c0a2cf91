//! The thread that delivers, and those who wait for it.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::entry::Entry;
use super::group::Group;
use super::retry::LONGEST_ASKED;
use super::store::{Claim, Claimed, Fate, Outcome, Store};
use super::{
    Arc, Clock, Db, Deliver, Delivery, DeliveryError, DrainReport, Lost, NotKept, Retry, RetryPolicy, UnixMillis,
};
use crate::db::DbError;
use crate::error::Failure;

/// How often the thread looks for what a process left that ended without a word.
const LOOK_AGAIN: Duration = Duration::from_secs(30);
/// How often it looks whether another process, which delivers what was left, is gone.
const ANOTHER_MAY_END: Duration = Duration::from_secs(1);
/// The same while somebody or something waits for it.
const ANOTHER_DELIVERS: Duration = Duration::from_millis(25);
/// How soon a wait notices that it is not wanted any more.
const NOTICE: Duration = Duration::from_millis(200);
/// How long the next try is waited for between two turns.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often it tries to write down what could not be written.
const SAVE_AGAIN: Duration = Duration::from_secs(1);
/// Hints are for the next moment.
const HINTS: usize = 32;
/// How much that could not be written down is kept in memory, bytes of payloads and of what is beside them.
const UNSAVED: usize = 64 << 20;

pub(super) struct Post {
    store: Store,
    group: Group,
    policy: RetryPolicy,
    clock: Clock,
    /// Nobody delivers in this process.
    keeps_only: bool,
    state: Mutex<State>,
    /// Held by whoever writes what could not be written: nothing of it is written twice.
    saving: Mutex<()>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    hints: VecDeque<Hint>,
    /// What was pushed here and is not known to have ended.
    mine: BTreeMap<i64, Mine>,
    /// Of the database that they are in.
    generation: u64,
    /// How many wait for the end of deliveries.
    drains: usize,
    unsaved: Vec<Entry>,
    save_again: Option<Instant>,
    delivering: bool,
    delivered: u64,
    lost: Vec<Lost>,
    /// Nothing can be done before this time, and why if the provider is left alone.
    stuck: Option<(UnixMillis, Option<String>)>,
    /// Nothing was left at the last look.
    empty: bool,
    /// Something came that the thread has not seen.
    news: bool,
    closed: bool,
    /// The thread delivers nothing more.
    ended: bool,
}

struct Mine {
    what: String,
    lanes: Vec<String>,
}

/// What a look at the deliveries of others showed.
#[derive(PartialEq, Eq)]
enum Seen {
    /// Some of what was pushed here is through: what waited for it may go.
    Changed,
    /// Some of it waits.
    Waits,
    /// There is none.
    Nothing,
}

/// A hint, and what goes before it.
struct Hint {
    delivery: Delivery,
    after: i64,
}

/// What a drain waits for, at the longest until its time is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// What was pushed here, and hints.
    AllDone,
    /// The same, or that nothing can be done in the time.
    DoneOrStuck,
    /// The same without hints: they are for a time that does not come any more.
    MustArriveDone,
    /// Everything for the provider.
    Empty,
}

impl Post {
    pub(super) fn new(db: Arc<Db>, provider: &str, policy: RetryPolicy, clock: Clock, keeps_only: bool) -> Self {
        let store = Store::new(db, provider, &policy, clock.clone());
        let (group, state, changed) = (Group::default(), Mutex::default(), Condvar::new());
        Self { store, group, policy, clock, keeps_only, state, saving: Mutex::default(), changed }
    }

    pub(super) fn push(&self, entries: Vec<Entry>) -> Result<(), NotKept> {
        let (mut kept, mut hints) = (Vec::new(), Vec::new());
        for entry in entries {
            match entry.hint() {
                Ok(hint) => hints.push(hint),
                Err(entry) => kept.push(entry),
            }
        }
        let result = if kept.is_empty() { Ok(()) } else { self.keep(kept) };
        if !hints.is_empty() && !self.keeps_only {
            let mut state = self.lock();
            let after = state.mine.last_key_value().map_or(0, |(id, _)| *id);
            state.hints.extend(hints.into_iter().map(|delivery| Hint { delivery, after }));
            let too_many = state.hints.len().saturating_sub(HINTS);
            state.hints.drain(..too_many);
            self.tell(state);
        }
        result
    }

    /// Writes entries down, or keeps them in memory in their order.
    fn keep(&self, entries: Vec<Entry>) -> Result<(), NotKept> {
        let what = entries.first().map(|entry| entry.what().to_owned()).unwrap_or_default();
        if self.keeps_only {
            // There is no thread that goes on trying.
            self.save_unsaved();
        }
        {
            let mut state = self.lock();
            // What comes later must not overtake what is not written yet, nor wait for the disk in vain.
            if !state.unsaved.is_empty() && !state.closed {
                state.keep_in_memory(entries);
                return Err(NotKept { what, reason: "nor could what was before it".to_owned(), lost: false });
            }
        }
        let saved = match self.lock().closed && !self.store.is_durable() {
            true => Err("hermes is ending".to_owned()),
            false => self.save(&entries),
        };
        let Err(reason) = saved else { return Ok(()) };
        tracing::error!(what, reason, "it could not be written down");
        let mut state = self.lock();
        let lost = state.closed;
        if lost {
            entries.iter().for_each(|entry| state.lose_unsaved(entry, &reason));
        } else {
            state.keep_in_memory(entries);
            state.save_again = Some(Instant::now() + SAVE_AGAIN);
            self.tell(state);
        }
        Err(NotKept { what, reason, lost })
    }

    fn save(&self, entries: &[Entry]) -> Result<(), String> {
        self.group.put(&self.store, entries.to_vec(), |entries, rows| {
            let mut state = self.lock();
            state.notice_database(self.store.generation());
            for (row, entry) in rows.iter().zip(entries) {
                if let (Some(id), Entry::Delivery(Delivery { what, lanes, .. })) = (row, entry) {
                    state.mine.insert(*id, Mine { what: what.clone(), lanes: lanes.clone() });
                    state.empty = false;
                }
            }
        })?;
        self.tell(self.lock());
        Ok(())
    }

    pub(super) fn last_turn(&self, session: &str) -> Result<u64, DbError> {
        // First what may move into the database meanwhile.
        let unsaved = {
            let state = self.lock();
            let turns = state.unsaved.iter().filter_map(Entry::turn);
            turns.filter(|turn| turn.session == session).map(|turn| turn.number).max()
        };
        Ok(self.store.last_turn(session)?.max(unsaved.unwrap_or_default()))
    }

    pub(super) fn take_lost(&self) -> Vec<Lost> {
        std::mem::take(&mut self.lock().lost)
    }

    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        self.tell(state);
    }

    pub(super) fn drain(&self, timeout: Duration, until: Until) -> DrainReport {
        self.drain_while(timeout, until, &|| true)
    }

    pub(super) fn drain_while(&self, timeout: Duration, until: Until, is_wanted: &dyn Fn() -> bool) -> DrainReport {
        let deadline = Instant::now() + timeout;
        let at_end = until == Until::MustArriveDone;
        if self.keeps_only {
            self.save_now();
        }
        let mut state = self.lock();
        if at_end {
            state.hints.clear();
            state.save_again = state.save_again.map(|_| Instant::now());
        }
        state.drains += 1;
        state.news = true;
        self.changed.notify_all();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // Between two turns, a provider that is tried later is not waited for, nor a disk that is full.
            let between = until == Until::DoneOrStuck;
            let patience = if between { left.min(PATIENCE) } else { left };
            let in_vain = until != Until::AllDone && (self.keeps_only || state.is_stuck(self.clock.now(), patience));
            let unwritten = between && !state.unsaved.is_empty();
            if state.is_done(until) || state.closed || left.is_zero() || in_vain || unwritten || !is_wanted() {
                break;
            }
            state = self.changed.wait_timeout(state, left.min(NOTICE)).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.drains -= 1;
        if at_end && !state.unsaved.is_empty() {
            drop(state);
            self.save_now();
            state = self.lock();
        }
        let held = state.stuck.as_ref().and_then(|(_, held)| held.clone());
        let unsaved = state.unsaved.iter().map(|entry| entry.what().to_owned());
        let mut waiting: Vec<_> = state.mine.values().map(|mine| mine.what.clone()).chain(unsaved).collect();
        if until == Until::Empty && !state.empty {
            // The database is never waited for under this lock.
            drop(state);
            waiting = self.store.open_whats().unwrap_or(waiting);
            state = self.lock();
        }
        if at_end {
            let reason = "it could not be written down, and hermes is ending";
            let kept = if self.store.is_durable() { state.mine.len() } else { 0 };
            let written = waiting.len() - state.unsaved.len();
            waiting.truncate(written);
            waiting.drain(kept..).for_each(|what| state.lose(what, reason.to_owned(), false));
            state.unsaved.clone().iter().for_each(|entry| state.lose_unsaved(entry, reason));
        }
        DrainReport { delivered: state.delivered, waiting, held, lost: std::mem::take(&mut state.lost) }
    }

    /// The loop of the thread: ends when the outbox is closed.
    pub(super) fn work(&self, deliver: &dyn Deliver) {
        if let Err(error) = self.store.try_again() {
            let pause = self.failed(error);
            self.sleep(pause);
        }
        while let Some(pause) = self.step(deliver) {
            self.sleep(pause);
        }
        if let Err(error) = self.store.release() {
            tracing::debug!(%error, "the next who delivers waits until the lease is over");
        }
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// Waits for the delivery that was under way when this was closed: cut off, it may be stored and come a second time.
    pub(super) fn finish(&self, timeout: Duration) {
        let going_on = |state: &mut State| state.closed && !state.ended && !self.keeps_only;
        let ended = self.changed.wait_timeout_while(self.lock(), timeout, going_on);
        drop(ended.unwrap_or_else(PoisonError::into_inner));
    }

    /// Does one thing. Answers how long there is nothing to do, unless news come; None at the end.
    fn step(&self, deliver: &dyn Deliver) -> Option<Duration> {
        {
            let mut state = self.lock();
            if state.closed {
                return None;
            }
            state.news = false;
            state.notice_database(self.store.generation());
            if let Some(hint) = state.next_hint() {
                state.delivering = true;
                drop(state);
                if let Err(error) = attempt(deliver, &hint) {
                    tracing::debug!(what = hint.what, %error, "a hint did not arrive");
                }
                self.lock().delivering = false;
                self.changed.notify_all();
                return Some(Duration::ZERO);
            }
        }
        let save_again = self.save_unsaved();
        let pause = match self.store.claim(|kind| deliver.limit(kind)) {
            Ok(Claim::Row(row)) => self.carry(deliver, *row),
            Ok(Claim::Wait { until, held }) => {
                self.rest(Some((until, held)), false);
                match self.others_delivered() {
                    Seen::Changed => Duration::ZERO,
                    _ => Duration::from_millis(until.saturating_sub(self.clock.now()).max(1)).min(LOOK_AGAIN),
                }
            }
            Ok(Claim::Taken) => {
                self.rest(None, false);
                match self.others_delivered() {
                    Seen::Changed => Duration::ZERO,
                    Seen::Nothing | Seen::Waits if self.lock().is_at_ease() => ANOTHER_MAY_END,
                    Seen::Nothing | Seen::Waits => ANOTHER_DELIVERS,
                }
            }
            Ok(Claim::Nothing) => {
                self.rest(None, true);
                if self.others_delivered() == Seen::Changed { Duration::ZERO } else { LOOK_AGAIN }
            }
            Err(error) => self.failed(error),
        };
        Some(save_again.map_or(pause, |again| again.min(pause)))
    }

    /// Makes one try. Answers how long to wait before the next of anything.
    fn carry(&self, deliver: &dyn Deliver, row: Claimed) -> Duration {
        let generation = self.store.generation();
        {
            let mut state = self.lock();
            (state.delivering, state.stuck) = (true, None);
        }
        let result = attempt(deliver, &row.delivery);
        if result.is_err() && self.lock().closed {
            // The provider was closed under it. The next who delivers tries again, with the same key.
            return Duration::ZERO;
        }
        let Claimed { id, failures, tries, delivery } = row;
        let error = result.as_ref().err().map(|error| error.message.as_str()).unwrap_or_default();
        let dead = Outcome::Dead { error };
        let outcome = match result.as_ref().map_err(|error| error.retry) {
            Ok(()) => Outcome::Arrived,
            Err(Retry::Never) => dead,
            Err(Retry::Counted) if failures + 1 >= self.policy.tries => dead,
            Err(retry @ (Retry::Counted | Retry::Down)) => {
                Outcome::Later { wait: self.policy.wait(tries), counted: retry == Retry::Counted, error }
            }
            Err(Retry::Hold(asked)) => {
                let refusals = self.store.refusals().unwrap_or_default();
                let wait = asked.map_or_else(|| self.policy.wait(refusals), |wait| wait.min(LONGEST_ASKED));
                Outcome::Hold { wait, asked: asked.is_some(), error }
            }
            Err(Retry::Until(until)) => Outcome::Hold { wait: self.until(until), asked: false, error },
            Err(Retry::NotBefore(until)) => Outcome::Later { wait: self.until(until), counted: false, error },
        };
        if !matches!(outcome, Outcome::Arrived) {
            tracing::debug!(what = delivery.what, error, "a delivery did not arrive");
        }
        let settled = self.store.settle(id, &delivery.key, &outcome);
        let mut state = self.lock();
        state.delivering = false;
        if let Err(error) = settled {
            // It is tried once more then, with the same key.
            drop(state);
            return self.failed(error);
        }
        let over = matches!(outcome, Outcome::Arrived | Outcome::Dead { .. });
        if over && state.generation == generation {
            state.mine.remove(&id);
        }
        state.notice_database(self.store.generation());
        match outcome {
            Outcome::Arrived => state.delivered += 1,
            Outcome::Dead { error } => state.lose(delivery.what, error.to_owned(), true),
            Outcome::Later { .. } | Outcome::Hold { .. } => {}
        }
        drop(state);
        self.changed.notify_all();
        Duration::ZERO
    }

    fn until(&self, time: UnixMillis) -> Duration {
        Duration::from_millis(time.saturating_sub(self.clock.now())).min(LONGEST_ASKED)
    }

    /// Tries to write down at once what could not be written.
    fn save_now(&self) {
        if let Some(again) = &mut self.lock().save_again {
            *again = Instant::now();
        }
        self.save_unsaved();
    }

    /// Tries to write down what could not be written. Answers how soon to try again.
    fn save_unsaved(&self) -> Option<Duration> {
        let _saving = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let unsaved = {
            let mut state = self.lock();
            let again = state.save_again?;
            let left = again.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                return Some(left);
            }
            state.save_again = Some(Instant::now() + SAVE_AGAIN);
            state.unsaved.clone()
        };
        self.save(&unsaved).ok().map_or(Some(SAVE_AGAIN), |()| {
            let mut state = self.lock();
            // What could not be written meanwhile stands behind them.
            state.unsaved.drain(..unsaved.len());
            if state.unsaved.is_empty() {
                state.save_again = None;
            }
            state.save_again.map(|_| Duration::ZERO)
        })
    }

    /// Looks what became of what was pushed here, when somebody else may have delivered it.
    fn others_delivered(&self) -> Seen {
        let ids: Vec<i64> = self.lock().mine.keys().copied().collect();
        let fates = if ids.is_empty() { Ok(Vec::new()) } else { self.store.fates(&ids) };
        let fates = fates.inspect_err(|error| tracing::debug!(%error, "unknown")).unwrap_or_default();
        let mut state = self.lock();
        let before = state.mine.len();
        for (id, fate) in fates {
            match fate {
                Fate::Open => continue,
                Fate::Gone => state.delivered += 1,
                Fate::Dead(reason) => {
                    if let Some(mine) = state.mine.get(&id) {
                        let what = mine.what.clone();
                        state.lose(what, reason, true);
                    }
                }
            }
            state.mine.remove(&id);
        }
        let seen = match state.mine.len() {
            now if now < before => Seen::Changed,
            0 => Seen::Nothing,
            _ => Seen::Waits,
        };
        drop(state);
        self.changed.notify_all();
        seen
    }

    /// There is nothing to do for now.
    fn rest(&self, stuck: Option<(UnixMillis, Option<String>)>, empty: bool) {
        let mut state = self.lock();
        (state.stuck, state.empty) = (stuck, empty && !state.news);
        drop(state);
        self.changed.notify_all();
    }

    /// Answers how soon to try again.
    fn failed(&self, error: DbError) -> Duration {
        let reason = Failure::from(error).message;
        tracing::warn!(reason, "the outbox cannot be read or written");
        let soon = self.clock.now() + u64::try_from(SAVE_AGAIN.as_millis()).unwrap_or_default();
        self.rest(Some((soon, Some(reason))), false);
        SAVE_AGAIN
    }

    fn sleep(&self, pause: Duration) {
        let state = self.lock();
        if !pause.is_zero() && !state.news && !state.closed {
            drop(self.changed.wait_timeout_while(state, pause, |state| !state.news && !state.closed));
        }
    }

    fn tell(&self, mut state: MutexGuard<'_, State>) {
        state.news = true;
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes one try. The thread outlives a fault of whoever delivers.
fn attempt(deliver: &dyn Deliver, delivery: &Delivery) -> Result<(), DeliveryError> {
    let tried = catch_unwind(AssertUnwindSafe(|| deliver.deliver(delivery)));
    tried.unwrap_or_else(|_| {
        Err(DeliveryError { message: "hermes itself failed, see its log".to_owned(), retry: Retry::Counted })
    })
}

impl State {
    /// Nobody waits for a row, and no hint does.
    fn is_at_ease(&self) -> bool {
        self.drains == 0 && self.hints.is_empty()
    }

    fn is_done(&self, until: Until) -> bool {
        let nothing = self.mine.is_empty() && self.unsaved.is_empty();
        match until {
            Until::MustArriveDone => nothing,
            Until::AllDone | Until::DoneOrStuck => nothing && self.hints.is_empty() && !self.delivering,
            Until::Empty => nothing && self.empty && !self.news,
        }
    }

    /// Nothing will be done in this time.
    fn is_stuck(&self, now: UnixMillis, left: Duration) -> bool {
        let after = |until: UnixMillis| Duration::from_millis(until.saturating_sub(now)) > left;
        !self.news && !self.delivering && self.stuck.as_ref().is_some_and(|(until, _)| after(*until))
    }

    /// The first hint before which nothing has to go any more.
    fn next_hint(&mut self) -> Option<Delivery> {
        let goes = |hint: &Hint| {
            let mut before = self.mine.range(..=hint.after);
            !before.any(|(_, mine)| mine.lanes.iter().any(|lane| hint.delivery.lanes.contains(lane)))
        };
        let place = self.hints.iter().position(goes)?;
        self.hints.remove(place).map(|hint| hint.delivery)
    }

    /// What was in a database that broke is not in the new one.
    fn notice_database(&mut self, generation: u64) {
        if self.generation != generation {
            self.generation = generation;
            for mine in std::mem::take(&mut self.mine).into_values() {
                let reason = "the database broke, or went, before that; an old file is kept beside it";
                self.lose(mine.what, reason.to_owned(), false);
            }
        }
    }

    fn keep_in_memory(&mut self, entries: Vec<Entry>) {
        let mut room = UNSAVED.saturating_sub(self.unsaved.iter().map(Entry::size).sum());
        for entry in entries {
            match room.checked_sub(entry.size()) {
                Some(rest) => {
                    room = rest;
                    self.unsaved.push(entry);
                }
                None => self.lose_unsaved(&entry, "it cannot be written down, and memory is full"),
            }
        }
    }

    fn lose_unsaved(&mut self, entry: &Entry, reason: &str) {
        let (what, reason) = (entry.what().to_owned(), reason.to_owned());
        tracing::warn!(what, reason, "lost");
        self.lost.push(Lost { what, reason, kept: false, own: entry.is_own() });
    }

    fn lose(&mut self, what: String, reason: String, kept: bool) {
        tracing::warn!(what, reason, "given up");
        self.lost.push(Lost { what, reason, kept, own: false });
    }
}
