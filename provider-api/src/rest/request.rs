//! One request: route, body, time, and what comes back.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::{Client, Failed, Passing, passing, segment, text};
use crate::host::{HttpRequest, HttpResponse};
use crate::{Call, ProviderError};

/// What is left of a call's time for whatever comes after a request.
const MARGIN: Duration = Duration::from_millis(200);
/// How long a request may take that does not say.
const LIMIT: Duration = Duration::from_secs(8);

/// A request that has not been sent. Made by [`Client::get`] and its like.
#[must_use = "a request is sent by `send` or `fetch`"]
#[derive(Debug)]
pub struct Request<'a> {
    client: &'a Client,
    call: &'a Call<'a>,
    /// Its address is the path alone.
    request: HttpRequest,
    route: String,
    may_be_missing: bool,
    /// What a repetition is told by.
    key: Option<String>,
    limit: Duration,
    /// Is there until the request has been sent.
    form: Option<Passing>,
}

/// A file in a form, see [`Request::form`].
#[derive(Clone, Copy, Debug)]
pub struct FilePart<'a> {
    /// The field that the service expects it in, often `file`.
    pub field: &'a str,
    /// Its name there; any text.
    pub name: &'a str,
    /// Its media type, such as `text/plain`.
    pub kind: &'a str,
    /// Where it lies, in the data folder.
    pub path: &'a Path,
}

impl<'a> Request<'a> {
    pub(super) fn new(client: &'a Client, method: &str, route: &str, ids: &[&str], call: &'a Call<'a>) -> Self {
        let mut url = route.to_owned();
        for id in ids {
            url = url.replacen("{}", &segment(id), 1);
        }
        let request = HttpRequest { method: method.to_owned(), url, ..HttpRequest::default() };
        let route = format!("{method} {}", route.split('?').next().unwrap_or_default().replace("{}", "…"));
        Self { client, call, request, route, may_be_missing: false, key: None, limit: LIMIT, form: None }
    }

    /// Adds a parameter to the query; the value is encoded.
    pub fn query(mut self, name: &str, value: &str) -> Self {
        let sign = if self.request.url.contains('?') { '&' } else { '?' };
        self.request.url.push_str(&format!("{sign}{name}={}", segment(value)));
        self
    }

    /// What the path names may be missing. A 404 that says so is then [`NotFound`](crate::ErrorKind::NotFound); any other 404
    /// is that of a server without this route.
    pub fn may_be_missing(mut self) -> Self {
        self.may_be_missing = true;
        self
    }

    /// The body. NUL is left out of its texts: PostgreSQL, which most services keep them in, would refuse such a text for
    /// ever.
    pub fn json(mut self, mut body: Value) -> Self {
        text::without_nul(&mut body);
        self.request.body = Some(body.to_string());
        self.header("Content-Type", "application/json")
    }

    /// A form with a file as the body (`multipart/form-data`), for uploads. The file is not read into memory.
    ///
    /// # Errors
    /// [`Storage`](crate::ErrorKind::Storage) when the file cannot be read or the data folder not be written.
    pub fn form(mut self, fields: &[(&str, &str)], file: FilePart<'_>) -> Result<Self, ProviderError> {
        let (body, boundary) = (Passing::new(&self.client.host)?, passing::unique());
        text::multipart(&boundary, fields, file, body.path()).map_err(|error| body.broken(&error))?;
        self.request.body_file = Some(body.name().to_owned());
        self.form = Some(body);
        Ok(self.header("Content-Type", &format!("multipart/form-data; boundary={boundary}")))
    }

    /// A header of this request.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.request.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Lets the service take a repetition for one, by the header `Idempotency-Key`: use the key of the delivery. Services take
    /// a key for one body, so what is sent is a sum of both, of 32 letters and digits.
    pub fn idempotent(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    /// How long it may take, in seconds; 8 where it is not said. It never takes longer than the call lasts.
    pub fn within(mut self, seconds: u64) -> Self {
        self.limit = Duration::from_secs(seconds);
        self
    }

    /// Sends it and reads the answer; null where there is none.
    ///
    /// # Errors
    /// See [What an answer means](super#what-an-answer-means). [`Cancelled`](crate::ErrorKind::Cancelled), with nothing sent,
    /// once the host has stopped waiting for the call; [`Unauthorized`](crate::ErrorKind::Unauthorized) without a key.
    pub fn send(self) -> Result<Value, Failed> {
        let (service, route) = (self.client.service, self.route.clone());
        let HttpResponse { body, .. } = self.exchange()?;
        if body.trim().is_empty() {
            return Ok(Value::Null);
        }
        match serde_json::from_str::<Value>(&body) {
            Ok(json) if json["success"] != false => Ok(json),
            _ => Err(Failed::unreadable(&service, &route, &body)),
        }
    }

    /// Sends it and reads an answer of any kind, up to `most` bytes and one more, by which a longer one is told.
    ///
    /// # Errors
    /// As [`send`](Self::send), but a success is not looked into; [`Storage`](crate::ErrorKind::Storage).
    pub fn fetch(mut self, most: u64) -> Result<Vec<u8>, Failed> {
        let saved = Passing::new(&self.client.host)?;
        self.request.save_to = Some(saved.name().to_owned());
        self.exchange()?;
        let mut bytes = Vec::new();
        let read = File::open(saved.path()).and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes));
        read.map_err(|error| saved.broken(&error))?;
        Ok(bytes)
    }

    /// Sends it; the answer is a success of whatever kind.
    fn exchange(mut self) -> Result<HttpResponse, Failed> {
        self.call.check()?;
        if let Some(key) = self.key.take() {
            let key = text::sum(&[&key, self.request.body.as_deref().unwrap_or_default()]);
            self = self.header("Idempotency-Key", &key);
        }
        // `form` lasts until the end.
        let Self { client, call, mut request, route, may_be_missing, limit, form: _form, .. } = self;
        let (base, key) = (client.base()?, client.key()?);
        let left = call.remaining().map_or(limit, |left| left.saturating_sub(MARGIN).min(limit));
        request.timeout_ms = Some(u64::try_from(left.as_millis()).unwrap_or(u64::MAX).max(1));
        let path = request.url.split('?').next().unwrap_or_default();
        let keys = key.map(|key| (client.service.key_headers)(path, &key)).unwrap_or_default();
        let headers = client.headers.iter().cloned().chain(keys);
        request.headers.extend(headers.map(|(name, value)| (name.to_owned(), value)));
        request.url = format!("{base}{}", request.url);
        let mut answer = client.host.http(&request).map_err(|error| Failed::unsent(&client.service, error))?;
        if (200..300).contains(&answer.status) {
            return Ok(answer);
        }
        if let Some(name) = request.save_to {
            let body = std::fs::read(client.host.data_dir()?.join(name)).unwrap_or_default();
            answer.body = String::from_utf8_lossy(&body).into_owned();
        }
        Err(Failed::answered(&client.service, &route, &answer, may_be_missing))
    }
}
