//! What may not pass: forged memory blocks and attacks on the way in, secrets on the way out.

pub mod fence;
mod finder;
mod letters;
mod redact;
mod scrubber;
pub mod threats;

pub use redact::{REDACTED, Redactor, SecretKind};
pub use scrubber::Scrubber;
