//! The boundary: what may not change, what other versions see of it, and what is refused before any code runs.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod layout;
mod records;
mod refused;
mod versions;
