//! Who comes in by which token.

use hermes_provider_api::Secret;
use hermes_provider_api::records::Scope;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::config::Config;
use crate::secrets::Secrets;
use crate::turn::conversations::Who;

/// The platform of what is said through the proxy, unless a token names another.
const PLATFORM: &str = "proxy";

/// The tokens that open the proxy. Only their hashes are kept.
pub(super) struct Tokens(Vec<([u8; 32], Who)>);

impl Tokens {
    /// The user's own, and those of the settings. The second is what is wrong with some of these, a line each.
    pub(super) fn of(own: &Secret, config: &Config, secrets: &Secrets) -> (Self, Vec<String>) {
        let who = |door: &str, user: &str, platform: &str| {
            let platform = if platform.is_empty() { PLATFORM } else { platform };
            let (user, platform) = (user.to_owned(), platform.to_owned());
            Who { door: door.to_owned(), scope: Scope { user, platform, ..Scope::default() } }
        };
        let mut tokens = vec![(hash(own.expose()), who("", "", ""))];
        let mut warnings = Vec::new();
        for token in config.proxy_tokens() {
            let known = match (&token.hash, &token.env) {
                (Some(hex), _) => from_hex(hex),
                (None, Some(variable)) => secrets.get(variable).map(|secret| hash(secret.expose())),
                (None, None) => None,
            };
            match known {
                Some(known) => tokens.push((known, who(&token.name, &token.user, &token.platform))),
                None => warnings.push(format!(
                    "the token `{}` opens nothing: `{}` is not set",
                    token.name,
                    token.env.as_deref().unwrap_or("hash")
                )),
            }
        }
        (Self(tokens), warnings)
    }

    /// Who has this token. All are compared, and how long that takes says nothing about them.
    pub(super) fn who(&self, given: &str) -> Option<&Who> {
        let given = hash(given);
        let mut found = None;
        for (known, who) in &self.0 {
            if bool::from(known.ct_eq(&given)) {
                found = Some(who);
            }
        }
        found
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

fn from_hex(hex: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// What stands in the settings for a token.
#[must_use]
pub fn token_hash(token: &str) -> String {
    hash(token).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::home::{Home, files};

    #[test]
    fn a_token_opens_its_own_scope() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        files::replace(&home.env_file(), b"TEAM=team-token-1234567\n").unwrap();
        let secrets = Secrets::load(&home, |_| None).unwrap();
        let text = format!(
            "[proxy.tokens.vera]\nhash = '{}'\nuser = 'vera'\n[proxy.tokens.team]\nenv = 'TEAM'\nplatform = 'desk'\n\
             [proxy.tokens.gone]\nenv = 'GONE'\n",
            token_hash("veras-token-123456")
        );
        let config = Config::parse(&text, Path::new("config.toml")).unwrap();
        let (tokens, warnings) = Tokens::of(&Secret::new("own-token-12345678"), &config, &secrets);
        let who = |given: &str| {
            tokens.who(given).map(|who| format!("{}:{}:{}", who.door, who.scope.user, who.scope.platform))
        };
        assert_eq!(who("own-token-12345678").as_deref(), Some("::proxy"));
        assert_eq!(who("veras-token-123456").as_deref(), Some("vera:vera:proxy"));
        assert_eq!(who("team-token-1234567").as_deref(), Some("team::desk"));
        assert_eq!((who(""), who("GONE"), who("own-token-1234567")), (None, None, None));
        assert_eq!(warnings, ["the token `gone` opens nothing: `GONE` is not set"]);
    }
}
