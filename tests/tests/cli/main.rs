//! The command line end to end: the real binary, real plugins, and what a user sees.
//!
//! Each scene has a home of its own. What is never twice the same (times, hashes, the scene's folder) is left out of
//! the snapshots; nothing depends on how fast anything is.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod package;
mod pty;
mod scene;
mod server;
mod shown;

mod archives;
mod browse;
mod byterover;
mod catalogs;
mod chat;
mod config;
mod confinement;
mod daemons;
mod dead;
mod doctor;
mod doctor_memory;
mod faults;
mod fetch;
mod habits;
mod import;
mod kills;
mod lazy;
mod local;
mod logs;
mod looking;
mod man;
mod mcp;
mod memory_files;
mod memory_groups;
mod memory_kills;
mod memory_python;
mod mirror;
mod new;
mod offline;
mod outbox;
mod pack;
mod pauses;
mod picker;
mod pilot;
mod plugins;
mod profiles;
mod proxy;
mod refused;
mod replay;
mod retaindb;
mod rollbacks;
mod semantic;
mod sessions;
mod sessions_import;
mod sessions_python;
mod sessions_search;
mod setup;
mod story;
mod tampered;
mod together;
mod updates;
mod validate;
