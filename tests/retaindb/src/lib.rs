//! A RetainDB server for tests, written from what its makers publish.
//!
//! It stores what it is sent, answers in the shapes of the real one, and is strict: a header that is missing, a field that it
//! does not know, a time that does not end in `Z` is refused as the real one refuses it. It can be told to fail in any way,
//! and to be an older server or one of the user's own.
//!
//! | module | what it holds |
//! |---|---|
//! | `routes` | the routes, from method and path to what they do |
//! | `memories` | what is stored and found |
//! | `files` | files, and the bodies of their uploads |
//! | `wire` | the server on a port |
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod files;
mod memories;
mod routes;
mod wire;

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

pub use files::Stored;
pub use memories::Row;
pub use wire::Server;

/// The key that it takes unless it is told another.
pub const KEY: &str = "rdb_test_4f9Kq2LmX8vB1nZc";

/// What is asked, as it came over the wire.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// In capitals.
    pub method: String,
    /// With its query, still encoded.
    pub path: String,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Request {
    /// The value of a header; empty when it is not there.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The body as JSON; null when it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The method, and the path without its query, decoded.
    #[must_use]
    pub fn route(&self) -> String {
        format!("{} {}", self.method, routes::decode(self.path.split('?').next().unwrap_or_default()))
    }
}

/// What is answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Names and values, without those of the framing.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        let headers = vec![("content-type", "application/json".to_owned()), ("x-trace-id", "trace-1".to_owned())];
        Self { status, headers, body: body.to_string().into_bytes() }
    }
}

/// What it does with a request instead of answering it.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Answers this, having done nothing.
    Says(u16, &'static str),
    /// Answers 429, and for how many seconds to wait where that is given.
    TooMany(Option<u32>),
    /// Answers with a web page and status 200, as a portal does.
    Page,
    /// Does what was asked, and sends half of the JSON.
    Half,
    /// Closes the connection, having done nothing.
    Gone,
    /// Does what was asked, and closes the connection without a word.
    GoneAfter,
    /// Waits until [`Cloud::let_go`], and then does what was asked.
    Waits,
    /// Waits for so many milliseconds, and then does what was asked.
    Slow(u64),
}

/// Which server it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// The hosted service.
    #[default]
    Hosted,
    /// The hosted service for a tenant that may not wait for writes.
    OnlyAsync,
    /// The full server, run by the user: it does not answer questions about a user in the new way.
    Own,
    /// An older one: profile, adding and deleting have other routes, and there is no agent.
    Older,
}

/// The service: what it stores, and how it fails.
#[derive(Clone, Default)]
pub struct Cloud(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    gone_on: Condvar,
}

/// All that it knows.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) kind: Kind,
    key: Option<String>,
    faults: Vec<(String, Fault, usize)>,
    asked: Vec<Request>,
    gate: u64,
    pub(crate) rows: Vec<Row>,
    pub(crate) files: Vec<Stored>,
    pub(crate) seeds: Vec<Value>,
    pub(crate) ingested: Vec<Value>,
    /// By idempotency key: the body, and what was answered.
    pub(crate) keys: HashMap<String, (Value, Value)>,
    pub(crate) numbers: u64,
}

impl Cloud {
    /// A server of this kind, empty.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        let cloud = Self::default();
        cloud.lock().kind = kind;
        cloud
    }

    /// Answers a request; None closes the connection.
    #[must_use]
    pub fn answer(&self, request: &Request) -> Option<Answer> {
        let fault = {
            let mut state = self.lock();
            state.asked.push(request.clone());
            let rule = state.faults.iter_mut().find(|(part, _, left)| *left > 0 && request.route().contains(&**part));
            rule.map(|(_, fault, left)| {
                *left -= 1;
                fault.clone()
            })
        };
        match fault {
            None => {}
            Some(Fault::Says(status, body)) => {
                let headers = vec![("content-type", "application/json".to_owned())];
                return Some(Answer { status, headers, body: body.into() });
            }
            Some(Fault::TooMany(seconds)) => {
                let body = serde_json::json!({"error": "Too many requests", "code": "RATE_LIMIT_EXCEEDED"});
                let mut answer = Answer::json(429, &body);
                answer.headers.extend(seconds.map(|seconds| ("retry-after", seconds.to_string())));
                return Some(answer);
            }
            Some(Fault::Page) => {
                let body = b"<!doctype html><html><title>Sign in</title></html>".to_vec();
                return Some(Answer { status: 200, headers: vec![("content-type", "text/html".to_owned())], body });
            }
            Some(Fault::Gone) => return None,
            Some(Fault::GoneAfter) => {
                routes::answer(&mut self.lock(), request);
                return None;
            }
            Some(Fault::Half) => {
                let mut answer = routes::answer(&mut self.lock(), request);
                answer.body.truncate(answer.body.len() / 2);
                return Some(answer);
            }
            Some(Fault::Waits) => {
                let state = self.lock();
                let gate = state.gate;
                drop(self.0.gone_on.wait_while(state, |state| state.gate == gate));
            }
            Some(Fault::Slow(millis)) => std::thread::sleep(std::time::Duration::from_millis(millis)),
        }
        Some(routes::answer(&mut self.lock(), request))
    }

    /// From now on these fail: the next so many requests whose method and path have this in them.
    pub fn fail(&self, part: &str, times: usize, fault: Fault) {
        self.lock().faults.push((part.to_owned(), fault, times));
    }

    /// Nothing fails any more, and what waits goes on.
    pub fn heal(&self) {
        self.lock().faults.clear();
        self.let_go();
    }

    /// What waits goes on.
    pub fn let_go(&self) {
        self.lock().gate += 1;
        self.0.gone_on.notify_all();
    }

    /// Another key is the right one.
    pub fn set_key(&self, key: &str) {
        self.lock().key = Some(key.to_owned());
    }

    /// All requests so far, failed ones too.
    #[must_use]
    pub fn asked(&self) -> Vec<Request> {
        self.lock().asked.clone()
    }

    /// Those of one route, such as `POST /v1/memory`.
    #[must_use]
    pub fn asked_for(&self, route: &str) -> Vec<Request> {
        self.asked().into_iter().filter(|request| request.route() == route).collect()
    }

    /// The memories that are not deleted.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        self.lock().rows.iter().filter(|row| !row.deleted).cloned().collect()
    }

    /// The files.
    #[must_use]
    pub fn files(&self) -> Vec<Stored> {
        self.lock().files.clone()
    }

    /// What the agent was said to be.
    #[must_use]
    pub fn seeds(&self) -> Vec<Value> {
        self.lock().seeds.clone()
    }

    /// The bodies of all turns that were taken, in order.
    #[must_use]
    pub fn ingested(&self) -> Vec<Value> {
        self.lock().ingested.clone()
    }

    /// What the users said in all turns that were taken, in order.
    #[must_use]
    pub fn said(&self) -> Vec<String> {
        let text = |turn: Value| turn["messages"][0]["content"].as_str().unwrap_or_default().to_owned();
        self.ingested().into_iter().map(text).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    pub(crate) fn key(&self) -> &str {
        self.key.as_deref().unwrap_or(KEY)
    }

    /// A name that nothing else has.
    pub(crate) fn number(&mut self, of: &str) -> String {
        self.numbers += 1;
        format!("{of}-{}", self.numbers)
    }
}
