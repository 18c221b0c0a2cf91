//! Where the settings of each client are.
//!
//! From their documentation: Claude Code, "Connect Claude Code to tools via MCP"; the Model Context Protocol, "Connect to
//! local MCP servers" (Claude Desktop); Codex, "Model Context Protocol"; Cursor, "Model Context Protocol"; VS Code, "MCP
//! configuration reference"; Zed, "Model Context Protocol" and "Configuring Zed"; Gemini CLI, "MCP servers with the Gemini
//! CLI"; OpenCode, "MCP servers" and "Migrate from V1".

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Client, ClientError};

/// For whom a client is set up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// For the user, in every project.
    #[default]
    User,
    /// For everybody who works in this folder.
    Project,
}

impl Scope {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::User, Self::Project];

    /// How it is typed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// What is known of the user's machine.
pub struct Where<'a> {
    /// Asks the environment for a variable.
    pub env: &'a dyn Fn(&str) -> Option<OsString>,
    /// The folder of the project.
    pub project: &'a Path,
    /// Whether this is macOS.
    pub is_mac: bool,
}

/// A file of settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, which need not be there.
    pub file: PathBuf,
    /// A folder that is there where the client is.
    pub folder: PathBuf,
}

impl Where<'_> {
    fn variable(&self, name: &str) -> Option<PathBuf> {
        (self.env)(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// The folder of the user's programs: `~/.config`, or where `XDG_CONFIG_HOME` says.
    fn config(&self, home: &Path) -> PathBuf {
        self.variable("XDG_CONFIG_HOME").filter(|path| path.is_absolute()).unwrap_or_else(|| home.join(".config"))
    }

    /// The same on macOS for programs with windows.
    fn support(&self, home: &Path) -> PathBuf {
        if self.is_mac { home.join("Library/Application Support") } else { self.config(home) }
    }

    /// Where a client has its settings.
    ///
    /// # Errors
    /// When it has none of this scope, or nobody knows where the user's files are.
    pub fn place(&self, client: Client, scope: Scope) -> Result<Place, ClientError> {
        match scope {
            Scope::User => self.of_user(client),
            Scope::Project => self.of_project(client),
        }
    }

    fn of_user(&self, client: Client) -> Result<Place, ClientError> {
        let home = self.variable("HOME").ok_or(ClientError::NoHome { client })?;
        let in_folder = |folder: PathBuf, name: &str| Place { file: folder.join(name), folder };
        Ok(match client {
            // The file is beside its folder, unless the folder was moved.
            Client::ClaudeCode => match self.variable("CLAUDE_CONFIG_DIR") {
                Some(folder) => in_folder(folder, ".claude.json"),
                None => Place { file: home.join(".claude.json"), folder: home.join(".claude") },
            },
            Client::ClaudeDesktop => in_folder(self.support(&home).join("Claude"), "claude_desktop_config.json"),
            Client::Codex => {
                in_folder(self.variable("CODEX_HOME").unwrap_or_else(|| home.join(".codex")), "config.toml")
            }
            Client::Cursor => in_folder(home.join(".cursor"), "mcp.json"),
            Client::VsCode => in_folder(self.support(&home).join("Code/User"), "mcp.json"),
            Client::Zed => {
                let config = if self.is_mac { home.join(".config") } else { self.config(&home) };
                in_folder(config.join("zed"), "settings.json")
            }
            Client::GeminiCli => in_folder(home.join(".gemini"), "settings.json"),
            Client::OpenCode => open_code(self.config(&home).join("opencode")),
        })
    }

    /// The folder of a project is there, and what is missing below it is made.
    fn of_project(&self, client: Client) -> Result<Place, ClientError> {
        let name = match client {
            Client::ClaudeCode => ".mcp.json",
            Client::ClaudeDesktop => return Err(ClientError::NoProject { client }),
            Client::Codex => ".codex/config.toml",
            Client::Cursor => ".cursor/mcp.json",
            Client::VsCode => ".vscode/mcp.json",
            Client::Zed => ".zed/settings.json",
            Client::GeminiCli => ".gemini/settings.json",
            Client::OpenCode => return Ok(open_code(self.project.to_owned())),
        };
        Ok(Place { file: self.project.join(name), folder: self.project.to_owned() })
    }
}

/// It reads either name; the one with comments is used where it is there.
fn open_code(folder: PathBuf) -> Place {
    let with_comments = folder.join("opencode.jsonc");
    let file = if with_comments.exists() { with_comments } else { folder.join("opencode.json") };
    Place { file, folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(variables: &[(&str, &str)], is_mac: bool, client: Client, scope: Scope, expected: &str) {
        let env = |name: &str| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let place = Where { env: &env, project: Path::new("/projects/app"), is_mac }.place(client, scope);
        assert_eq!(place.unwrap().file, Path::new(expected), "{client:?}");
    }

    #[test]
    fn each_client_has_its_own_file() {
        let home = [("HOME", "/u")];
        let user = |is_mac, client, expected| check(&home, is_mac, client, Scope::User, expected);
        user(false, Client::ClaudeCode, "/u/.claude.json");
        user(false, Client::ClaudeDesktop, "/u/.config/Claude/claude_desktop_config.json");
        user(true, Client::ClaudeDesktop, "/u/Library/Application Support/Claude/claude_desktop_config.json");
        user(false, Client::Codex, "/u/.codex/config.toml");
        user(false, Client::Cursor, "/u/.cursor/mcp.json");
        user(false, Client::VsCode, "/u/.config/Code/User/mcp.json");
        user(true, Client::VsCode, "/u/Library/Application Support/Code/User/mcp.json");
        user(true, Client::Zed, "/u/.config/zed/settings.json");
        user(false, Client::GeminiCli, "/u/.gemini/settings.json");
        user(false, Client::OpenCode, "/u/.config/opencode/opencode.json");
        let moved = [("HOME", "/u"), ("XDG_CONFIG_HOME", "/c"), ("CODEX_HOME", "/x"), ("CLAUDE_CONFIG_DIR", "/cc")];
        let moved = |is_mac, client, expected| check(&moved, is_mac, client, Scope::User, expected);
        moved(false, Client::Zed, "/c/zed/settings.json");
        moved(true, Client::Zed, "/u/.config/zed/settings.json");
        moved(false, Client::OpenCode, "/c/opencode/opencode.json");
        moved(false, Client::Codex, "/x/config.toml");
        moved(false, Client::ClaudeCode, "/cc/.claude.json");
        let project = |client, expected| check(&home, false, client, Scope::Project, expected);
        project(Client::ClaudeCode, "/projects/app/.mcp.json");
        project(Client::VsCode, "/projects/app/.vscode/mcp.json");
        project(Client::OpenCode, "/projects/app/opencode.json");
    }
}
