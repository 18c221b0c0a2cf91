//! What an author says about a plugin, and how it becomes the `.memprov` section at compile time.
//!
//! Everything is a `const fn`, so that the section is a constant of the library: a host reads it from the file and runs
//! nothing. That is why there are `while` loops here and no iterators, and why the texts are `&'static str`.

use crate::grammar::{
    is_file_entry, is_http_entry, is_model_entry, is_plugin_id, is_program, is_range, is_stop, is_variable, is_version,
    same,
};
use crate::json::Writer;
use crate::metadata::{FORMAT, MAGIC, TARGET};
use crate::refuse::refuse;
use crate::{Field, Interface, abi};

/// What a plugin is, needs and asks for. Built as a constant and handed to
/// [`export_provider!`](crate::export_provider).
///
/// ```
/// use hermes_provider_api::records::FieldType;
/// use hermes_provider_api::{Field, Interface, Manifest};
///
/// const MANIFEST: Manifest = Manifest::new("notes")
///     .title("Notes")
///     .requires_host(">=0.1")
///     .interfaces(&[Interface::Prefetch, Interface::Sync, Interface::Tools])
///     .http(&["https://api.notes.example", "config:base_url"])
///     .secret(&["NOTES_API_KEY"])
///     .config(&[
///         Field::secret("api_key", "NOTES_API_KEY", "API key").required().url("https://notes.example/keys"),
///         Field::new("base_url", FieldType::Url, "Address of your own server").env("NOTES_BASE_URL"),
///         Field::new("limit", FieldType::Integer, "Notes per message").default("5").bounds(1, 50),
///     ]);
/// assert!(MANIFEST.has(Interface::Core) && !MANIFEST.has(Interface::Import));
/// ```
///
/// # What is checked when
/// * At compile time: the id, the version range, the grammar of the capabilities, the keys of the settings, and that
///   settings do not reach for secrets (see [`Field::env`]). What breaks a rule is a compile error at its line.
/// * Before the plugin is installed or loaded: the same once more, since nobody has to believe a file, and that the
///   catalog admits and the user granted the capabilities.
/// * By no compiler: that the type implements the hooks of the interfaces that are listed. One that it does not
///   implement answers with its default.
///
/// Order and repetition do not matter. A later call of the same method replaces the earlier one.
///
/// # Panics
/// The methods panic with a sentence that quotes what breaks a rule: in a constant, which is what
/// [`export_provider!`](crate::export_provider) takes, that is the compile error.
#[derive(Clone, Copy, Debug)]
pub struct Manifest {
    id: &'static str,
    title: &'static str,
    version: &'static str,
    requires_host: &'static str,
    interfaces: &'static [Interface],
    http: &'static [&'static str],
    secret: &'static [&'static str],
    command: &'static [&'static str],
    stop: &'static [&'static str],
    file: &'static [&'static str],
    network: &'static str,
    model: &'static [&'static str],
    config: &'static [Field],
}

impl Manifest {
    /// A plugin with this id: lower-case letters, digits and `-`, beginning with a letter, at most 64 bytes.
    ///
    /// Choose it for good. It names the catalog entry, the folder of the user's data and the settings under
    /// `[providers.<id>]`; under another id the same plugin is another one, whose memory is empty.
    #[must_use]
    #[track_caller]
    pub const fn new(id: &'static str) -> Self {
        if !is_plugin_id(id) {
            refuse(&[
                "`",
                id,
                "` is no provider id: 1 to 64 lower-case letters, digits and `-`, beginning with a letter",
            ]);
        }
        Self {
            id,
            title: id,
            version: "0.0.0",
            requires_host: "*",
            interfaces: &[],
            http: &[],
            secret: &[],
            command: &[],
            stop: &[],
            file: &[],
            network: "",
            model: &[],
            config: &[],
        }
    }

    /// The name that people read; the id by default. One line without control characters.
    #[must_use]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = title;
        self
    }

    /// The plugin's version. [`export_provider!`](crate::export_provider) sets it from the crate.
    #[must_use]
    #[track_caller]
    pub const fn version(mut self, version: &'static str) -> Self {
        if !is_version(version) {
            refuse(&["`", version, "` is no version: write three numbers, as in `1.0.0`"]);
        }
        self.version = version;
        self
    }

    /// A semver range of host versions, such as `>=0.2, <2`. All by default.
    ///
    /// It is for a plugin that cannot do without what a host version brought: the boundary itself needs no range, since every
    /// host of ABI major 1 loads every plugin of it. An upper bound makes people wait for you at each host release, so set one
    /// only for a host that is known to break the plugin. `*` and ranges are read as by Cargo.
    #[must_use]
    #[track_caller]
    pub const fn requires_host(mut self, range: &'static str) -> Self {
        if !is_range(range) {
            refuse(&["`", range, "` is no range of host versions: write it as in `>=0.1, <2`"]);
        }
        self.requires_host = range;
        self
    }

    /// The interfaces that it has. [`Interface::Core`] is always there and need not be named.
    ///
    /// Hooks of an interface that is not listed are never called, even if the type implements them.
    ///
    /// List what is implemented and no more: hermes offers the user what is listed, and a hook that then answers its default
    /// looks like a memory that forgets. The conformance kit names both mistakes.
    #[must_use]
    pub const fn interfaces(mut self, interfaces: &'static [Interface]) -> Self {
        self.interfaces = interfaces;
        self
    }

    /// Hosts that it calls through the `http` service: each entry is `https://host`, `https://host:port`, the same with
    /// `http`, or `config:<key>` for the address that the user puts into that setting.
    ///
    /// What is compared is the origin of a request: scheme, host and port, the usual port being the same as none. Any path
    /// below it is admitted, and nothing above: `https://notes.example` covers neither `https://api.notes.example` nor
    /// `http://notes.example`. There are no wildcards.
    #[must_use]
    #[track_caller]
    pub const fn http(mut self, entries: &'static [&'static str]) -> Self {
        let mut at = 0;
        while at < entries.len() {
            if !is_http_entry(entries[at]) {
                refuse(&[
                    "`",
                    entries[at],
                    "` is no http capability: write `https://host`, `https://host:port` or `config:<key of a setting>`",
                ]);
            }
            at += 1;
        }
        self.http = entries;
        self
    }

    /// Secrets that it reads with [`Host::secret`](crate::Host::secret), by the name of their environment variable:
    /// upper-case letters, digits and `_`.
    ///
    /// A name here is permission to read; setup asks for the value only where a [`Field::secret`] has the same variable. One
    /// without a field is for a variable that people have set for other programs already.
    #[must_use]
    #[track_caller]
    pub const fn secret(mut self, names: &'static [&'static str]) -> Self {
        let mut at = 0;
        while at < names.len() {
            if !is_variable(names[at]) {
                refuse(&[
                    "`",
                    names[at],
                    "` is no name of a secret: upper-case letters, digits and `_`, as in `NOTES_KEY`",
                ]);
            }
            at += 1;
        }
        self.secret = names;
        self
    }

    /// Programs that it runs with [`Host::command`](crate::Host::command), by their bare name. They have the full
    /// authority of the user, who is told so.
    ///
    /// The name is looked up when the program is run; a user who has not installed it gets
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), so say in
    /// [`unavailable_reason`](crate::MemoryProvider::unavailable_reason) where it comes from. A recall that may wait for one
    /// has the deadline of a network call, 8 s.
    #[must_use]
    #[track_caller]
    pub const fn command(mut self, programs: &'static [&'static str]) -> Self {
        let mut at = 0;
        while at < programs.len() {
            if !is_program(programs[at]) {
                refuse(&[
                    "`",
                    programs[at],
                    "` is no command capability: write the bare name of a program, without its folder",
                ]);
            }
            at += 1;
        }
        self.command = programs;
        self
    }

    /// Commands that end the daemons which its programs leave, each one of [`Manifest::command`] with its arguments:
    /// `brv daemon stop`. There is no shell and no quoting.
    ///
    /// The host runs them when the memory closes and when the provider is switched off or removed, for 5 s each. A
    /// program that leaves nothing running needs none.
    #[must_use]
    #[track_caller]
    pub const fn stop(mut self, lines: &'static [&'static str]) -> Self {
        let mut at = 0;
        while at < lines.len() {
            if !is_stop(lines[at]) {
                refuse(&["`", lines[at], "` is no stop command: write a program and its arguments with single spaces"]);
            }
            at += 1;
        }
        self.stop = lines;
        self
    }

    /// Files of the user that it opens with [`Host::read_file`](crate::Host::read_file) and its siblings: `read:<key>` or
    /// `write:<key>`, where the setting `<key>` holds the folder. Writing includes reading. The provider's own data
    /// folder needs no capability.
    ///
    /// ```
    /// use hermes_provider_api::records::FieldType;
    /// use hermes_provider_api::{Field, Host, Manifest, ProviderError};
    ///
    /// const MANIFEST: Manifest = Manifest::new("notes")
    ///     .file(&["read:vault"])
    ///     .config(&[Field::new("vault", FieldType::Path, "Folder of your notes").required()]);
    ///
    /// fn inbox(host: &Host) -> Result<String, ProviderError> {
    ///     host.read_file("vault", "inbox.md") // the key, and a path below the folder that the user chose
    /// }
    /// # let _ = (MANIFEST, inbox);
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn file(mut self, entries: &'static [&'static str]) -> Self {
        let mut at = 0;
        while at < entries.len() {
            if !is_file_entry(entries[at]) {
                refuse(&[
                    "`",
                    entries[at],
                    "` is no file capability: write `read:<key of a setting>` or `write:<key of a setting>`",
                ]);
            }
            at += 1;
        }
        self.file = entries;
        self
    }

    /// It opens sockets itself, to anywhere. Prefer [`Manifest::http`], which users can judge.
    ///
    /// It is for clients that cannot be told to send their requests through the host, such as a database driver, and for
    /// protocols other than HTTP. A recall has 8 s, as with [`Manifest::http`].
    #[must_use]
    pub const fn direct_network(mut self) -> Self {
        self.network = "direct";
        self
    }

    /// What it asks the user's own model for, with [`Host::embed`](crate::Host::embed) and [`Host::chat`](crate::Host::chat):
    /// `embed` and `chat`, each alone or with `:config:<key>` behind it.
    ///
    /// With a key the entry is dormant until the user sets that setting to `on` (or `true`). The setting's default must be
    /// off: a default never arms it. Prefer that: what a user has stored leaves the machine only where they said so, and the
    /// plugin is installed without a question meanwhile. A host that is older has no such service and answers
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported).
    ///
    /// ```
    /// use hermes_provider_api::records::FieldType;
    /// use hermes_provider_api::{Field, Manifest};
    ///
    /// const MANIFEST: Manifest = Manifest::new("notes").model(&["embed:config:semantic"]).config(&[
    ///     Field::new("semantic", FieldType::Text, "Whether notes are found by meaning too, with your embedding model")
    ///         .choices(&[("off", "by words alone"), ("on", "their texts are sent to the model")])
    ///         .default("off"),
    /// ]);
    /// # let _ = MANIFEST;
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn model(mut self, entries: &'static [&'static str]) -> Self {
        let mut at = 0;
        while at < entries.len() {
            if !is_model_entry(entries[at]) {
                refuse(&[
                    "`",
                    entries[at],
                    "` is no model capability: write `embed`, `chat`, or one of them with `:config:<key of a setting>`",
                ]);
            }
            at += 1;
        }
        self.model = entries;
        self
    }

    /// The fields that setup asks for, in this order. Each has a key of its own.
    #[must_use]
    #[track_caller]
    pub const fn config(mut self, fields: &'static [Field]) -> Self {
        let mut at = 0;
        while at < fields.len() {
            let key = fields[at].key;
            let mut before = 0;
            while before < at {
                if same(fields[before].key.as_bytes(), key.as_bytes()) {
                    refuse(&["two settings have the key `", key, "`: the second would hide the first"]);
                }
                before += 1;
            }
            at += 1;
        }
        self.config = fields;
        self
    }

    /// Checks what no single method sees: that the secrets among the settings are asked for.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn checked(self) -> Self {
        let mut at = 0;
        while at < self.config.len() {
            let field = &self.config[at];
            let mut asked = 0;
            while asked < self.secret.len() && !same(self.secret[asked].as_bytes(), field.env_var.as_bytes()) {
                asked += 1;
            }
            if field.secret && asked == self.secret.len() {
                let variable = field.env_var;
                refuse(&[
                    "the setting `",
                    field.key,
                    "` is a secret that the manifest does not ask for: add `.secret(&[\"",
                    variable,
                    "\"])`",
                ]);
            }
            at += 1;
        }
        self
    }

    /// Whether the plugin answers for an interface. Of [`Interface::Core`] it always does.
    #[must_use]
    pub const fn has(&self, interface: Interface) -> bool {
        let mut at = 0;
        while at < self.interfaces.len() {
            if self.interfaces[at] as usize == interface as usize {
                return true;
            }
            at += 1;
        }
        matches!(interface, Interface::Core)
    }
}

/// A provider that [`export_provider!`](crate::export_provider) made a plugin of; the macro implements it.
///
/// It joins the type with its manifest, so that a test of the type knows which hooks a host would call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not exported as a plugin",
    label = "not exported",
    note = "write `export_provider!({Self}, Manifest::new(\"…\"))` in the crate of the type"
)]
pub trait Exported: Sized + 'static {
    /// What a host reads in the plugin's section.
    fn metadata() -> crate::metadata::Metadata;
}

/// The length of the section of a manifest, in bytes: the `N` of [`section`], which a constant has to know beforehand.
#[doc(hidden)]
#[must_use]
pub const fn section_len(manifest: &Manifest) -> usize {
    HEADER + json::<0>(manifest).len()
}

/// The section: magic, format and length of the JSON as little-endian `u32`, JSON.
///
/// It is little-endian on every target, and the length is said because linkers may pad a section. The JSON is that of
/// [`Metadata`](crate::metadata::Metadata), whose docs say where the section lies in each format of libraries.
#[doc(hidden)]
#[must_use]
pub const fn section<const N: usize>(manifest: &Manifest) -> [u8; N] {
    let json = json::<N>(manifest);
    let mut section = [0; N];
    put(&mut section, 0, MAGIC);
    put(&mut section, MAGIC.len(), &FORMAT.to_le_bytes());
    #[expect(clippy::cast_possible_truncation, reason = "a manifest is a few kilobytes of source text")]
    put(&mut section, MAGIC.len() + 4, &(json.len() as u32).to_le_bytes());
    let mut at = 0;
    while at < json.len() {
        section[HEADER + at] = json.bytes()[at];
        at += 1;
    }
    section
}

/// How many bytes come before the JSON.
const HEADER: usize = MAGIC.len() + 8;

/// Copies bytes to a place: `copy_from_slice` with a range does not run at compile time.
const fn put<const N: usize>(target: &mut [u8; N], start: usize, bytes: &[u8]) {
    let mut at = 0;
    while at < bytes.len() {
        target[start + at] = bytes[at];
        at += 1;
    }
}

/// The metadata as JSON. The names of the keys are those of [`Metadata`](crate::metadata::Metadata); a test there reads what
/// is written here.
///
/// Interfaces come in the order of [`Interface::ALL`], each once, whatever the author wrote: the same manifest gives the same
/// bytes.
const fn json<const N: usize>(manifest: &Manifest) -> Writer<N> {
    let mut json = Writer::new();
    json.open(b'{');
    json.string("id", manifest.id);
    json.string("title", manifest.title);
    json.string("version", manifest.version);
    json.key("abi_major");
    json.integer(abi::ABI_MAJOR as i64);
    json.key("abi_minor");
    json.integer(abi::ABI_MINOR as i64);
    json.string("api_version", env!("CARGO_PKG_VERSION"));
    json.string("requires_host", manifest.requires_host);
    json.string("target", TARGET);
    json.string("rustc", env!("HERMES_RUSTC"));
    json.string("panic", if cfg!(panic = "abort") { "abort" } else { "unwind" });
    json.key("interfaces");
    json.open(b'[');
    let mut at = 0;
    while at < Interface::ALL.len() {
        if manifest.has(Interface::ALL[at]) {
            json.item(Interface::ALL[at].id());
        }
        at += 1;
    }
    json.close(b']');
    json.key("capabilities");
    json.open(b'{');
    json.strings("http", manifest.http);
    json.strings("secret", manifest.secret);
    json.strings("command", manifest.command);
    // Hosts of the first hour do not know it, nor `model`.
    if !manifest.stop.is_empty() {
        json.strings("stop", manifest.stop);
    }
    json.strings("file", manifest.file);
    json.string("network", manifest.network);
    if !manifest.model.is_empty() {
        json.strings("model", manifest.model);
    }
    json.close(b'}');
    json.key("config");
    json.open(b'[');
    let mut at = 0;
    while at < manifest.config.len() {
        manifest.config[at].write(&mut json);
        at += 1;
    }
    json.close(b']');
    json.close(b'}');
    json
}
