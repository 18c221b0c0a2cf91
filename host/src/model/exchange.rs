//! One request to a model: JSON there, JSON back, within a deadline.

use std::io::{self, Read as _};
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use ureq::http::{Request, Response};
use ureq::{Agent, Body};

use super::{ModelError, Target};
use crate::net::Network;

/// The most of an answer that is read: more than the vectors of a full batch need.
const MAX_ANSWER: u64 = 32 << 20;
/// The most of an error's text that is shown.
const MAX_SAID: usize = 200;
/// How long a connection may take to a model that may think long.
const CONNECT: Duration = Duration::from_secs(15);
/// A server that asks for longer is one that is not there.
const LONGEST_PAUSE: u64 = 3600;

/// How long an answer may take.
#[derive(Clone, Copy, Debug)]
pub(super) enum Patience {
    /// All of it.
    Whole(Duration),
    /// Until it begins.
    Begin(Duration),
}

impl Target {
    /// Sends a request to `route` and reads its answer.
    pub(super) fn post(&self, route: &'static str, body: &Value, limit: Duration) -> Result<Value, ModelError> {
        let deadline = Instant::now() + limit;
        let response = self.send(route, body, Patience::Whole(limit))?;
        self.whole(route, body, response, deadline, limit)
    }

    /// Sends a request, and answers with what comes back before anything of its body is read.
    pub(super) fn send(
        &self,
        route: &'static str,
        body: &Value,
        patience: Patience,
    ) -> Result<Response<Body>, ModelError> {
        let scheme = if self.base.starts_with("http:") { "http" } else { "https" };
        let agent = Network::of_process()?.agent(scheme).max_redirects(0).max_redirects_will_error(false);
        let (config, limit) = match patience {
            Patience::Whole(limit) => (agent.timeout_global(Some(limit)), limit),
            Patience::Begin(limit) => {
                (agent.timeout_connect(Some(limit.min(CONNECT))).timeout_recv_response(Some(limit)), limit)
            }
        };
        let mut request = Request::post(format!("{}/{route}", self.base)).header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, format!("Bearer {}", key.expose()));
        }
        let request =
            request.body(body.to_string()).map_err(|_| self.unreachable("its address or key is not valid"))?;
        Agent::from(config.build()).run(request).map_err(|error| self.failed(&error, limit))
    }

    /// Reads an answer that comes as a whole.
    pub(super) fn whole(
        &self,
        route: &'static str,
        body: &Value,
        response: Response<Body>,
        deadline: Instant,
        limit: Duration,
    ) -> Result<Value, ModelError> {
        let (status, wait) = (response.status().as_u16(), retry_after(&response));
        // What is read after the deadline is of no use any more; the agent's own limit ends the reading.
        let text = read(response).map_err(|error| match error {
            _ if Instant::now() >= deadline => self.late(limit),
            Broken::Read(error) => self.unreadable(&error, limit),
            Broken::TooLarge => self.odd("the answer is larger than 32 MiB"),
            Broken::NotText => self.odd("the answer is no text"),
        })?;
        self.answer(route, body, status, wait, &text)
    }

    fn answer(
        &self,
        route: &'static str,
        body: &Value,
        status: u16,
        wait: Option<Duration>,
        text: &str,
    ) -> Result<Value, ModelError> {
        let (place, setting) = (self.place(), self.setting);
        let parsed: Result<Value, _> = serde_json::from_str(text);
        let said = || parsed.as_ref().map_or_else(|_| String::new(), |answer| self.said(answer, body));
        match status {
            200..=299 => parsed.map_err(|error| match text.trim_start().starts_with('<') {
                true => self.odd("it is a web page instead of JSON"),
                false if error.is_eof() => self.odd("the answer is cut off"),
                false => self.odd("the answer is not JSON"),
            }),
            300..=399 => Err(ModelError::Status { place, status, said: ", which is a redirect".to_owned(), setting }),
            401 | 403 => Err(ModelError::Key { place, status, variable: self.variable, sent: self.key.is_some() }),
            404 | 405 => Err(ModelError::NotThere { place, route, model: self.name.clone(), said: said(), setting }),
            429 | 503 => Err(ModelError::Busy { place, status, retry_after: wait }),
            _ => Err(ModelError::Status { place, status, said: said(), setting }),
        }
    }

    /// What an error says of itself, in short, unless it repeats what was sent.
    fn said(&self, answer: &Value, sent: &Value) -> String {
        let error = &answer["error"];
        let text =
            [&error["message"], error, &answer["message"], &answer["detail"]].into_iter().find_map(Value::as_str);
        // Looked through before it is cut, so that no beginning of a key is left at the cut.
        let whole: String = text.unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
        let key = self.key.as_ref().is_some_and(|key| whole.contains(key.expose()));
        if whole.is_empty() || key || repeats(&whole, sent) {
            return String::new();
        }
        format!(": {}", whole.chars().take(MAX_SAID).collect::<String>())
    }

    pub(super) fn odd(&self, reason: impl Into<String>) -> ModelError {
        ModelError::Answer { place: self.place(), reason: reason.into(), setting: self.setting }
    }

    fn late(&self, limit: Duration) -> ModelError {
        ModelError::Timeout { place: self.place(), limit }
    }

    fn unreachable(&self, reason: impl Into<String>) -> ModelError {
        ModelError::Unreachable { place: self.place(), reason: reason.into(), setting: self.setting }
    }

    fn failed(&self, error: &ureq::Error, limit: Duration) -> ModelError {
        match error {
            ureq::Error::Timeout(_) => self.late(limit),
            ureq::Error::BadUri(_) => self.unreachable("the address is not valid"),
            ureq::Error::Http(_) => self.unreachable("its address or key is not valid"),
            other => self.unreachable(other.to_string()),
        }
    }

    pub(super) fn unreadable(&self, error: &io::Error, limit: Duration) -> ModelError {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>()) {
            Some(ureq::Error::Timeout(_)) => self.late(limit),
            _ => self.odd(format!("the answer is cut off: {error}")),
        }
    }
}

/// Whether a line has a text of the request in it, or much of one.
fn repeats(line: &str, sent: &Value) -> bool {
    const MUCH: usize = 24;
    match sent {
        Value::String(text) => {
            let text: String = text.chars().take(MUCH).collect();
            text.chars().count() == MUCH && line.contains(&text)
        }
        Value::Array(items) => items.iter().any(|item| repeats(line, item)),
        Value::Object(fields) => fields.values().any(|field| repeats(line, field)),
        _ => false,
    }
}

enum Broken {
    Read(io::Error),
    TooLarge,
    NotText,
}

fn read(response: Response<Body>) -> Result<String, Broken> {
    let mut bytes = Vec::new();
    response.into_body().into_reader().take(MAX_ANSWER + 1).read_to_end(&mut bytes).map_err(Broken::Read)?;
    if bytes.len() as u64 > MAX_ANSWER {
        return Err(Broken::TooLarge);
    }
    String::from_utf8(bytes).map_err(|_| Broken::NotText)
}

/// In whole seconds. A date is left out: the clocks may differ.
fn retry_after(response: &Response<Body>) -> Option<Duration> {
    let seconds: u64 = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds.min(LONGEST_PAUSE)))
}
