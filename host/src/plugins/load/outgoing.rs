//! The way of frames to a worker. A caller never waits for a worker that does not read, and mostly writes its frame
//! itself: to have another thread do that costs a call a hand-over.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::retry_on_intr;

/// One end of it; all clones are the same end.
#[derive(Clone)]
pub(super) struct Outgoing(Arc<Shared>);

struct Shared {
    /// Does not block. One thread at a time writes into it: whoever holds `waiting`, or the writer.
    pipe: File,
    waiting: Mutex<Waiting>,
    wake: Condvar,
}

/// What does not fit into the pipe now.
#[derive(Default)]
struct Waiting {
    frames: VecDeque<Vec<u8>>,
    /// The writer is writing one of them.
    writes: bool,
    closed: bool,
}

impl Outgoing {
    /// The way through a pipe, and what its writer thread runs: until the pipe breaks or [`Self::close`].
    pub(super) fn through(pipe: OwnedFd) -> std::io::Result<(Self, impl FnOnce() + Send + use<>)> {
        fcntl_setfl(&pipe, fcntl_getfl(&pipe)? | OFlags::NONBLOCK)?;
        let shared = Shared { pipe: pipe.into(), waiting: Mutex::default(), wake: Condvar::new() };
        let outgoing = Self(Arc::new(shared));
        let shared = Arc::clone(&outgoing.0);
        Ok((outgoing, move || shared.write_what_waits()))
    }

    /// Sends a frame, after those that were sent before. Waits for nothing. Whether it arrives shows in the answer.
    pub(super) fn send(&self, mut frame: Vec<u8>) {
        let shared = &*self.0;
        let mut waiting = shared.lock();
        if waiting.closed {
            return;
        }
        if waiting.frames.is_empty() && !waiting.writes {
            match (&shared.pipe).write(&frame) {
                Ok(count) if count == frame.len() => return,
                Ok(count) => drop(frame.drain(..count)),
                Err(error) if is_for_later(&error) => {}
                Err(_) => return,
            }
        }
        waiting.frames.push_back(frame);
        drop(waiting);
        shared.wake.notify_one();
    }

    /// Nothing is sent any more.
    pub(super) fn close(&self) {
        self.0.close();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        let mut waiting = self.lock();
        waiting.closed = true;
        waiting.frames.clear();
        drop(waiting);
        self.wake.notify_one();
    }

    fn write_what_waits(&self) {
        loop {
            let mut waiting = self.lock();
            let frame = loop {
                if waiting.closed {
                    return;
                }
                match waiting.frames.pop_front() {
                    Some(frame) => break frame,
                    None => waiting = self.wake.wait(waiting).unwrap_or_else(PoisonError::into_inner),
                }
            };
            waiting.writes = true;
            drop(waiting);
            let written = self.write_all(&frame);
            self.lock().writes = false;
            if written.is_err() {
                // Nobody takes anything any more, and what is sent must not gather here.
                return self.close();
            }
        }
    }

    fn write_all(&self, mut bytes: &[u8]) -> std::io::Result<()> {
        while !bytes.is_empty() {
            match (&self.pipe).write(bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(error) if is_for_later(&error) => {
                    // Also comes back when nobody reads any more, which the next write then tells.
                    retry_on_intr(|| poll(&mut [PollFd::new(&self.pipe, PollFlags::OUT)], None))?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn is_for_later(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn frames_arrive_whole_and_in_their_order_also_where_nobody_reads_for_long() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let (outgoing, writer) = Outgoing::through(write).unwrap();
        let writer = std::thread::spawn(writer);
        // More than any pipe holds, in pieces of all sizes: none of it waits for the reader.
        let frames: Vec<Vec<u8>> =
            (0..200_u8).map(|number| vec![number; 1 << (u32::from(number) % 18)]).chain([vec![1; 4 << 20]]).collect();
        frames.iter().for_each(|frame| outgoing.send(frame.clone()));
        let mut reader = File::from(read);
        for frame in &frames {
            let mut found = vec![0; frame.len()];
            reader.read_exact(&mut found).unwrap();
            assert_eq!(&found, frame);
        }
        outgoing.close();
        writer.join().unwrap();
    }

    #[test]
    fn the_writer_ends_with_the_pipe() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let (outgoing, writer) = Outgoing::through(write).unwrap();
        let writer = std::thread::spawn(writer);
        (0..3).for_each(|_| outgoing.send(vec![1; 4 << 20]));
        drop(read);
        writer.join().unwrap();
        outgoing.send(vec![1]);
        assert!(outgoing.0.lock().frames.is_empty(), "nothing gathers that nobody takes");
    }
}
