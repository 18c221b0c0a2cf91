//! Who is connected, as a scope: the client's name is the platform, its first root the project.

use percent_encoding::percent_decode_str;

/// The platform of a client without a name.
const NAMELESS: &str = "mcp";
/// The longest platform, in characters.
const PLATFORM_CHARS: usize = 64;
/// The longest project, in characters.
const PROJECT_CHARS: usize = 1024;

/// Who speaks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Who {
    pub(super) platform: String,
    /// Empty where the client names no roots.
    pub(super) project: String,
}

/// The client's name in one form: `Claude Code` and `claude-code` are one platform.
pub(super) fn platform(client: &str) -> String {
    let mut name = String::new();
    let normal = hermes_text::normalize(client);
    for char in normal.chars().take(PLATFORM_CHARS) {
        match char {
            _ if char.is_alphanumeric() || matches!(char, '.' | '_') => name.push(char),
            _ if name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    match name.trim_matches('-') {
        "" => NAMELESS.to_owned(),
        name => name.to_owned(),
    }
}

/// The folder of a root; the address itself where it is no file's.
pub(super) fn project(uri: &str) -> String {
    let uri = uri.trim();
    let path = uri.strip_prefix("file://").and_then(|rest| rest.find('/').map(|start| &rest[start..]));
    let decoded = match path {
        Some(path) => percent_decode_str(path).decode_utf8_lossy(),
        None => uri.into(),
    };
    let shown: String = decoded.chars().filter(|char| !char.is_control()).take(PROJECT_CHARS).collect();
    match shown.trim_end_matches('/') {
        "" if !shown.is_empty() => "/".to_owned(),
        path => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_has_one_form() {
        let long = "x".repeat(1000);
        for (client, expected) in [
            ("Claude Code", "claude-code"),
            (" claude_code/2.1 ", "claude_code-2.1"),
            ("Мой Агент", "мой-агент"),
            ("代理", "代理"),
            ("\u{1b}[2J\n", "2j"),
            ("", "mcp"),
            ("--", "mcp"),
            (&long, &long[..64]),
        ] {
            assert_eq!(platform(client), expected, "{client:?}");
        }
    }

    #[test]
    fn a_project_is_a_folder() {
        for (uri, expected) in [
            ("file:///home/vera/app", "/home/vera/app"),
            ("file://localhost/home/vera/app/", "/home/vera/app"),
            ("file:///home/%D0%B2%D0%B5%D1%80%D0%B0/my%20app%0A", "/home/вера/my app"),
            ("file:///bad%ff", "/bad\u{fffd}"),
            ("file:///", "/"),
            ("https://example.org/x", "https://example.org/x"),
            ("", ""),
        ] {
            assert_eq!(project(uri), expected, "{uri}");
        }
    }
}
