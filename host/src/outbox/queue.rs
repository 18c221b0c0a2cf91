//! The queue between those who push and the one thread that delivers.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Care, Deliver, Delivery, DrainReport, Lost, Retry, RetryPolicy};

pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    policy: RetryPolicy,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Waiting>,
    /// What the thread is delivering now, and stays at the head of its lanes.
    under_way: Option<Delivery>,
    delivered: u64,
    lost: Vec<Lost>,
    closed: bool,
}

struct Waiting {
    delivery: Delivery,
    failures: u32,
    not_before: Option<Instant>,
    /// The last try met a provider that takes nothing for the time being.
    paused: bool,
}

/// What a drain waits for, at the longest until its time is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// Everything.
    AllDone,
    /// Everything, or that the provider is paused.
    DoneOrPaused,
    /// What must arrive; hints are for a time that does not come any more.
    MustArriveDone,
}

impl Queue {
    pub(super) fn new(policy: RetryPolicy) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), policy }
    }

    pub(super) fn push(&self, delivery: Delivery) {
        let mut state = self.lock();
        if state.closed {
            state.lose(delivery, "hermes is shutting down".to_owned());
        } else {
            state.waiting.push_back(Waiting { delivery, failures: 0, not_before: None, paused: false });
        }
        self.changed.notify_all();
    }

    pub(super) fn take_lost(&self) -> Vec<Lost> {
        std::mem::take(&mut self.lock().lost)
    }

    pub(super) fn drain(&self, timeout: Duration, until: Until) -> DrainReport {
        let deadline = Instant::now() + timeout;
        let mut state = self.lock();
        while state.keeps_waiting(until) && !state.closed {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        let open = state.under_way.iter().chain(state.waiting.iter().map(|waiting| &waiting.delivery));
        let undelivered = open.filter(|open| open.care == Care::MustArrive).map(|open| open.what.clone()).collect();
        DrainReport { delivered: state.delivered, undelivered, lost: std::mem::take(&mut state.lost) }
    }

    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// The loop of the thread: ends when the queue is closed.
    pub(super) fn work(&self, deliver: &dyn Deliver) {
        while let Some((delivery, failures)) = self.next() {
            let outcome = deliver.deliver(&delivery);
            let mut state = self.lock();
            state.under_way = None;
            match outcome {
                Ok(()) => state.delivered += u64::from(delivery.care == Care::MustArrive),
                Err(error) if delivery.care == Care::Hint => {
                    tracing::debug!(what = delivery.what, %error, "a hint did not arrive");
                }
                Err(error) => match self.wait(error.retry, failures) {
                    Some((wait, failures)) => {
                        tracing::debug!(what = delivery.what, %error, ?wait, "will be tried again");
                        let not_before = Some(Instant::now() + wait);
                        let paused = error.retry == Retry::Paused;
                        state.waiting.push_front(Waiting { delivery, failures, not_before, paused });
                    }
                    None => state.lose(delivery, error.message),
                },
            }
            self.changed.notify_all();
        }
    }

    /// How long to wait after a failure, and how many failures there are then; None when it is given up.
    fn wait(&self, retry: Retry, failures: u32) -> Option<(Duration, u32)> {
        let policy = &self.policy;
        let backoff = policy.first.saturating_mul(2_u32.saturating_pow(failures)).min(policy.longest);
        match retry {
            Retry::Never => None,
            Retry::Paused => Some((policy.longest.min(policy.first.saturating_mul(4)), failures)),
            Retry::Later(_) if failures + 1 >= policy.tries => None,
            Retry::Later(asked) => Some((asked.unwrap_or(backoff).min(policy.longest), failures + 1)),
        }
    }

    /// Waits for a delivery whose time has come and whose lanes are free; None when the queue is closed.
    fn next(&self) -> Option<(Delivery, u32)> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            let now = Instant::now();
            match state.ready(now) {
                Ready::Now(place) => {
                    let Waiting { delivery, failures, .. } = state.waiting.remove(place)?;
                    state.under_way = Some(delivery.clone());
                    return Some((delivery, failures));
                }
                Ready::At(time) => {
                    let wait = time.saturating_duration_since(now);
                    state = self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
                }
                Ready::Nothing => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Ready {
    Now(usize),
    At(Instant),
    Nothing,
}

impl State {
    fn keeps_waiting(&self, until: Until) -> bool {
        let mut open = self.under_way.iter().chain(self.waiting.iter().map(|waiting| &waiting.delivery));
        match until {
            Until::AllDone => open.next().is_some(),
            Until::DoneOrPaused => {
                let paused = self.under_way.is_none() && self.waiting.iter().any(|waiting| waiting.paused);
                open.next().is_some() && !paused
            }
            Until::MustArriveDone => open.any(|open| open.care == Care::MustArrive),
        }
    }

    /// The first delivery that may go now, else when the next one may.
    fn ready(&self, now: Instant) -> Ready {
        let mut taken: Vec<&String> = Vec::new();
        let mut soonest: Option<Instant> = None;
        for (place, waiting) in self.waiting.iter().enumerate() {
            let lanes = &waiting.delivery.lanes;
            if lanes.iter().any(|lane| taken.contains(&lane)) {
                taken.extend(lanes);
                continue;
            }
            match waiting.not_before.filter(|time| *time > now) {
                None => return Ready::Now(place),
                Some(time) => soonest = Some(soonest.map_or(time, |other| other.min(time))),
            }
            taken.extend(lanes);
        }
        soonest.map_or(Ready::Nothing, Ready::At)
    }

    fn lose(&mut self, delivery: Delivery, reason: String) {
        if delivery.care == Care::Hint {
            return;
        }
        tracing::warn!(what = delivery.what, reason, "lost");
        self.lost.push(Lost { what: delivery.what, reason });
    }
}
