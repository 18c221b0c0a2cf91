//! A provider in this process without a boundary: the real trait through the real dispatch.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_provider_api::metadata::Metadata;
use hermes_provider_api::records::{
    Caller, Effect, Health, MemoryWrite, OpenRequest, PrefetchQuery, Recall, RecallItem, Remember, Remembered, Scope,
    SessionEnd, SessionSwitch, ToolRequest, ToolSchema, Turn, TurnStart,
};
use hermes_provider_api::{Call, ErrorKind, Hook, Host, Interface, MemoryProvider, ProviderError, dispatch};
use serde_json::{Value, json};

use crate::plugins::hooks::{CallError, Hooks, Late};

/// How a hook call goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Error(ErrorKind),
    Panic,
    /// The deadline passes; the call ends when the test says so with [`InProcess::release`].
    Hang,
    Paused,
    Rubbish,
}

/// What a test looks at: every call that reached the provider, and what it will be told.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) calls: Mutex<Vec<(Hook, Value)>>,
    pub(crate) recall: Mutex<Recall>,
    pub(crate) schemas: Mutex<Vec<ToolSchema>>,
    pub(crate) faults: Mutex<Vec<(Hook, Fault)>>,
    /// While true, deliveries end with a retryable error.
    pub(crate) down: AtomicBool,
}

/// A provider that notes what it is told.
struct Notes(Arc<Shared>);

impl MemoryProvider for Notes {
    fn open(_host: Host, _request: OpenRequest) -> Result<Self, ProviderError> {
        Ok(Self(Arc::default()))
    }

    fn health(&self, _call: &Call<'_>) -> Result<Health, ProviderError> {
        Ok(Health::ok("fine"))
    }

    fn system_prompt_block(&self, caller: &Caller) -> Result<String, ProviderError> {
        Ok(format!("Notes of {}: use `note`.", caller.scope.user))
    }

    fn prefetch(&self, _query: &PrefetchQuery, _call: &Call<'_>) -> Result<Recall, ProviderError> {
        Ok(lock(&self.0.recall).clone())
    }

    fn sync_turn(&self, _turn: &Turn, _call: &Call<'_>) -> Result<(), ProviderError> {
        self.0.up()
    }

    fn on_memory_write(&self, _write: &MemoryWrite, _call: &Call<'_>) -> Result<(), ProviderError> {
        self.0.up()
    }

    fn on_turn_start(&self, _start: &TurnStart, _call: &Call<'_>) -> Result<(), ProviderError> {
        Ok(())
    }

    fn on_session_end(&self, _end: &SessionEnd, _call: &Call<'_>) -> Result<(), ProviderError> {
        self.0.up()
    }

    fn on_session_switch(&self, _switch: &SessionSwitch, _call: &Call<'_>) -> Result<(), ProviderError> {
        self.0.up()
    }

    fn tool_schemas(&self) -> Result<Vec<ToolSchema>, ProviderError> {
        Ok(lock(&self.0.schemas).clone())
    }

    fn call_tool(&self, request: &ToolRequest, _call: &Call<'_>) -> Result<Value, ProviderError> {
        match request.args["action"].as_str() {
            Some("fail") => Err(ProviderError::not_found("no such note").hint("list them")),
            _ => Ok(json!({"got": request.args})),
        }
    }

    fn tool_effect(&self, _tool: &str, args: &Value) -> Effect {
        if args["action"] == "list" { Effect::Read } else { Effect::Write }
    }

    fn remember(&self, _wish: &Remember, _call: &Call<'_>) -> Result<Remembered, ProviderError> {
        Ok(Remembered { id: "1".to_owned(), existed: false })
    }
}

impl Shared {
    fn up(&self) -> Result<(), ProviderError> {
        if self.down.load(Ordering::Relaxed) {
            return Err(ProviderError::new(ErrorKind::Unavailable, "the store is down"));
        }
        Ok(())
    }

    /// The requests of one hook, in order.
    pub(crate) fn requests(&self, hook: Hook) -> Vec<Value> {
        lock(&self.calls).iter().filter(|(called, _)| *called == hook).map(|(_, request)| request.clone()).collect()
    }

    /// The names of the calls that write, in order.
    pub(crate) fn writes(&self) -> Vec<&'static str> {
        lock(&self.calls).iter().filter(|(hook, _)| hook.writes()).map(|(hook, _)| hook.name()).collect()
    }

    /// The next prefetch finds these.
    pub(crate) fn knows(&self, items: Vec<RecallItem>) {
        *lock(&self.recall) = Recall { items, ..Recall::default() };
    }

    /// It has these tools.
    pub(crate) fn tools(&self, schemas: Vec<ToolSchema>) {
        *lock(&self.schemas) = schemas;
    }

    /// The next call of this hook goes wrong.
    pub(crate) fn fault(&self, hook: Hook, fault: Fault) {
        lock(&self.faults).push((hook, fault));
    }
}

/// The hooks of [`Notes`].
pub(crate) struct InProcess {
    provider: Arc<Notes>,
    metadata: Metadata,
    shared: Arc<Shared>,
    hanging: Mutex<Vec<Box<dyn FnOnce() + Send>>>,
}

impl InProcess {
    /// With all interfaces but these.
    pub(crate) fn without(missing: &[Interface]) -> (Arc<Self>, Arc<Shared>) {
        let shared = Arc::new(Shared::default());
        *lock(&shared.schemas) = vec![schema("note")];
        let interfaces = Interface::ALL.iter().filter(|interface| !missing.contains(interface));
        let metadata = Metadata {
            id: "notes".to_owned(),
            interfaces: interfaces.map(|interface| interface.id().to_owned()).collect(),
            ..Metadata::default()
        };
        let provider = Arc::new(Notes(Arc::clone(&shared)));
        let hooks = Self { provider, metadata, shared: Arc::clone(&shared), hanging: Mutex::default() };
        (Arc::new(hooks), shared)
    }

    pub(crate) fn new() -> (Arc<Self>, Arc<Shared>) {
        Self::without(&[])
    }

    /// Lets the calls that hang come to their late ends.
    pub(crate) fn release(&self) {
        for end in std::mem::take(&mut *lock(&self.hanging)) {
            end();
        }
    }

    fn run(provider: &Notes, hook: Hook, request: &[u8]) -> Result<Vec<u8>, CallError> {
        let failed = |error| CallError::Failed { provider: "notes".to_owned(), error };
        dispatch::dispatch(provider, hook, request, &Call::default()).map_err(failed)
    }
}

impl Hooks for InProcess {
    fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    fn limit(&self, _hook: Hook) -> Duration {
        Duration::from_secs(2)
    }

    fn call(&self, hook: Hook, request: &[u8], late: Option<Late>) -> Result<Vec<u8>, CallError> {
        let provider = || "notes".to_owned();
        let seen = serde_json::from_slice(request).expect("requests are JSON");
        lock(&self.shared.calls).push((hook, seen));
        let fault = {
            let mut faults = lock(&self.shared.faults);
            faults.iter().position(|(of, _)| *of == hook).map(|place| faults.remove(place).1)
        };
        match fault {
            None => Self::run(&self.provider, hook, request),
            Some(Fault::Error(kind)) => Err(CallError::Failed {
                provider: provider(),
                error: ProviderError::new(kind, "sk-0123456789abcdefXY broke"),
            }),
            Some(Fault::Panic) => {
                let panic = catch_unwind(AssertUnwindSafe(|| std::panic::resume_unwind(Box::new("a note fell out"))));
                let reason = panic.err().and_then(|payload| payload.downcast_ref::<&str>().map(ToString::to_string));
                Err(CallError::Crashed { provider: provider(), hook: hook.name(), reason: reason.unwrap_or_default() })
            }
            Some(Fault::Hang) => {
                let (notes, request) = (Arc::clone(&self.provider), request.to_vec());
                lock(&self.hanging).push(Box::new(move || {
                    if let (Some(late), Ok(answer)) = (late, Self::run(&notes, hook, &request)) {
                        late(answer);
                    }
                }));
                Err(CallError::Timeout { provider: provider(), hook: hook.name(), limit: Duration::from_secs(2) })
            }
            Some(Fault::Paused) => {
                Err(CallError::Paused { provider: provider(), entirely: true, reason: "3 timeouts".into(), until: 0 })
            }
            Some(Fault::Rubbish) => Ok(b"\xff{".to_vec()),
        }
    }
}

/// A tool with this name.
pub(crate) fn schema(name: &str) -> ToolSchema {
    ToolSchema { name: name.to_owned(), description: "Notes".to_owned(), parameters: json!({"type": "object"}) }
}

/// A memory that this person said in private.
pub(crate) fn item(id: &str, text: &str, user: &str) -> RecallItem {
    // As a provider stores it that got it from a session, whose profile is always named.
    let scope = Some(Scope { profile: "default".to_owned(), user: user.to_owned(), ..Scope::default() });
    RecallItem { id: id.to_owned(), text: text.to_owned(), scope, ..RecallItem::default() }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
