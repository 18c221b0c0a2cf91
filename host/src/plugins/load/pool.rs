//! A few threads of one provider. Never a shared pool: a provider that hangs must not take threads from others.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A job.
pub(super) type Run = Box<dyn FnOnce() + Send>;

/// How many calls run at the same time.
pub(super) const THREADS: usize = 2;

/// How many threads may be lost to calls that never end before no new ones are made.
const MAX_LOST: usize = 8;

/// A thread for the code of a provider.
pub(super) fn thread(name: &str, run: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    // It may recurse deeply, as it would on a main thread.
    std::thread::Builder::new().name(name.to_owned()).stack_size(8 << 20).spawn(run).map(drop)
}

/// Runs jobs on a fixed number of threads and replaces those that do not come back.
pub(super) struct Pool {
    shared: Arc<Shared>,
    name: String,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<(u64, Run)>,
    running: HashSet<u64>,
    /// Jobs that were given up while they ran: their thread ends with them.
    lost: HashSet<u64>,
    closed: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    /// Threads with this name.
    pub(super) fn new(name: String) -> std::io::Result<Self> {
        let pool = Self { shared: Arc::default(), name };
        for _ in 0..THREADS {
            pool.spawn()?;
        }
        Ok(pool)
    }

    fn spawn(&self) -> std::io::Result<()> {
        let shared = Arc::clone(&self.shared);
        thread(&self.name, move || work(&shared))
    }

    /// Queues a job under a number of its own.
    pub(super) fn run(&self, job: u64, run: Run) {
        self.shared.lock().queue.push_back((job, run));
        self.shared.wake.notify_one();
    }

    /// Gives up a job: takes it out of the queue, or writes off the thread that it runs on and starts another.
    pub(super) fn give_up(&self, job: u64) {
        let mut state = self.shared.lock();
        state.queue.retain(|(queued, _)| *queued != job);
        // A thread that is not replaced goes on when its job ends: else there might be none left.
        if !state.running.contains(&job) || state.lost.contains(&job) || state.lost.len() == MAX_LOST {
            return;
        }
        match self.spawn() {
            Ok(()) => drop(state.lost.insert(job)),
            Err(error) => tracing::error!(pool = self.name, %error, "no thread to replace one that hangs"),
        }
    }
}

impl Drop for Pool {
    /// Ends the threads after the jobs that they run; queued ones are dropped.
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.closed = true;
        state.queue.clear();
        drop(state);
        self.shared.wake.notify_all();
    }
}

fn work(shared: &Shared) {
    let mut state = shared.lock();
    loop {
        if let Some((job, run)) = state.queue.pop_front() {
            state.running.insert(job);
            drop(state);
            run();
            state = shared.lock();
            state.running.remove(&job);
            if state.lost.remove(&job) {
                return;
            }
        } else if state.closed {
            return;
        } else {
            state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn threads_that_hang_are_replaced() {
        let pool = Pool::new("test".to_owned()).unwrap();
        let (hold, held) = channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let (started, starts) = channel();
        for job in 0..2 {
            let (held, started) = (Arc::clone(&held), started.clone());
            pool.run(
                job,
                Box::new(move || {
                    started.send(job).unwrap();
                    let _ = held.lock().unwrap().recv();
                }),
            );
        }
        starts.recv().unwrap();
        starts.recv().unwrap();
        let (answer, answers) = channel();
        pool.run(2, Box::new(move || answer.send("ran").unwrap()));
        assert!(answers.recv_timeout(std::time::Duration::from_millis(50)).is_err());
        pool.give_up(0);
        assert_eq!(answers.recv().unwrap(), "ran");
        drop(hold);
    }

    #[test]
    fn a_pool_that_lost_all_its_threads_has_them_again_when_their_jobs_end() {
        let pool = Pool::new("test".to_owned()).unwrap();
        let (hold, held) = channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let (started, starts) = channel();
        for job in 0..(THREADS + MAX_LOST) as u64 {
            let (held, started) = (Arc::clone(&held), started.clone());
            pool.run(
                job,
                Box::new(move || {
                    started.send(()).unwrap();
                    let _ = held.lock().unwrap().recv();
                }),
            );
        }
        for job in 0..(THREADS + MAX_LOST) as u64 {
            starts.recv().unwrap();
            pool.give_up(job);
        }
        drop(hold);
        let (answer, answers) = channel();
        pool.run(99, Box::new(move || answer.send("ran").unwrap()));
        assert_eq!(answers.recv_timeout(std::time::Duration::from_secs(60)), Ok("ran"));
    }

    #[test]
    fn a_queued_job_that_is_given_up_never_runs() {
        let pool = Pool::new("test".to_owned()).unwrap();
        let (hold, held) = channel::<()>();
        let held = Arc::new(Mutex::new(held));
        for job in 0..2 {
            let held = Arc::clone(&held);
            pool.run(job, Box::new(move || assert!(held.lock().unwrap().recv().is_err())));
        }
        let (answer, answers) = channel::<()>();
        pool.run(2, Box::new(move || answer.send(()).unwrap()));
        pool.give_up(2);
        drop(hold);
        assert!(answers.recv().is_err());
    }
}
