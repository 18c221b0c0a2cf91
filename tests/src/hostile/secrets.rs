//! Texts that secrets are taken out of.

use hermes_host::guard::Redactor;

/// A text that may hold secrets: it is taken when it has none.
///
/// # Panics
/// When a secret is told and not taken out, or the other way round; when words are passed over that hold one.
#[must_use]
pub fn secrets(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let redactor = Redactor::default();
    let redacted = redactor.redact(&text);
    assert_eq!(redactor.secret_in(&text).is_none(), redacted == text, "{text:?}");
    // With a beginning that could be anywhere, though no token has it, no word is passed over unread.
    let slow = Redactor::default().with_prefixes(["\0 ".to_owned()]);
    assert_eq!(slow.redact(&text), redacted, "{text:?}");
    redacted == text
}
