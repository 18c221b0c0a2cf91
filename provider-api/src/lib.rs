//! What a memory provider for the hermes host is built against.
//!
//! A provider is a type that implements [`MemoryProvider`], exported from a `cdylib` crate by
//! [`export_provider!`]. The host finds it in a catalog, checks its metadata before any of its code runs, loads it
//! and calls its hooks. A provider has no authority of its own: it reaches the outside world through the [`Host`]
//! that it is opened with, as far as its [`Manifest`] asks and the user grants.
//!
//! # A complete provider
//!
//! ```
//! use std::sync::Mutex;
//! use hermes_provider_api::records::{
//!     Health, OpenRequest, PrefetchQuery, Recall, RecallItem, Remember, Remembered, Scope,
//! };
//! use hermes_provider_api::{Call, Host, Interface, Manifest, MemoryProvider, ProviderError, export_provider};
//!
//! /// Keeps notes until the process ends.
//! struct Notes(Mutex<Vec<(Scope, String)>>);
//!
//! impl MemoryProvider for Notes {
//!     fn open(_host: Host, _request: OpenRequest) -> Result<Self, ProviderError> {
//!         Ok(Self(Mutex::default()))
//!     }
//!     fn health(&self, _call: &Call<'_>) -> Result<Health, ProviderError> {
//!         Ok(Health::ok(format!("{} notes", self.0.lock().unwrap().len())))
//!     }
//!     fn remember(&self, wish: &Remember, _call: &Call<'_>) -> Result<Remembered, ProviderError> {
//!         let mut notes = self.0.lock().unwrap();
//!         notes.push((wish.caller.scope.clone(), wish.text.clone()));
//!         Ok(Remembered { id: notes.len().to_string(), existed: false })
//!     }
//!     fn prefetch(&self, query: &PrefetchQuery, _call: &Call<'_>) -> Result<Recall, ProviderError> {
//!         let notes = self.0.lock().unwrap();
//!         let known = notes.iter().filter(|(scope, text)| {
//!             scope.visible_to(&query.caller.scope) && query.query.split(' ').any(|word| text.contains(word))
//!         });
//!         let items = known.map(|(scope, text)| RecallItem {
//!             text: text.clone(), scope: Some(scope.clone()), ..RecallItem::default()
//!         });
//!         Ok(Recall { items: items.take(query.limit).collect(), ..Recall::default() })
//!     }
//! }
//!
//! export_provider!(Notes, Manifest::new("notes").interfaces(&[Interface::Prefetch, Interface::Remember]));
//! # fn main() {}
//! ```
//!
//! Whole providers are in the sources of hermes: `providers/byterover` runs a program and keeps plain files,
//! `providers/retaindb` talks to a service on the web with [`rest`], `providers/holographic` keeps a database of its own.
//!
//! # From an idea to a catalog
//!
//! 1. **Begin** with `hermes plugins new notes`: a crate with a small real provider, its tests, a README and a licence
//!    note. It builds and passes everything below before you change a line.
//! 2. **Say what it is** in the [`Manifest`]: interfaces, capabilities, settings. It is a constant; a mistake in it is a
//!    compile error, and it ends up in a section of the library that the host reads before any code runs. Ask for as
//!    little as you can: a plugin without capabilities is installed without a question.
//! 3. **Write the hooks** of the interfaces that the manifest names. [`MemoryProvider`] says of each when it is called,
//!    what its deadline is, what an error does, and what happens without it. Settings, keys and the folder for files
//!    come from the [`Host`] ([`Host::config`], [`Host::secret`], [`Host::data_dir`]), not from the environment. For a service
//!    that speaks JSON over HTTP, [`rest`] has the client: requests, limits, keys, and what each answer means to the host.
//! 4. **Keep people apart.** Store the [`Scope`] with what you learn, and answer only with what is
//!    [visible](Scope::visible_to) to the one that asks. Keep idempotency keys: a delivery may come twice. A store of files
//!    has a folder for each audience, see [`folders`].
//! 5. **Test** with `cargo test`: hooks are methods, and `testkit` has fakes of the host's services. The conformance kit
//!    in it runs what every user relies on, from odd texts to a crash in the middle.
//! 6. **Build** with `cargo build --release`, on the oldest system that you want to serve: `hermes plugins pack` says
//!    which glibc the library needs. Keep `panic = "unwind"`, Cargo's default: a plugin that aborts is not run in process.
//! 7. **Look at it as a stranger does** with `hermes plugins validate .`: it reads the file, and runs the scenarios of the
//!    kit through the real loader, in a worker and in process. `--quick` only reads.
//! 8. **Pack** with `hermes plugins pack .`: `dist` then holds an archive and a catalog entry, and works as
//!    `--catalog dist`. Pack on (or for) each target into the same folder; with `--base-url https://…` the entry names
//!    where you will serve the archives.
//! 9. **Try it** as your users will: `hermes memory setup notes --catalog dist`, with `HERMES_HOME` set to an
//!    empty folder.
//! 10. **Publish**: give the folder away as a catalog of your own, or propose the entry to the official one, whose rules
//!     of admission are in `catalog/README.md`. A published version never changes; a mistake is a new version.
//!
//! By hand, the crate is a `cdylib` whose `Cargo.toml` has little else. This crate comes with the sources of hermes and is not
//! in a registry; `plugins new` writes the path of the checkout that it was built in, or the address of the repository:
//!
//! ```toml
//! [lib]
//! crate-type = ["cdylib", "rlib"] # the plugin, and a library for tests in files of their own
//!
//! [dependencies]
//! hermes-provider-api = { path = "../hermes/provider-api" } # or git = "…"
//!
//! [dev-dependencies]
//! hermes-provider-api = { path = "../hermes/provider-api", features = ["test-kit"] }
//! ```
//!
//! Arguments of tools, their answers and settings are JSON: [`serde_json`] comes with this crate, as
//! `hermes_provider_api::serde_json`, so that `Value` and `json!` are at hand and of the right version.
//!
//! # Threads and time
//!
//! Hooks are plain blocking functions on threads that the host owns. There is no runtime, and none is needed; a
//! provider that brings its own starts it in `open` and stops it in [`MemoryProvider::shutdown`].
//!
//! Every call has a deadline. When it passes, the host goes on without the answer and asks the call to stop, which it
//! sees in [`Call::check`]. Thirty seconds later a worker is ended and a thread in process is written off. A recall that
//! comes in between serves the next turn of its session.
//!
//! | hook | deadline |
//! |---|---|
//! | `prefetch` | 2 s; 8 s for a provider with `http`, `command` or `network` capabilities, or whose `model` the user turned on |
//! | `call_tool`, `remember`, `list_entries`, `delete_entry`, `on_pre_compress` | 30 s |
//! | `sync_turn`, `on_memory_write`, `on_session_*`, `on_delegation`, `import` | 120 s |
//! | `tool_schemas`, `tool_effect`, `unavailable_reason`, `system_prompt_block`, `recall_status` | 2 s |
//! | opening, `health` and all others | 10 s |
//!
//! Users set others under `[timeouts]`, by the name of the hook.
//!
//! Three timeouts, or errors that may pass, in a row pause that hook: for 10 s at first, twice as long after each further
//! one, five minutes at the most. Errors that may pass are `Unavailable`, `RateLimited`, `Quota`, `Timeout`, `Storage`, and,
//! but for a tool, `Internal`; those of hooks that write do not count, since deliveries wait longer by themselves. Any other
//! answer ends the row, and one of `health` that is well ends all pauses. Pauses hold in every process of the user.
//!
//! Three panics or crashes in ten minutes put the provider into quarantine: it is then tried once per session, until ten
//! minutes have passed without one. `hermes plugins quarantine list` shows both, and `clear` ends them.
//!
//! # Errors
//!
//! A hook fails with a [`ProviderError`]. Its kind decides what happens next ([`ErrorKind`] has the table), its message
//! and hint are shown to people. Say what happened and what to do; never put a key into either.
//!
//! # Sizes
//!
//! | what | limit |
//! |---|---|
//! | a request or answer of a hook, as JSON | 32 MiB |
//! | an answer of the `http` service in memory; in a file | 16 MiB; 1 GiB |
//! | a file of the `file` service; a copy of one | 16 MiB; 1 GiB |
//! | each output of a program | 4 MiB, the rest is dropped |
//! | host services running at once for a provider in a worker | 64 |
//! | a message or hint of an error | 2000 characters, the rest is dropped |
//!
//! # What is stable
//!
//! * The boundary itself is the crate `hermes-provider-abi`, frozen for all of ABI major 1. A plugin that was built
//!   against any release of this crate with that major is loaded by every host with it, older or newer.
//! * Hooks and services grow by id, the [`records`] by fields with defaults.
//! * The version of this crate, of the ABI ([`abi::ABI_MAJOR`]) and of a plugin are three different numbers.
//!
//! What that means for you:
//!
//! * **You never rebuild for a new host** of ABI major 1. A library that was published once keeps loading, unless your own
//!   [`Manifest::requires_host`] says otherwise. The compiler's version does not matter either; the target does.
//! * **You rebuild to get something**: a hook or a field that a newer release of this crate has. An older host never calls
//!   the new hook and leaves the new field out, so what you answer without them is still what its users see. A service
//!   that it does not have answers [`ErrorKind::Unsupported`].
//! * **Enums are `non_exhaustive`.** A name that your build does not know arrives as the careful case: a chat kind as a group,
//!   a role as one that may only read, an effect as a deletion, an error as `Internal`. Give each `match` a last arm that
//!   does the careful thing as well; an error there would take the memory away with an update of hermes.
//! * **Records grow by fields.** Write them with `..Default::default()`, and your source keeps compiling; unknown fields of a
//!   newer host are ignored, and missing ones have their defaults.
//! * **New hooks have defaults** in [`MemoryProvider`], so that an old source is a whole provider under a new release.
//! * What may break your *source* is a release of this crate whose first number that is not zero has grown, as with any
//!   crate. Libraries are not touched by it.
//!
//! # Safety
//!
//! Authors write no `unsafe`. What this crate cannot promise: in process, a plugin is native code in the host's
//! address space and trusted as such. A worker, the default of the `hermes` program, keeps its faults away from the host,
//! and on Linux the kernel confines it. A panic is caught; an abort, a stack overflow or an endless loop is survived by the
//! host only with a worker.
//!
//! # What a worker can reach
//!
//! | what | how it is |
//! |---|---|
//! | files | the data folder; to be read: the folder of the library, the system's libraries, time zones, `/dev/urandom` |
//! | temporary files | in the data folder: `/tmp` is closed. SQLite: `PRAGMA temp_store = MEMORY` |
//! | the current folder | the data folder |
//! | links, pipes, sockets and devices as files | cannot be made; hard links and renames within the data folder can |
//! | modes, owners and times of files | stay as they are; setting the mode of an open file answers that it is done |
//! | threads | as many as you need; `fork` and programs are refused, use the `command` service |
//! | sockets | a pair of Unix stream sockets; IPv4 and IPv6 with `network = "direct"` |
//! | code made or loaded after the library (JIT, `dlopen`) | refused; with `network = "direct"` the C library needs it |
//! | environment, `/proc`, other processes | nothing |
//! | memory | 4 GiB that it writes to, 8 GiB of addresses; a file of 8 GiB; 1024 open files |
//!
//! What is refused is an error (`EPERM`, `EACCES`, `ENOSYS`), never the end of the process, but for a file that grows too
//! large. `hermes plugins validate` runs your provider there.
//!
//! # Logging
//!
//! Use `tracing` or `log` as in any crate, at the level that fits: the host is sent what it keeps. `hermes --verbose` shows
//! the lines with the module that said them, masked for the secrets that hermes knows. Print nothing: in process it would
//! stand in the middle of what the user reads. Write what was done and how much of it, in ids and numbers, and no texts of
//! the user: people attach logs to reports.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `tracing` | yes | the plugin's `tracing` events go to the host's log |
//! | `log` | yes | so do its `log` records |
//! | `test-kit` | no | `testkit`: fakes of the host's services, and scenarios that every provider should pass |

pub use hermes_provider_abi as abi;
pub use serde_json;

#[doc(hidden)]
pub mod boundary;
mod call;
mod capabilities;
pub mod dispatch;
mod error;
mod field;
pub mod folders;
mod grammar;
mod hook;
pub mod host;
mod json;
mod logging;
#[doc(hidden)]
pub mod manifest;
pub mod metadata;
mod provider;
pub mod records;
mod refuse;
pub mod rest;
#[cfg(feature = "test-kit")]
pub mod testkit;

pub use call::Call;
pub use capabilities::Capabilities;
pub use error::{ErrorKind, ProviderError};
pub use field::Field;
pub use hook::{Hook, Interface};
pub use host::{Host, Secret, Services};
pub use manifest::{Exported, Manifest};
pub use provider::{MemoryProvider, Result};
pub use records::{ChatKind, Context, Effect, Scope};

/// Makes the crate a plugin: exports the root, the metadata section, and the interfaces that the manifest lists.
///
/// Takes a type that implements [`MemoryProvider`] and a constant [`Manifest`]; the plugin's version is that of the
/// crate. Use it once, in a crate of type `cdylib`: a second one in the same crate is a compile error, and two crates
/// with one each that are linked into one file clash by name.
///
/// ```
/// # use hermes_provider_api::records::{Health, OpenRequest};
/// # use hermes_provider_api::{Call, Host, Interface, Manifest, MemoryProvider, ProviderError, export_provider};
/// # struct Notes;
/// # impl MemoryProvider for Notes {
/// #     fn open(_: Host, _: OpenRequest) -> Result<Self, ProviderError> { Ok(Self) }
/// #     fn health(&self, _: &Call<'_>) -> Result<Health, ProviderError> { Ok(Health::ok("here")) }
/// # }
/// const MANIFEST: Manifest = Manifest::new("notes").title("Notes").interfaces(&[Interface::Prefetch]);
///
/// export_provider!(Notes, MANIFEST);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! export_provider {
    ($provider:ty, $manifest:expr $(,)?) => {
        const _: () = {
            // Names that no author has: `$provider` and `$manifest` are looked up beside these.
            struct __HermesPlugin;
            // Its type is said first, so that the compiler can say which one it found instead.
            const __HERMES_GIVEN: $crate::Manifest = $manifest;
            const __HERMES_MANIFEST: $crate::Manifest = __HERMES_GIVEN.version(env!("CARGO_PKG_VERSION")).checked();
            #[used]
            #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__memprov"))]
            #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".memprov"))]
            static __HERMES_SECTION: [u8; $crate::manifest::section_len(&__HERMES_MANIFEST)] =
                $crate::manifest::section(&__HERMES_MANIFEST);

            impl $crate::Exported for $provider {
                fn metadata() -> $crate::metadata::Metadata {
                    $crate::metadata::Metadata::from_section(&__HERMES_SECTION).expect("the macro wrote the section")
                }
            }

            impl $crate::boundary::Export for __HermesPlugin {
                type Provider = $provider;
                const MANIFEST: $crate::Manifest = __HERMES_MANIFEST;
                fn section() -> &'static [u8] {
                    &__HERMES_SECTION
                }
            }

            // The name that abi_stable looks for: its own attribute wants abi_stable among the author's dependencies.
            #[unsafe(no_mangle)]
            pub static _1as_0lib_1header_0root_bmodule_bloader: $crate::abi::abi_stable::library::LibHeader =
                $crate::boundary::header::<__HermesPlugin>();
        };

        // A name of the whole crate, in whichever module it stands: a second export is told by this name, and not by
        // that of the symbol above.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! export_provider_stands_once_in_a_crate {
            () => {};
        }
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "write `export_provider!(Type, Manifest::new(\"id\"))`: the type that implements `MemoryProvider`, and its manifest"
        );
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_exported_name_is_the_one_that_is_looked_for() {
        let name = crate::abi::abi_stable::library::ROOT_MODULE_LOADER_NAME;
        assert_eq!(name, "_1as_0lib_1header_0root_bmodule_bloader");
    }
}
