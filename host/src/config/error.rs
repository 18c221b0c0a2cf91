//! What is wrong, or odd, about the settings.

use std::fmt;
use std::path::{Path, PathBuf};

use super::line_at;
use crate::error::Hint;
use crate::home::files::FileError;

/// The settings cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is not TOML.
    #[error("{}:{line}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What the parser says.
        message: String,
    },
    /// A key in the file has a value that it cannot have.
    #[error("{}:{line}: {key} {expected}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The key, with dots.
        key: String,
        /// `must be …`.
        expected: String,
    },
    /// A key is to be set to a value that it cannot have.
    #[error("{key} {expected}")]
    Argument {
        /// The key, with dots.
        key: String,
        /// `must be …`.
        expected: String,
    },
    /// An environment variable that overrides a provider's setting is wrong.
    #[error("environment variable `{variable}`: {key} {expected}")]
    Variable {
        /// The variable.
        variable: String,
        /// The key that it overrides.
        key: String,
        /// `must be …`.
        expected: String,
    },
    /// There is no such key.
    #[error("there is no setting `{key}`")]
    Unknown {
        /// What was asked for.
        key: String,
        /// A key that was perhaps meant.
        suggestion: Option<String>,
    },
    /// A secret does not belong into `config.toml`.
    #[error("`{key}` is a secret, and `config.toml` keeps none")]
    Secret {
        /// The key.
        key: String,
        /// Whose it is.
        provider: String,
    },
}

impl ConfigError {
    /// There is no such key; perhaps another was meant.
    #[must_use]
    pub fn unknown(key: &str) -> Self {
        Self::Unknown { key: key.to_owned(), suggestion: super::keys::suggestion(key) }
    }

    pub(super) fn syntax(path: &Path, text: &str, error: &toml_edit::TomlError) -> Self {
        let line = line_at(text, error.span().map_or(0, |span| span.start));
        Self::Syntax { path: path.to_owned(), line, message: error.message().trim().replace('\n', ", ") }
    }

    pub(super) fn value(path: &Path, line: usize, key: &str, expected: impl Into<String>) -> Self {
        Self::Value { path: path.to_owned(), line, key: key.to_owned(), expected: expected.into() }
    }
}

impl Hint for ConfigError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::File(error) => error.hints(),
            Self::Unknown { suggestion: Some(meant), .. } => vec![format!("did you mean `{meant}`?")],
            Self::Unknown { suggestion: None, .. } => vec!["`hermes config list` shows all settings".to_owned()],
            Self::Secret { provider, .. } => {
                vec![format!("run `hermes memory setup {provider}`, which keeps it in `.env`")]
            }
            Self::Value { key, .. } if super::keys::find(key).is_some() => {
                vec![format!(
                    "set it with `hermes config set {key} <value>`, or drop it with `hermes config unset {key}`"
                )]
            }
            // The copy that an editor left is not what `config edit` opens.
            Self::Syntax { path, .. } if path.ends_with("config.toml") => {
                vec!["`hermes config edit` opens it in your editor".to_owned()]
            }
            _ => Vec::new(),
        }
    }
}

/// Something in the file that is not as it should be, but does not hinder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What is odd.
    pub message: String,
}

impl Warning {
    pub(super) fn unknown(path: &Path, line: usize, key: &str, suggestion: Option<String>) -> Self {
        let meant = suggestion.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
        Self { path: path.to_owned(), line, message: format!("unknown setting `{key}`{meant}") }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.message)
    }
}
