//! The ways out, by name.

mod files;
mod kernel;
mod network;
mod processes;
mod services;

use crate::Prisoner;

/// Answers with what it got, or with why it got nothing.
pub(crate) type Way = fn(&Prisoner<'_>) -> Result<String, String>;

pub(crate) fn all() -> impl Iterator<Item = (&'static str, Way)> {
    [files::WAYS, processes::WAYS, network::WAYS, kernel::WAYS, services::WAYS].concat().into_iter()
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// What a call answered.
fn got(answer: std::io::Result<usize>) -> Result<String, String> {
    answer.map(|number| number.to_string()).map_err(text)
}
