//! What an answer that is no success means: whose fault it is, and what the user may do.

use serde_json::Value;

use super::Service;
use super::said::said;
use crate::host::HttpResponse;
use crate::{ErrorKind, ProviderError};

/// What is waited where a service does not say how long, in seconds: most count requests by the minute.
const WINDOW: u64 = 60;

/// A request without success. With `?` it becomes the [`ProviderError`] in it.
///
/// ```
/// use hermes_provider_api::rest::{Client, Failed};
/// use hermes_provider_api::serde_json::Value;
/// use hermes_provider_api::{Call, ErrorKind, ProviderError};
///
/// /// A bank that nothing was stored in is not there yet: nothing is known.
/// fn recall(client: &Client, bank: &str, call: &Call<'_>) -> Result<Value, ProviderError> {
///     match client.get("/v1/banks/{}/facts", &[bank], call).may_be_missing().send() {
///         Err(failed) if failed.error.kind == ErrorKind::NotFound => Ok(Value::Null),
///         // Servers of last year have another route.
///         Err(failed) if failed.no_such_route => Ok(failed.or_older(client.get("/facts", &[], call).send())?),
///         // This service says 409 while it is busy.
///         Err(Failed { status: Some(409), error, .. }) => Err(ProviderError::new(ErrorKind::Unavailable, error.message)),
///         answer => Ok(answer?),
///     }
/// }
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[error("{error}")]
#[non_exhaustive]
pub struct Failed {
    /// What the hook answers, unless it knows better.
    pub error: ProviderError,
    /// The status, where it is no success.
    pub status: Option<u16>,
    /// The server does not know what was asked for: an older one, or none of this service.
    pub no_such_route: bool,
    /// The server's word for it, from `error.code` or `code`; empty where it has none.
    pub code: String,
}

impl From<ProviderError> for Failed {
    fn from(error: ProviderError) -> Self {
        Self { error, status: None, no_such_route: false, code: String::new() }
    }
}

impl From<Failed> for ProviderError {
    fn from(failed: Failed) -> Self {
        failed.error
    }
}

impl Failed {
    /// The answer of an older route in place of this one. Where that is missing as well, the newer is what should be there.
    ///
    /// # Errors
    /// The older route's own failure, or this one where the server has neither.
    pub fn or_older<T>(self, older: Result<T, Self>) -> Result<T, Self> {
        older.map_err(|older| if older.no_such_route { self } else { older })
    }

    /// There was no answer. A request that the host cannot send has a wrong address or key: what was to be stored is not to
    /// blame.
    pub(super) fn unsent(service: &Service, mut error: ProviderError) -> Self {
        if error.kind == ErrorKind::InvalidInput {
            error = ProviderError::new(ErrorKind::Unavailable, error.message).hint(format!(
                "look at `{}`: {}",
                service.address,
                service.setup()
            ));
        }
        error.into()
    }

    /// An answer with this status.
    pub(super) fn answered(service: &Service, route: &str, answer: &HttpResponse, may_be_missing: bool) -> Self {
        let (code, said) = said(&answer.body);
        let (status, name) = (answer.status, service.name);
        let is_thing = may_be_missing && (code.eq_ignore_ascii_case("NOT_FOUND") || names_a_thing(&said));
        let is_missing_route = !service.missing_route.is_empty() && said == service.missing_route;
        let no_such_route = matches!(status, 404 | 405) && !is_thing || is_missing_route;
        let message = format!("{name} answers {status} to {route}: {said}");
        let error = |kind| ProviderError::new(kind, message.clone());
        let asked = answer.headers.iter().find(|(name, _)| name == "retry-after");
        let asked = asked.and_then(|(_, value)| value.trim().parse().ok());
        let place = |before: &str| match service.keys_at {
            "" => String::new(),
            keys_at => format!("{before}{keys_at}"),
        };
        let error = match status {
            _ if no_such_route => error(ErrorKind::Unavailable)
                .hint(format!("is `{}` the address of {name}? It has no {route}", service.address)),
            401 => error(ErrorKind::Unauthorized).hint(format!(
                "{} takes a new key{}",
                service.setup(),
                place("; they are at ")
            )),
            402 | 403 => {
                error(ErrorKind::Quota).hint(format!("look at the plan and the rights of the key{}", place(" at ")))
            }
            404 => error(ErrorKind::NotFound),
            408 => error(ErrorKind::Timeout),
            429 => error(ErrorKind::RateLimited).retry_after(asked.unwrap_or(WINDOW)),
            400..=499 => error(ErrorKind::InvalidInput),
            // Another try of the same may fail for ever, so the host counts them.
            500 | 501 | 505..=519 => error(ErrorKind::Internal),
            _ => error(ErrorKind::Unavailable),
        };
        let error = match asked {
            Some(seconds) if status >= 500 => error.retry_after(seconds),
            _ => error,
        };
        Self { error, status: Some(status), no_such_route, code }
    }

    /// A success that cannot be read, or says of itself that it is none.
    pub(super) fn unreadable(service: &Service, route: &str, body: &str) -> Self {
        let (code, said) = said(body);
        let message = format!("{} answers {route} with {said}", service.name);
        // What is no answer of the service says nothing of what it was sent.
        let is_word = serde_json::from_str::<Value>(body).is_ok();
        let kind = if is_word { ErrorKind::Internal } else { ErrorKind::Unavailable };
        Self { code, ..ProviderError::new(kind, message).into() }
    }
}

/// Whether a sentence says of a thing that it is not found: frameworks say so of routes, with no name before it or this one.
fn names_a_thing(said: &str) -> bool {
    let said = said.to_lowercase();
    said.contains(" not found") && !said.starts_with("route ")
}

#[cfg(all(test, feature = "test-kit"))]
mod tests;
