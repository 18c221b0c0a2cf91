//! Who a call is for, who wrote what, and in which role the caller runs.

use serde::{Deserialize, Serialize};

use super::UnixMillis;

/// Whether a conversation has one human reader or many.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChatKind {
    /// One person and the agent.
    #[default]
    Private,
    /// More than one person can read along. Also a kind that this side does not know yet: nothing private goes there.
    #[serde(other)]
    Group,
}

/// The audience of a call, or the place where an entry was learnt.
///
/// An empty string means that the field is not known or does not apply.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq, Hash)]
#[serde(default)]
pub struct Scope {
    /// The profile of the host, `default` when there is only one.
    pub profile: String,
    /// Where the conversation takes place: `cli`, `telegram`, `mcp`, …
    pub platform: String,
    /// The chat or channel on that platform.
    pub chat: String,
    /// Whether others read along.
    pub chat_kind: ChatKind,
    /// The person who talks to the agent.
    pub user: String,
    /// The project or folder that the conversation is about. A hint for ranking, not a border.
    pub project: String,
}

impl Scope {
    /// Whether something learnt in this scope may be shown to `audience`.
    ///
    /// * Profiles never share.
    /// * What a known user said is for that user: another, or an unknown one, does not see it.
    /// * What was learnt in private is not shown to a group, and what was learnt in a group only to that group.
    ///
    /// A user's name means one person only within its platform; where either side does not know the platform, the name
    /// alone counts. `project` does not separate, nor does `chat` in private.
    ///
    /// ```
    /// use hermes_provider_api::{ChatKind, Scope};
    ///
    /// let ann = Scope { user: "ann".into(), ..Scope::default() };
    /// let bob = Scope { user: "bob".into(), ..Scope::default() };
    /// let group = Scope { chat: "team".into(), chat_kind: ChatKind::Group, user: "ann".into(), ..Scope::default() };
    /// assert!(ann.visible_to(&ann));
    /// assert!(!ann.visible_to(&bob));
    /// assert!(!ann.visible_to(&group));
    /// assert!(!group.visible_to(&ann));
    /// ```
    #[must_use]
    pub fn visible_to(&self, audience: &Self) -> bool {
        if self.profile != audience.profile {
            return false;
        }
        match (self.chat_kind, audience.chat_kind) {
            (ChatKind::Private, ChatKind::Private) => {
                self.user == audience.user && (self.user.is_empty() || self.platform_matches(audience))
            }
            (ChatKind::Group, ChatKind::Group) => {
                !self.chat.is_empty() && self.platform == audience.platform && self.chat == audience.chat
            }
            _ => false,
        }
    }

    /// A user name means one person only within its platform; an unset platform matches any.
    fn platform_matches(&self, audience: &Self) -> bool {
        self.platform.is_empty() || audience.platform.is_empty() || self.platform == audience.platform
    }
}

/// Who wrote a text.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Author {
    /// The person.
    #[default]
    User,
    /// The model.
    Assistant,
    /// The result of a tool.
    Tool,
    /// A background review of the conversation, or somebody whom this side does not know yet.
    #[serde(other)]
    Review,
}

/// Where a text comes from.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct Origin {
    /// Who wrote it.
    pub author: Author,
    /// In which session.
    pub session: String,
    /// When.
    pub at: UnixMillis,
}

/// In which role the caller runs. Only [`Context::Primary`] writes; the host enforces it.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Context {
    /// The conversation with the user.
    #[default]
    Primary,
    /// A helper that the agent started.
    Subagent,
    /// A scheduled job.
    Cron,
    /// A background review, or a role that this side does not know yet: it may read only.
    #[serde(other)]
    Review,
}

impl Context {
    /// Whether calls in this role may change what a provider stores.
    #[must_use]
    pub fn may_write(self) -> bool {
        self == Self::Primary
    }
}

/// What every call carries besides its own content.
///
/// Store the scope with what is learnt, and answer a recall only with what is
/// [visible](Scope::visible_to) to the scope that asks. The host checks it once more.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct Caller {
    /// The audience.
    pub scope: Scope,
    /// Who speaks, in which session, when.
    pub origin: Origin,
    /// The role of the caller.
    pub context: Context,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(platform: &str, user: &str, chat: &str, chat_kind: ChatKind) -> Scope {
        Scope { platform: platform.into(), user: user.into(), chat: chat.into(), chat_kind, ..Scope::default() }
    }

    #[track_caller]
    fn check(item: &Scope, audience: &Scope, visible: bool) {
        assert_eq!(item.visible_to(audience), visible, "{item:?} shown to {audience:?}");
    }

    #[test]
    fn borders() {
        use ChatKind::{Group, Private};
        let ann = scope("telegram", "ann", "1", Private);
        check(&ann, &scope("telegram", "ann", "2", Private), true);
        check(&ann, &scope("", "ann", "", Private), true);
        check(&ann, &scope("discord", "ann", "1", Private), false);
        check(&ann, &scope("telegram", "", "1", Private), false);
        check(&scope("cli", "", "", Private), &scope("cli", "", "", Private), true);
        check(&scope("cli", "", "", Private), &ann, false);
        let team = scope("telegram", "ann", "team", Group);
        check(&team, &scope("telegram", "bob", "team", Group), true);
        check(&team, &scope("discord", "bob", "team", Group), false);
        check(&team, &scope("telegram", "ann", "other", Group), false);
        check(&ann, &team, false);
        check(&scope("telegram", "ann", "", Group), &scope("telegram", "bob", "", Group), false);
        check(&Scope { profile: "work".into(), ..ann.clone() }, &ann, false);
    }

    #[test]
    fn what_is_not_known_yet_is_taken_for_the_careful_case() {
        let caller: Caller = serde_json::from_str(
            r#"{"scope": {"chat_kind": "broadcast"}, "origin": {"author": "moon"}, "context": "batch"}"#,
        )
        .unwrap();
        assert_eq!(caller.scope.chat_kind, ChatKind::Group);
        assert_eq!(caller.origin.author, Author::Review);
        assert!(!caller.context.may_write());
    }

    #[test]
    fn only_primary_writes() {
        let writers: Vec<_> = [Context::Primary, Context::Subagent, Context::Cron, Context::Review]
            .into_iter()
            .filter(|context| context.may_write())
            .collect();
        assert_eq!(writers, [Context::Primary]);
    }
}
