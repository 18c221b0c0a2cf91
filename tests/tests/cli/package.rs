//! Plugins for a catalog: real libraries, under other names, versions and settings, packed in any way.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use hermes_host::plugins::verify::sha256_of;
use hermes_provider_api::Capabilities;
use hermes_provider_api::metadata::Metadata;
use hermes_tests::{fixtures, patch};
use serde_json::Value;
use tar::EntryType;

/// A plugin, and what its catalog entry says about it.
pub(crate) struct Package {
    /// What the entry says: the plugin's own word, unless a test makes it say something else.
    pub(crate) entry: Metadata,
    library: Library,
}

enum Library {
    /// A file that stays as it is, which is packed once.
    AsBuilt(PathBuf),
    Changed(Vec<u8>),
    /// An archive that no honest author packs.
    Archive(Vec<u8>),
}

impl Package {
    pub(crate) fn holographic() -> Self {
        Self::as_built(fixtures().holographic())
    }

    pub(crate) fn byterover() -> Self {
        Self::as_built(fixtures().byterover())
    }

    /// The provider of `tests/faulty`.
    pub(crate) fn faulty() -> Self {
        Self::as_built(fixtures().faulty())
    }

    /// The provider of `tests/recorder`.
    pub(crate) fn recorder() -> Self {
        Self::as_built(fixtures().recorder())
    }

    pub(crate) fn as_built(library: &Path) -> Self {
        let bytes = fs::read(library).unwrap();
        let entry = Metadata::from_section(&bytes[patch::section(&bytes)]).unwrap();
        Self { entry, library: Library::AsBuilt(library.to_owned()) }
    }

    /// With other metadata, in the library and in the entry. It must not be longer than the old.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Metadata)) -> Self {
        change(&mut self.entry);
        let entry = self.entry.clone();
        self.patched(|bytes| write_metadata(bytes, &entry))
    }

    /// Asks for nothing and has no settings.
    pub(crate) fn harmless(self) -> Self {
        self.with(|metadata| {
            metadata.capabilities = Capabilities::default();
            metadata.config = Vec::new();
        })
    }

    /// Under another name and version.
    pub(crate) fn named(self, id: &str, version: &str) -> Self {
        self.with(|metadata| {
            (metadata.id, metadata.title) = (id.to_owned(), id.to_owned());
            version.clone_into(&mut metadata.version);
        })
    }

    /// With other bytes in the library alone.
    pub(crate) fn patched(self, change: impl FnOnce(&mut Vec<u8>)) -> Self {
        let mut bytes = match self.library {
            Library::AsBuilt(path) => fs::read(path).unwrap(),
            Library::Changed(bytes) | Library::Archive(bytes) => bytes,
        };
        change(&mut bytes);
        Self { library: Library::Changed(bytes), ..self }
    }

    /// With another word of the entry alone.
    pub(crate) fn entry(mut self, change: impl FnOnce(&mut Metadata)) -> Self {
        change(&mut self.entry);
        self
    }

    /// In this archive instead of an honest one.
    pub(crate) fn archive(self, archive: Vec<u8>) -> Self {
        Self { library: Library::Archive(archive), ..self }
    }

    /// Puts its files into a folder, as they are before they are packed.
    pub(crate) fn unpack_into(&self, folder: &Path) {
        assert!(!matches!(self.library, Library::Archive(_)), "it is packed already");
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join(library_name()), self.bytes()).unwrap();
        fs::write(folder.join("README.md"), "A plugin of a test").unwrap();
    }

    /// The library's bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        match &self.library {
            Library::AsBuilt(path) => fs::read(path).unwrap(),
            Library::Changed(bytes) | Library::Archive(bytes) => bytes.clone(),
        }
    }

    /// Puts it into a catalog: as a new entry, or as one more release.
    pub(crate) fn publish(&self, catalog: &Path) {
        fs::create_dir_all(catalog).unwrap();
        let Metadata { id, title, version, target, abi_major, abi_minor, requires_host, .. } = &self.entry;
        let name = format!("{id}-{version}.tar.gz");
        let archive = catalog.join(&name);
        match &self.library {
            Library::AsBuilt(path) if path == fixtures().holographic() => {
                static PACKED: OnceLock<Vec<u8>> = OnceLock::new();
                fs::write(&archive, PACKED.get_or_init(|| packed(&fs::read(path).unwrap()))).unwrap();
            }
            Library::AsBuilt(path) => fs::write(&archive, packed(&fs::read(path).unwrap())).unwrap(),
            Library::Changed(bytes) => fs::write(&archive, packed(bytes)).unwrap(),
            Library::Archive(bytes) => fs::write(&archive, bytes).unwrap(),
        }
        let file = catalog.join(format!("{id}.toml"));
        let mut text = fs::read_to_string(&file).unwrap_or_else(|_| {
            format!(
                "name = '{id}'\ntitle = '{title}'\ndescription = 'Keeps things'\nmaintainer = 'Jo'\n\
                 category = 'memory'\nlicence = 'MIT'\n"
            )
        });
        let capabilities = inline(&serde_json::to_value(&self.entry.capabilities).unwrap());
        write!(
            text,
            "[[releases]]\nversion = '{version}'\nrequires_host = '{requires_host}'\nabi = '{abi_major}.{abi_minor}'\n\
             capabilities = {capabilities}\n[[releases.artifacts]]\ntarget = '{target}'\npath = '{name}'\n\
             sha256 = '{}'\nsize = {}\n",
            sha256_of(&archive).unwrap(),
            fs::metadata(&archive).unwrap().len(),
        )
        .unwrap();
        fs::write(file, text).unwrap();
    }
}

/// JSON as an inline table of TOML; the capabilities are texts and lists of texts.
fn inline(capabilities: &Value) -> String {
    let Value::Object(fields) = capabilities else { return "{}".to_owned() };
    let fields: Vec<_> = fields.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", fields.join(", "))
}

/// Writes a record over the one that the compiler wrote, with blanks for what it is shorter.
fn write_metadata(bytes: &mut [u8], metadata: &Metadata) {
    let section = patch::section(bytes);
    let place = &mut bytes[section.start + 16..section.end];
    let mut value = serde_json::to_value(metadata).unwrap();
    prune(&mut value);
    let text = value.to_string();
    assert!(text.len() <= place.len(), "{} bytes do not fit into {}", text.len(), place.len());
    place.fill(b' ');
    place[..text.len()].copy_from_slice(text.as_bytes());
}

/// Leaves out what a reader would take for the default anyway.
fn prune(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.values_mut().for_each(prune);
        fields.retain(|_, value| match value {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => true,
        });
    }
    if let Value::Array(items) = value {
        items.iter_mut().for_each(prune);
    }
}

fn library_name() -> String {
    format!("libplugin.{}", std::env::consts::DLL_EXTENSION)
}

/// The same archive, compressed by zstd instead of gzip.
pub(crate) fn zstd(gzip: &[u8]) -> Vec<u8> {
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(gzip).read_to_end(&mut tar).unwrap();
    ruzstd::encoding::compress_to_vec(tar.as_slice(), ruzstd::encoding::CompressionLevel::Fastest)
}

fn packed(library: &[u8]) -> Vec<u8> {
    Archive::default().file(&library_name(), library).file("README.md", b"A plugin of a test").done()
}

/// An archive, written entry by entry.
pub(crate) struct Archive(tar::Builder<GzEncoder<Vec<u8>>>);

impl Default for Archive {
    fn default() -> Self {
        Self(tar::Builder::new(GzEncoder::new(Vec::new(), Compression::none())))
    }
}

impl Archive {
    /// A file with its name as it is, past the checks of a tool that packs honestly.
    pub(crate) fn file(self, name: &str, content: &[u8]) -> Self {
        self.entry(name, EntryType::Regular, content)
    }

    pub(crate) fn entry(mut self, name: &str, kind: EntryType, content: &[u8]) -> Self {
        let mut header = tar::Header::new_ustar();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(0o755);
        header.set_size(content.len() as u64);
        if kind == EntryType::Symlink {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        self.0.append(&header, content).unwrap();
        self
    }

    /// A file that says it is this large, behind a few bytes that would unpack to it.
    pub(crate) fn bomb(mut self, name: &str, megabytes: u64) -> Vec<u8> {
        let mut header = tar::Header::new_ustar();
        header.set_path(name).unwrap();
        header.set_size(megabytes << 20);
        header.set_cksum();
        self.0.append(&header, std::io::empty()).unwrap();
        self.done()
    }

    pub(crate) fn done(self) -> Vec<u8> {
        self.0.into_inner().unwrap().finish().unwrap()
    }
}
