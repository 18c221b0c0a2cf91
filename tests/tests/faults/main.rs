//! A provider that misbehaves costs the call that it misbehaved in: the host goes on, and says the cause once.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod conformance;
mod crash;
mod deadline;
mod ordinary;
mod quarantine;
mod reply;
mod worker;
