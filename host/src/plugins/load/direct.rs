//! One instance, called without a supervisor: nothing is opened again, paused or counted, so that each failure shows.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use hermes_provider_api::Hook;

use super::in_process::InProcess;
use super::instance::{Fault, Instance};
use super::worker::Worker;
use super::{Isolation, Plugin};
use crate::secrets::Mask;

/// An open instance of a provider. To drop it without closing is what a crash of the host would be to a worker.
pub struct Direct(Box<dyn Instance>);

/// How long a call is waited for.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// The deadline that the provider is told.
    pub limit: Duration,
    /// It is asked to stop as soon as it began.
    pub cancelled: bool,
    /// After this long it is given up.
    pub longest: Duration,
}

impl Direct {
    /// Loads the library and makes an instance.
    ///
    /// # Errors
    /// Why it does not open within `limit`.
    pub fn open(plugin: &Plugin, isolation: Isolation, executable: &Path, limit: Duration) -> Result<Self, Fault> {
        let instance: Box<dyn Instance> = match isolation {
            Isolation::InProcess => Box::new(InProcess::open(plugin, limit)?),
            Isolation::Process => Box::new(Worker::open(plugin, executable, limit, &Mask::default())?),
        };
        Ok(Self(instance))
    }

    /// Calls a hook. None when it did not end and was given up, which ends a worker.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn call(&self, hook: Hook, request: &[u8], wait: Wait) -> Result<Option<Vec<u8>>, Fault> {
        let (send, receive) = sync_channel(1);
        let call = self.0.start(hook, request, wait.limit, Box::new(move |outcome| drop(send.send(outcome))));
        if wait.cancelled {
            self.0.cancel(call);
        }
        match receive.recv_timeout(wait.longest) {
            Ok(answer) => answer.map(Some),
            Err(RecvTimeoutError::Timeout) => {
                self.0.give_up(call);
                Ok(None)
            }
            Err(RecvTimeoutError::Disconnected) => Err(Fault::Cut("it was given up".to_owned())),
        }
    }

    /// Drops the provider and waits until it is gone, at most so long.
    ///
    /// # Errors
    /// A panic in its drop, or one that did not end.
    pub fn close(&self, limit: Duration) -> Result<(), Fault> {
        self.0.close(limit)
    }
}
