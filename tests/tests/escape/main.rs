//! The escape suite: a provider tries to get out of its worker, and what the table in `SECURITY.md` says is what happens.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod scene;
mod ways;

mod docs;
mod places;
mod suite;
