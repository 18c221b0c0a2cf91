//! The provider as the host sees it: hooks in, records out, on real files and with a `brv` of few lines.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod conformance;
mod folders;
mod notes;
mod recall;
mod support;
mod turns;
