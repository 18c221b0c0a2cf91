//! The frozen boundary between a hermes host and a provider plugin, ABI major 1.
//!
//! Nobody but `hermes-provider-api` and the host's loader needs this crate: authors see a trait and one macro.
//! It holds the types that both sides must agree on byte for byte, and nothing that runs.
//!
//! # What may change, and how
//!
//! * [`Root`] never changes for all of ABI major 1.
//! * A table never changes either. A change is a new table with a new id that ends in the next revision,
//!   `hermes.prefetch/2`, beside the old one.
//! * Records travel as UTF-8 JSON, so a record gains a field without any change here.
//! * The version of *this crate* stays 1.0.0. abi_stable stamps every type with the name and version of the crate that
//!   defines it and refuses a pair whose versions are not compatible, so a release of `hermes-provider-api` must not
//!   move it.
//!
//! # Memory
//!
//! A callee borrows the bytes it is given for the time of the call. It answers by writing to a [`Sink`], which copies.
//! So each side frees only what it allocated itself.

pub use abi_stable;

use abi_stable::StableAbi;
use abi_stable::library::RootModule;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{ROption, RSlice, RStr};
use abi_stable::type_layout::TypeLayout;

/// ABI major number: a plugin of another major is never loaded.
pub const ABI_MAJOR: u32 = 1;

/// ABI minor number: grows when interface ids are added. A host loads any minor of its own major.
pub const ABI_MINOR: u32 = 0;

/// What a boundary function returns.
///
/// A newer side may send a number that an older one does not know; it is then treated as [`Status::ERROR`].
#[repr(transparent)]
#[derive(StableAbi, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u32);

impl Status {
    /// The reply is the hook's record.
    pub const OK: Self = Self(0);
    /// The reply is an error record.
    pub const ERROR: Self = Self(1);
    /// The provider panicked during this call; the reply is an error record that says where.
    pub const PANIC: Self = Self(2);
    /// The provider panicked during an earlier call, and this one did not run.
    pub const POISONED: Self = Self(3);
}

/// Where the callee writes its reply, once or in pieces.
///
/// `write` copies the bytes before it returns. A host may stop keeping them past its size limit; it then reports the
/// reply as too large. Valid only during the call it was handed to.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct Sink {
    /// Opaque to the callee; the first argument of `write`.
    pub context: *mut (),
    /// Appends bytes to the reply.
    pub write: unsafe extern "C" fn(context: *mut (), bytes: RSlice<'_, u8>),
}

/// What accompanies every hook call.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct CallContext {
    /// Opaque to the callee; the argument of `is_cancelled`.
    pub context: *const (),
    /// Whether the host has stopped waiting. Cheap: ask it between steps of long work. Valid only during the call.
    pub is_cancelled: unsafe extern "C" fn(context: *const ()) -> bool,
    /// Milliseconds until the host stops waiting, counted from the start of the call; `u64::MAX` when it never does.
    pub remaining_ms: u64,
    /// Joins the log lines of both sides that belong to one call.
    pub trace_id: u64,
}

/// A hook: bytes of a JSON record in, bytes of a JSON record out.
///
/// `instance` comes from [`Root::open`]. It may be called from several threads at once.
pub type HookFn =
    unsafe extern "C" fn(instance: *const (), call: CallContext, request: RSlice<'_, u8>, reply: Sink) -> Status;

/// One service of the host, such as `hermes.host.http/1`.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct Service {
    /// Calls a method of the service. May be called from any thread, also one that the plugin started.
    pub call: unsafe extern "C" fn(
        context: *const (),
        service: RStr<'_>,
        method: RStr<'_>,
        request: RSlice<'_, u8>,
        reply: Sink,
    ) -> Status,
}

/// What the host hands to a plugin at open. It grows by service id.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct HostTable {
    /// Opaque to the plugin; the first argument of the functions.
    pub context: *const (),
    /// Finds a service. None when this host has no such service.
    pub get_service: unsafe extern "C" fn(context: *const (), id: RStr<'_>) -> ROption<Service>,
    /// Gives `context` back. The plugin owns it from `open` on and calls this exactly once, when nothing in it can use
    /// the table any more.
    pub release: unsafe extern "C" fn(context: *const ()),
}

/// The outcome of [`Root::open`].
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct Opened {
    /// Whether `instance` is there.
    pub status: Status,
    /// The provider; null unless `status` is [`Status::OK`]. Given back to `close` of [`Core`].
    pub instance: *const (),
}

/// One table of hooks, found by id.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct Interface {
    /// Compared with the host's own layout of the table before the first call.
    pub layout: &'static TypeLayout,
    /// Points to the table, which lives as long as the library.
    pub table: *const (),
}

/// The root of a plugin. **Frozen** for ABI major 1.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = RootRef)))]
#[sabi(missing_field(panic))]
pub struct Root {
    /// Writes the metadata record, the same JSON as in the `.memprov` section.
    pub describe: unsafe extern "C" fn(reply: Sink) -> Status,
    /// Makes a provider. `request` is an open record. On failure `reply` holds an error record.
    pub open: unsafe extern "C" fn(host: HostTable, request: RSlice<'_, u8>, reply: Sink) -> Opened,
    /// Finds a table of hooks by its id. None when the plugin does not have it.
    #[sabi(last_prefix_field)]
    pub get_interface: unsafe extern "C" fn(id: RStr<'_>) -> ROption<Interface>,
}

impl RootModule for RootRef {
    abi_stable::declare_root_module_statics! {RootRef}
    const BASE_NAME: &'static str = "memprov";
    const NAME: &'static str = "memprov";
    const VERSION_STRINGS: VersionStrings = VersionStrings::new("1.0.0");
}

macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[repr(C)]
        #[derive(StableAbi, Clone, Copy)]
        pub struct $name {
            $(
                $(#[$field_doc])*
                // Spelled out: the derive sees function pointers by their syntax, not through an alias.
                pub $field: unsafe extern "C" fn(
                    instance: *const (),
                    call: CallContext,
                    request: RSlice<'_, u8>,
                    reply: Sink,
                ) -> Status,
            )+
        }
    )+};
}

tables! {
    /// `hermes.core/1`: what every provider has.
    Core {
        /// Why the provider cannot work as configured, if it cannot.
        unavailable_reason,
        /// Static text for the system prompt.
        system_prompt_block,
        /// Tries whether the provider works now.
        health,
        /// Asks the provider to finish what it has begun.
        shutdown,
        /// Drops the instance. Called once, when no other call runs; the pointer is dead afterwards.
        close,
    }
    /// `hermes.prefetch/1`: recall before the model is asked.
    Prefetch {
        /// Finds what is worth knowing for a message.
        prefetch,
        /// Says what the next prefetch will probably be about.
        queue_prefetch,
        /// Says what the recall index is doing.
        recall_status,
    }
    /// `hermes.sync/1`: finished turns.
    Sync {
        /// Takes a finished turn.
        sync_turn,
    }
    /// `hermes.memory_write/1`: writes of the curated memory.
    MemoryWrite {
        /// Takes a committed write of the built-in memory tool.
        on_memory_write,
    }
    /// `hermes.session/1`: the life of a session.
    Session {
        /// A turn begins.
        on_turn_start,
        /// A session is over.
        on_session_end,
        /// The conversation goes on under another session id.
        on_session_switch,
        /// The window is about to be compressed.
        on_pre_compress,
        /// A subagent has finished.
        on_delegation,
    }
    /// `hermes.tools/1`: tools for the model.
    Tools {
        /// The tools in OpenAI function format.
        tool_schemas,
        /// Runs a tool.
        call_tool,
        /// Whether a call would read, write or delete.
        tool_effect,
    }
    /// `hermes.setup/1`: configuration.
    Setup {
        /// The fields that setup asks for.
        config_schema,
        /// Takes the answers of setup.
        save_config,
        /// The files that a backup should take.
        backup_paths,
    }
    /// `hermes.remember/1`: a user's explicit wish to keep something.
    Remember {
        /// Stores one text.
        remember,
    }
    /// `hermes.import/1`: memories from elsewhere.
    Import {
        /// Takes a batch of records.
        import,
    }
    /// `hermes.browse/1`: looking through what is stored.
    Browse {
        /// Lists a page of entries.
        list_entries,
        /// Deletes one entry.
        delete_entry,
    }
}
