//! A provider's type, opened without a library: for the tests of its own crate.
//!
//! What is the same as in a plugin: the code between JSON and hooks, blocking calls on threads of their own, deadlines that
//! are told and not enforced. What is not: the loader, the boundary, and the process. So a panic is seen and an abort ends the
//! test; a crash is played by letting go of the instance, and the provider's drop runs all the same.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::subject::{Failure, Opened, Patience, Subject};
use crate::boundary::panic_text;
use crate::dispatch::dispatch;
use crate::host::Services;
use crate::metadata::Metadata;
use crate::records::OpenRequest;
use crate::{Call, Exported, Hook, Host, MemoryProvider, ProviderError};

/// Opens the type `P` in this process and calls it through [`dispatch`], each call on a thread of its own.
///
/// A call that does not end keeps its thread for as long as the test runs. An abort or a stack overflow ends the test:
/// those are for the real loader, in a worker.
///
/// [`check`](super::check) is the short way. This type is for a kit that is set up by hand:
///
/// ```
/// # use hermes_provider_api::records::{Health, OpenRequest};
/// # use hermes_provider_api::{Call, Host, Manifest, MemoryProvider, ProviderError, export_provider};
/// # struct Notes;
/// # impl MemoryProvider for Notes {
/// #     fn open(_: Host, _: OpenRequest) -> Result<Self, ProviderError> { Ok(Self) }
/// #     fn health(&self, _: &Call<'_>) -> Result<Health, ProviderError> { Ok(Health::ok("fine")) }
/// # }
/// # export_provider!(Notes, Manifest::new("notes"));
/// use hermes_provider_api::serde_json::json;
/// use hermes_provider_api::testkit::conformance::{Direct, Kit};
///
/// # fn main() {
/// let report = Kit::new(json!({})).only("closing").run(&Direct::<Notes>::new());
/// assert!(report.is_ok(), "{report}");
/// # }
/// ```
///
/// # Threads
/// Each thread has a stack of 8 MiB, as in the host. The provider is dropped on one of them, never on that of the test.
pub struct Direct<P>(PhantomData<fn() -> P>);

impl<P: MemoryProvider + Exported> Direct<P> {
    /// For the type that `export_provider!` was given.
    #[must_use]
    pub fn new() -> Self {
        Self(PhantomData)
    }
}

impl<P: MemoryProvider + Exported> Default for Direct<P> {
    fn default() -> Self {
        Self::new()
    }
}

/// None once it was closed. The calls that run hold the provider as well.
struct Instance<P: MemoryProvider + Exported>(Mutex<Option<Arc<P>>>);

/// How long the provider's drop is waited for where nobody said how long.
const LONGEST_DROP: Duration = Duration::from_secs(40);

impl<P: MemoryProvider + Exported> Subject for Direct<P> {
    fn metadata(&self) -> Metadata {
        P::metadata()
    }

    fn open(
        &self,
        services: Arc<dyn Services>,
        request: OpenRequest,
        limit: Duration,
    ) -> Result<Box<dyn Opened>, Failure> {
        let opened = apart(limit, move || P::open(Host::new(services), request))?;
        Ok(Box::new(Instance(Mutex::new(Some(Arc::new(opened))))))
    }
}

impl<P: MemoryProvider + Exported> Opened for Instance<P> {
    fn call(&self, hook: Hook, request: &[u8], patience: Patience) -> Result<Vec<u8>, Failure> {
        let Some(provider) = self.slot().clone() else { return Err(Failure::Gone) };
        let request = request.to_vec();
        apart(patience.wait, move || {
            let call = Call::new(Some(patience.limit), 1, || patience.cancelled);
            let answer = dispatch(&*provider, hook, &request, &call);
            // Not later than the answer: whoever closes next must be the last to hold it.
            drop(call);
            drop(provider);
            answer
        })
    }

    fn close(&self, limit: Duration) -> Result<(), Failure> {
        let Some(provider) = self.slot().take() else { return Ok(()) };
        apart(limit, move || {
            drop(provider);
            Ok(())
        })
    }
}

impl<P: MemoryProvider + Exported> Instance<P> {
    fn slot(&self) -> MutexGuard<'_, Option<Arc<P>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P: MemoryProvider + Exported> Drop for Instance<P> {
    fn drop(&mut self) {
        // A crash asks nobody whether all went well.
        let _ = self.close(LONGEST_DROP);
    }
}

/// Runs the provider's code on a thread of its own, as a host does, and catches what it does wrong.
///
/// A thread cannot be ended from outside: one that is still busy after `limit` is left behind, with all that it holds.
fn apart<T: Send + 'static>(
    limit: Duration,
    run: impl FnOnce() -> Result<T, ProviderError> + Send + 'static,
) -> Result<T, Failure> {
    let (send, receive) = sync_channel(1);
    let guarded = move || drop(send.send(catch_unwind(AssertUnwindSafe(run))));
    let thread = std::thread::Builder::new().name("provider".to_owned()).stack_size(8 << 20).spawn(guarded);
    if let Err(error) = thread {
        return Err(Failure::Unusable(format!("no thread: {error}")));
    }
    match receive.recv_timeout(limit) {
        Ok(Ok(answer)) => answer.map_err(Failure::Error),
        Ok(Err(payload)) => Err(Failure::Panic(panic_text(&*payload).to_owned())),
        Err(_) => Err(Failure::Hang),
    }
}
