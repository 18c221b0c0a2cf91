//! Web requests to granted hosts. The host sends them, so a provider in a worker needs no socket of its own.
//!
//! A request carries what the provider says and nothing of the user's: no cookies, no `.netrc`, no unpacking of what
//! comes back. TLS is always verified.

mod names;
mod origin;
mod reach;

use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_provider_api::host::{HttpRequest, HttpResponse};
use hermes_provider_api::{ErrorKind, ProviderError};
use serde_json::Value;
use ureq::http::{Method, Request, Uri};
use ureq::unversioned::resolver::{DefaultResolver, Resolver};
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body, SendBody};

use super::HostServices;
use super::beneath::{Access, open_beneath, own_path};
use crate::home::files::create_dir;
use crate::net::Network;

use names::{Guarded, is_out_of_reach};
use origin::{join, origin, origin_text, parse};
use reach::Reach;

/// The most of an answer that is kept in memory.
const MAX_BODY: u64 = 16 << 20;
/// The most of an answer that goes to a file.
const MAX_FILE: u64 = 1 << 30;
const DEFAULT_LIMIT: Duration = Duration::from_secs(30);
const LONGEST_LIMIT: Duration = Duration::from_secs(300);
const MAX_REDIRECTS: usize = 5;

/// What the host alone says: a second host, length or framing would be read otherwise by some server on the way.
const OWN_HEADERS: [&str; 9] =
    ["connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"];

/// What another origin is told as well after a redirect. Any other header may hold a key.
const HARMLESS_HEADERS: [&str; 4] = ["accept", "accept-language", "content-type", "user-agent"];

impl HostServices {
    pub(super) fn send(&self, request: &HttpRequest) -> Result<HttpResponse, ProviderError> {
        self.send_by(request, &(Arc::new(DefaultResolver::default()) as _))
    }

    /// Sends a request to where `names` says that hosts are.
    fn send_by(&self, request: &HttpRequest, names: &Arc<dyn Resolver>) -> Result<HttpResponse, ProviderError> {
        let method: Method = match request.method.as_str() {
            "" => Method::GET,
            name => name.parse().map_err(|_| ProviderError::invalid("the method is not a word"))?,
        };
        for name in [&request.body_file, &request.save_to].into_iter().flatten() {
            own_path(name)?;
        }
        let headers = request.headers.iter().map(|(name, _)| name);
        if let Some(name) = headers.into_iter().find(|name| is_one_of(name, &OWN_HEADERS)) {
            return Err(ProviderError::invalid(format!("the header `{name}` is set by the host alone")));
        }
        let mut uri = parse(&request.url)?;
        let first = origin(&uri)?;
        let limit = request.timeout_ms.map_or(DEFAULT_LIMIT, Duration::from_millis).min(LONGEST_LIMIT);
        let deadline = Instant::now() + limit;
        let mut method = method;
        let mut with_body = true;
        for _ in 0..=MAX_REDIRECTS {
            let reach = self.check_origin(&uri)?;
            let same_origin = origin(&uri)? == first;
            let left = deadline.saturating_duration_since(Instant::now());
            let part = Exchange { method: &method, uri: &uri, reach, same_origin, with_body, left };
            let response = self.exchange(request, &part, names)?;
            let status = response.status();
            let target = response.headers().get("location").and_then(|target| target.to_str().ok());
            let (true, Some(target)) = (matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308), target) else {
                return self.answer(request, response);
            };
            uri = join(&uri, target)?;
            // RFC 9110, 15.4: only 307 and 308 keep a method with a body.
            if !matches!(status.as_u16(), 307 | 308) && method != Method::HEAD {
                method = Method::GET;
                with_body = false;
            }
        }
        Err(ProviderError::new(ErrorKind::Unavailable, format!("{} redirects too often", origin_text(&first))))
    }

    fn exchange(
        &self,
        request: &HttpRequest,
        part: &Exchange<'_>,
        names: &Arc<dyn Resolver>,
    ) -> Result<ureq::http::Response<Body>, ProviderError> {
        let &Exchange { method, uri, reach, same_origin, with_body, left } = part;
        let network =
            Network::of_process().map_err(|error| ProviderError::new(ErrorKind::Unavailable, error.to_string()))?;
        let config = network
            .agent(uri.scheme_str().unwrap_or_default())
            .timeout_global(Some(left))
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build();
        let proxied = config.proxy().is_some_and(|proxy| !proxy.is_no_proxy(uri));
        let guarded = Guarded { target: origin(uri)?, reach, proxied, names: Arc::clone(names) };
        // One for each exchange: no connection that was made under another grant is used again.
        let agent = Agent::with_parts(config, DefaultConnector::new(), guarded);
        let mut builder = Request::builder().method(method).uri(uri);
        for (name, value) in &request.headers {
            if same_origin || is_one_of(name, &HARMLESS_HEADERS) {
                builder = builder.header(name, value);
            }
        }
        let mut length = None;
        let body = match (&request.body, &request.body_file) {
            _ if !with_body => SendBody::none(),
            (Some(text), _) => {
                length = u64::try_from(text.len()).ok();
                SendBody::from_owned_reader(io::Cursor::new(text.clone().into_bytes()))
            }
            (None, Some(name)) => {
                let file = open_beneath(&self.data_dir, own_path(name)?, Access::Read);
                let file = file.map_err(|error| storage(name, &error))?;
                length = Some(file.metadata().map_err(|error| storage(name, &error))?.len());
                // No more than was said, should it grow meanwhile.
                SendBody::from_owned_reader(file.take(length.unwrap_or_default()))
            }
            (None, None) => SendBody::none(),
        };
        // Many servers take no body whose length they are not told.
        if let Some(length) = length {
            builder = builder.header("content-length", length);
        }
        let prepared =
            builder.body(body).map_err(|_| ProviderError::invalid("a header of the request is not valid"))?;
        agent.run(prepared).map_err(|error| match is_out_of_reach(&error) {
            true => self.out_of_reach(uri, reach),
            false => failure(uri, &error),
        })
    }

    fn out_of_reach(&self, uri: &Uri, reach: Reach) -> ProviderError {
        let host = origin(uri).map(|origin| origin_text(&origin)).unwrap_or_default();
        let granted = match reach {
            Reach::ThisMachine => "this machine",
            Reach::OwnNetwork => "the internet and your own network",
            _ => "the internet",
        };
        let message = format!(
            "`{}` may call {host} in {granted}, and an address of that name lies elsewhere: not called",
            self.provider
        );
        let hint = "a service in your own network is called when its address is one of the provider's settings, or when \
                    the capability http names its IP address";
        ProviderError::new(ErrorKind::Denied, message).hint(hint)
    }

    fn answer(
        &self,
        request: &HttpRequest,
        response: ureq::http::Response<Body>,
    ) -> Result<HttpResponse, ProviderError> {
        let (head, body) = response.into_parts();
        let headers = head
            .headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let mut text = String::new();
        let mut body = body.into_reader();
        if let Some(name) = &request.save_to {
            create_dir(&self.data_dir).map_err(|error| ProviderError::storage(error.to_string()))?;
            let file = open_beneath(&self.data_dir, own_path(name)?, Access::Replace);
            let mut file = file.map_err(|error| storage(name, &error))?;
            let copied = io::copy(&mut body.by_ref().take(MAX_FILE + 1), &mut file);
            if copied.map_err(|error| unreadable(&error))? > MAX_FILE {
                file.set_len(0).map_err(|error| storage(name, &error))?;
                return Err(broken("it is larger than 1 GiB"));
            }
        } else {
            let mut bytes = Vec::new();
            body.take(MAX_BODY + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
            if bytes.len() as u64 > MAX_BODY {
                return Err(broken("it is larger than 16 MiB"));
            }
            text = String::from_utf8(bytes).map_err(|_| broken("it is not UTF-8; save it to a file"))?;
        }
        Ok(HttpResponse { status: head.status.as_u16(), headers, body: text })
    }

    /// Whether an address was granted, and how far it may lead then.
    fn check_origin(&self, uri: &Uri) -> Result<Reach, ProviderError> {
        let wanted = origin(uri)?;
        let reach = self.granted.http.iter().find_map(|entry| {
            let (address, typed) = match entry.strip_prefix("config:") {
                Some(key) => {
                    let address = self.settings.get(key).and_then(Value::as_str)?;
                    // As long as the user sets no other, it is the plugin that chose the address.
                    (address, self.defaults.get(key).is_none_or(|default| default != address))
                }
                None => (entry.as_str(), false),
            };
            let known: Uri = address.parse().ok()?;
            origin(&known).is_ok_and(|known| known == wanted).then(|| Reach::of(&known, typed))
        });
        reach.ok_or_else(|| self.denied("http", &origin_text(&wanted)))
    }
}

/// One request and its answer, on the way through redirects.
struct Exchange<'a> {
    method: &'a Method,
    uri: &'a Uri,
    reach: Reach,
    same_origin: bool,
    with_body: bool,
    left: Duration,
}

fn broken(reason: &str) -> ProviderError {
    ProviderError::new(ErrorKind::Unavailable, format!("the answer could not be read: {reason}"))
}

fn unreadable(error: &io::Error) -> ProviderError {
    let late = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
    match late {
        Some(ureq::Error::Timeout(_)) => ProviderError::new(ErrorKind::Timeout, "the answer did not end in time"),
        _ => broken(&error.to_string()),
    }
}

fn storage(name: &str, error: &io::Error) -> ProviderError {
    ProviderError::storage(format!("`{name}`: {error}"))
}

fn is_one_of(header: &str, names: &[&str]) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(header))
}

/// Says which host failed, never with the address's path or query, which may hold a key.
fn failure(uri: &Uri, error: &ureq::Error) -> ProviderError {
    let host = origin(uri).map(|origin| origin_text(&origin)).unwrap_or_default();
    let kind = match error {
        ureq::Error::Timeout(_) => ErrorKind::Timeout,
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => ErrorKind::InvalidInput,
        _ => ErrorKind::Unavailable,
    };
    let reason = match error {
        ureq::Error::BadUri(_) => "the address is not valid".to_owned(),
        other => other.to_string(),
    };
    ProviderError::new(kind, format!("{host} cannot be reached: {reason}"))
}

#[cfg(test)]
mod tests;
