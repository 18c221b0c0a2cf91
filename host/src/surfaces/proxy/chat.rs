//! `/v1/chat/completions`: the conversation with what the memory knows, and the model's answer without it.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, Response, StatusCode};
use hyper::body::Incoming;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::metrics::count;
use super::relay::{Relay, Whole};
use super::reply;
use super::server::Proxy;
use super::upstream::{NoAnswer, passed_back};
use crate::model::wire::{Answer, Events, Object, WireMessage, raw};
use crate::outbox::NotKept;
use crate::turn::conversations::{Exchange, Request, Who};

pub(super) const PATH: &str = "/chat/completions";
/// The header in which a client may name its session.
const SESSION: &str = "x-hermes-session";
/// The longest name of a session.
const LONGEST_NAME: usize = 128;
/// How many pieces of an answer wait for a slow client, and how long one of them does.
const WAITING: usize = 64;
const SLOW: Duration = Duration::from_secs(120);

/// Answers a request with a conversation.
pub(super) async fn complete(proxy: Arc<Proxy>, who: Who, headers: HeaderMap, bytes: Bytes) -> Response<Body> {
    let Ok(mut body) = serde_json::from_slice::<Object>(&bytes) else {
        return reply::wrong(StatusCode::BAD_REQUEST, "invalid_request_error", "the body is no JSON object");
    };
    let exchange = begin(&proxy, who, &headers, &body).await;
    let Some(exchange) = exchange else {
        return super::pass::pass(&proxy, Method::POST, PATH, &headers, bytes).await;
    };
    let streams = body.read("stream").unwrap_or(false);
    let (head, answer) = oneshot::channel();
    if !exchange.tools().is_empty() {
        let ours = exchange.tools().iter().map(|tool| raw(&json!({"type": "function", "function": tool})));
        let tools: Vec<Box<RawValue>> = body.read("tools").unwrap_or_default();
        body.set("tools", raw(&tools.into_iter().chain(ours).collect::<Vec<_>>()));
    }
    let job = Job { proxy: Arc::clone(&proxy), exchange: Some(exchange), body, headers };
    // A client that goes away ends its handler at once, and what was said is to be recorded all the same.
    proxy.at_work.spawn(async move { if streams { job.stream(head).await } else { job.whole(head).await } });
    answer.await.unwrap_or_else(|_| {
        reply::wrong(StatusCode::INTERNAL_SERVER_ERROR, "server_error", "hermes itself failed here")
    })
}

/// Begins the turn. None for what is no conversation with a user, or when the memory takes too long.
async fn begin(proxy: &Arc<Proxy>, mut who: Who, headers: &HeaderMap, body: &Object) -> Option<Exchange> {
    let messages: Vec<Box<RawValue>> = body.read("messages")?;
    let messages: Vec<WireMessage> = messages.into_iter().map(WireMessage::read).collect::<Result<_, _>>().ok()?;
    if who.scope.user.is_empty() {
        who.scope.user = body.read::<String>("user").filter(|user| is_name(user)).unwrap_or_default();
    }
    let in_header = headers.get(SESSION).and_then(|name| name.to_str().ok()).map(str::to_owned);
    let in_body = || body.read::<Value>("metadata")?["session_id"].as_str().map(str::to_owned);
    let session = in_header.or_else(in_body).filter(|name| is_name(name));
    let tools: Vec<Value> = body.read("tools").unwrap_or_default();
    let name = |tool: &Value| tool["function"]["name"].as_str().or(tool["name"].as_str()).map(str::to_owned);
    let tools: BTreeSet<String> = tools.iter().filter_map(name).collect();
    // A model that has to call a tool of the client must find no other; several answers at once are no conversation.
    let must_call = body.read::<String>("tool_choice").is_some_and(|choice| choice == "required");
    let is_one = body.read::<u64>("n").is_none_or(|n| n <= 1);
    let offers = proxy.offers_tools && !must_call && is_one && body.get("functions").is_none();
    let began = Instant::now();
    let owner = Arc::clone(proxy);
    let exchange = proxy
        .memory(move || {
            let session = session.as_deref();
            let request = Request { who: &who, session, form: Default::default(), from: Default::default(), messages: &messages, tools, offers };
            Exchange::begin(&owner.conversations, &owner.open.memory, request)
        })
        .await;
    proxy.metrics.prepared(began.elapsed());
    if exchange.is_none() {
        count(&proxy.metrics.without_memory);
        tracing::warn!("the memory takes too long: a request goes on without it");
    }
    exchange.flatten()
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().count() <= LONGEST_NAME && !name.chars().any(char::is_control)
}

/// A request that is being answered.
struct Job {
    proxy: Arc<Proxy>,
    /// Always there but while the memory has it.
    exchange: Option<Exchange>,
    body: Object,
    headers: HeaderMap,
}

type Head = oneshot::Sender<Response<Body>>;
type Pieces = mpsc::Sender<io::Result<Bytes>>;

impl Job {
    /// Asks the model with the conversation as it is now.
    async fn ask(&mut self) -> Result<Response<Incoming>, NoAnswer> {
        if let Some(exchange) = &self.exchange {
            self.body.set("messages", raw(exchange.messages()));
            if !exchange.may_call() {
                self.body.set("tool_choice", raw("none"));
            }
        }
        self.proxy.upstream.send(Method::POST, PATH, &self.headers, self.body.to_json().into()).await
    }

    async fn whole(mut self, mut head: Head) {
        let mut whole = Whole::default();
        let answer = loop {
            let response = tokio::select! {
                response = self.round() => response,
                () = head.closed() => {
                    self.break_off(Answer::default(), String::new()).await;
                    return;
                }
            };
            let (status, headers, bytes) = match response {
                Ok(response) => response,
                Err(error) => {
                    self.postpone();
                    break reply::no_answer(&error);
                }
            };
            let Some(mut response) = Some(&bytes).filter(|_| status.is_success()).and_then(|bytes| whole.read(bytes))
            else {
                // The client sees what the model's server says, and may ask again.
                self.postpone();
                break reply::whole(status, headers, bytes);
            };
            if self.answered(whole.answer.clone(), whole.shown.clone()).await {
                whole.next_round(&mut response);
                continue;
            }
            let shown = whole.end(&response, &|tool| self.is_ours(tool));
            break reply::whole(status, headers, shown.map_or(bytes, |shown| shown.to_string().into()));
        };
        drop(self);
        let _ = head.send(answer);
    }

    async fn round(&mut self) -> Result<(StatusCode, HeaderMap, Bytes), NoAnswer> {
        let response = self.ask().await?;
        let (status, headers) = (response.status(), passed_back(response.headers()));
        Ok((status, headers, self.proxy.upstream.whole(response.into_body()).await?))
    }

    async fn stream(mut self, mut head: Head) {
        let response = tokio::select! {
            response = self.ask() => response,
            () = head.closed() => {
                self.break_off(Answer::default(), String::new()).await;
                return;
            }
        };
        let response = match response {
            Ok(response) => response,
            Err(error) => {
                self.postpone();
                let _ = head.send(reply::no_answer(&error));
                return;
            }
        };
        let (status, headers) = (response.status(), passed_back(response.headers()));
        if !status.is_success() {
            self.postpone();
            let answer = match self.proxy.upstream.whole(response.into_body()).await {
                Ok(bytes) => reply::whole(status, headers, bytes),
                Err(error) => reply::no_answer(&error),
            };
            let _ = head.send(answer);
            return;
        }
        let (pieces, receive) = mpsc::channel::<io::Result<Bytes>>(WAITING);
        let mut answer = Response::new(Body::from_stream(stream_of(receive)));
        (*answer.status_mut(), *answer.headers_mut()) = (status, headers);
        if head.send(answer).is_err() {
            self.break_off(Answer::default(), String::new()).await;
            return;
        }
        let mut relay = Relay::default();
        let mut body = response.into_body();
        loop {
            match self.relay(&mut relay, body, &pieces).await {
                Relayed::Whole => {}
                Relayed::Cut(why) => return self.cut(relay, &pieces, why).await,
                Relayed::Gone => return self.break_off(relay.answer().clone(), relay.shown().to_owned()).await,
            }
            if !self.answered(relay.answer().clone(), relay.shown().to_owned()).await {
                break;
            }
            relay.next_round();
            let next = tokio::select! {
                next = self.ask() => next,
                () = pieces.closed() => {
                    return self.break_off(Answer::default(), relay.shown().to_owned()).await;
                }
            };
            body = match next {
                Ok(response) if response.status().is_success() => response.into_body(),
                other => return self.fail(other, &pieces).await,
            };
        }
        let mut out = Vec::new();
        relay.end(&mut out);
        drop(self);
        let _ = send(&pieces, out).await;
    }

    /// Passes one round on, until it is over.
    async fn relay(&self, relay: &mut Relay, mut body: Incoming, pieces: &Pieces) -> Relayed {
        let mut events = Events::default();
        let ours = |tool: &str| self.is_ours(tool);
        loop {
            let next = tokio::select! {
                next = self.proxy.upstream.next(&mut body) => next,
                () = pieces.closed() => return Relayed::Gone,
            };
            let mut out = Vec::new();
            let ended = match next {
                Ok(Some(bytes)) => {
                    if let Err(error) = events.push(&bytes) {
                        return Relayed::Cut(error.to_string());
                    }
                    false
                }
                Ok(None) => true,
                Err(error) => return Relayed::Cut(error.to_string()),
            };
            let rest = if ended { events.rest() } else { None };
            for event in (&mut events).chain(rest) {
                relay.event(event, &ours, &mut out);
            }
            if !out.is_empty() && !send(pieces, out).await {
                return Relayed::Gone;
            }
            if relay.is_done() {
                return Relayed::Whole;
            }
            if ended {
                let cut = || Relayed::Cut("the model's server broke off its answer".to_owned());
                return if relay.is_complete() { Relayed::Whole } else { cut() };
            }
        }
    }

    /// Another round cannot be: its error is the last event.
    async fn fail(mut self, failed: Result<Response<Incoming>, NoAnswer>, pieces: &Pieces) {
        self.postpone();
        let error = match failed {
            Ok(response) => match self.proxy.upstream.whole(response.into_body()).await {
                Ok(bytes) => serde_json::from_slice::<Value>(&bytes)
                    .ok()
                    .filter(|value| value["error"].is_object())
                    .unwrap_or_else(|| reply::error("upstream_error", "the model's server refused to go on")),
                Err(error) => reply::error("upstream_error", &error.to_string()),
            },
            Err(error) => reply::error("upstream_error", &error.to_string()),
        };
        let _ = send(pieces, format!("data: {error}\n\n").into_bytes()).await;
    }

    /// The client sees that it was cut, as it would without us.
    async fn cut(self, mut relay: Relay, pieces: &Pieces, why: String) {
        let mut out = Vec::new();
        relay.cut(&mut out);
        if !out.is_empty() {
            let _ = send(pieces, out).await;
        }
        self.break_off(relay.answer().clone(), relay.shown().to_owned()).await;
        let _ = pieces.send(Err(io::Error::new(io::ErrorKind::UnexpectedEof, why))).await;
    }

    fn is_ours(&self, tool: &str) -> bool {
        self.exchange.as_ref().is_some_and(|exchange| exchange.is_ours(tool))
    }

    /// Answers whether the model is asked again. What the memory has to do for that is done when this returns.
    async fn answered(&mut self, answer: Answer, shown: String) -> bool {
        let Some(mut exchange) = self.exchange.take() else { return false };
        let done = tokio::task::spawn_blocking(move || {
            let done = exchange.answered(&answer, &shown);
            (exchange, done)
        });
        let Ok((exchange, done)) = done.await else { return false };
        let is_over = exchange.is_over();
        self.exchange = Some(exchange);
        let metrics = &self.proxy.metrics;
        match &done {
            Ok(true) => count(&metrics.rounds),
            Ok(false) if is_over => count(&metrics.complete),
            Ok(false) => {}
            Err(error) => not_kept(&self.proxy, error),
        }
        done.unwrap_or_default()
    }

    fn postpone(&mut self) {
        if let Some(exchange) = self.exchange.take() {
            exchange.postpone();
        }
    }

    async fn break_off(mut self, answer: Answer, shown: String) {
        let Some(exchange) = self.exchange.take() else { return };
        let done = tokio::task::spawn_blocking(move || exchange.break_off(&answer, &shown)).await;
        count(&self.proxy.metrics.interrupted);
        if let Ok(Err(error)) = done {
            not_kept(&self.proxy, &error);
        }
    }
}

fn not_kept(proxy: &Proxy, error: &NotKept) {
    count(&proxy.metrics.not_kept);
    tracing::warn!(%error, "a turn");
}

enum Relayed {
    Whole,
    Cut(String),
    /// The client is.
    Gone,
}

/// Whether the client took it.
async fn send(pieces: &Pieces, bytes: Vec<u8>) -> bool {
    matches!(timeout(SLOW, pieces.send(Ok(bytes.into()))).await, Ok(Ok(())))
}

fn stream_of(mut pieces: mpsc::Receiver<io::Result<Bytes>>) -> impl futures_util::Stream<Item = io::Result<Bytes>> {
    futures_util::stream::poll_fn(move |context| pieces.poll_recv(context))
}
