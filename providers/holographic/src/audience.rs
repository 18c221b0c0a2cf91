//! Who may see a fact, as a value that SQL can compare.

use hermes_provider_api::{ChatKind, ProviderError, Scope};

use crate::error::Result;

/// The border around the facts of one reader or one group.
///
/// Two parts: a key that must be equal, and the platform, which must be equal only if both sides know it. Together
/// they say what [`Scope::visible_to`] says; the rule itself is still asked for every row.
pub(crate) struct Audience<'a> {
    /// The scope it was made from.
    pub scope: &'a Scope,
    /// Equal for facts that may be shared.
    pub key: String,
    /// Empty when any platform will do.
    pub platform: &'a str,
}

/// The condition for rows `f` of `facts`, with the audience's key as `?1` and its platform as `?2`.
pub(crate) const WITHIN: &str = "f.audience = ?1 AND (?2 = '' OR f.platform = '' OR f.platform = ?2)";

/// The same for those that were not merged into another.
pub(crate) const VISIBLE: &str =
    "f.audience = ?1 AND (?2 = '' OR f.platform = '' OR f.platform = ?2) AND f.merged_into IS NULL";

impl<'a> Audience<'a> {
    /// The audience of a scope.
    pub(crate) fn of(scope: &'a Scope) -> Self {
        // A separator that no name holds keeps `a` + `bc` and `ab` + `c` apart.
        let key = |parts: &[&str]| parts.join("\u{1f}");
        let platform = if scope.user.is_empty() { "" } else { scope.platform.as_str() };
        match scope.chat_kind {
            ChatKind::Private => Self { scope, key: key(&[&scope.profile, "private", &scope.user]), platform },
            // A group, or a kind that is to be treated as one.
            _ => Self { scope, key: key(&[&scope.profile, "group", &scope.platform, &scope.chat]), platform: "" },
        }
    }

    /// The audience of a scope that something is to be stored in.
    ///
    /// # Errors
    /// For a group without an id: what is stored there could never be shown again.
    pub(crate) fn for_writing(scope: &'a Scope) -> Result<Self> {
        if !scope.visible_to(scope) {
            return Err(ProviderError::invalid("this group chat has no id, so nothing can be remembered for it")
                .hint("store the fact in a private chat")
                .into());
        }
        Ok(Self::of(scope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sql_and_the_rule_agree() {
        let kinds = [ChatKind::Private, ChatKind::Group];
        let names = ["", "a", "b"];
        let mut scopes = Vec::new();
        for chat_kind in kinds {
            for platform in names {
                for chat in names {
                    for user in names {
                        for profile in ["", "work"] {
                            let [platform, chat, user, profile] = [platform, chat, user, profile].map(str::to_owned);
                            scopes.push(Scope { profile, platform, chat, chat_kind, user, ..Scope::default() });
                        }
                    }
                }
            }
        }
        for item in &scopes {
            for reader in &scopes {
                let (stored, asked) = (Audience::of(item), Audience::of(reader));
                let same = stored.key == asked.key;
                let platform = item.platform.as_str();
                let sql = same && (asked.platform.is_empty() || platform.is_empty() || platform == asked.platform);
                let nowhere = item.chat_kind == ChatKind::Group && item.chat.is_empty();
                assert_eq!(sql && !nowhere, item.visible_to(reader), "{item:?} shown to {reader:?}");
            }
        }
    }
}
