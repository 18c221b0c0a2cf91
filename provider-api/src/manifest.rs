//! What an author says about a plugin, and how it becomes the `.memprov` section at compile time.

use crate::abi;
use crate::metadata::{FORMAT, MAGIC, TARGET};
use crate::records::FieldType;
use crate::{Interface, json::Writer};

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
/// * At compile time: the id. One that breaks the rules is a compile error.
/// * Before the plugin is installed or loaded: the grammar of the capabilities, that the catalog admits and the user
///   granted them, the version range, and that settings do not reach for secrets (see [`Field::env`]).
///
/// Order and repetition do not matter. A later call of the same method replaces the earlier one.
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
    file: &'static [&'static str],
    network: &'static str,
    config: &'static [Field],
}

impl Manifest {
    /// A plugin with this id: lower-case letters, digits and `-`, beginning with a letter, at most 64 bytes.
    ///
    /// # Panics
    /// At compile time, when the id breaks the rule.
    #[must_use]
    pub const fn new(id: &'static str) -> Self {
        assert!(
            is_plugin_id(id),
            "a provider id is 1 to 64 lower-case letters, digits and `-`, beginning with a letter"
        );
        Self {
            id,
            title: id,
            version: "0.0.0",
            requires_host: "*",
            interfaces: &[],
            http: &[],
            secret: &[],
            command: &[],
            file: &[],
            network: "",
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
    pub const fn version(mut self, version: &'static str) -> Self {
        self.version = version;
        self
    }

    /// A semver range of host versions, such as `>=0.2, <2`. All by default.
    #[must_use]
    pub const fn requires_host(mut self, range: &'static str) -> Self {
        self.requires_host = range;
        self
    }

    /// The interfaces that it has. [`Interface::Core`] is always there and need not be named.
    ///
    /// Hooks of an interface that is not listed are never called, even if the type implements them.
    #[must_use]
    pub const fn interfaces(mut self, interfaces: &'static [Interface]) -> Self {
        self.interfaces = interfaces;
        self
    }

    /// Hosts that it calls through the `http` service; the grammar is in [`Capabilities`](crate::Capabilities).
    #[must_use]
    pub const fn http(mut self, entries: &'static [&'static str]) -> Self {
        self.http = entries;
        self
    }

    /// Secrets that it reads with [`Host::secret`](crate::Host::secret), by the name of their environment variable:
    /// upper-case letters, digits and `_`.
    #[must_use]
    pub const fn secret(mut self, names: &'static [&'static str]) -> Self {
        self.secret = names;
        self
    }

    /// Programs that it runs with [`Host::command`](crate::Host::command), by their bare name. They have the full
    /// authority of the user, who is told so.
    #[must_use]
    pub const fn command(mut self, programs: &'static [&'static str]) -> Self {
        self.command = programs;
        self
    }

    /// Files of the user that it opens with [`Host::read_file`](crate::Host::read_file) and its siblings: `read:<key>` or
    /// `write:<key>`, where the setting `<key>` holds the folder. Writing includes reading. The provider's own data
    /// folder needs no capability.
    #[must_use]
    pub const fn file(mut self, entries: &'static [&'static str]) -> Self {
        self.file = entries;
        self
    }

    /// It opens sockets itself, to anywhere. Prefer [`Manifest::http`], which users can judge.
    #[must_use]
    pub const fn direct_network(mut self) -> Self {
        self.network = "direct";
        self
    }

    /// The fields that setup asks for, in this order.
    #[must_use]
    pub const fn config(mut self, fields: &'static [Field]) -> Self {
        self.config = fields;
        self
    }

    /// Whether the plugin answers for an interface.
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

const fn is_plugin_id(id: &str) -> bool {
    let bytes = id.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let fits = match bytes[at] {
            b'a'..=b'z' => true,
            b'0'..=b'9' | b'-' => at > 0,
            _ => false,
        };
        if !fits {
            return false;
        }
        at += 1;
    }
    !bytes.is_empty() && bytes.len() <= 64
}

/// One field of a manifest's configuration; becomes a [`ConfigField`](crate::records::ConfigField).
///
/// Setup asks for it, checks the answer by type, choices and bounds, and keeps it in `config.toml` under
/// `[providers.<id>]`, or a secret in `.env`. The provider reads all but secrets with
/// [`Host::config`](crate::Host::config), as JSON of the field's type.
///
/// ```
/// use hermes_provider_api::Field;
/// use hermes_provider_api::records::FieldType;
///
/// const MODE: Field = Field::new("mode", FieldType::Text, "Where notes are kept")
///     .choices(&[("local", "in a file on this machine"), ("server", "on a server of your own")])
///     .default("local");
/// const URL: Field = Field::new("base_url", FieldType::Url, "Address of the server").when("mode", "server").required();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Field {
    key: &'static str,
    description: &'static str,
    field_type: FieldType,
    secret: bool,
    required: bool,
    default: Option<&'static str>,
    choices: &'static [(&'static str, &'static str)],
    when: Option<(&'static str, &'static str)>,
    env_var: &'static str,
    url: &'static str,
    min: Option<i64>,
    max: Option<i64>,
    token_prefixes: &'static [&'static str],
}

impl Field {
    /// A field of a type; `description` is what setup asks. `key` is letters, digits, `_` and `-`.
    #[must_use]
    pub const fn new(key: &'static str, field_type: FieldType, description: &'static str) -> Self {
        Self {
            key,
            description,
            field_type,
            secret: false,
            required: false,
            default: None,
            choices: &[],
            when: None,
            env_var: "",
            url: "",
            min: None,
            max: None,
            token_prefixes: &[],
        }
    }

    /// A secret, kept in `.env` under this variable. The manifest must also ask for it with [`Manifest::secret`], or the
    /// plugin is refused.
    ///
    /// It never appears among the settings: the provider reads it with [`Host::secret`](crate::Host::secret).
    #[must_use]
    pub const fn secret(key: &'static str, env_var: &'static str, description: &'static str) -> Self {
        let mut field = Self::new(key, FieldType::Text, description);
        field.secret = true;
        field.env_var = env_var;
        field
    }

    /// Setup does not finish without it, and the provider is not opened for use. Counts only where the condition of
    /// [`Field::when`] holds.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Used when nothing is set: as text, whatever the type. Shown to the user before a capability by the name of this
    /// setting (`config:<key>`, `read:<key>`) is granted.
    #[must_use]
    pub const fn default(mut self, value: &'static str) -> Self {
        self.default = Some(value);
        self
    }

    /// The only values that are allowed, each with its meaning.
    #[must_use]
    pub const fn choices(mut self, choices: &'static [(&'static str, &'static str)]) -> Self {
        self.choices = choices;
        self
    }

    /// Asked only when the field `key` has the value `equals`.
    #[must_use]
    pub const fn when(mut self, key: &'static str, equals: &'static str) -> Self {
        self.when = Some((key, equals));
        self
    }

    /// The environment variable that overrides it, where it is set and not empty.
    ///
    /// The value is handed over without asking anybody, so a name that looks like that of a secret (with `KEY`, `TOKEN`,
    /// `SECRET`, `PASSW` or `CREDENTIAL` in it) is refused: make the field a [`Field::secret`].
    #[must_use]
    pub const fn env(mut self, variable: &'static str) -> Self {
        self.env_var = variable;
        self
    }

    /// Where a person gets the value.
    #[must_use]
    pub const fn url(mut self, url: &'static str) -> Self {
        self.url = url;
        self
    }

    /// Smallest and largest number, or length in characters (Unicode scalar values), both inclusive.
    #[must_use]
    pub const fn bounds(mut self, min: i64, max: i64) -> Self {
        self.min = Some(min);
        self.max = Some(max);
        self
    }

    /// How keys of this service begin (`nt_`), so that one is recognised and masked also where it is not expected, such
    /// as in a message that goes to the provider.
    #[must_use]
    pub const fn token_prefixes(mut self, prefixes: &'static [&'static str]) -> Self {
        self.token_prefixes = prefixes;
        self
    }

    const fn write<const N: usize>(&self, json: &mut Writer<N>) {
        json.open(b'{');
        json.string("key", self.key);
        json.string("description", self.description);
        json.string(
            "type",
            match self.field_type {
                FieldType::Text => "text",
                FieldType::Integer => "integer",
                FieldType::Number => "number",
                FieldType::Boolean => "boolean",
                FieldType::Url => "url",
                FieldType::Path => "path",
            },
        );
        json.flag("secret", self.secret);
        json.flag("required", self.required);
        if let Some(value) = self.default {
            json.string("default", value);
        }
        json.key("choices");
        json.open(b'[');
        let mut at = 0;
        while at < self.choices.len() {
            json.open(b'{');
            json.string("value", self.choices[at].0);
            json.string("description", self.choices[at].1);
            json.close(b'}');
            at += 1;
        }
        json.close(b']');
        if let Some((key, equals)) = self.when {
            json.key("when");
            json.open(b'{');
            json.string("key", key);
            json.string("equals", equals);
            json.close(b'}');
        }
        json.string("env_var", self.env_var);
        json.string("url", self.url);
        if let Some(min) = self.min {
            json.key("min");
            json.integer(min);
        }
        if let Some(max) = self.max {
            json.key("max");
            json.integer(max);
        }
        json.strings("token_prefixes", self.token_prefixes);
        json.close(b'}');
    }
}

/// The length of the section of a manifest.
#[doc(hidden)]
#[must_use]
pub const fn section_len(manifest: &Manifest) -> usize {
    HEADER + json::<0>(manifest).len()
}

/// The section: magic, format and length of the JSON as little-endian `u32`, JSON.
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

const HEADER: usize = MAGIC.len() + 8;

const fn put<const N: usize>(target: &mut [u8; N], start: usize, bytes: &[u8]) {
    let mut at = 0;
    while at < bytes.len() {
        target[start + at] = bytes[at];
        at += 1;
    }
}

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
    json.strings("file", manifest.file);
    json.string("network", manifest.network);
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
