//! Who is asked for, in the words of the service: a project, a user, a session.

use hermes_provider_api::records::{Caller, Scope};
use hermes_provider_api::rest::segment;
use hermes_provider_api::{ChatKind, ProviderError};
use serde::Deserialize;
use serde_json::{Value, json};

/// What the user set; keys as in the manifest.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Settings {
    pub(crate) project: String,
    pub(crate) files: String,
    pub(crate) soul: String,
    pub(crate) owner: String,
}

impl Settings {
    /// Whether somebody is the owner of the key, under another name.
    fn is_owner(&self, platform: &str, user: &str) -> bool {
        self.owner.split(',').any(|name| name.trim().split_once(':') == Some((platform, user)))
    }
}

/// One partition of the service, and the session that asks.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Audience {
    pub(crate) project: String,
    pub(crate) user: String,
    pub(crate) session: String,
}

impl Audience {
    pub(crate) fn of(caller: &Caller, settings: &Settings) -> Self {
        let Scope { profile, platform, chat, chat_kind, user, .. } = &caller.scope;
        let project = match (settings.project.trim(), profile.as_str()) {
            ("", "" | "default") => "default".to_owned(),
            ("", profile) => format!("hermes-{profile}"),
            (project, _) => project.to_owned(),
        };
        let user = match chat_kind {
            ChatKind::Private if user.is_empty() || settings.is_owner(platform, user) => "default".to_owned(),
            // A name means one person only within its platform.
            ChatKind::Private => format!("{}:{}", part(platform), part(user)),
            _ => format!("group:{}:{}", part(platform), part(chat)),
        };
        Self { project, user, session: caller.origin.session.clone() }
    }

    /// A body with what every request names, and these fields.
    pub(crate) fn body(&self, more: Value) -> Value {
        let mut body = json!({"project": self.project, "user_id": self.user});
        if !self.session.is_empty() {
            body["session_id"] = self.session.as_str().into();
        }
        if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
            body.extend(more);
        }
        body
    }

    /// The path of a file in the folder of this audience.
    pub(crate) fn file(&self, path: &str) -> Result<String, ProviderError> {
        let path = format!("{}/{}", self.folder(), path.trim_start_matches('/'));
        if self.owns(&path) && !path.split('/').any(|part| part == "..") {
            return Ok(path);
        }
        Err(ProviderError::invalid("`remote_path` leads into a folder of somebody else"))
    }

    /// Whether a file with this path may be seen.
    pub(crate) fn owns(&self, path: &str) -> bool {
        match self.folder().as_str() {
            "" => !path.starts_with(PEOPLE),
            folder => path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
        }
    }

    /// The owner of the key has no name here.
    pub(crate) fn folder(&self) -> String {
        if self.user == "default" { String::new() } else { format!("{PEOPLE}{}", segment(&self.user)) }
    }
}

/// Where the files of all others lie.
const PEOPLE: &str = "/people/";

/// A part of a name that is joined by `:`.
fn part(text: &str) -> String {
    text.replace('%', "%25").replace(':', "%3A")
}
