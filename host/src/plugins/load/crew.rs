//! The threads of a worker. One of them waits for frames, and runs what a frame asks for itself while another waits in
//! its place: to hand each call over to another thread would cost it more than most calls take.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::pool::{Run, THREADS, thread};

/// What comes of a frame.
pub(super) enum Next {
    /// There is another one to wait for.
    Frame,
    /// This is to be run.
    Run(Run),
}

/// Runs jobs in the order in which they came, as many at once as a [`Pool`](super::pool::Pool) does, and waits for the
/// next frame always.
pub(super) struct Crew<F> {
    state: Mutex<State<F>>,
    changed: Condvar,
}

struct State<F> {
    /// Waits for a frame; who has it waits.
    source: Option<F>,
    queue: VecDeque<Run>,
    running: usize,
}

impl<F: FnMut() -> Next + Send + 'static> Crew<F> {
    /// Starts the threads. The first job is run first.
    pub(super) fn start(name: &str, first: Run, source: F) -> std::io::Result<()> {
        let state = State { source: Some(source), queue: VecDeque::from([first]), running: 0 };
        let crew = Arc::new(Self { state: Mutex::new(state), changed: Condvar::new() });
        for _ in 0..=THREADS {
            let crew = Arc::clone(&crew);
            thread(name, move || crew.work())?;
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State<F>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            let run = if state.running < THREADS { state.queue.pop_front() } else { None };
            if let Some(run) = run {
                state.running += 1;
                // Somebody else has to wait for frames meanwhile.
                self.changed.notify_one();
                drop(state);
                run();
                state = self.lock();
                state.running -= 1;
            } else if let Some(mut source) = state.source.take() {
                drop(state);
                let next = source();
                state = self.lock();
                state.source = Some(source);
                if let Next::Run(run) = next {
                    state.queue.push_back(run);
                }
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    #[test]
    fn frames_are_read_while_jobs_run_and_jobs_run_two_at_a_time_in_their_order() {
        let (frames, incoming) = channel();
        let (read, reads) = channel();
        let (say, said) = channel();
        let source = move || {
            let next = incoming.recv().unwrap_or_else(|_| {
                loop {
                    std::thread::park();
                }
            });
            read.send(()).unwrap();
            next
        };
        let first = say.clone();
        Crew::start("test", Box::new(move || first.send(100).unwrap()), source).unwrap();
        let heard = || said.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(heard(), 100);
        let mut held = Vec::new();
        for number in 0..3 {
            let (hold, wait) = channel::<()>();
            held.push(hold);
            let others = say.clone();
            let job = move || {
                others.send(number).unwrap();
                let _ = wait.recv();
                others.send(10 + number).unwrap();
            };
            frames.send(Next::Run(Box::new(job))).unwrap();
        }
        let mut begun = [heard(), heard()];
        begun.sort_unstable();
        assert_eq!(begun, [0, 1]);
        // Both threads are taken, the third job waits for one, and frames are read all the same.
        frames.send(Next::Frame).unwrap();
        (0..4).for_each(|_| reads.recv_timeout(Duration::from_secs(60)).unwrap());
        assert!(said.try_recv().is_err());
        drop(held.remove(1));
        assert_eq!([heard(), heard()], [11, 2]);
        drop(held);
        let mut ends = [heard(), heard()];
        ends.sort_unstable();
        assert_eq!(ends, [10, 12]);
    }
}
