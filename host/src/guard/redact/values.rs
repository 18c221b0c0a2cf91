//! Names that stand before a secret, and what behind such a name can be one: not code, not a placeholder, not prose.

use std::ops::Range;

/// Ends of names that hold a secret, in lower case without `-`, `_` and `.`.
const NAMES: &[&str] = &[
    "apikey",
    "secretkey",
    "accesskey",
    "accesskeyid",
    "accountkey",
    "appkey",
    "applicationkey",
    "authkey",
    "encryptionkey",
    "licensekey",
    "masterkey",
    "presharedkey",
    "privatekey",
    "servicekey",
    "signingkey",
    "secret",
    "token",
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "credential",
    "credentials",
    "authorization",
    "sharedaccesssignature",
    "пароль",
    "пароля",
    "токен",
    "секрет",
    "密码",
    "密碼",
    "口令",
    "密钥",
    "密鑰",
    "令牌",
    "パスワード",
    "비밀번호",
    "contraseña",
    "passwort",
    "kennwort",
    "motdepasse",
    "senha",
    "parola",
    "şifre",
    "hasło",
    "κωδικός",
    "סיסמה",
    "رمز",
    "पासवर्ड",
    "รหัสผ่าน",
];

/// How a value is written, which says how sure it has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// `password=x`, `--password x`
    Value,
    /// `password = x`, which may be code.
    AfterSpace,
    /// `password: x`, which may be prose.
    AfterColon,
}

/// Whether a word names something secret: `OPENAI_API_KEY`, `db-password`, `пароль`.
pub(super) fn names_secret(name: &str) -> bool {
    // In languages without spaces, a sentence may come before it.
    let mut start = name.len().saturating_sub(100);
    while !name.is_char_boundary(start) {
        start += 1;
    }
    let name = &name[start..];
    let name: String = name.chars().filter(|c| !matches!(c, '_' | '-' | '.')).flat_map(char::to_lowercase).collect();
    NAMES.iter().any(|known| name.ends_with(known))
}

/// The value that begins at `start`, if it can be a secret.
pub(super) fn value_at(text: &str, start: usize, written: Written) -> Option<Range<usize>> {
    let rest = &text[start..];
    let bare = rest.trim_start_matches(['"', '\'', '\\', '`']);
    let opening = &rest[..rest.len() - bare.len()];
    let from = text.len() - bare.len();
    if let Some(len) = opening.chars().next_back().and_then(|quote| quoted_len(bare, quote)) {
        let secret = bare[..len].trim_end_matches('\\');
        return is_secret_value(secret).then(|| from..from + secret.len());
    }
    let window = beginning(bare, JUDGED);
    let len = window.find(ends_value).unwrap_or(window.len());
    let (secret, after) = (bare[..len].trim_end_matches('.'), &bare[len..]);
    let folder = secret.starts_with('/') && secret.matches('/').count() > 1;
    if folder || is_code(secret, after, written) {
        return None;
    }
    // In prose, `password: please` is no password; `password: hunter2` is.
    let in_words = |c: char| c.is_alphabetic() || matches!(c, '-' | '/' | '_' | '.' | '’');
    let sure = written != Written::AfterColon || !opening.is_empty() || secret.contains(|c| !in_words(c));
    if !sure || !is_secret_value(secret) {
        return None;
    }
    let more = if len == window.len() { after.find(ends_value).unwrap_or(after.len()) } else { 0 };
    let end = if more > 0 { len + more } else { secret.len() };
    Some(from..from + end)
}

/// How much of a value is looked at to tell whether it is one, so that every text is read in one pass.
const JUDGED: usize = 512;

/// The beginning of a text, of about so many bytes.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    &text[..end]
}

fn ends_value(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '"' | '\'' | '`' | ',' | ';' | '\\' | '&' | ')' | '}' | '<' | '，' | '。' | '；' | '»' | '”')
}

/// How long a value in quotes is, which may hold spaces.
fn quoted_len(bare: &str, quote: char) -> Option<usize> {
    if quote == '\\' {
        return None;
    }
    let len = beginning(bare, JUDGED).find([quote, '\n'])?;
    bare[len..].starts_with(quote).then_some(len)
}

/// Whether it is an expression of a program: `parser.next()`, `os.environ["X"]`, `Option<String>`, `self.token;`.
fn is_code(value: &str, after: &str, written: Written) -> bool {
    let path_len =
        value.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | ':' | '*' | '?' | '!' | '>' | '-'));
    let (path, beyond) = value.split_at(path_len.unwrap_or(value.len()));
    let is_path =
        path.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '*')) && !path.contains('-');
    if is_path && (beyond.starts_with(['(', '[', '{']) || after.starts_with('<') && !after.starts_with("</")) {
        return true;
    }
    if !beyond.is_empty() || !is_path || path.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let is_member = path.trim_end_matches([':', '.']).contains(['.', ':']) || path.contains("->");
    let in_line =
        after.starts_with([';', ',', ')', '}']) || after.trim_start_matches(' ').starts_with(['|', '&', '?', '+']);
    match written {
        Written::AfterColon => is_member,
        Written::AfterSpace => is_member || in_line || path.contains('_'),
        Written::Value => is_member,
    }
}

/// Whether what stands behind such a name can be a secret at all.
pub(super) fn is_secret_value(value: &str) -> bool {
    const PLAIN: &[&str] = &[
        "true",
        "false",
        "null",
        "none",
        "nil",
        "undefined",
        "required",
        "optional",
        "string",
        "redacted",
        "i128",
        "u128",
        "usize",
        "bool",
        "text",
        "include",
        "omit",
        "same-origin",
        "empty",
        "unset",
        "hidden",
        "bearer",
        "basic",
        "password",
        "secret",
        "token",
        "api_key",
        "apikey",
        "your",
    ];
    let word = value.to_ascii_lowercase();
    let mut letters = word.chars();
    let first = letters.next();
    let all_alike = letters.all(|c| Some(c) == first);
    hermes_text::char_count(value) >= 4
        && !value.starts_with(['[', '<', '$', '{', '*', '(', '…', '%'])
        && !all_alike
        && !PLAIN.contains(&word.as_str())
        && !is_placeholder(value, &word)
}

/// `YOUR_API_KEY`, `your-token-here`, `xxxx-xxxx`, `sk-...`.
fn is_placeholder(value: &str, word: &str) -> bool {
    let names = ["key", "token", "secret", "password", "here"];
    let speaks_of_yours =
        ["your", "my", "insert", "replace", "example", "enter"].iter().any(|start| word.starts_with(start))
            && names.iter().any(|name| word.contains(name))
            && !word.contains(|c: char| c.is_ascii_digit());
    let is_variable = value.contains('_') && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let is_crossed_out = word.bytes().filter(|byte| matches!(byte, b'x' | b'*' | b'.')).count() * 2 > word.len();
    speaks_of_yours || is_variable || is_crossed_out || value.ends_with("...") || value.ends_with('…')
}
