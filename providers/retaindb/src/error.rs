//! What an answer that is no success means: whose fault it is, and what the user may do.

use hermes_provider_api::host::HttpResponse;
use hermes_provider_api::{ErrorKind, ProviderError};
use serde_json::Value;

/// How long the service counts requests for, in seconds: what is waited where it does not say how long.
const WINDOW: u64 = 60;
/// The most that is repeated of an answer, in characters.
const REPEATED: usize = 200;

/// A request without success.
#[derive(Debug)]
pub(crate) struct Failed {
    /// The server does not know what was asked for: an older one, or none of this service.
    pub(crate) no_such_route: bool,
    /// The server's word for it, where it has one.
    pub(crate) code: String,
    pub(crate) error: ProviderError,
}

impl From<ProviderError> for Failed {
    fn from(error: ProviderError) -> Self {
        Self { no_such_route: false, code: String::new(), error }
    }
}

impl From<Failed> for ProviderError {
    fn from(failed: Failed) -> Self {
        failed.error
    }
}

impl Failed {
    /// There was no answer. A request that the host cannot send has a wrong address or key: what was to be stored is not to
    /// blame.
    pub(crate) fn unsent(mut error: ProviderError) -> Self {
        if error.kind == ErrorKind::InvalidInput {
            error = ProviderError::new(ErrorKind::Unavailable, error.message)
                .hint("look at `base_url`: `hermes memory setup retaindb`");
        }
        error.into()
    }

    /// An answer with this status. `names_something` says that the path holds an id, which may be what is not there.
    pub(crate) fn answered(route: &str, answer: &HttpResponse, names_something: bool) -> Self {
        let (code, said) = said(&answer.body);
        let status = answer.status;
        let is_thing = names_something && (code == "NOT_FOUND" || said.to_lowercase().ends_with(" not found"));
        let no_such_route = matches!(status, 404 | 405) && !is_thing || said == "Route control missing";
        let message = format!("RetainDB answers {status} to {route}: {said}");
        let error = |kind| ProviderError::new(kind, message.clone());
        let asked = answer.headers.iter().find(|(name, _)| name == "retry-after");
        let asked = asked.and_then(|(_, value)| value.trim().parse().ok());
        let error =
            match status {
                _ if no_such_route => error(ErrorKind::Unavailable)
                    .hint(format!("is `base_url` the address of RetainDB? It has no {route}")),
                401 => error(ErrorKind::Unauthorized)
                    .hint("`hermes memory setup retaindb` takes a new key; https://www.retaindb.com has them"),
                402 | 403 => error(ErrorKind::Quota)
                    .hint("look at the plan and the rights of the key at https://www.retaindb.com"),
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
        Self { no_such_route, code, error }
    }

    /// The answer of an older route in place of this one. Where that is missing as well, the newer is what should be there.
    pub(crate) fn or_older<T>(self, older: Result<T, Self>) -> Result<T, Self> {
        older.map_err(|older| if older.no_such_route { self } else { older })
    }

    /// A success that cannot be read, or says of itself that it is none.
    pub(crate) fn unreadable(route: &str, body: &str) -> Self {
        let (code, said) = said(body);
        let message = format!("RetainDB answers {route} with {said}");
        // What is no answer of the service says nothing of what it was sent.
        let is_word = serde_json::from_str::<Value>(body).is_ok();
        let kind = if is_word { ErrorKind::Internal } else { ErrorKind::Unavailable };
        Self { code, ..ProviderError::new(kind, message).into() }
    }
}

/// The code and the sentence of an error, in any of the shapes that servers give it.
fn said(body: &str) -> (String, String) {
    let json: Value = serde_json::from_str(body).unwrap_or_default();
    let error = &json["error"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let issue = &error["issues"][0];
    let path: Vec<_> = issue["path"].as_array().into_iter().flatten().map(text).collect();
    let code = [&error["code"], &json["code"]].into_iter().map(text).find(|code| !code.is_empty());
    let sentences = [text(error), text(&error["message"]), text(&json["message"])];
    let sentence = match sentences.into_iter().find(|sentence| !sentence.is_empty()) {
        Some(sentence) => sentence,
        None if issue.is_object() => format!("`{}`: {}", path.join("."), text(&issue["message"])),
        None if body.trim_start().starts_with('<') => "a web page, as something on the way does".to_owned(),
        None if body.trim().is_empty() => "nothing".to_owned(),
        None if json.is_null() => format!("what is no JSON: {body}"),
        None => body.to_owned(),
    };
    (code.unwrap_or_default(), hermes_text::truncate_chars(&sentence, REPEATED).to_owned())
}
