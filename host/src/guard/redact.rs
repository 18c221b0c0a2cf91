//! Takes secrets out of a copy of a text, before it leaves for a provider.
//!
//! Found are the values that the host knows to be secret, and what has the shape of a secret: tokens with a known
//! beginning, `Bearer …`, `api_key=…`, passwords in addresses, private key blocks. Hashes, UUIDs and words stay.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

use crate::secrets::Mask;

/// What stands in the place of a secret.
pub const REDACTED: &str = "[redacted]";

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

    /// The text with each known value replaced by its name in brackets, and each other secret by [`REDACTED`]. Doing it
    /// twice changes nothing more.
    #[must_use]
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let text = self.known.apply(text);
        let found = shapes(&text, &self.prefixes);
        if found.is_empty() {
            return text;
        }
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for range in found {
            if range.start < done {
                continue;
            }
            out.push_str(&text[done..range.start]);
            out.push_str(REDACTED);
            done = range.end;
        }
        out.push_str(&text[done..]);
        Cow::Owned(out)
    }

    /// The same for every text in a JSON value. A text under a key such as `password` goes whole.
    pub fn redact_json(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(redacted) = self.redact(text) {
                    *text = redacted;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_json(item)),
            Value::Object(fields) => {
                for (key, field) in fields {
                    match field {
                        Value::String(text) if names_secret(key) && is_secret_value(text) => {
                            REDACTED.clone_into(text);
                        }
                        other => self.redact_json(other),
                    }
                }
            }
            _ => {}
        }
    }
}

/// Where something begins with this, goes on with so many token characters and holds a digit, it is a secret.
const PREFIXES: [(&str, usize); 31] = [
    ("sk-", 16),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("whsec_", 16),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xapp-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("hf_", 20),
    ("npm_", 20),
    ("pypi-", 20),
    ("dop_v1_", 20),
    ("SG.", 20),
    ("ya29.", 20),
    ("gsk_", 20),
    ("tvly-", 16),
    ("r8_", 20),
    ("pplx-", 20),
];

/// None of these tokens is shorter: most words are passed over without a look at the list.
const SHORTEST: usize = 15;

/// Ends of names that hold a secret, in lower case without `-`, `_` and `.`.
const NAMES: [&str; 28] = [
    "apikey",
    "secretkey",
    "accesskey",
    "accesskeyid",
    "privatekey",
    "encryptionkey",
    "secret",
    "token",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "credential",
    "credentials",
    "authorization",
    "пароль",
    "токен",
    "секрет",
    "密码",
    "密碼",
    "口令",
    "密钥",
    "パスワード",
    "비밀번호",
    "contraseña",
    "passwort",
    "kennwort",
    "رمز",
];

/// The secrets in a text, by where they begin. `prefixes` are beginnings of tokens besides those that are always known.
fn shapes(text: &str, prefixes: &[String]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find(|c: char| c.is_alphanumeric() || c == '-').map(|at| from + at) {
        let rest = &text[start..];
        if rest.starts_with('-') {
            match private_key(rest) {
                Some(len) => {
                    found.push(start..start + len);
                    from = start + len;
                }
                None => from = start + rest.find(|c| c != '-').unwrap_or(rest.len()),
            }
            continue;
        }
        let word = token_len(rest);
        let word = if word == 0 { rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len()) } else { word };
        from = start + word;
        if let Some(len) = token(rest).or_else(|| declared(rest, prefixes)) {
            found.push(start..start + len);
            from = start + len;
        } else if let Some(secret) = after_word(text, start..start + word) {
            from = secret.end;
            found.push(secret);
        }
    }
    found
}

fn is_token_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// How long the word is that begins here: letters, digits, `_`, `-`, and dots between them.
fn token_len(rest: &str) -> usize {
    rest.find(|c: char| !is_token_char(c)).unwrap_or(rest.len())
}

/// What the tokens of [`PREFIXES`] consist of.
fn is_tail(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// A token that is known by its beginning.
fn token(rest: &str) -> Option<usize> {
    if rest.starts_with("eyJ") {
        // A JSON Web Token: three parts, the first two of them long.
        let mut len = 0;
        for least in [8, 8, 0] {
            let part = &rest[len..];
            let end = part.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '='));
            let end = end.unwrap_or(part.len());
            if end < least || least > 0 && !part[end..].starts_with('.') {
                return None;
            }
            len += end + usize::from(least > 0);
        }
        return Some(len);
    }
    if !rest.as_bytes().get(..SHORTEST).is_some_and(|start| start.iter().all(|&byte| is_tail(byte.into()))) {
        return None;
    }
    let (prefix, least) = PREFIXES.iter().find(|(prefix, _)| rest.starts_with(prefix))?;
    let tail = &rest[prefix.len()..];
    let len = tail.find(|c: char| !is_tail(c)).unwrap_or(tail.len());
    let tail = tail[..len].trim_end_matches('.');
    let fits = tail.len() >= *least
        && tail.contains(|c: char| c.is_ascii_digit())
        && (!prefix.ends_with("IA") || tail.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()));
    fits.then_some(prefix.len() + tail.len())
}

/// How many token characters follow a beginning that a provider has declared, at least.
const DECLARED: usize = 8;

/// A token that begins as a provider says that those of its service do.
fn declared(rest: &str, prefixes: &[String]) -> Option<usize> {
    let lens = prefixes.iter().filter_map(|prefix| {
        let tail = rest.strip_prefix(prefix.as_str())?;
        let len = tail.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-')).unwrap_or(tail.len());
        (len >= DECLARED).then_some(prefix.len() + len)
    });
    lens.max()
}

/// The secret that a word announces: `Bearer x`, `api_key=x`, `"token": "x"`, `https://user:x@host`, `123456789:x`.
fn after_word(text: &str, word: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[word.end..];
    let name = &text[word.clone()];
    if let Some(address) = rest.strip_prefix("://") {
        let authority =
            &address[..address.find(|c: char| c.is_whitespace() || matches!(c, '/' | '"')).unwrap_or(address.len())];
        let (user, _) = authority.rsplit_once('@')?;
        let (_, password) =
            user.split_once(':').filter(|(_, password)| !password.is_empty() && *password != REDACTED)?;
        let end = word.end + 3 + user.len();
        return Some(end - password.len()..end);
    }
    if name.eq_ignore_ascii_case("bearer") || name.eq_ignore_ascii_case("basic") {
        let value = rest.trim_start_matches(' ');
        let start = text.len() - value.len();
        let len = value.find(|c: char| !c.is_ascii_alphanumeric() && !"_-.~+/=".contains(c)).unwrap_or(value.len());
        let value = &value[..len];
        let mixed =
            value.contains(|c: char| c.is_ascii_uppercase()) && value.contains(|c: char| c.is_ascii_lowercase());
        let random = value.contains(|c: char| c.is_ascii_digit()) || len >= 16 && mixed;
        let fits = start > word.end && len >= 8 && random;
        return fits.then_some(start..start + len);
    }
    if (8..=10).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_digit()) {
        // A key of a Telegram bot.
        let value = rest.strip_prefix(':')?;
        let len = token_len(value);
        return (len == 35).then_some(word.start..word.end + 1 + len);
    }
    // First the sign: hardly any word is followed by one, and names take long to compare.
    let quoted = rest.trim_start_matches(['"', '\'', '\\']);
    let spaced = quoted.trim_start_matches(' ');
    let sign = spaced.chars().next().filter(|c| matches!(c, '=' | ':' | '：'))?;
    if !names_secret(name) {
        return None;
    }
    let value = spaced[sign.len_utf8()..].trim_start_matches([' ', '>']);
    let bare = value.trim_start_matches(['"', '\'', '\\', '`']);
    let start = text.len() - bare.len();
    let in_quotes = bare.len() < value.len();
    let len = bare
        .find(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '\\' | '&' | ')' | '}' | '，' | '。')
        })
        .unwrap_or(bare.len());
    let secret = bare[..len].trim_end_matches('.');
    // In prose, `password: please` is no password; `password: hunter2` is.
    let sure = sign == '=' || in_quotes || secret.contains(|c: char| !c.is_alphabetic());
    let folder = name.to_ascii_lowercase().ends_with("pwd") && secret.starts_with('/');
    (sure && !folder && is_secret_value(secret)).then_some(start..start + secret.len())
}

/// Whether a word names something secret: `OPENAI_API_KEY`, `db-password`, `пароль`.
fn names_secret(name: &str) -> bool {
    if name.len() > 100 {
        return false;
    }
    let name: String = name.chars().filter(|c| !matches!(c, '_' | '-' | '.')).flat_map(char::to_lowercase).collect();
    NAMES.iter().any(|known| name.ends_with(known))
}

/// Whether what stands behind such a name can be a secret at all.
fn is_secret_value(value: &str) -> bool {
    const PLAIN: [&str; 10] =
        ["true", "false", "null", "none", "nil", "undefined", "required", "optional", "string", "redacted"];
    let word = value.to_ascii_lowercase();
    hermes_text::char_count(value) >= 4
        && !value.starts_with(['[', '<', '$', '{', '*'])
        && !PLAIN.contains(&word.as_str())
        && !matches!(word.as_str(), "bearer" | "basic")
}

/// A block that begins with `-----BEGIN … PRIVATE KEY-----`: to its end line, else to the end of the text.
fn private_key(rest: &str) -> Option<usize> {
    let title = rest.strip_prefix("-----BEGIN ")?;
    let title_len = title.find("-----")?;
    if title_len > 40 || !title[..title_len].contains("PRIVATE KEY") {
        return None;
    }
    let body = rest.len() - title.len() + title_len + 5;
    let Some(end) = rest[body..].find("-----END ").map(|at| body + at + 9) else {
        return Some(rest.len());
    };
    Some(rest[end..].find("-----").map_or(rest.len(), |at| end + at + 5))
}

#[cfg(test)]
mod tests {
    use hermes_provider_api::Secret;
    use serde_json::json;

    use super::*;

    #[test]
    fn no_known_token_is_passed_over_for_its_length() {
        assert_eq!(PREFIXES.iter().map(|(prefix, least)| prefix.len() + least).min(), Some(SHORTEST));
    }

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
        for piece in ["-", "sk-", "token", "token=", "a://", "eyJ", "eyJa.", "-----BEGIN PRIVATE KEY", "密码：", "1:"]
        {
            let text = piece.repeat(100_000);
            let once = Redactor::default().redact(&text);
            assert_eq!(Redactor::default().redact(&once), once, "{piece:?}");
        }
    }
}
