//! What was accepted is delivered: whatever is killed, cut off, down, full or broken.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod disks;
mod files;
mod kills;
mod power;
mod providers;
mod together;
