//! What is written into a client's settings: the command that serves it.

use serde_json::{Value, json};

use super::{Client, ClientError, Place, json as json_file, toml as toml_file};

/// The server as a client starts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name of the server.
    pub name: String,
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action<'a> {
    /// The entry has to be there.
    Put(&'a Entry, Replace),
    /// No entry of this name may be there.
    Remove(&'a str),
}

/// What becomes of somebody else's server of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// It stays, and nothing is done.
    Refuse,
    /// It goes.
    Replace,
}

impl Entry {
    /// As the client writes it, in the order of its documentation.
    pub(super) fn fields(&self, client: Client) -> Vec<(&'static str, Value)> {
        let words = |words: &[String]| json!(words);
        match client {
            Client::ClaudeCode | Client::VsCode => {
                vec![("type", json!("stdio")), ("command", json!(self.command)), ("args", words(&self.args))]
            }
            Client::OpenCode => {
                let command: Vec<_> = std::iter::once(&self.command).chain(&self.args).cloned().collect();
                vec![("type", json!("local")), ("command", words(&command)), ("enabled", json!(true))]
            }
            _ => vec![("command", json!(self.command)), ("args", words(&self.args))],
        }
    }
}

/// The command of an entry that is there, whichever client's.
pub(super) fn command_of(fields: &Value) -> Option<&str> {
    match &fields["command"] {
        Value::Array(words) => words.first()?.as_str(),
        command => command.as_str(),
    }
}

/// Whether an entry that is there starts hermes.
pub(super) fn is_ours(fields: &Value) -> bool {
    command_of(fields).and_then(|command| command.rsplit('/').next()) == Some("hermes")
}

/// Where the servers of a client are listed in its file.
pub(super) fn list_of(client: Client) -> &'static str {
    match client {
        Client::ClaudeCode | Client::ClaudeDesktop | Client::Cursor | Client::GeminiCli => "mcpServers",
        Client::Codex => "mcp_servers",
        Client::VsCode => "servers",
        Client::Zed => "context_servers",
        Client::OpenCode => "mcp",
    }
}

/// The text of the file as it should be; None when it is so already.
pub(super) fn edited(
    client: Client,
    place: &Place,
    text: &str,
    action: Action<'_>,
) -> Result<Option<String>, ClientError> {
    edited_text(client, text, action).map_err(|wrong| wrong.at(place))
}

/// The same for a text of nowhere.
pub(super) fn edited_text(client: Client, text: &str, action: Action<'_>) -> Result<Option<String>, Wrong> {
    match client {
        Client::Codex => toml_file::edited(client, text, action),
        _ => json_file::edited(client, text, action),
    }
}

/// The entry of this name that is there.
pub(super) fn entry_in(client: Client, place: &Place, text: &str, name: &str) -> Result<Option<Value>, ClientError> {
    let found = match client {
        Client::Codex => toml_file::entry(client, text, name),
        _ => json_file::entry(client, text, name),
    };
    found.map_err(|wrong| wrong.at(place))
}

/// Why a text cannot be edited.
#[derive(Debug)]
pub(super) enum Wrong {
    Malformed(String),
    Taken(String),
}

impl Wrong {
    fn at(self, place: &Place) -> ClientError {
        let path = place.file.clone();
        match self {
            Self::Malformed(reason) => ClientError::Malformed { path, reason },
            Self::Taken(name) => ClientError::Taken { path, name },
        }
    }
}
