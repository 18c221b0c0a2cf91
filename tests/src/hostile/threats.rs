//! Texts that are looked through for attacks.

use hermes_host::guard::threats::{Scope, blocked, scan};

/// A text for the threat scan: it is taken when nothing is found in it.
///
/// # Panics
/// When what is found does not lie in the text, cannot be shown, or is not found in a stricter scope.
#[must_use]
pub fn threats(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let found = [Scope::All, Scope::Context, Scope::Strict].map(|scope| scan(&text, scope));
    for finding in found.iter().flatten() {
        let at = finding.at.clone();
        assert!(!at.is_empty() && text.get(at.clone()).is_some(), "{at:?} is no part of the text");
        assert!(finding.excerpt.chars().count() <= 80, "{:?} is long", finding.excerpt);
        assert!(!finding.excerpt.chars().any(char::is_control), "{:?} cannot be shown", finding.excerpt);
    }
    assert!(found[0].is_empty() || !found[1].is_empty(), "less is found in `Context`");
    assert!(found[1].is_empty() || !found[2].is_empty(), "less is found in `Strict`");
    if let Some(line) = blocked(&text, Scope::Strict) {
        assert!(scan(&line, Scope::Strict).is_empty(), "{line:?} is blocked again");
    }
    found[2].is_empty()
}
