//! A wish to stop: Ctrl-C, or a signal that asks the process to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::error::Failure;

/// The exit status of a process that was asked twice.
const AT_ONCE: i32 = 130;

/// Whether the user wants to stop. The first signal asks to clean up and end, a second one ends at once.
#[derive(Debug)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens from now on, for the rest of the process.
    pub(super) fn new() -> Result<Self, Failure> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // In this order, or the first signal would be taken for a second one.
            flag::register_conditional_shutdown(signal, AT_ONCE, Arc::clone(&asked))
                .and_then(|_| flag::register(signal, Arc::clone(&asked)))
                .map_err(|error| Failure::new(format!("signals cannot be received: {error}")))?;
        }
        Ok(Self(asked))
    }

    pub(super) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// An error once the user wants to stop.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.is_asked() { Err(Failure::new("stopped as you wished; nothing is reported")) } else { Ok(()) }
    }
}
