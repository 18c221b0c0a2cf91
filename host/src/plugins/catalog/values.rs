//! Small values that catalogs and the lockfile share, each checked where it is read.

use std::fmt::{self, Display, Write as _};

use hermes_provider_api::abi;
use serde::{Deserialize, Serialize};

/// A SHA-256 as 64 lower-case hexadecimal digits.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(try_from = "String", into = "String")]
pub struct Sha256Hex(String);

impl Sha256Hex {
    /// The text of a digest.
    #[must_use]
    pub fn from_digest(digest: &[u8]) -> Self {
        let mut text = String::with_capacity(64);
        for byte in digest {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        Self(text)
    }

    /// All digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first 12 digits, for names of folders and for people.
    #[must_use]
    pub fn short(&self) -> &str {
        &self.0[..12]
    }
}

impl TryFrom<String> for Sha256Hex {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let fits = text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if fits { Ok(Self(text)) } else { Err("a sha256 is 64 lower-case hexadecimal digits") }
    }
}

impl From<Sha256Hex> for String {
    fn from(Sha256Hex(text): Sha256Hex) -> Self {
        text
    }
}

impl Display for Sha256Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A version of the boundary, `major.minor`.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(try_from = "String", into = "String")]
pub struct AbiVersion {
    /// Must be equal on both sides.
    pub major: u32,
    /// May differ: a plugin offers interfaces by id, and a host passes over those that it does not know.
    pub minor: u32,
}

impl AbiVersion {
    /// The one that this host was built with.
    pub const HOST: Self = Self { major: abi::ABI_MAJOR, minor: abi::ABI_MINOR };
}

impl TryFrom<String> for AbiVersion {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let parsed = text.split_once('.').and_then(|(major, minor)| {
            Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()? }).filter(|abi| abi.to_string() == text)
        });
        parsed.ok_or("an ABI version is two numbers, such as `1.0`")
    }
}

impl From<AbiVersion> for String {
    fn from(abi: AbiVersion) -> Self {
        abi.to_string()
    }
}

impl Display for AbiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Whether a text is a plugin's id: 1 to 64 lower-case letters, digits and `-`, beginning with a letter. It is also the
/// name of a folder, so nothing else may pass.
#[must_use]
pub fn is_plugin_id(id: &str) -> bool {
    id.len() <= 64
        && id.starts_with(|first: char| first.is_ascii_lowercase())
        && id.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_forms_pass() {
        let digits = "0123456789abcdef".repeat(4);
        assert_eq!(Sha256Hex::try_from(digits.clone()).unwrap().short(), "0123456789ab");
        for bad in [digits.to_uppercase(), digits[1..].to_owned(), format!("{digits}0"), format!("é{}", &digits[2..])]
        {
            assert!(Sha256Hex::try_from(bad).is_err());
        }
        assert_eq!(Sha256Hex::from_digest(&[0xab; 32]).as_str(), "ab".repeat(32));

        assert_eq!(AbiVersion::try_from("1.12".to_owned()), Ok(AbiVersion { major: 1, minor: 12 }));
        for bad in ["1", "1.0.0", "01.0", "+1.0", "1.", "-1.0", "1.99999999999"] {
            assert!(AbiVersion::try_from(bad.to_owned()).is_err(), "{bad}");
        }

        assert!(is_plugin_id("notes-2") && is_plugin_id(&"a".repeat(64)));
        for bad in ["", "2a", "-a", "A", "a_b", "a/b", "..", "a.b", "é", &"a".repeat(65)] {
            assert!(!is_plugin_id(bad), "{bad}");
        }
    }
}
