//! What may not pass: forged memory blocks and attacks on the way in, secrets on the way out.

pub mod fence;
mod letters;
mod redact;
pub mod threats;

pub use redact::{REDACTED, Redactor, SecretKind};
