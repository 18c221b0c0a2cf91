//! A provider in this process.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hermes_provider_api::Hook;
use hermes_provider_api::metadata::Metadata;

use super::dylib::{Library, Open};
use super::instance::{Done, Fault, Instance};
use super::pool::Pool;
use super::{LoadError, Plugin};

/// Calls run on a pool of the provider's own.
pub(super) struct InProcess {
    open: Mutex<Option<Arc<Open>>>,
    pool: Pool,
    next: AtomicU64,
    cancels: Arc<Mutex<HashMap<u64, Arc<AtomicBool>>>>,
}

impl InProcess {
    /// Loads the library and makes an instance, on a thread of its pool: both run the plugin's code.
    pub(super) fn open(plugin: &Plugin, limit: Duration) -> Result<Self, Fault> {
        let pool = Pool::new(format!("provider {}", plugin.metadata.id))
            .map_err(|error| Fault::Unloadable(format!("no thread: {error}")))?;
        let (send, receive) = sync_channel(1);
        let plugin = plugin.clone();
        pool.run(0, Box::new(move || drop(send.send(load(&plugin)))));
        let open = match receive.recv_timeout(limit) {
            Ok(opened) => opened?,
            Err(RecvTimeoutError::Timeout) => {
                pool.give_up(0);
                return Err(Fault::Unloadable(format!("it did not open within {} s", limit.as_secs_f32())));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(Fault::Unloadable("its thread ended".to_owned())),
        };
        Ok(Self { open: Mutex::new(Some(Arc::new(open))), pool, next: AtomicU64::new(1), cancels: Arc::default() })
    }
}

fn load(plugin: &Plugin) -> Result<Open, Fault> {
    instance(&library(plugin)?, plugin)
}

/// Opens the library and compares what it says with its section.
pub(super) fn library(plugin: &Plugin) -> Result<Library, Fault> {
    let library = Library::load(&plugin.library).map_err(unloadable)?;
    let described = library.describe()?;
    let described: Metadata = serde_json::from_slice(&described)
        .map_err(|error| Fault::Unloadable(format!("its description cannot be read: {error}")))?;
    if described != plugin.metadata {
        return Err(Fault::Unloadable("it describes itself otherwise than its metadata section does".to_owned()));
    }
    Ok(library)
}

/// Makes an instance.
pub(super) fn instance(library: &Library, plugin: &Plugin) -> Result<Open, Fault> {
    let request = serde_json::to_vec(&plugin.open).unwrap_or_default();
    library.open(Arc::clone(&plugin.services), &request)
}

/// abi_stable's report goes to a file, the user gets the sentence.
fn unloadable(error: LoadError) -> Fault {
    let reason = error.to_string();
    match error {
        LoadError::Root { dump, .. } | LoadError::Layout { dump, .. } => Fault::Incompatible { reason, report: dump },
        LoadError::Open { .. } | LoadError::NoCore { .. } => Fault::Unloadable(reason),
    }
}

impl Instance for InProcess {
    fn start(&self, hook: Hook, request: &[u8], limit: Duration, done: Done) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(open) = lock(&self.open).clone() else {
            done(Err(Fault::Gone("it was closed".to_owned())));
            return id;
        };
        let cancel = Arc::new(AtomicBool::new(false));
        let cancels = Arc::clone(&self.cancels);
        lock(&cancels).insert(id, Arc::clone(&cancel));
        let request = request.to_vec();
        self.pool.run(
            id,
            Box::new(move || {
                let outcome = open.call(hook, &request, limit, &cancel, id);
                lock(&cancels).remove(&id);
                drop(open);
                done(outcome);
            }),
        );
        id
    }

    fn cancel(&self, call: u64) {
        if let Some(flag) = lock(&self.cancels).get(&call) {
            flag.store(true, Ordering::Relaxed);
        }
    }

    fn give_up(&self, call: u64) {
        self.pool.give_up(call);
        // One that never ran does not take its flag away.
        lock(&self.cancels).remove(&call);
    }

    fn close(&self, limit: Duration) -> Result<(), Fault> {
        let Some(open) = lock(&self.open).take() else { return Ok(()) };
        let late = || Err(Fault::Died("its drop did not end in time".to_owned()));
        for flag in lock(&self.cancels).values() {
            flag.store(true, Ordering::Relaxed);
        }
        let deadline = Instant::now() + limit;
        let mut held = open;
        let open = loop {
            held = match Arc::try_unwrap(held) {
                Ok(open) => break open,
                // The call that runs on closes it when it ends.
                Err(_) if Instant::now() >= deadline => return late(),
                Err(held) => held,
            };
            std::thread::sleep(Duration::from_millis(2));
        };
        let (send, receive) = sync_channel(1);
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        self.pool.run(id, Box::new(move || drop(send.send(open.close()))));
        receive.recv_timeout(deadline.saturating_duration_since(Instant::now())).unwrap_or_else(|_| {
            self.pool.give_up(id);
            late()
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
