//! The settings that a manifest asks for.

use crate::grammar::{is_setting, is_variable, looks_secret};
use crate::json::Writer;
use crate::records::FieldType;
use crate::refuse::refuse;

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
///
/// # What to ask for
/// As little as works: every field is a question before the first recall. Give each a default that is right for most,
/// and make [`advanced`](Field::advanced) what only experts need.
///
/// | to be had | write |
/// |---|---|
/// | a key of a service | [`Field::secret`], and [`Manifest::secret`](crate::Manifest::secret) with the same variable |
/// | the address of a server | type `Url`, and the capability `config:<key>` |
/// | a folder of the user | type `Path`, and the capability `read:<key>` or `write:<key>` |
/// | one of several ways | [`Field::choices`], and [`Field::when`] for what belongs to one of them |
/// | a project or a user's id at a service | [`Field::namespace`], so that a trial gets one of its own |
///
/// # Panics
/// As the methods of [`Manifest`](crate::Manifest): in a constant, that is a compile error.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub(crate) key: &'static str,
    description: &'static str,
    field_type: FieldType,
    pub(crate) secret: bool,
    required: bool,
    advanced: bool,
    namespace: bool,
    default: Option<&'static str>,
    choices: &'static [(&'static str, &'static str)],
    when: Option<(&'static str, &'static str)>,
    pub(crate) env_var: &'static str,
    url: &'static str,
    min: Option<i64>,
    max: Option<i64>,
    token_prefixes: &'static [&'static str],
}

impl Field {
    /// A field of a type; `description` is what setup asks. `key` is letters, digits, `_` and `-`.
    ///
    /// | type | what a user may enter | what [`Host::config`](crate::Host::config) hands over |
    /// |---|---|---|
    /// | `Text`, `Path`, `Url` | any text; any text; an `http` or `https` address | a string |
    /// | `Integer` | a whole number that fits an `i64` | a number |
    /// | `Number` | a finite number, such as `0.35` | a number |
    /// | `Boolean` | `true` or `false` | a boolean |
    ///
    /// Keep a key once it was released: under a new one the user's value is gone, and unknown keys are left alone.
    #[must_use]
    #[track_caller]
    pub const fn new(key: &'static str, field_type: FieldType, description: &'static str) -> Self {
        if !is_setting(key) {
            refuse(&["`", key, "` is no key of a setting: letters, digits, `_` and `-`"]);
        }
        Self {
            key,
            description,
            field_type,
            secret: false,
            required: false,
            advanced: false,
            namespace: false,
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

    /// A secret, kept in `.env` under this variable. The manifest must also ask for it with [`Manifest::secret`](crate::Manifest::secret), or the
    /// plugin is refused.
    ///
    /// It never appears among the settings: the provider reads it with [`Host::secret`](crate::Host::secret).
    ///
    /// ```
    /// use hermes_provider_api::{Field, Host, Manifest, ProviderError};
    ///
    /// const MANIFEST: Manifest = Manifest::new("notes")
    ///     .secret(&["NOTES_API_KEY"])
    ///     .config(&[Field::secret("api_key", "NOTES_API_KEY", "API key").token_prefixes(&["nt_"])]);
    ///
    /// /// Asked for where it is used, and kept nowhere else.
    /// fn bearer(host: &Host) -> Result<Option<String>, ProviderError> {
    ///     Ok(host.secret("NOTES_API_KEY")?.map(|key| format!("Bearer {}", key.expose())))
    /// }
    /// # let _ = (MANIFEST, bearer);
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn secret(key: &'static str, env_var: &'static str, description: &'static str) -> Self {
        if !is_variable(env_var) {
            refuse(&["`", env_var, "` is no name of a secret: upper-case letters, digits and `_`, as in `NOTES_KEY`"]);
        }
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

    /// Setup does not ask for it, unless the user wants to be asked for everything (`--advanced`). It is set like any other
    /// with `--set` or `hermes config set`. One that is [`required`](Field::required) and has no default is asked for all
    /// the same.
    #[must_use]
    pub const fn advanced(mut self) -> Self {
        self.advanced = true;
        self
    }

    /// Its value names the place where the provider keeps what it stores, such as a project, a bank or the id of a user of
    /// a service: under a name that was never used there is nothing yet.
    ///
    /// `hermes memory pilot` tries a provider under a name of its own, so that nothing of the user's is mixed with the
    /// trial: letters, digits and `-`, 29 characters. What was stored there is deleted afterwards through
    /// [`Interface::Browse`](crate::Interface::Browse), if the provider has it.
    ///
    /// ```
    /// use hermes_provider_api::Field;
    /// use hermes_provider_api::records::FieldType;
    ///
    /// const PROJECT: Field = Field::new("project", FieldType::Text, "The project that notes belong to").namespace();
    /// ```
    #[must_use]
    #[track_caller]
    pub const fn namespace(mut self) -> Self {
        if self.secret || !matches!(self.field_type, FieldType::Text) {
            refuse(&["`", self.key, "` cannot be a namespace: it is no text, or a secret"]);
        }
        self.namespace = true;
        self
    }

    /// Used when nothing is set: as text, whatever the type. Shown to the user before a capability by the name of this
    /// setting (`config:<key>`, `read:<key>`) is granted.
    #[must_use]
    pub const fn default(mut self, value: &'static str) -> Self {
        self.default = Some(value);
        self
    }

    /// The only values that are allowed, each with its meaning: `(value, meaning)`. Setup shows them as a list to choose from.
    ///
    /// A value that is taken away in a later version is an error for those who have it in their `config.toml`: keep accepting it.
    #[must_use]
    pub const fn choices(mut self, choices: &'static [(&'static str, &'static str)]) -> Self {
        self.choices = choices;
        self
    }

    /// Asked only when the field `key` has the value `equals`, as text: `"true"` for a boolean.
    ///
    /// The other field has to stand before this one, since setup asks in order, and cannot be a secret. Where the condition does not hold, the field
    /// is absent from what the provider reads, default or not.
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
    #[track_caller]
    pub const fn env(mut self, variable: &'static str) -> Self {
        if looks_secret(variable) {
            refuse(&[
                "`",
                variable,
                "` is named like a secret: make the setting a `Field::secret`, which is never handed out unasked",
            ]);
        }
        self.env_var = variable;
        self
    }

    /// Where a person gets the value: the page itself, such as that of the keys, and not the front door. Setup shows it beside
    /// the question for a secret, and as a hint where one is missing.
    #[must_use]
    pub const fn url(mut self, url: &'static str) -> Self {
        self.url = url;
        self
    }

    /// Smallest and largest number, or length in characters (Unicode scalar values), both inclusive. Hermes checks them before
    /// the provider is opened, also what a user wrote into the file by hand.
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

    /// Writes it as the JSON of a [`ConfigField`](crate::records::ConfigField). A default, condition or bound that is not there is
    /// left out; everything else is written, empty or not.
    pub(crate) const fn write<const N: usize>(&self, json: &mut Writer<N>) {
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
        if self.advanced {
            json.flag("advanced", true);
        }
        if self.namespace {
            json.flag("namespace", true);
        }
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
