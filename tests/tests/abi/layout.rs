//! Size, alignment and offsets of everything that crosses as bytes, and all names. A difference here means that plugins
//! which were built before cannot be loaded: make a new interface id instead.

use std::fmt::Write as _;
use std::mem::offset_of;

use hermes_provider_api::abi::{
    ABI_MAJOR, ABI_MINOR, Browse, CallContext, Core, HostTable, Import, Interface, MemoryWrite, Opened, Prefetch,
    Remember, Service, Session, Setup, Sink, Status, Sync, Tools,
};
use hermes_provider_api::host::service;
use hermes_provider_api::metadata::{FORMAT, MACHO_SECTION, MAGIC, SECTION};
use hermes_provider_api::{Hook, abi};

macro_rules! layout {
    ($($type:ident { $($field:tt),* })+) => {{
        let mut text = String::new();
        $(
            let (size, align) = (size_of::<$type>(), align_of::<$type>());
            let _ = writeln!(text, "{}: {size} bytes, aligned to {align}", stringify!($type));
            $(
                let _ = writeln!(text, "  {} at {}", stringify!($field), offset_of!($type, $field));
            )*
        )+
        text
    }};
}

#[test]
#[cfg(target_pointer_width = "64")]
fn tables() {
    insta::assert_snapshot!(layout! {
        Status { 0 }
        Sink { context, write }
        CallContext { context, is_cancelled, remaining_ms, trace_id }
        Service { call }
        HostTable { context, get_service, release }
        Opened { status, instance }
        Interface { layout, table }
        Core { unavailable_reason, system_prompt_block, health, shutdown, close }
        Prefetch { prefetch, queue_prefetch, recall_status }
        Sync { sync_turn }
        MemoryWrite { on_memory_write }
        Session { on_turn_start, on_session_end, on_session_switch, on_pre_compress, on_delegation }
        Tools { tool_schemas, call_tool, tool_effect }
        Setup { config_schema, save_config, backup_paths }
        Remember { remember }
        Import { import }
        Browse { list_entries, delete_entry }
    });
}

/// What abi_stable compares before it looks at any field: the crate that defines the types, and the root's version.
#[test]
fn crate_and_root() {
    use abi::abi_stable::StableAbi;
    use abi::abi_stable::library::{ROOT_MODULE_LOADER_NAME, RootModule};
    let package = <Core as StableAbi>::LAYOUT.item_info().package_and_version();
    assert_eq!(package, ("hermes-provider-abi", "1.0.0"));
    assert_eq!(<abi::RootRef as RootModule>::VERSION_STRINGS.version.as_str(), "1.0.0");
    assert_eq!(<abi::RootRef as RootModule>::NAME, "memprov");
    assert_eq!(ROOT_MODULE_LOADER_NAME, "_1as_0lib_1header_0root_bmodule_bloader");
}

#[test]
fn names() {
    let mut text = format!("ABI {ABI_MAJOR}.{ABI_MINOR}\n");
    let _ =
        writeln!(text, "section {SECTION} or {MACHO_SECTION}, {:?}, format {FORMAT}", MAGIC.escape_ascii().to_string());
    for status in [Status::OK, Status::ERROR, Status::PANIC, Status::POISONED] {
        let _ = writeln!(text, "{status:?}");
    }
    for &hook in Hook::ALL {
        let _ = writeln!(text, "{} {}", hook.interface().id(), hook.name());
    }
    let services = [
        service::LOG,
        service::CLOCK,
        service::DATA_DIR,
        service::CONFIG,
        service::SECRET,
        service::HTTP,
        service::COMMAND,
        service::FILE,
    ];
    for service in services {
        let _ = writeln!(text, "{service}");
    }
    insta::assert_snapshot!(text);
}
