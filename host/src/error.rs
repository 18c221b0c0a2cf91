//! How an error reaches a person: one sentence, then hints with the next command to type.

use std::error::Error;

/// Lines that are printed below an error, each once, as `hint: …`.
pub trait Hint {
    /// What to do next, with the command to type where there is one.
    fn hints(&self) -> Vec<String> {
        Vec::new()
    }
}

impl<E: Hint + ?Sized> Hint for Box<E> {
    fn hints(&self) -> Vec<String> {
        (**self).hints()
    }
}

impl<E: Hint + ?Sized> Hint for &E {
    fn hints(&self) -> Vec<String> {
        (**self).hints()
    }
}

/// A word of a command as a shell takes it.
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// What the command line prints when a command cannot do what it was asked: exit status 1, or 2 for a wrong usage.
#[derive(Clone, Debug)]
pub struct Failure {
    /// One sentence without a trailing period.
    pub message: String,
    /// What to do next.
    pub hints: Vec<String>,
    /// The caller typed something that cannot be.
    pub usage: bool,
}

impl Failure {
    /// A command that could not be done.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hints: Vec::new(), usage: false }
    }

    /// A command that was not written rightly.
    #[must_use]
    pub fn usage(message: impl Into<String>) -> Self {
        Self { usage: true, ..Self::new(message) }
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

/// The error and its sources in one sentence, each after a colon, unless its text already ends with the source's.
impl<E: Error + Hint> From<E> for Failure {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let text = cause.to_string();
            if !message.ends_with(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            source = cause.source();
        }
        Self { message, hints: error.hints(), usage: false }
    }
}
