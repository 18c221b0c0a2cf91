//! Secrets that a word announces: `Bearer x`, `api_key=x`, `--password x`, `https://user:x@host`, `Cookie: a=x`, a block
//! of a private key.

use std::ops::Range;

use super::values::{Written, beginning, is_secret_value, names_secret, value_at};
use super::{REDACTED, SecretKind};

/// What the word at `word` announces, in order. None when it is nothing.
pub(super) fn by(text: &str, word: Range<usize>) -> Option<(SecretKind, Vec<Range<usize>>)> {
    let rest = &text[word.end..];
    // Hardly any word is followed by one of these, and names take long to compare.
    let next = *rest.as_bytes().first()?;
    match next {
        b':' if rest.starts_with("://") => address(text, word.end + 3).map(|found| (SecretKind::Address, vec![found])),
        b' ' => {
            let sign = rest.bytes().find(|byte| *byte != b' ');
            let announces = matches!(word.len(), 5 | 6) || text[..word.start].ends_with('-');
            let said = if announces { after_space(text, &word) } else { None };
            let said = said.map(|found| (SecretKind::Password, found));
            let is_sign = matches!(sign, Some(b':' | b'=' | b'>' | 0xC2 | 0xEF));
            said.or_else(|| if is_sign { assigned(text, &word) } else { None })
        }
        b':' | b'=' | b'"' | b'\'' | b'\\' | b'`' | b'>' | b']' | 0xC2 | 0xEF => assigned(text, &word),
        _ => None,
    }
}

/// The password in an address, or a token in the place of the user. `start` is behind `://`.
fn address(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = &text[start..];
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '\\' | '<' | '>' | '`'));
    let authority = &rest[..end.unwrap_or(rest.len())];
    if let Some((user, _)) = authority.rsplit_once('@') {
        let password = user.split_once(':').map_or(user, |(_, password)| password);
        let has_name = password.len() < user.len();
        let is_token = password.len() >= 20 && password.bytes().any(|byte| byte.is_ascii_digit());
        let fits = !password.is_empty() && password != REDACTED && !password.starts_with(['$', '{', '<', '*']);
        if fits && (has_name || is_token) {
            return Some(start + user.len() - password.len()..start + user.len());
        }
    }
    // Who knows the path of a web hook may write there.
    let path = rest.strip_prefix("hooks.slack.com/")?;
    let path = path.strip_prefix("services/").or_else(|| path.strip_prefix("workflows/"))?;
    let len = path.find(|c: char| !c.is_ascii_alphanumeric() && c != '/').unwrap_or(path.len());
    let from = start + rest.len() - path.len();
    (len >= 20).then_some(from..from + len)
}

/// `Bearer x` and `Basic x`, and what follows a flag: `--password x`, `-u user:x`.
fn after_space(text: &str, word: &Range<usize>) -> Option<Vec<Range<usize>>> {
    let name = &text[word.clone()];
    let value = text[word.end..].trim_start_matches(' ');
    let start = text.len() - value.len();
    if name.eq_ignore_ascii_case("bearer") || name.eq_ignore_ascii_case("basic") {
        let len = value.find(|c: char| !c.is_ascii_alphanumeric() && !"_-.~+/=".contains(c)).unwrap_or(value.len());
        let value = &value[..len];
        let mixed =
            value.contains(|c: char| c.is_ascii_uppercase()) && value.contains(|c: char| c.is_ascii_lowercase());
        let random = value.contains(|c: char| c.is_ascii_digit()) || len >= 16 && mixed;
        let found = start..start + len;
        return (len >= 8 && random).then(|| vec![found]);
    }
    let flag = text[..word.start].trim_end_matches('-');
    let dashes = word.start - flag.len();
    if dashes == 0 || !(flag.is_empty() || flag.ends_with([' ', '\n', '\t', '"', '\''])) {
        return None;
    }
    if matches!((dashes, name), (1, "u") | (2, "user")) {
        let given = value_at(text, start, Written::Value)?;
        let (_, password) = text[given.clone()].split_once(':').filter(|(user, _)| !user.contains('/'))?;
        let found = given.end - password.len()..given.end;
        return is_secret_value(password).then(|| vec![found]);
    }
    if dashes == 2 && names_secret(name) && !value.starts_with('-') {
        let given = value_at(text, start, Written::Value)?;
        let sure = text[given.clone()].contains(|c: char| c.is_ascii_digit()) || given.start > start;
        return sure.then(|| vec![given]);
    }
    None
}

/// What is assigned to a name: with `=`, `:`, `=>`, `:=`, between tags of XML.
fn assigned(text: &str, word: &Range<usize>) -> Option<(SecretKind, Vec<Range<usize>>)> {
    let rest = &text[word.end..];
    let quoted = rest.trim_start_matches(['"', '\'', '\\', '`', ']']);
    let spaced = quoted.trim_start_matches([' ', '\u{A0}']);
    let sign = spaced.chars().next().filter(|c| matches!(c, '=' | ':' | '：' | '＝' | '>'))?;
    let name = &text[word.clone()];
    if sign == '>' && !text[..word.start].ends_with('<') {
        return None;
    }
    let start = text.len() - spaced.len() + sign.len_utf8();
    if sign != '>' && is_cookie(name) {
        return cookies(text, start).map(|found| (SecretKind::Cookie, found));
    }
    if is_seed(name) {
        return seed(text, start).map(|found| (SecretKind::SeedPhrase, vec![found]));
    }
    let is_signature = name == "sig" && sign == '=';
    if !is_signature && !names_secret(name) {
        return None;
    }
    // Not `==` of a comparison, and not `::` of a path.
    let after = &text[start..];
    if after.starts_with(sign) || sign == '=' && after.starts_with('~') {
        return None;
    }
    let value = after.trim_start_matches([' ', '\u{A0}', '>', '=']);
    let start = text.len() - value.len();
    if name.to_ascii_lowercase().ends_with("authorization")
        && let Some(found) = with_scheme(text, start)
    {
        return Some((SecretKind::Password, vec![found]));
    }
    let written = match sign {
        ':' | '：' => Written::AfterColon,
        _ if value.len() < after.len() => Written::AfterSpace,
        _ => Written::Value,
    };
    let found = value_at(text, start, written).filter(|found| !is_number_of(name, &text[found.clone()]))?;
    if is_signature && found.len() < 20 {
        return None;
    }
    // The folder where a shell is.
    if name.to_ascii_lowercase().ends_with("pwd") && text[found.clone()].starts_with('/') {
        return None;
    }
    if sign == '>' && !text[found.end..].starts_with("</") {
        return None;
    }
    Some((SecretKind::Password, vec![found]))
}

/// `Scheme x` at `start`: what stands behind a scheme of authorization.
fn with_scheme(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = text[start..].trim_start_matches(['"', '\'', '\\', '`']);
    let scheme = beginning(rest, 24).find(|c: char| !c.is_ascii_alphabetic()).filter(|&len| len > 0)?;
    let secret = rest[scheme..].strip_prefix(' ')?;
    let found = value_at(text, text.len() - secret.len(), Written::Value)?;
    text[found.clone()].contains(|c: char| c.is_ascii_digit()).then_some(found)
}

/// `max_token: 4096` counts.
fn is_number_of(name: &str, value: &str) -> bool {
    let counts = name.to_ascii_lowercase().ends_with("token") || name.to_ascii_lowercase().ends_with("key");
    counts && value.len() <= 8 && value.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_cookie(name: &str) -> bool {
    ["cookie", "set-cookie"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The most of a header that is read.
const LONGEST_LINE: usize = 2048;
/// The most of the words of a wallet.
const LONGEST_SEED: usize = 256;

/// The values in a header of cookies, but not what a server says about them.
fn cookies(text: &str, start: usize) -> Option<Vec<Range<usize>>> {
    const ABOUT: [&str; 5] = ["path", "domain", "expires", "max-age", "samesite"];
    let line = beginning(&text[start..], LONGEST_LINE);
    let line = &line[..line.find(['\n', '\r', '"', '\'', '`', '\\']).unwrap_or(line.len())];
    let mut found = Vec::new();
    let mut at = start;
    for pair in line.split_inclusive(';') {
        let bare = pair.trim_end_matches(';');
        if let Some((name, value)) = bare.split_once('=') {
            let is_about = ABOUT.iter().any(|known| name.trim().eq_ignore_ascii_case(known));
            let value = value.trim_end();
            if !is_about && value.len() >= 6 && is_secret_value(value) && !value.contains(' ') {
                let from = at + name.len() + 1;
                found.push(from..from + value.len());
            }
        }
        at += pair.len();
    }
    (!found.is_empty()).then_some(found)
}

fn is_seed(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["mnemonic", "phrase", "seed"].iter().any(|known| name.ends_with(known))
}

/// The words that a wallet is restored from: twelve or more.
fn seed(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = text[start..].trim_start_matches([' ', '"', '\'', '`']);
    let from = text.len() - rest.len();
    let (mut words, mut len) = (0, 0);
    for word in beginning(rest, LONGEST_SEED).split_inclusive(' ').take(24) {
        let bare = word.trim_end().trim_end_matches(['"', '\'', '`', '.', ',']);
        let bare = bare.lines().next().unwrap_or_default();
        if !(3..=8).contains(&bare.len()) || !bare.bytes().all(|byte| byte.is_ascii_lowercase()) {
            break;
        }
        words += 1;
        let whole = bare.len() + usize::from(word.ends_with(' ')) == word.len();
        if !whole {
            len += bare.len();
            break;
        }
        len += word.len();
    }
    (words >= 12).then(|| from..from + rest[..len].trim_end().len())
}

/// A block that begins with `-----BEGIN … PRIVATE KEY-----`: to its end line, else to the end of the text.
pub(super) fn private_key(rest: &str) -> Option<usize> {
    let title = rest.strip_prefix("-----BEGIN ")?;
    let title_len = beginning(title, 50).find("-----")?;
    if !title[..title_len].contains("PRIVATE KEY") {
        return None;
    }
    let body = rest.len() - title.len() + title_len + 5;
    let Some(end) = rest[body..].find("-----END ").map(|at| body + at + 9) else {
        return Some(rest.len());
    };
    Some(rest[end..].find("-----").map_or(rest.len(), |at| end + at + 5))
}
