//! The settings of `hermes proxy`.

use std::time::Duration;

use toml_edit::{Item, Key, TableLike};

use super::edit::Change;
use super::{Config, ConfigEdit};

/// Where the tokens stand.
pub(super) const TOKENS: &str = "proxy.tokens";
/// What is said of each.
const FIELDS: [&str; 4] = ["hash", "env", "user", "platform"];

/// A token of the proxy besides the one that is made for the user: `[proxy.tokens.<name>]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProxyToken {
    /// Its name.
    pub name: String,
    /// Its SHA-256, as 64 hexadecimal digits.
    pub hash: Option<String>,
    /// Or the variable of `.env` that holds it.
    pub env: Option<String>,
    /// The person whose memory it opens; empty when a request may say for whom it is.
    pub user: String,
    /// The platform of what is said with it; empty for `proxy`.
    pub platform: String,
}

impl Config {
    /// `proxy.port`.
    #[must_use]
    pub fn proxy_port(&self) -> u16 {
        u16::try_from(self.whole("proxy.port")).unwrap_or_default()
    }

    /// `proxy.tools`: the memory's tools are offered to the model.
    #[must_use]
    pub fn proxy_tools(&self) -> bool {
        self.flag("proxy.tools")
    }

    /// `proxy.upstream_timeout`: how long nothing may come from the model.
    #[must_use]
    pub fn proxy_upstream_timeout(&self) -> Duration {
        self.duration("proxy.upstream_timeout").unwrap_or_default()
    }

    /// `proxy.session_idle`: after this time without a message a conversation is over.
    #[must_use]
    pub fn proxy_session_idle(&self) -> Duration {
        self.duration("proxy.session_idle").unwrap_or_default()
    }

    /// `proxy.tokens`, in the order of the file.
    #[must_use]
    pub fn proxy_tokens(&self) -> Vec<ProxyToken> {
        let tokens = self.document.get("proxy").and_then(Item::as_table_like).and_then(|proxy| proxy.get("tokens"));
        let tokens = tokens.and_then(Item::as_table_like).into_iter().flat_map(TableLike::iter);
        let token = |(name, item): (&str, &Item)| {
            let fields = item.as_table_like()?;
            let text = |field: &str| fields.get(field).and_then(Item::as_str).map(str::to_owned);
            let (user, platform) = (text("user").unwrap_or_default(), text("platform").unwrap_or_default());
            Some(ProxyToken { name: name.to_owned(), hash: text("hash"), env: text("env"), user, platform })
        };
        tokens.filter_map(token).collect()
    }
}

impl ConfigEdit {
    /// Adds a token of the proxy, or gives one another value.
    pub fn set_proxy_token(&mut self, token: &ProxyToken) -> &mut Self {
        let (hash, env) = (token.hash.clone().unwrap_or_default(), token.env.clone().unwrap_or_default());
        for (field, text) in FIELDS.into_iter().zip([hash, env, token.user.clone(), token.platform.clone()]) {
            let path = ["proxy", "tokens", &token.name, field].map(Key::new).to_vec();
            let value = (!text.is_empty()).then(|| text.into());
            self.changes.push(Change { path, value });
        }
        self
    }

    /// Takes a token of the proxy out.
    pub fn remove_proxy_token(&mut self, name: &str) -> &mut Self {
        let path = ["proxy", "tokens", name].map(Key::new).to_vec();
        self.changes.push(Change { path, value: None });
        self
    }
}

/// What is wrong with the table of a token.
pub(super) fn check(token: &Item) -> Result<(), String> {
    let fields = token.as_table_like().ok_or("must be a table")?;
    for (field, value) in fields.iter() {
        if !FIELDS.contains(&field) || value.as_str().is_none() {
            return Err(format!("`{field}`: only {} are known, each a text", FIELDS.join(", ")));
        }
    }
    let is_hash = |hash: &str| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    match (fields.get("hash").and_then(Item::as_str), fields.get("env")) {
        (Some(hash), None) if is_hash(hash) => Ok(()),
        (None, Some(_)) => Ok(()),
        _ => Err("needs `hash`, the SHA-256 of the token in hexadecimal digits, or `env`, the variable that holds it"
            .to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::home::Home;

    #[test]
    fn tokens_are_written_read_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let token = |name: &str| ProxyToken {
            name: name.to_owned(),
            hash: Some("ab".repeat(32)),
            user: "вера".to_owned(),
            ..ProxyToken::default()
        };
        ConfigEdit::default().set_proxy_token(&token("laptop")).set_proxy_token(&token("a b")).apply(&home).unwrap();
        let config = Config::load(&home).unwrap();
        assert_eq!((config.proxy_tokens(), config.warnings()), (vec![token("laptop"), token("a b")], &[][..]));
        ConfigEdit::default().remove_proxy_token("laptop").apply(&home).unwrap();
        assert_eq!(Config::load(&home).unwrap().proxy_tokens(), [token("a b")]);
    }

    #[test]
    fn a_token_that_opens_nothing_names_its_line() {
        for wrong in ["hash = 'ab'", "user = 'vera'", "env = 'A'\nhash = 'ab'", "env = 'A'\nscope = 'x'", "env = 1"] {
            let text = format!("[proxy]\nport = 1\n[proxy.tokens.x]\n{wrong}\n");
            let error = Config::parse(&text, Path::new("config.toml")).unwrap_err();
            assert!(error.to_string().starts_with("config.toml:3: proxy.tokens.x"), "{wrong}: {error}");
        }
    }
}
