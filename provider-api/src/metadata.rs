//! What a host reads about a plugin before any of its code runs.
//!
//! The section is called `.memprov` in ELF and PE files and `__DATA,__memprov` in Mach-O. It holds [`MAGIC`], the
//! format and the length of the JSON as little-endian `u32`, and the JSON of a [`Metadata`].
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 7 | [`MAGIC`] |
//! | 8 to 11 | [`FORMAT`] |
//! | 12 to 15 | the length of the JSON in bytes |
//! | from 16 | the JSON, in UTF-8; a linker may leave more bytes behind it |
//!
//! The names fit the narrowest of the three formats: an image in the PE format keeps eight bytes of a section's name, Mach-O
//! sixteen, ELF as many as there are.

use serde::{Deserialize, Serialize};

use crate::Capabilities;
use crate::records::ConfigField;

/// The first bytes of the section.
pub const MAGIC: &[u8; 8] = b"HMEMPROV";

/// The format of the section. A host refuses any other.
pub const FORMAT: u32 = 1;

/// The name of the section in ELF and PE files.
pub const SECTION: &str = ".memprov";

/// The name of the section in Mach-O files, in the segment `__DATA`.
pub const MACHO_SECTION: &str = "__memprov";

/// The target triple that this crate was built for: the plugin's in a plugin, the host's in a host.
pub const TARGET: &str = env!("HERMES_TARGET");

/// The most that a section may hold, in bytes: 1 MiB.
pub const MAX_SECTION: usize = 1 << 20;

/// Everything that a plugin says about itself.
///
/// Written by the plugin, so nothing in it is trusted: the host compares it with the catalog entry and the lockfile, and
/// checks every name before it becomes part of a path or is shown.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct Metadata {
    /// The plugin's id; the name of its catalog entry.
    pub id: String,
    /// The name that people read.
    pub title: String,
    /// Its own version.
    pub version: String,
    /// The boundary it was built for.
    pub abi_major: u32,
    /// The least minor of that boundary that has all it was built with.
    pub abi_minor: u32,
    /// The `hermes-provider-api` that it was built with.
    pub api_version: String,
    /// Host versions that it works with, as a semver range.
    pub requires_host: String,
    /// The target triple.
    pub target: String,
    /// The compiler, for reports; never compared.
    pub rustc: String,
    /// `unwind` or `abort`.
    pub panic: String,
    /// Ids of its interfaces, also of such as this side does not know.
    pub interfaces: Vec<String>,
    /// What it needs.
    pub capabilities: Capabilities,
    /// What setup asks for.
    pub config: Vec<ConfigField>,
}

/// Why a section cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SectionError {
    /// It does not begin with [`MAGIC`], or ends too early.
    #[error("the metadata section is damaged: {0}")]
    Damaged(&'static str),
    /// It is of a format that this side does not read.
    #[error("the metadata section has format {found}, this side reads format {FORMAT}")]
    Format {
        /// The number in the section.
        found: u32,
    },
    /// Its JSON is not the record.
    #[error("the metadata section does not hold the metadata record: {0}")]
    Json(String),
}

impl Metadata {
    /// Reads the bytes of a section.
    ///
    /// # Errors
    /// When they are not what [`export_provider!`](crate::export_provider) wrote. Never panics, whatever the bytes.
    pub fn from_section(section: &[u8]) -> Result<Self, SectionError> {
        if section.len() > MAX_SECTION {
            return Err(SectionError::Damaged("it is larger than 1 MiB"));
        }
        let rest = section.strip_prefix(MAGIC.as_slice()).ok_or(SectionError::Damaged("it has another beginning"))?;
        let (format, rest) = number(rest)?;
        if format != FORMAT {
            return Err(SectionError::Format { found: format });
        }
        let (len, rest) = number(rest)?;
        let json = usize::try_from(len).ok().and_then(|len| rest.get(..len));
        let json = json.ok_or(SectionError::Damaged("its text is cut off"))?;
        serde_json::from_slice(json).map_err(|error| SectionError::Json(error.to_string()))
    }
}

fn number(bytes: &[u8]) -> Result<(u32, &[u8]), SectionError> {
    let (number, rest) = bytes.split_first_chunk::<4>().ok_or(SectionError::Damaged("its header is cut off"))?;
    Ok((u32::from_le_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{Choice, FieldType, When};
    use crate::{Field, Interface, Manifest, manifest};

    const MANIFEST: Manifest = Manifest::new("notes-2")
        .title("Notes \"quoted\" \\ и\tdots")
        .version("1.2.3")
        .requires_host(">=0.1")
        .interfaces(&[Interface::Tools, Interface::Prefetch])
        .http(&["config:base_url"])
        .secret(&["NOTES_KEY"])
        .command(&["brv"])
        .stop(&["brv daemon stop"])
        .model(&["embed", "chat:config:mode"])
        .config(&[
            Field::secret("api_key", "NOTES_KEY", "Key").required().token_prefixes(&["nt_"]),
            Field::new("mode", FieldType::Text, "Mode").choices(&[("a", "first"), ("b", "second")]).default("a"),
            Field::new("count", FieldType::Integer, "How many").bounds(-3, 1200).when("mode", "b"),
        ]);
    static SECTION_BYTES: [u8; manifest::section_len(&MANIFEST)] = manifest::section(&MANIFEST);

    #[test]
    fn what_the_author_wrote_is_what_the_host_reads() {
        let metadata = Metadata::from_section(&SECTION_BYTES).unwrap();
        assert_eq!(metadata.id, "notes-2");
        assert_eq!(metadata.title, "Notes \"quoted\" \\ и\tdots");
        assert_eq!(metadata.interfaces, ["hermes.core/1", "hermes.prefetch/1", "hermes.tools/1"]);
        let lines = [
            "http config:base_url",
            "secret NOTES_KEY",
            "command brv",
            "stop brv daemon stop",
            "model embed",
            "model chat:config:mode",
        ];
        assert_eq!(metadata.capabilities.lines(), lines);
        assert_eq!((metadata.abi_major, metadata.panic.as_str()), (1, "unwind"));
        assert!(metadata.target.contains('-') && metadata.rustc.starts_with("rustc "));
        let [key, mode, count] = metadata.config.as_slice() else { panic!("{:?}", metadata.config) };
        assert!(key.secret && key.required && key.token_prefixes == ["nt_"]);
        assert_eq!(mode.choices[1], Choice { value: "b".to_owned(), description: "second".to_owned() });
        assert_eq!(count.when, Some(When { key: "mode".to_owned(), equals: "b".to_owned() }));
        assert_eq!((count.field_type, count.min, count.max), (FieldType::Integer, Some(-3), Some(1200)));
    }

    #[test]
    fn damage_is_named() {
        let damaged = |section: &[u8]| Metadata::from_section(section).unwrap_err().to_string();
        assert_eq!(damaged(b""), "the metadata section is damaged: it has another beginning");
        assert_eq!(damaged(&SECTION_BYTES[..10]), "the metadata section is damaged: its header is cut off");
        let cut = &SECTION_BYTES[..SECTION_BYTES.len() - 1];
        assert_eq!(damaged(cut), "the metadata section is damaged: its text is cut off");
        let mut newer = SECTION_BYTES;
        newer[8] = 2;
        assert_eq!(damaged(&newer), "the metadata section has format 2, this side reads format 1");
        let mut broken = SECTION_BYTES;
        broken[16] = b'?';
        assert!(damaged(&broken).starts_with("the metadata section does not hold the metadata record: "));
    }

    #[test]
    fn any_prefix_and_any_changed_byte_is_answered() {
        for len in 0..SECTION_BYTES.len() {
            assert!(Metadata::from_section(&SECTION_BYTES[..len]).is_err());
        }
        let mut refused = 0;
        for at in 0..SECTION_BYTES.len() {
            let mut bytes = SECTION_BYTES;
            bytes[at] ^= 0xff;
            refused += usize::from(Metadata::from_section(&bytes).is_err());
        }
        // Every byte of the header counts, and none of the text is valid UTF-8 once all its bits are turned.
        assert_eq!(refused, SECTION_BYTES.len());
    }
}
