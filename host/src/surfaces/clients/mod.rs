//! Agents that speak the Model Context Protocol, and how `hermes mcp` gets into the settings of each.
//!
//! The settings are the user's own file: only our entry in it is changed, comments and order stay, and a file that is not
//! understood is not touched. What stood there before is kept beside it.

mod change;
mod entry;
mod json;
mod place;
#[cfg(test)]
mod tests;
mod toml;

pub use change::{Change, Found, change, look, shown};
pub use entry::{Action, Entry, Replace};
pub use place::{Place, Scope, Where};

use std::path::PathBuf;

use crate::error::Hint;
use crate::home::files::FileError;

/// An agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
    /// Zed.
    Zed,
    /// Gemini CLI.
    GeminiCli,
    /// OpenCode.
    OpenCode,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Codex,
        Self::Cursor,
        Self::VsCode,
        Self::Zed,
        Self::GeminiCli,
        Self::OpenCode,
    ];

    /// How it is typed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Zed => "zed",
            Self::GeminiCli => "gemini-cli",
            Self::OpenCode => "opencode",
        }
    }

    /// What it calls itself.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Zed => "Zed",
            Self::GeminiCli => "Gemini CLI",
            Self::OpenCode => "OpenCode",
        }
    }

    /// What a person does after its settings were changed.
    #[must_use]
    pub fn next_step(self, scope: Scope) -> &'static str {
        match (self, scope) {
            (Self::ClaudeCode, Scope::User) => "start Claude Code anew; `/mcp` shows the server",
            (Self::ClaudeCode, Scope::Project) => {
                "start Claude Code anew in this folder and allow the server when it asks; `/mcp` shows it"
            }
            (Self::ClaudeDesktop, _) => "quit Claude Desktop, also in the tray, and start it again",
            (Self::Codex, Scope::User) => "start Codex anew; `/mcp` shows the server",
            (Self::Codex, Scope::Project) => "start Codex anew in this folder, which it has to trust; `/mcp` shows it",
            (Self::Cursor, _) => "restart Cursor and look at its settings of MCP, where the server can be turned on",
            (Self::VsCode, _) => {
                "run `MCP: List Servers` in the command palette of VS Code, and start the server there"
            }
            (Self::Zed, _) => "Zed reads its settings by itself; the agent panel shows the server",
            (Self::GeminiCli, _) => "start Gemini CLI anew; `/mcp` shows the server",
            (Self::OpenCode, _) => "start OpenCode anew; `opencode mcp list` shows the server",
        }
    }
}

/// A client could not be set up. Its settings are as they were.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// There is no folder of the user to look in.
    #[error("`HOME` is not set: where the settings of {} are is not known", client.title())]
    NoHome {
        /// The client.
        client: Client,
    },
    /// It has no settings in a project.
    #[error("{} has no settings of a project", client.title())]
    NoProject {
        /// The client.
        client: Client,
    },
    /// It does not seem to be there.
    #[error("{} was not found: there is no `{}`", client.title(), folder.display())]
    NotFound {
        /// The client.
        client: Client,
        /// The folder that it would have.
        folder: PathBuf,
    },
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is not what it should be.
    #[error("`{}` is not understood, and was not touched: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Somebody else's server has the name.
    #[error("`{}` has another server of the name `{name}`", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// Another program writes the file all the time.
    #[error("`{}` was changed by another program at the same moment, again and again", path.display())]
    Contended {
        /// The file.
        path: PathBuf,
    },
}

impl Hint for ClientError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::NoHome { client } | Self::NotFound { client, .. } => vec![
                format!("start {} once, or let its file be made with `--force`", client.title()),
                format!("`hermes mcp install {} --print` shows what to put into its settings", client.name()),
            ],
            Self::NoProject { .. } => vec!["leave out `--scope project`".to_owned()],
            Self::File(error) => error.hints(),
            Self::Malformed { .. } => {
                vec!["put it right, or add by hand what the same command shows with `--print`".to_owned()]
            }
            Self::Taken { .. } => vec!["choose another name with `--name`, or replace it with `--force`".to_owned()],
            Self::Contended { .. } => vec!["close that program, and try again".to_owned()],
        }
    }
}
