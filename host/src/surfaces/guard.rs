//! Who may come in by HTTP: programs of the user, who know the token, and no web page.
//!
//! A page that the user has open can send requests to this machine. What it cannot do is leave out its `Origin`, set the
//! `Host` of an address that is not its own, or send JSON as such without asking first. Each of these is refused by
//! itself, before the token is looked at.

use std::net::IpAddr;

use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderName, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, StatusCode};
use hermes_provider_api::Secret;
use subtle::ConstantTimeEq as _;

use crate::error::Hint;
use crate::secrets::{SecretError, Secrets};

/// The fewest characters of a token that the user chose.
const SHORTEST: usize = 16;
/// How many random bytes are in a token that is made here.
const RANDOM: usize = 32;

/// Why a request was not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The name in `Host` is not one of this server: a page may have made another name point here.
    #[error("`Host` has to be an address of this server")]
    Host,
    /// A web page asks.
    #[error("web pages are not let in: `Origin` may not be set")]
    Origin,
    /// The body is not declared to be JSON.
    #[error("`Content-Type` has to be `application/json`")]
    ContentType,
    /// There is no token, or another one.
    #[error("the token is missing or another: send `Authorization: Bearer` with it")]
    Token,
}

impl Refused {
    /// The status of the answer.
    #[must_use]
    pub fn status(self) -> StatusCode {
        match self {
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::Origin => StatusCode::FORBIDDEN,
            Self::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Token => StatusCode::UNAUTHORIZED,
        }
    }
}

/// Refuses what a web page could send to a server that listens at this address.
///
/// # Errors
/// When `Host`, `Origin` or `Content-Type` is not what a program of the user sends.
pub fn check_page(bound: IpAddr, method: &Method, headers: &HeaderMap) -> Result<(), Refused> {
    if !one(headers, &HOST).is_some_and(|host| is_here(bound, host)) {
        return Err(Refused::Host);
    }
    if headers.contains_key(ORIGIN) {
        return Err(Refused::Origin);
    }
    let has_body = matches!(*method, Method::POST | Method::PUT | Method::PATCH);
    if has_body && !one(headers, &CONTENT_TYPE).is_some_and(is_json) {
        return Err(Refused::ContentType);
    }
    Ok(())
}

/// The token of `Authorization: Bearer`.
#[must_use]
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = one(headers, &AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// Whether this is the token. How long that takes says nothing about where they differ.
#[must_use]
pub fn is_token(given: &str, token: &Secret) -> bool {
    given.as_bytes().ct_eq(token.expose().as_bytes()).into()
}

/// The token of this variable: from the environment or `.env`, or made now and kept in `.env` for the user alone.
///
/// # Errors
/// When `.env` cannot be read or written, the system has no random numbers, or the token is one that can be guessed.
pub fn token(secrets: &mut Secrets, variable: &'static str) -> Result<Secret, TokenError> {
    let made = new_token()?;
    let token = secrets.get_or_make(variable, || made)?;
    let is_printable = token.expose().bytes().all(|byte| byte.is_ascii_graphic());
    if token.expose().len() < SHORTEST || !is_printable {
        return Err(TokenError::Weak { variable });
    }
    Ok(token)
}

/// A token that nobody can guess.
///
/// # Errors
/// When the system has no random numbers.
pub fn new_token() -> Result<String, TokenError> {
    let mut random = [0; RANDOM];
    getrandom::fill(&mut random).map_err(|error| TokenError::Random { reason: error.to_string() })?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// There is no token.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// It cannot be kept.
    #[error(transparent)]
    Secrets(#[from] SecretError),
    /// None can be made.
    #[error("the system gives no random numbers: {reason}")]
    Random {
        /// What it says.
        reason: String,
    },
    /// The one that the user chose is none.
    #[error("`{variable}` is no token: it has to have at least {SHORTEST} letters, digits or signs, and no blank")]
    Weak {
        /// Its variable.
        variable: &'static str,
    },
}

impl Hint for TokenError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::Secrets(error) => error.hints(),
            Self::Random { .. } => Vec::new(),
            Self::Weak { variable } => {
                vec![format!("take `{variable}` out of the environment and `.env`: then a good one is made")]
            }
        }
    }
}

/// The value of a header that stands there once.
fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}

/// A name can be made to point anywhere, an address cannot. On loopback only loopback is meant.
fn is_here(bound: IpAddr, host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    if authority.as_str().contains('@') {
        return false;
    }
    let name = authority.host();
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    bare.parse().is_ok_and(|address: IpAddr| address.is_loopback() || !bound.is_loopback())
}

fn is_json(content_type: &str) -> bool {
    content_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;
    use crate::error::Failure;
    use crate::home::Home;

    const LOOPBACK: &str = "127.0.0.1";

    #[track_caller]
    fn check(bound: &str, headers: &[(&'static str, &'static str)], expected: Result<(), Refused>) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        assert_eq!(check_page(bound.parse().unwrap(), &Method::POST, &map), expected, "{headers:?}");
    }

    #[test]
    fn a_name_that_points_here_is_not_enough() {
        let json = ("content-type", "application/json; charset=utf-8");
        for host in ["127.0.0.1:8765", "127.0.0.1", "localhost:1", "LocalHost", "[::1]:8765", "127.8.0.1"] {
            check(LOOPBACK, &[("host", host), json], Ok(()));
        }
        for host in ["evil.example", "localhost.evil.example:8765", "192.168.0.2", "x@127.0.0.1", "", "127.0.0.1 evil"]
        {
            check(LOOPBACK, &[("host", host), json], Err(Refused::Host));
        }
        check(LOOPBACK, &[json], Err(Refused::Host));
        check(LOOPBACK, &[("host", LOOPBACK), ("host", "evil.example"), json], Err(Refused::Host));
        check("0.0.0.0", &[("host", "192.168.0.2:8765"), json], Ok(()));
        check("0.0.0.0", &[("host", "evil.example"), json], Err(Refused::Host));
    }

    #[test]
    fn a_web_page_is_refused() {
        let (host, json) = (("host", LOOPBACK), ("content-type", "application/json"));
        for origin in ["https://evil.example", "null", "http://127.0.0.1:8765"] {
            check(LOOPBACK, &[host, json, ("origin", origin)], Err(Refused::Origin));
        }
        for simple in ["text/plain", "application/x-www-form-urlencoded", "text/plain; application/json", ""] {
            check(LOOPBACK, &[host, ("content-type", simple)], Err(Refused::ContentType));
        }
        check(LOOPBACK, &[host], Err(Refused::ContentType));
        let bodyless = HeaderMap::from_iter([(HOST, HeaderValue::from_static(LOOPBACK))]);
        assert_eq!(check_page(LOOPBACK.parse().unwrap(), &Method::GET, &bodyless), Ok(()));
    }

    #[test]
    fn a_token_is_read_and_compared() {
        let bearer_of = |value: &'static str| {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(value))]);
            bearer(&headers).map(str::to_owned)
        };
        assert_eq!(bearer_of("bearer  abc").as_deref(), Some("abc"));
        assert_eq!((bearer_of("Basic abc"), bearer_of("Bearer")), (None, None));
        let token = Secret::new("abcd");
        let same = ["abcd", "abce", "abc", "abcde", ""].map(|given| is_token(given, &token));
        assert_eq!(same, [true, false, false, false, false]);
    }

    #[test]
    fn a_token_is_made_once_and_a_weak_one_refused() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let load = || Secrets::load(&home, |_| None).unwrap();
        let made = token(&mut load(), "HERMES_MCP_TOKEN").unwrap();
        assert_eq!(made.expose().len(), 2 * RANDOM);
        assert_eq!(token(&mut load(), "HERMES_MCP_TOKEN").unwrap().expose(), made.expose());
        assert_ne!(token(&mut load(), "HERMES_OTHER_TOKEN").unwrap().expose(), made.expose());
        for weak in ["short", "has a blank in the middle"] {
            load().set(&[("HERMES_MCP_TOKEN", weak)]).unwrap();
            let failure = Failure::from(token(&mut load(), "HERMES_MCP_TOKEN").unwrap_err());
            assert!(!failure.message.contains(weak) && failure.hints[0].contains("HERMES_MCP_TOKEN"), "{failure:?}");
        }
    }
}
