//! A plugin written by hand against the boundary crate alone, so that it can break the rules that `export_provider!`
//! keeps.
//!
//! How it behaves when it is loaded stands in its metadata section, in fields that no host reads: a test makes a copy
//! of the file with another `mode`. How a prefetch behaves is the text of the query.
#![expect(unsafe_code, reason = "the boundary by hand")]

use hermes_provider_abi::abi_stable::StableAbi;
use hermes_provider_abi::abi_stable::library::{
    __call_root_module_loader, CheckTypeLayout, LibHeader, RootModuleResult,
};
use hermes_provider_abi::abi_stable::prefix_type::PrefixTypeTrait as _;
use hermes_provider_abi::abi_stable::std_types::{RNone, ROption, RSlice, RSome, RStr};
use hermes_provider_abi::{
    CallContext, Core, HostTable, Interface, Opened, Prefetch, Root, RootRef, Sink, Status, Sync,
};

const JSON: &str = concat!(
    r#"{"id":"raw","title":"Raw","version":"0.1.0","abi_major":1,"abi_minor":0,"api_version":"none","#,
    r#""requires_host":"*","target":""#,
    env!("RAW_TARGET"),
    r#"","rustc":"","panic":"unwind","interfaces":["hermes.core/1","hermes.prefetch/1"],"capabilities":{},"#,
    r#""mode":"good                ","marker":""#,
    "                                                                                                    ",
    "                                                                                                    ",
    r#""}"#
);

#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__memprov"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".memprov"))]
static SECTION: [u8; JSON.len() + 16] = section();

const fn section() -> [u8; JSON.len() + 16] {
    let mut section = [0; JSON.len() + 16];
    let (head, json) = section.split_at_mut(16);
    let (magic, numbers) = head.split_at_mut(8);
    magic.copy_from_slice(b"HMEMPROV");
    let (format, len) = numbers.split_at_mut(4);
    format.copy_from_slice(&1_u32.to_le_bytes());
    #[expect(clippy::cast_possible_truncation, reason = "the text above")]
    len.copy_from_slice(&(JSON.len() as u32).to_le_bytes());
    json.copy_from_slice(JSON.as_bytes());
    section
}

/// The text of a field as it stands in this file, which a test may have changed after the compiler read it.
fn field(name: &str) -> &'static str {
    let section: &'static [u8] = std::hint::black_box(&SECTION);
    let text = std::str::from_utf8(&section[16..]).unwrap_or_default();
    let start = text.find(name).map_or(text.len(), |at| at + name.len() + 3);
    text.get(start..).and_then(|rest| rest.split('"').next()).unwrap_or_default().trim_end()
}

/// Runs as soon as the file is mapped into a process, before anything of it is called.
extern "C" fn leave_marker() {
    let path = field("marker");
    if !path.is_empty() {
        let _ = std::fs::write(path, "this file was loaded");
    }
}

#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static AT_LOAD: extern "C" fn() = leave_marker;

#[unsafe(no_mangle)]
pub static _1as_0lib_1header_0root_bmodule_bloader: LibHeader =
    // SAFETY: `construct` answers with a `RootRef`.
    unsafe { LibHeader::from_constructor::<RootRef>(construct, CheckTypeLayout::Yes) };

extern "C" fn construct() -> RootModuleResult {
    __call_root_module_loader(|| Root { describe, open, get_interface }.leak_into_prefix())
}

fn write(reply: Sink, bytes: &[u8]) {
    // SAFETY: every caller hands on the sink of the call that it serves.
    unsafe { (reply.write)(reply.context, RSlice::from_slice(bytes)) }
}

unsafe extern "C" fn describe(reply: Sink) -> Status {
    match field("mode") {
        "describe-other" => write(reply, br#"{"id": "somebody-else"}"#),
        "describe-broken" => write(reply, b"{"),
        "describe-fails" => return Status::ERROR,
        _ => write(reply, &SECTION[16..]),
    }
    Status::OK
}

unsafe extern "C" fn open(host: HostTable, _request: RSlice<'_, u8>, _reply: Sink) -> Opened {
    // SAFETY: nothing here keeps the table.
    unsafe { (host.release)(host.context) };
    match field("mode") {
        "open-null" => Opened { status: Status::OK, instance: std::ptr::null() },
        "open-silent" => Opened { status: Status::ERROR, instance: std::ptr::null() },
        _ => Opened { status: Status::OK, instance: std::ptr::NonNull::<()>::dangling().as_ptr() },
    }
}

unsafe extern "C" fn get_interface(id: RStr<'_>) -> ROption<Interface> {
    static CORE: Core =
        Core { unavailable_reason: null, system_prompt_block: null, health: null, shutdown: null, close: null };
    static PREFETCH: Prefetch = Prefetch { prefetch, queue_prefetch: null, recall_status: null };
    static SYNC: Sync = Sync { sync_turn: null };
    match (id.as_str(), field("mode")) {
        ("hermes.core/1", "no-core") => RNone,
        ("hermes.core/1", _) => export(&CORE),
        ("hermes.prefetch/1", "other-layout") => export(&SYNC),
        ("hermes.prefetch/1", _) => export(&PREFETCH),
        _ => RNone,
    }
}

fn export<T: StableAbi>(table: &'static T) -> ROption<Interface> {
    RSome(Interface { layout: T::LAYOUT, table: std::ptr::from_ref(table).cast() })
}

unsafe extern "C" fn null(_: *const (), _: CallContext, _: RSlice<'_, u8>, reply: Sink) -> Status {
    write(reply, b"null");
    Status::OK
}

unsafe extern "C" fn prefetch(_: *const (), _: CallContext, request: RSlice<'_, u8>, reply: Sink) -> Status {
    let request = String::from_utf8_lossy(request.as_slice());
    let query = request.split(r#""query":""#).nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    match query {
        "invalid-utf8" => write(reply, b"{\"items\": [], \"preface\": \"\xff\xfe\"}"),
        "invalid-json" => write(reply, b"{\"items\": ["),
        "other-record" => write(reply, b"[1, 2, 3]"),
        "nothing" => {}
        "unknown-status" => {
            write(reply, br#"{"kind": "moon_phase", "message": "a status of tomorrow", "new": 1}"#);
            return Status(4096);
        }
        "error-without-record" => return Status::ERROR,
        "error-of-garbage" => {
            write(reply, b"\xff{{{");
            return Status::ERROR;
        }
        "panic-without-record" => return Status::PANIC,
        "huge" => {
            let megabyte = vec![b' '; 1 << 20];
            for _ in 0..100 {
                write(reply, &megabyte);
            }
        }
        _ => {
            for byte in br#"{"items": [{"text": "in many pieces"}]}"# {
                write(reply, &[*byte]);
            }
        }
    }
    Status::OK
}
