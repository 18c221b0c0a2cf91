//! What a profile may be called: a name that is a plain folder on every system, and looks like one.

use std::fmt;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The profile that a base home is. No folder in `profiles` has this name.
pub const DEFAULT_PROFILE: &str = "default";

/// Most characters, and most bytes in UTF-8: a folder's name may have 255, and some systems put more into it.
const CHARACTERS: usize = 64;
const BYTES: usize = 200;

/// The checked name of a profile other than `default`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProfileName(String);

/// What was typed cannot be the name of a profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` cannot be the name of a profile: {reason}", name.escape_debug())]
pub struct NameError {
    /// What was typed.
    pub name: String,
    /// Why not.
    pub reason: &'static str,
}

impl ProfileName {
    /// Reads a name; None for `default`.
    ///
    /// A name has 1 to 64 lower-case letters of any script, digits, `-` and `_`, and begins with a letter or digit. It
    /// is kept in Unicode's composed form, so that it names one folder however it was typed. Names that some systems
    /// keep for devices are refused.
    ///
    /// # Errors
    /// The rule that it breaks.
    pub fn parse(text: &str) -> Result<Option<Self>, NameError> {
        let refuse = |reason| Err(NameError { name: text.to_owned(), reason });
        let name: String = text.nfc().collect();
        if name == DEFAULT_PROFILE {
            return Ok(None);
        }
        let Some(first) = name.chars().next() else { return refuse("it is empty") };
        if name.chars().any(|char| char.is_uppercase() || char.to_lowercase().next() != Some(char)) {
            return refuse("it has upper-case letters, which some systems cannot tell from others");
        }
        if !name.chars().all(|char| char.is_alphanumeric() || is_combining_mark(char) || matches!(char, '-' | '_')) {
            return refuse("only letters, digits, `-` and `_` are allowed");
        }
        if !first.is_alphanumeric() {
            return refuse("it must begin with a letter or a digit");
        }
        if name.chars().count() > CHARACTERS || name.len() > BYTES {
            return refuse("it is too long");
        }
        if is_device(&name) {
            return refuse("some systems keep it for a device");
        }
        Ok(Some(Self(name)))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_device(name: &str) -> bool {
    let numbered = |start: &str| {
        let rest = name.strip_prefix(start).map(|rest| rest.chars().collect::<Vec<_>>());
        matches!(rest.as_deref(), Some(['0'..='9' | '¹' | '²' | '³']))
    };
    matches!(name, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn good(text: &str, name: &str) {
        assert_eq!(ProfileName::parse(text).unwrap().unwrap().as_str(), name);
    }

    #[track_caller]
    fn bad(text: &str, reason: &str) {
        let error = ProfileName::parse(text).unwrap_err();
        assert!(error.reason.contains(reason), "{text:?}: {error}");
    }

    #[test]
    fn names_of_all_scripts() {
        for name in ["work", "a", "0", "my-work_2", "работа", "仕事", "कर्म", "عمل", "con1", "straße", "compost"]
        {
            good(name, name);
        }
        good("cafe\u{301}", "caf\u{e9}");
        good(&"ж".repeat(64), &"ж".repeat(64));
        assert_eq!(ProfileName::parse("default"), Ok(None));
    }

    #[test]
    fn what_is_no_portable_folder_is_refused() {
        bad("", "empty");
        for text in ["Work", "Работа", "DEFAULT", "ǅ"] {
            bad(text, "upper-case");
        }
        for text in [".", "..", "a.b", "a/b", "a\\b", "a b", "a\0", "a\n", "a\u{202e}b", "🚀", "a:b", "~", "a*", "'"]
        {
            bad(text, "only letters");
        }
        for text in ["-a", "_a", "\u{301}a"] {
            bad(text, "begin");
        }
        for text in [&"a".repeat(65), &"仕".repeat(67)[..], &"𐐨".repeat(60)] {
            bad(text, "too long");
        }
        for text in ["con", "nul", "aux", "prn", "com1", "lpt9", "com0"] {
            bad(text, "device");
        }
        assert_eq!(
            ProfileName::parse("../x").unwrap_err().to_string(),
            "`../x` cannot be the name of a profile: only letters, digits, `-` and `_` are allowed"
        );
    }
}
