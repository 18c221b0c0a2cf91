//! Takes secrets out of a copy of a text, before it leaves for a provider.
//!
//! Found are the values that the host knows to be secret, and what has the shape of a secret: tokens with a known
//! beginning, `Bearer …`, `api_key=…`, passwords in addresses, cookies, private key blocks. Hashes, UUIDs, pictures, code
//! and words stay. Characters that cannot be seen and full-width letters hide nothing.
//!
//! Written by hand and not with regular expressions: some of it, such as what is code and what is a placeholder, would
//! not be one, and a set of a hundred of them costs more at each start than a turn may cost here.

mod announced;
mod plain;
mod quiet;
mod scan;
mod tokens;
mod values;

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

use crate::error::Hint;
use crate::secrets::{Mask, Place, change_texts};

use plain::Plain;
use scan::scan;
use values::{is_secret_value, names_secret};

/// What stands in the place of a secret.
pub const REDACTED: &str = "[redacted]";

/// What sort of secret a text holds. As a text it goes behind "it holds".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecretKind {
    /// A value that the host knows from `.env` or the environment.
    #[error("a secret of this home")]
    Known,
    /// A token or key that is known by how it begins.
    #[error("a token or key")]
    Token,
    /// What a name such as `password` or `api_key` announces, or a header of authorization.
    #[error("a password or key")]
    Password,
    /// A password in an address.
    #[error("an address with a password")]
    Address,
    /// Values of cookies.
    #[error("cookies")]
    Cookie,
    /// A private key.
    #[error("a private key")]
    PrivateKey,
    /// The words that a wallet is restored from.
    #[error("the words of a wallet")]
    SeedPhrase,
}

impl Hint for SecretKind {
    fn hints(&self) -> Vec<String> {
        vec![
            "keep it in `.env` of the home (mode 0600) or in a password manager, and remember only where it is"
                .to_owned(),
        ]
    }
}

/// Takes secrets out of texts.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    known: Mask,
    /// How keys of the provider's service begin.
    prefixes: Vec<String>,
}

impl Redactor {
    /// A redactor that knows these values to be secret, besides the shapes that it always finds.
    #[must_use]
    pub fn new(known: Mask) -> Self {
        Self { known, prefixes: Vec::new() }
    }

    /// The same, which also finds tokens that begin like this and go on with at least 8 of `A-Za-z0-9_-`. An empty
    /// beginning is none.
    #[must_use]
    pub fn with_prefixes(mut self, prefixes: impl IntoIterator<Item = String>) -> Self {
        self.prefixes.extend(prefixes.into_iter().filter(|prefix| !prefix.is_empty()));
        self
    }

    /// What takes the known values out, and nothing else.
    #[must_use]
    pub fn known(&self) -> &Mask {
        &self.known
    }

    /// The text with each known value replaced by its name in brackets, and each other secret by [`REDACTED`]. Doing it
    /// twice changes nothing more, but for a few texts of random pieces in which a replaced secret stood beside another
    /// beginning of one.
    #[must_use]
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let text = self.known.apply(text);
        let Some(plain) = Plain::of(&text) else {
            let found = self.shapes(&text);
            return cut(text, found);
        };
        let masked = self.known.apply(&plain.text);
        if masked != plain.text {
            // A known value was disguised. Its text is not worth keeping as it was written.
            let found = self.shapes(&masked);
            return Cow::Owned(cut(masked, found).into_owned());
        }
        let found = self.shapes(&plain.text);
        let found = found.into_iter().map(|range| plain.original(&range));
        cut(text, found)
    }

    fn shapes(&self, text: &str) -> Vec<Range<usize>> {
        scan(text, &self.prefixes).into_iter().map(|(_, range)| range).collect()
    }

    /// Whether a text holds a secret, and of which kind: what [`redact`](Self::redact) would take out first.
    ///
    /// ```
    /// use hermes_host::guard::{Redactor, SecretKind};
    ///
    /// let redactor = Redactor::default();
    /// assert_eq!(redactor.secret_in("the key is ghp_16C7e42F292c6912E7710c838347Ae178B4a"), Some(SecretKind::Token));
    /// assert_eq!(redactor.secret_in("the key is in ~/.ssh/id_ed25519, rotated monthly"), None);
    /// ```
    #[must_use]
    pub fn secret_in(&self, text: &str) -> Option<SecretKind> {
        let plain = Plain::of(text).map_or(Cow::Borrowed(text), |plain| Cow::Owned(plain.text));
        if [text, &*plain].into_iter().any(|text| self.known.apply(text) != text) {
            return Some(SecretKind::Known);
        }
        scan(&plain, &self.prefixes).into_iter().find(|(_, range)| !range.is_empty()).map(|(kind, _)| kind)
    }

    /// The same for every text in a JSON value. A text under a key such as `password` goes whole.
    pub fn redact_json(&self, value: &mut Value) {
        change_texts(value, &|place, text| match place {
            Place::Value(Some(name)) if names_secret(name) && is_secret_value(text) => Some(REDACTED.to_owned()),
            _ => match self.redact(text) {
                Cow::Owned(redacted) => Some(redacted),
                Cow::Borrowed(_) => None,
            },
        });
    }
}

/// A text with other words in the place of these ranges, which are in order.
fn cut<'a>(text: Cow<'a, str>, found: impl IntoIterator<Item = Range<usize>>) -> Cow<'a, str> {
    let mut out = String::new();
    let mut done = 0;
    for range in found {
        if range.start < done || range.is_empty() {
            continue;
        }
        out.push_str(&text[done..range.start]);
        out.push_str(REDACTED);
        done = range.end;
    }
    if done == 0 {
        return text;
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use hermes_provider_api::Secret;
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let redactor = Redactor::new(Mask::new([("PHRASE", Secret::new("correct horse"))]));
        let once = redactor.redact(text);
        assert_eq!(once, expected);
        assert_eq!(redactor.redact(&once), expected, "a second pass changed {text:?}");
    }

    #[test]
    fn known_values_go_wherever_they_stand() {
        check("it is correct horse.", "it is [PHRASE].");
        check("password=correct horse", "password=[PHRASE]");
    }

    #[test]
    fn tokens_go_by_their_shape() {
        check("my key sk-proj-abcDEF1234567890xyz, ok", "my key [redacted], ok");
        check("ключ ghp_0123456789abcdefghijABCDEFGHIJ012345!", "ключ [redacted]!");
        check("xoxb-1234567890-abcdefghij", "[redacted]");
        check("AKIAIOSFODNN7EXAMPLE", "[redacted]");
        check("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3", "[redacted]");
        check("123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw4", "[redacted]");
        check("Authorization: Bearer abc123def456", "Authorization: Bearer [redacted]");
        check("Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic [redacted]");
        check("postgres://ann:hunter2@db.example/x", "postgres://ann:[redacted]@db.example/x");
    }

    #[track_caller]
    fn check_declared(text: &str, expected: &str) {
        let redactor = Redactor::default().with_prefixes(["nt_", "acme.v1-", ""].map(str::to_owned));
        let once = redactor.redact(text);
        assert_eq!(once, expected);
        assert_eq!(redactor.redact(&once), expected, "a second pass changed {text:?}");
    }

    #[test]
    fn tokens_go_by_what_a_provider_declares() {
        check_declared("my key is nt_AbCdEfGh, ok", "my key is [redacted], ok");
        check_declared("ключ: «nt_abcd-efg_hij».", "ключ: «[redacted]».");
        check_declared("key=acme.v1-abcdefgh&x", "key=[redacted]&x");
        check_declared("nt_abcdefg ant_abcdefgh print_abcdefgh", "nt_abcdefg ant_abcdefgh print_abcdefgh");
        check_declared("nt_AbCdEfGh nt_IjKlMnOp", "[redacted] [redacted]");
        check("nt_AbCdEfGh", "nt_AbCdEfGh");
    }

    #[test]
    fn values_go_by_their_name() {
        check("api_key=abcdef", "api_key=[redacted]");
        check("export OPENAI_API_KEY='abcdef'", "export OPENAI_API_KEY='[redacted]'");
        check("{\"apiKey\": \"abcdef\", \"b\": 1}", "{\"apiKey\": \"[redacted]\", \"b\": 1}");
        check("{\\\"token\\\": \\\"abcdef\\\"}", "{\\\"token\\\": \\\"[redacted]\\\"}");
        check("password: hunter2", "password: [redacted]");
        check("пароль: qwerty123", "пароль: [redacted]");
        check("我的密码：abc123。", "我的密码：[redacted]。");
        check("https://a.example/?access_token=abcdef&x=1", "https://a.example/?access_token=[redacted]&x=1");
    }

    #[test]
    fn private_keys_go_whole() {
        let key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\nAAAA\n-----END OPENSSH PRIVATE KEY-----";
        check(&format!("a\n{key}\nb"), "a\n[redacted]\nb");
        check("a\n-----BEGIN RSA PRIVATE KEY-----\nb3Bl", "a\n[redacted]");
    }

    #[track_caller]
    fn check_kind(text: &str, expected: SecretKind) {
        let redactor =
            Redactor::new(Mask::new([("PHRASE", Secret::new("correct horse"))])).with_prefixes(["nt_".to_owned()]);
        assert_eq!(redactor.secret_in(text), Some(expected), "{text:?}");
        assert_ne!(redactor.redact(text), text, "{text:?} would reach a provider");
    }

    #[test]
    fn a_secret_is_told_by_its_kind() {
        check_kind("it is correct horse.", SecretKind::Known);
        check_kind("it is cor\u{200B}rect horse.", SecretKind::Known);
        check_kind("ghp_16C7e42F292c6912E7710c838347Ae178B4a", SecretKind::Token);
        check_kind("ключ ｇhp_16C7e42F292c6912E7710c838347Ae178B4a", SecretKind::Token);
        check_kind("use nt_0123456789 there", SecretKind::Token);
        check_kind("password: hunter2hunter", SecretKind::Password);
        check_kind("Authorization: Bearer abcdefgh12345678", SecretKind::Password);
        check_kind("postgres://ann:s3cret@db/x", SecretKind::Address);
        check_kind("Cookie: session=abcdef123456", SecretKind::Cookie);
        check_kind("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz\n", SecretKind::PrivateKey);
        let words = "seed: legal winner thank year wave sausage worth useful legal winner thank yellow";
        check_kind(words, SecretKind::SeedPhrase);
        let redactor = Redactor::default();
        for text in
            ["the key is at ~/.ssh/id_ed25519", "rotate the API key monthly", "10.0.0.4:8080", "token budget: 8000"]
        {
            assert_eq!(redactor.secret_in(text), None, "{text:?}");
        }
        assert!(SecretKind::Token.hints()[0].contains("`.env`"));
    }

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "commit 046155d3c2f1e0a9b8d7c6e5f4a3b2c1d0e9f8a7",
            "id 550e8400-e29b-41d4-a716-446655440000",
            "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "the password: please choose one, then say secret: nothing",
            "max_tokens=4096 and token_count: 12",
            "PWD=/home/ann OLDPWD=/tmp",
            "password=$DB_PASSWORD token=<yours> secret=null",
            "a sk-learn-compatible-estimator-for-everyone",
            "the bearer of responsibilities, a basic understanding",
            "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
            "see https://example.com:8080/a@b or mail ann@example.com",
            "Анна любит зелёный чай, 安娜喜欢绿茶, آنا چای سبز می\u{200C}خواهد",
            "--- a\n+++ b\n----",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn json_is_walked() {
        let mut value = json!({"a": ["sk-abcdefgh12345678", 1], "password": "hunter", "token": "", "n": {"pwd": true}});
        Redactor::default().redact_json(&mut value);
        assert_eq!(value, json!({"a": [REDACTED, 1], "password": REDACTED, "token": "", "n": {"pwd": true}}));
    }

    #[test]
    fn hostile_lengths_are_read_once() {
        for piece in [
            "-",
            "sk-",
            "token",
            "token=",
            "a://",
            "eyJ",
            "eyJa.",
            "eyJ-",
            "-----BEGIN PRIVATE KEY",
            "密码：",
            "1:",
            "cookie:",
            "seed:",
            "token=\"",
            "token='x ",
            "\\",
            "%",
            "--token ",
            "SG.",
            "12345678:",
            "--",
            "\u{200B}a",
        ] {
            let text = piece.repeat(20_000);
            let once = Redactor::default().redact(&text);
            assert_eq!(Redactor::default().redact(&once), once, "{piece:?}");
        }
    }
}
