//! Opening a plugin's library and calling its tables: the only unsafe code of the host.
//!
//! What is promised to a plugin, and relied on here:
//!
//! * a library is never closed, so its code and statics live as long as the process;
//! * layouts are compared before a table is used;
//! * bytes are lent for the time of a call, and copied by the sink;
//! * an instance is closed once, after its last call: [`Open`] is dropped when nothing holds it.
#![expect(unsafe_code, reason = "this file is the host's side of the boundary")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hermes_provider_api::abi::abi_stable::StableAbi;
use hermes_provider_api::abi::abi_stable::abi_stability::abi_checking::check_layout_compatibility;
use hermes_provider_api::abi::abi_stable::library::lib_header_from_path;
use hermes_provider_api::abi::abi_stable::std_types::{RNone, ROption, RSlice, RSome, RStr};
use hermes_provider_api::abi::{self, CallContext, HookFn, HostTable, RootRef, Service, Sink, Status};
use hermes_provider_api::host::service;
use hermes_provider_api::{ErrorKind, Hook, Interface, ProviderError, Services};

use super::instance::{Fault, MAX_REPLY};
use super::limits::millis;

/// Why a library cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The system's loader refused it.
    #[error("cannot open `{}`: {reason}", path.display())]
    Open {
        /// The library.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// It is no plugin, or of another boundary.
    #[error("`{}` has no root that this host can use", path.display())]
    Root {
        /// The library.
        path: PathBuf,
        /// abi_stable's whole report, for a file.
        dump: String,
    },
    /// A table differs from the one that this host knows under the same id.
    #[error("`{}` has another layout of `{interface}` than this host", path.display())]
    Layout {
        /// The library.
        path: PathBuf,
        /// Its id.
        interface: &'static str,
        /// abi_stable's whole report, for a file.
        dump: String,
    },
    /// It has no `hermes.core/1`.
    #[error("`{}` lacks `hermes.core/1`, which every provider has", path.display())]
    NoCore {
        /// The library.
        path: PathBuf,
    },
}

/// A plugin's library, open for the rest of the process.
pub(super) struct Library {
    root: RootRef,
    tables: Tables,
}

macro_rules! tables {
    ($($field:ident: $interface:ident { $($hook:ident => $function:ident),+ })+) => {
        /// The interfaces that this host and the plugin both know.
        #[derive(Clone, Copy, Default)]
        struct Tables { $($field: Option<&'static abi::$interface>,)+ }

        impl Tables {
            fn find(path: &Path, root: RootRef) -> Result<Self, LoadError> {
                Ok(Self { $($field: import(path, root, Interface::$interface)?,)+ })
            }

            fn function(&self, hook: Hook) -> Option<HookFn> {
                match hook {
                    $($(Hook::$hook => self.$field.map(|table| table.$function as HookFn),)+)+
                    _ => None,
                }
            }
        }
    };
}

tables! {
    core: Core { UnavailableReason => unavailable_reason, SystemPromptBlock => system_prompt_block, Health => health,
                 Shutdown => shutdown, Close => close }
    prefetch: Prefetch { Prefetch => prefetch, QueuePrefetch => queue_prefetch, RecallStatus => recall_status }
    sync: Sync { SyncTurn => sync_turn }
    memory_write: MemoryWrite { OnMemoryWrite => on_memory_write }
    session: Session { OnTurnStart => on_turn_start, OnSessionEnd => on_session_end,
                       OnSessionSwitch => on_session_switch, OnPreCompress => on_pre_compress,
                       OnDelegation => on_delegation }
    tools: Tools { ToolSchemas => tool_schemas, CallTool => call_tool, ToolEffect => tool_effect }
    setup: Setup { ConfigSchema => config_schema, SaveConfig => save_config, BackupPaths => backup_paths }
    remember: Remember { Remember => remember }
    import: Import { Import => import }
    browse: Browse { ListEntries => list_entries, DeleteEntry => delete_entry }
}

/// One interface of a plugin, once its layout is known to be ours.
fn import<T: StableAbi>(path: &Path, root: RootRef, interface: Interface) -> Result<Option<&'static T>, LoadError> {
    // SAFETY: the root's layout was checked; the function takes a string for the time of the call.
    let found = unsafe { root.get_interface()(RStr::from_str(interface.id())) };
    let RSome(found) = found else { return Ok(None) };
    check_layout_compatibility(T::LAYOUT, found.layout).map_err(|error| LoadError::Layout {
        path: path.to_owned(),
        interface: interface.id(),
        dump: error.to_string(),
    })?;
    // SAFETY: the layouts agree, and the table lives as long as the library, which is never closed.
    Ok(Some(unsafe { &*found.table.cast::<T>() }))
}

impl Library {
    /// Opens a library that has passed the checks of its file.
    pub(super) fn load(path: &Path) -> Result<Self, LoadError> {
        open_now(path)?;
        let refuse = |dump: String| LoadError::Root { path: path.to_owned(), dump };
        let header = lib_header_from_path(path).map_err(|error| refuse(error.to_string()))?;
        let root = header.init_root_module::<RootRef>().map_err(|error| refuse(error.to_string()))?;
        let tables = Tables::find(path, root)?;
        if tables.core.is_none() {
            return Err(LoadError::NoCore { path: path.to_owned() });
        }
        Ok(Self { root, tables })
    }

    /// The JSON of what the plugin says about itself.
    pub(super) fn describe(&self) -> Result<Vec<u8>, Fault> {
        let mut reply = Reply::default();
        // SAFETY: the sink is valid for the call.
        let status = unsafe { self.root.describe()(reply.sink()) };
        reply.read(status)
    }

    /// Makes an instance.
    pub(super) fn open(&self, services: Arc<dyn Services>, request: &[u8]) -> Result<Open, Fault> {
        let host = HostTable { context: Box::into_raw(Box::new(services)).cast_const().cast(), get_service, release };
        let mut reply = Reply::default();
        // SAFETY: the plugin takes over `host`, whose functions below expect exactly this context.
        let opened = unsafe { self.root.open()(host, RSlice::from_slice(request), reply.sink()) };
        // Whatever else is wrong with the answer, an instance is closed.
        let open = (opened.status == Status::OK && !opened.instance.is_null()).then(|| Open {
            instance: opened.instance,
            tables: self.tables,
            closed: false,
        });
        reply.read(opened.status)?;
        open.ok_or_else(|| Fault::BadReply("no instance".to_owned()))
    }
}

/// Opens with all symbols resolved at once, so that a missing one is an error here and not an abort in a call. The
/// library is then kept open for ever.
fn open_now(path: &Path) -> Result<(), LoadError> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: the file is a verified plugin of the store; running its initialisers is what the user agreed to.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|error| LoadError::Open { path: path.to_owned(), reason: error.to_string() })?;
    std::mem::forget(library);
    Ok(())
}

/// An instance of a provider. Closed when it is dropped, on a thread of its own: closing runs the provider's code, which
/// may hang, and whoever drops an instance last waits for nothing.
pub(super) struct Open {
    instance: *const (),
    tables: Tables,
    closed: bool,
}

// SAFETY: the boundary says that an instance may be called from several threads at once and closed on any.
unsafe impl Send for Open {}
// SAFETY: as above.
unsafe impl Sync for Open {}

impl Open {
    /// Calls a hook and waits for it, however long it takes. Never `close`, which frees the instance.
    pub(super) fn call(
        &self,
        hook: Hook,
        request: &[u8],
        limit: Duration,
        cancel: &AtomicBool,
        trace_id: u64,
    ) -> Result<Vec<u8>, Fault> {
        if hook == Hook::Close {
            return Err(Fault::Error(ProviderError::unsupported("close as a hook")));
        }
        self.invoke(hook, request, limit, cancel, trace_id)
    }

    fn invoke(
        &self,
        hook: Hook,
        request: &[u8],
        limit: Duration,
        cancel: &AtomicBool,
        trace_id: u64,
    ) -> Result<Vec<u8>, Fault> {
        let Some(function) = self.tables.function(hook) else {
            return Err(Fault::Error(ProviderError::unsupported(hook.name())));
        };
        let context = CallContext {
            context: std::ptr::from_ref(cancel).cast(),
            is_cancelled,
            remaining_ms: millis(limit),
            trace_id,
        };
        let mut reply = Reply::default();
        // SAFETY: the instance is open; flag, request and sink outlive the call.
        let status = unsafe { function(self.instance, context, RSlice::from_slice(request), reply.sink()) };
        reply.read(status)
    }

    /// Closes, and says whether the provider's drop panicked.
    pub(super) fn close(mut self) -> Result<(), Fault> {
        self.closed = true;
        self.invoke(Hook::Close, b"", Duration::MAX, &AtomicBool::new(false), 0).map(drop)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if self.closed {
            return;
        }
        let open = Self { instance: self.instance, tables: self.tables, closed: true };
        let close = move || drop(open.invoke(Hook::Close, b"", Duration::MAX, &AtomicBool::new(false), 0));
        if let Err(error) = std::thread::Builder::new().name("drop provider".to_owned()).spawn(close) {
            tracing::error!(%error, "no thread to drop a provider, which is leaked");
        }
    }
}

unsafe extern "C" fn is_cancelled(context: *const ()) -> bool {
    // SAFETY: `context` is the flag of `Open::call`, which waits for the callee.
    unsafe { &*context.cast::<AtomicBool>() }.load(Ordering::Relaxed)
}

/// Collects a reply up to the limit.
#[derive(Default)]
struct Reply {
    bytes: Vec<u8>,
    size: usize,
}

impl Reply {
    fn sink(&mut self) -> Sink {
        Sink { context: std::ptr::from_mut(self).cast(), write: collect }
    }

    fn read(self, status: Status) -> Result<Vec<u8>, Fault> {
        if self.size > MAX_REPLY {
            return Err(Fault::BadReply(format!(
                "{} MiB, more than the {} MiB that are allowed",
                self.size >> 20,
                MAX_REPLY >> 20
            )));
        }
        if status == Status::OK {
            return Ok(self.bytes);
        }
        let error: ProviderError = serde_json::from_slice(&self.bytes).unwrap_or_else(|_| {
            ProviderError::new(ErrorKind::Internal, format!("it failed with status {} and no reason", status.0))
        });
        Err(match status {
            Status::PANIC => Fault::Panic(error.message),
            Status::POISONED => Fault::Gone(error.message),
            _ => Fault::Error(error),
        })
    }
}

unsafe extern "C" fn collect(context: *mut (), bytes: RSlice<'_, u8>) {
    // SAFETY: `context` is the `Reply` whose owner waits for the callee.
    let reply = unsafe { &mut *context.cast::<Reply>() };
    reply.size = reply.size.saturating_add(bytes.len());
    if reply.size <= MAX_REPLY {
        reply.bytes.extend_from_slice(bytes.as_slice());
    } else {
        reply.bytes = Vec::new();
    }
}

unsafe extern "C" fn get_service(_context: *const (), id: RStr<'_>) -> ROption<Service> {
    const KNOWN: [&str; 9] = [
        service::LOG,
        service::CLOCK,
        service::DATA_DIR,
        service::CONFIG,
        service::SECRET,
        service::HTTP,
        service::COMMAND,
        service::FILE,
        service::MODEL,
    ];
    if KNOWN.contains(&id.as_str()) { RSome(Service { call: call_service }) } else { RNone }
}

unsafe extern "C" fn call_service(
    context: *const (),
    service: RStr<'_>,
    method: RStr<'_>,
    request: RSlice<'_, u8>,
    reply: Sink,
) -> Status {
    // SAFETY: `context` is the box of `Library::open`, which lives until `release`.
    let services = unsafe { &*context.cast::<Arc<dyn Services>>() };
    // A panic must not unwind through the plugin's frames either.
    let answer =
        catch_unwind(AssertUnwindSafe(|| services.call(service.as_str(), method.as_str(), request.as_slice())));
    let (status, bytes) = match answer {
        Ok(Ok(bytes)) => (Status::OK, bytes),
        Ok(Err(error)) => (Status::ERROR, serde_json::to_vec(&error).unwrap_or_default()),
        Err(_) => {
            let error = ProviderError::new(ErrorKind::Internal, format!("the host's `{service}` failed"));
            (Status::ERROR, serde_json::to_vec(&error).unwrap_or_default())
        }
    };
    // SAFETY: the plugin's sink is valid during this call.
    unsafe { (reply.write)(reply.context, RSlice::from_slice(&bytes)) };
    status
}

unsafe extern "C" fn release(context: *const ()) {
    // SAFETY: the plugin calls this once, and nothing uses the table afterwards.
    drop(unsafe { Box::from_raw(context.cast_mut().cast::<Arc<dyn Services>>()) });
}
