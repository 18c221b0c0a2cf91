//! What is the same in each request to a service.

/// What to put into the headers for a key, by the path of the request.
type KeyHeaders = fn(path: &str, key: &str) -> Vec<(&'static str, String)>;

/// A service as its author describes it: a constant, beside the manifest.
///
/// ```
/// use hermes_provider_api::rest::Service;
///
/// const NOTES: Service = Service::new("notes", "Notes")
///     .address("server")
///     .optional_key("NOTES_API_KEY", "https://notes.example/keys")
///     .key_headers(|_path, key| vec![("Authorization", format!("Token {key}"))]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Service {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) address: &'static str,
    pub(super) secret: Option<&'static str>,
    pub(super) is_key_required: bool,
    pub(super) keys_at: &'static str,
    pub(super) key_headers: KeyHeaders,
    pub(super) missing_route: &'static str,
}

impl Service {
    /// The service of the plugin `id`, with the `name` that people know it by. Its address is in the setting `base_url`, and it
    /// wants no key.
    #[must_use]
    pub const fn new(id: &'static str, name: &'static str) -> Self {
        Self {
            id,
            name,
            address: "base_url",
            secret: None,
            is_key_required: false,
            keys_at: "",
            key_headers: |_path, key| vec![("Authorization", format!("Bearer {key}"))],
            missing_route: "",
        }
    }

    /// The setting that holds the address: its key in the manifest, where `config:<key>` asks for it.
    #[must_use]
    pub const fn address(mut self, setting: &'static str) -> Self {
        self.address = setting;
        self
    }

    /// Each request needs the key in the secret of this name; `keys_at` is where people get one.
    #[must_use]
    pub const fn key(self, secret: &'static str, keys_at: &'static str) -> Self {
        Self { is_key_required: true, ..self.optional_key(secret, keys_at) }
    }

    /// A key is sent where there is one: servers of one's own may want none.
    #[must_use]
    pub const fn optional_key(mut self, secret: &'static str, keys_at: &'static str) -> Self {
        self.secret = Some(secret);
        self.keys_at = keys_at;
        self
    }

    /// How the key goes into headers, by the path of the request (which begins with `/`). `Authorization: Bearer <key>`
    /// without this.
    #[must_use]
    pub const fn key_headers(mut self, headers: KeyHeaders) -> Self {
        self.key_headers = headers;
        self
    }

    /// What a server says, with whichever status, for a route that it does not have, besides 404 and 405.
    #[must_use]
    pub const fn missing_route(mut self, sentence: &'static str) -> Self {
        self.missing_route = sentence;
        self
    }

    /// The command that asks for settings and keys.
    pub(super) fn setup(&self) -> String {
        format!("`hermes memory setup {}`", self.id)
    }
}
