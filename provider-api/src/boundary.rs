//! The author's side of the boundary: everything in this crate that is `unsafe`.
//!
//! The functions here are what a plugin's root and tables point to. Each turns bytes into a call of the safe
//! [`dispatch`](crate::dispatch::dispatch), inside a guard that catches panics: one that left a plugin would abort the
//! host's process.
//!
//! What the host promises, and is relied on here:
//!
//! * an instance is passed to the tables of the library that made it, and to none after `close`;
//! * `close` is called once, when no other call of that instance runs;
//! * bytes, call contexts and sinks are valid during the call that they are passed to;
//! * the host table is valid until `release`, which is called once, by the drop of the last [`Host`].
//!
//! What it promises in turn: no function here unwinds, and none keeps a pointer that it was lent.
//!
//! # Memory
//! Neither side frees what the other allocated. Bytes are lent for the time of a call, and an answer is written to a
//! sink that copies them. The two exceptions are owned by one side each: the plugin's instance, which `open` gives out and
//! `close` takes back, and the host's table, which `release` gives back.
//!
//! # Panics
//! | where it happens | what the host is told |
//! |---|---|
//! | in `open` | an error of the kind `Panic`, with message and place; there is no instance |
//! | in a hook | the same; the instance is *poisoned* and answers `Poisoned` from then on |
//! | in the drop of the provider | the same; its memory may be leaked |
//! | on a thread that the provider started | a line in the log |
//!
//! An abort, a stack overflow and an end of memory cannot be caught here: a worker survives them, a host in process does
//! not. A plugin that is built with `panic = "abort"` says so in its metadata.
#![expect(unsafe_code, reason = "this file is the boundary")]

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};
use std::time::Duration;

use crate::abi::abi_stable::StableAbi;
use crate::abi::abi_stable::library::{__call_root_module_loader, CheckTypeLayout, LibHeader, RootModuleResult};
use crate::abi::abi_stable::prefix_type::PrefixTypeTrait as _;
use crate::abi::abi_stable::std_types::{RNone, ROption, RSlice, RSome, RStr};
use crate::abi::{CallContext, HostTable, Opened, Root, RootRef, Sink, Status};
use crate::dispatch::dispatch;
use crate::{Call, ErrorKind, Hook, Host, Interface, Manifest, MemoryProvider, ProviderError, Services, abi, logging};

/// What [`export_provider!`](crate::export_provider) makes of a type and its manifest.
pub trait Export {
    /// The author's type.
    type Provider: MemoryProvider + 'static;
    /// What it is and needs.
    const MANIFEST: Manifest;
    /// The bytes of the metadata section.
    fn section() -> &'static [u8];
}

/// The static that a host finds by name when it has opened the library.
#[must_use]
pub const fn header<E: Export>() -> LibHeader {
    // SAFETY: `construct` answers what `__call_root_module_loader` made of a `RootRef`, the module type named here.
    unsafe { LibHeader::from_constructor::<RootRef>(construct::<E>, CheckTypeLayout::Yes) }
}

/// What the loader calls once for each library: makes the root module, whose layout abi_stable compares.
///
/// Runs no code of the author, and needs no guard for that reason.
extern "C" fn construct<E: Export>() -> RootModuleResult {
    fn root<E: Export>() -> RootRef {
        Root { describe: describe::<E>, open: open::<E>, get_interface: get_interface::<E> }.leak_into_prefix()
    }
    __call_root_module_loader(root::<E>)
}

/// Writes the JSON of the metadata section, without its header. A host compares it with what it read from the file, so that
/// the code that runs is that of the file that was looked at.
unsafe extern "C" fn describe<E: Export>(reply: Sink) -> Status {
    let metadata = E::section().get(crate::metadata::MAGIC.len() + 8..).unwrap_or_default();
    write(reply, metadata);
    Status::OK
}

/// What `open` hands out a pointer to. The hooks share it, from as many threads as the host likes.
struct Instance {
    provider: Box<dyn MemoryProvider>,
    /// A hook has panicked: what it was about to change may be half done, so no other may look at it.
    poisoned: AtomicBool,
}

/// Makes an instance for a host whose services it may use until the last clone of the [`Host`] is dropped.
///
/// The answer's pointer is null unless the status is [`Status::OK`]; the reply is then an error record. Logging begins before
/// the author's `open`, so that what that says is heard.
unsafe extern "C" fn open<E: Export>(host: HostTable, request: RSlice<'_, u8>, reply: Sink) -> Opened {
    install_panic_hook();
    let host = Host::new(Arc::new(ForeignHost(host)));
    let opened = guard(|| -> Result<Instance, ProviderError> {
        let request = serde_json::from_slice(request.as_slice())
            .map_err(|error| ProviderError::invalid(format!("the open record cannot be read: {error}")))?;
        logging::install(&host, &request);
        let provider = E::Provider::open(host, request)?;
        Ok(Instance { provider: Box::new(provider), poisoned: AtomicBool::new(false) })
    });
    match opened {
        Ok(Ok(instance)) => Opened { status: Status::OK, instance: Box::into_raw(Box::new(instance)).cast() },
        Ok(Err(error)) => Opened { status: fail(reply, Status::ERROR, &error), instance: std::ptr::null() },
        Err(panic) => Opened { status: fail(reply, Status::PANIC, &panic), instance: std::ptr::null() },
    }
}

/// Any hook of any provider: the constant is its place in [`Hook::ALL`], so that each has a function pointer of its own.
///
/// May run on several threads at once for one instance. Time is told in milliseconds from the beginning of the call, since
/// two sides need not agree on a clock; `u64::MAX` is no deadline.
unsafe extern "C" fn hook<const HOOK: usize>(
    instance: *const (),
    context: CallContext,
    request: RSlice<'_, u8>,
    reply: Sink,
) -> Status {
    // SAFETY: the host passes what `open` answered, and calls nothing after `close`.
    let instance = unsafe { &*instance.cast::<Instance>() };
    if instance.poisoned.load(Ordering::Acquire) {
        let error = ProviderError::new(ErrorKind::Poisoned, "the provider panicked before and must be opened again");
        return fail(reply, Status::POISONED, &error);
    }
    let limit = (context.remaining_ms != u64::MAX).then(|| Duration::from_millis(context.remaining_ms));
    let cancelled = Cancel(context);
    let call = Call::new(limit, context.trace_id, move || cancelled.is_set());
    let _trace = logging::trace(context.trace_id);
    match guard(|| dispatch(&*instance.provider, Hook::ALL[HOOK], request.as_slice(), &call)) {
        Ok(Ok(answer)) => {
            write(reply, &answer);
            Status::OK
        }
        Ok(Err(error)) => fail(reply, Status::ERROR, &error),
        Err(panic) => {
            instance.poisoned.store(true, Ordering::Release);
            fail(reply, Status::PANIC, &panic)
        }
    }
}

/// Drops the provider, on the thread that calls. The pointer is dangling afterwards, also when the drop panicked.
///
/// Context and request are those of every hook and mean nothing here: the table's functions have one type.
unsafe extern "C" fn close(
    instance: *const (),
    _context: CallContext,
    _request: RSlice<'_, u8>,
    reply: Sink,
) -> Status {
    // SAFETY: the pointer comes from `Box::into_raw` in `open`; the host calls this once, with no other call running.
    let instance = unsafe { Box::from_raw(instance.cast_mut().cast::<Instance>()) };
    match guard(|| drop(instance)) {
        Ok(()) => Status::OK,
        Err(panic) => fail(reply, Status::PANIC, &panic),
    }
}

/// The table of an interface that the manifest lists. A host asks by id, so one that this crate does not know, and one that
/// the author did not list, look the same to it: not there.
unsafe extern "C" fn get_interface<E: Export>(id: RStr<'_>) -> ROption<abi::Interface> {
    match Interface::from_id(id.as_str()) {
        Some(interface) if E::MANIFEST.has(interface) => RSome(table(interface)),
        _ => RNone,
    }
}

/// The tables serve every provider: an instance carries its own type.
fn table(interface: Interface) -> abi::Interface {
    macro_rules! tables {
        ($($variant:ident { $($field:ident: $hook:ident),+ })+) => {
            match interface { $(
                Interface::$variant => {
                    static TABLE: abi::$variant = abi::$variant { $($field: hook::<{ Hook::$hook as usize }>),+ };
                    export(&TABLE)
                }
            )+ }
        };
    }
    static CORE: abi::Core = abi::Core {
        unavailable_reason: hook::<{ Hook::UnavailableReason as usize }>,
        system_prompt_block: hook::<{ Hook::SystemPromptBlock as usize }>,
        health: hook::<{ Hook::Health as usize }>,
        shutdown: hook::<{ Hook::Shutdown as usize }>,
        close,
    };
    if interface == Interface::Core {
        return export(&CORE);
    }
    tables! {
        Core { unavailable_reason: UnavailableReason, system_prompt_block: SystemPromptBlock, health: Health,
               shutdown: Shutdown, close: Close }
        Prefetch { prefetch: Prefetch, queue_prefetch: QueuePrefetch, recall_status: RecallStatus }
        Sync { sync_turn: SyncTurn }
        MemoryWrite { on_memory_write: OnMemoryWrite }
        Session { on_turn_start: OnTurnStart, on_session_end: OnSessionEnd, on_session_switch: OnSessionSwitch,
                  on_pre_compress: OnPreCompress, on_delegation: OnDelegation }
        Tools { tool_schemas: ToolSchemas, call_tool: CallTool, tool_effect: ToolEffect }
        Setup { config_schema: ConfigSchema, save_config: SaveConfig, backup_paths: BackupPaths }
        Remember { remember: Remember }
        Import { import: Import }
        Browse { list_entries: ListEntries, delete_entry: DeleteEntry }
    }
}

/// A table with its layout, for the host to compare before it calls anything in it.
fn export<T: StableAbi>(table: &'static T) -> abi::Interface {
    abi::Interface { layout: T::LAYOUT, table: std::ptr::from_ref(table).cast() }
}

/// The cancel flag of the host, valid during the call.
#[derive(Clone, Copy)]
struct Cancel(CallContext);

// SAFETY: the host promises that `is_cancelled` may be called from any thread during the call.
unsafe impl Send for Cancel {}
// SAFETY: as above.
unsafe impl Sync for Cancel {}

impl Cancel {
    fn is_set(&self) -> bool {
        // SAFETY: the `Call` that holds this lives no longer than the hook, and so within the host's call.
        unsafe { (self.0.is_cancelled)(self.0.context) }
    }
}

/// The host's table, given back when the last clone of the [`Host`] is dropped.
struct ForeignHost(HostTable);

// SAFETY: the host promises that its services may be called from any thread.
unsafe impl Send for ForeignHost {}
// SAFETY: as above.
unsafe impl Sync for ForeignHost {}

impl Services for ForeignHost {
    fn call(&self, service: &str, method: &str, request: &[u8]) -> Result<Vec<u8>, ProviderError> {
        let HostTable { context, get_service, .. } = self.0;
        // SAFETY: `context` is valid until `release`, which only the drop calls.
        let found = unsafe { get_service(context, RStr::from_str(service)) };
        let RSome(found) = found else {
            return Err(ProviderError::new(ErrorKind::Unsupported, format!("this host has no service `{service}`")));
        };
        let mut answer = Vec::new();
        let reply = Sink { context: std::ptr::from_mut(&mut answer).cast(), write: collect };
        // SAFETY: `context` as above; `answer` outlives the call.
        let status =
            unsafe { (found.call)(context, service.into(), method.into(), RSlice::from_slice(request), reply) };
        match status {
            Status::OK => Ok(answer),
            _ => Err(serde_json::from_slice(&answer).unwrap_or_else(|error| {
                ProviderError::new(ErrorKind::Internal, format!("`{service}` failed without a reason: {error}"))
            })),
        }
    }
}

impl Drop for ForeignHost {
    fn drop(&mut self) {
        // SAFETY: called once, and nothing can reach the table afterwards.
        unsafe { (self.0.release)(self.0.context) }
    }
}

/// A sink that keeps what it is given, for answers of the host's services.
unsafe extern "C" fn collect(context: *mut (), bytes: RSlice<'_, u8>) {
    // SAFETY: `context` points to the `Vec` of `ForeignHost::call`, which waits for the callee.
    let answer = unsafe { &mut *context.cast::<Vec<u8>>() };
    answer.extend_from_slice(bytes.as_slice());
}

/// Writes an answer, in one piece. A host that takes no more of it says so later, as an answer that is too large.
fn write(reply: Sink, bytes: &[u8]) {
    // SAFETY: the host promises that the sink is valid during the call, and every caller here is within it.
    unsafe { (reply.write)(reply.context, RSlice::from_slice(bytes)) }
}

/// Writes an error record, and passes the status through. An error that cannot be written is an empty reply, which a host
/// takes for an error without a reason.
fn fail(reply: Sink, status: Status, error: &ProviderError) -> Status {
    write(reply, &serde_json::to_vec(error).unwrap_or_default());
    status
}

thread_local! {
    /// How many guards this thread is in.
    static GUARDED: Cell<u32> = const { Cell::new(0) };
    /// What the panic hook saw last on this thread.
    static SEEN: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps message and place of a panic inside a guard for the report; sends others, from the provider's own threads,
/// to the log. Nothing is printed: the host says it once.
fn install_panic_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let message = panic_text(info.payload());
            let report = match info.location() {
                Some(place) => format!("{message} (at {}:{})", place.file(), place.line()),
                None => message.to_owned(),
            };
            if GUARDED.get() > 0 {
                SEEN.set(Some(report));
            } else {
                logging::write("error", "panic", &format!("a thread of the provider panicked: {report}"));
            }
        }));
    });
}

/// The words of a panic: `panic!` with a literal carries a `&str`, one with arguments a `String`.
pub(crate) fn panic_text(payload: &dyn Any) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

/// Runs the provider's code and turns a panic into an error with its message and place.
///
/// Guards may be nested on a thread, when a drop runs inside a hook for instance; each sees its own panic.
fn guard<T>(run: impl FnOnce() -> T) -> Result<T, ProviderError> {
    GUARDED.set(GUARDED.get() + 1);
    // A panic that the provider caught itself says nothing about a later one.
    SEEN.take();
    let result = catch_unwind(AssertUnwindSafe(run));
    let result = result.map_err(|payload| {
        let report = SEEN.take().unwrap_or_else(|| panic_text(&*payload).to_owned());
        // The payload is the provider's own value, whose drop may panic as well; that second payload is leaked.
        if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            std::mem::forget(second);
        }
        ProviderError::new(ErrorKind::Panic, format!("the provider panicked: {report}"))
    });
    GUARDED.set(GUARDED.get() - 1);
    result
}
