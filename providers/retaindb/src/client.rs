//! One request: headers, limits, and the answer as JSON.

use std::time::Duration;

use hermes_provider_api::host::{HttpRequest, HttpResponse};
use hermes_provider_api::{Call, ErrorKind, Host, ProviderError};
use serde_json::Value;

use crate::deliveries::hash;
use crate::error::Failed;

pub(crate) const KEY: &str = "RETAINDB_API_KEY";

/// What is left of a call's time for whatever comes after a request.
const MARGIN: Duration = Duration::from_millis(200);

pub(crate) struct Client {
    pub(crate) host: Host,
    /// Without a slash at its end.
    pub(crate) base: String,
}

/// A request that has not been sent.
pub(crate) struct Ask<'a> {
    request: HttpRequest,
    route: String,
    names_something: bool,
    limit: Duration,
    call: &'a Call<'a>,
}

impl<'a> Ask<'a> {
    /// `route` is as in the service's docs, and `ids` are what stands in it for each `{}`.
    pub(crate) fn new(method: &str, route: &str, ids: &[&str], call: &'a Call<'a>) -> Self {
        let mut url = route.to_owned();
        for id in ids {
            url = url.replacen("{}", &crate::audience::segment(id), 1);
        }
        let request = HttpRequest { method: method.to_owned(), url, ..HttpRequest::default() };
        let route = format!("{method} {}", route.split('?').next().unwrap_or_default().replace("{}", "…"));
        Self { request, route, names_something: false, limit: Duration::from_secs(8), call }
    }

    /// The service may answer that what the path names is not there.
    pub(crate) fn names_something(mut self) -> Self {
        self.names_something = true;
        self
    }

    pub(crate) fn json(mut self, mut body: Value) -> Self {
        without_nul(&mut body);
        self.request.body = Some(body.to_string());
        self.header("Content-Type", "application/json")
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Lets the service take a repetition for one. A key stands for one body there.
    pub(crate) fn keyed(self, key: Option<&str>) -> Self {
        let Some(key) = key else { return self };
        let key = hash(&format!("{key}\n{}", self.request.body.as_deref().unwrap_or_default()));
        self.header("Idempotency-Key", &key)
    }

    /// Sends a file of the data folder.
    pub(crate) fn body_file(mut self, name: &str) -> Self {
        self.request.body_file = Some(name.to_owned());
        self
    }

    /// Puts the answer into a file of the data folder.
    pub(crate) fn save_to(mut self, name: &str) -> Self {
        self.request.save_to = Some(name.to_owned());
        self
    }

    pub(crate) fn within(mut self, seconds: u64) -> Self {
        self.limit = Duration::from_secs(seconds);
        self
    }
}

impl Client {
    /// The key as it goes into a header.
    pub(crate) fn key(&self) -> Result<String, ProviderError> {
        let refuse = |why| {
            Err(ProviderError::new(ErrorKind::Unauthorized, format!("the key in `{KEY}` {why}"))
                .hint("`hermes memory setup retaindb` takes another"))
        };
        let Some(secret) = self.host.secret(KEY)? else { return refuse("is not set") };
        let key = secret.expose().trim();
        let pasted = key.strip_prefix("Bearer").filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        let key = pasted.unwrap_or(key).trim();
        match key {
            "" => refuse("is empty"),
            key if !key.bytes().all(|byte| byte.is_ascii_graphic()) => refuse("has blanks or letters that no key has"),
            key => Ok(key.to_owned()),
        }
    }

    /// Sends a request and reads its answer; null where there is none.
    pub(crate) fn send(&self, ask: Ask<'_>) -> Result<Value, Failed> {
        let route = ask.route.clone();
        let HttpResponse { body, .. } = self.exchange(ask)?;
        if body.trim().is_empty() {
            return Ok(Value::Null);
        }
        match serde_json::from_str::<Value>(&body) {
            Ok(json) if json["success"] != false => Ok(json),
            _ => Err(Failed::unreadable(&route, &body)),
        }
    }

    /// Sends a request and answers with a success of whatever kind.
    pub(crate) fn exchange(&self, ask: Ask<'_>) -> Result<HttpResponse, Failed> {
        ask.call.check()?;
        let Ask { mut request, route, names_something, limit, call } = ask;
        let left = call.remaining().map_or(limit, |left| left.saturating_sub(MARGIN).min(limit));
        request.timeout_ms = Some(u64::try_from(left.as_millis()).unwrap_or(u64::MAX).max(1));
        let key = self.key()?;
        let mut header = |name: &str, value: String| request.headers.push((name.to_owned(), value));
        header("Authorization", format!("Bearer {key}"));
        header("x-sdk-runtime", "hermes-plugin".to_owned());
        if ["/v1/memory", "/v1/context"].iter().any(|start| request.url.starts_with(start)) {
            header("X-API-Key", key);
        }
        request.url = format!("{}{}", self.base, request.url);
        let mut answer = self.host.http(&request).map_err(Failed::unsent)?;
        if (200..300).contains(&answer.status) {
            return Ok(answer);
        }
        if let Some(name) = request.save_to {
            let body = std::fs::read(self.host.data_dir()?.join(name)).unwrap_or_default();
            answer.body = String::from_utf8_lossy(&body).into_owned();
        }
        Err(Failed::answered(&route, &answer, names_something))
    }
}

/// The service's database takes no NUL, and would fail on such a text for ever.
fn without_nul(value: &mut Value) {
    match value {
        Value::String(text) => text.retain(|letter| letter != '\0'),
        Value::Array(items) => items.iter_mut().for_each(without_nul),
        Value::Object(fields) => fields.values_mut().for_each(without_nul),
        _ => {}
    }
}
