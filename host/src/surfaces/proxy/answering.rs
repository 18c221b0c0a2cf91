//! A request with a conversation: it goes to the model with what the memory knows, and the answer comes back without it.
//! Both forms of the API are answered here; how they differ stands in `ask`, `relay` and `items`.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, Response, StatusCode};
use hyper::body::Incoming;
use serde_json::Value;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::ask::{Ask, path_of};
use super::items::{Items, WholeItems};
use super::metrics::count;
use super::relay::{Chunks, Relay, Whole, WholeChat};
use super::reply;
use super::server::Proxy;
use super::upstream::{NoAnswer, passed_back};
use crate::model::wire::{Answer, Events, Form, Object};
use crate::outbox::NotKept;
use crate::turn::conversations::{Exchange, Request, Who};

/// How many pieces of an answer wait for a slow client, and how long one of them does.
const WAITING: usize = 64;
const SLOW: Duration = Duration::from_secs(120);

/// Answers a request with a conversation.
pub(super) async fn complete(
    proxy: Arc<Proxy>,
    form: Form,
    who: Who,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response<Body> {
    let Ok(body) = serde_json::from_slice::<Object>(&bytes) else {
        return reply::wrong(StatusCode::BAD_REQUEST, "invalid_request_error", "the body is no JSON object");
    };
    let Some(ask) = Ask::read(form, body, &headers).map(Arc::new) else {
        return super::pass::pass(&proxy, Method::POST, path_of(form), &headers, bytes).await;
    };
    let Some(exchange) = begin(&proxy, who, &ask).await else {
        return super::pass::pass(&proxy, Method::POST, path_of(form), &headers, bytes).await;
    };
    let body = ask.with_tools(&exchange);
    let ours = exchange.ours().clone();
    let (head, answer) = oneshot::channel();
    let streams = ask.streams();
    let job = Job { proxy: Arc::clone(&proxy), exchange: Some(exchange), ask, ours, body, headers };
    // A client that goes away ends its handler at once, and what was said is to be recorded all the same.
    proxy.at_work.spawn(async move { if streams { job.stream(head).await } else { job.whole(head).await } });
    answer.await.unwrap_or_else(|_| {
        reply::wrong(StatusCode::INTERNAL_SERVER_ERROR, "server_error", "hermes itself failed here")
    })
}

/// Begins the turn. None for what is no conversation with a user, or when the memory takes too long.
async fn begin(proxy: &Arc<Proxy>, mut who: Who, ask: &Arc<Ask>) -> Option<Exchange> {
    if who.scope.user.is_empty() {
        who.scope.user = ask.user().unwrap_or_default();
    }
    let offers = proxy.offers_tools && ask.leaves_room_for_tools();
    let began = Instant::now();
    let (owner, ask) = (Arc::clone(proxy), Arc::clone(ask));
    let exchange = proxy
        .memory(move || {
            let session = ask.session.as_deref();
            let (form, from, messages, tools) = (ask.form, ask.since(), ask.messages.as_slice(), ask.tools.clone());
            let request = Request { who: &who, session, form, from, messages, tools, offers };
            let exchange = Exchange::begin(&owner.conversations, &owner.open.memory, request)?;
            exchange.answered_by(&ask.model());
            Some(exchange)
        })
        .await;
    proxy.metrics.prepared(began.elapsed());
    if exchange.is_none() {
        count(&proxy.metrics.without_memory);
        tracing::warn!("the memory takes too long: a request goes on without it");
    }
    let exchange = exchange.flatten();
    if let Some(recall) = exchange.as_ref().and_then(Exchange::recall) {
        proxy.metrics.recalled(recall);
    }
    exchange
}

/// A request that is being answered.
struct Job {
    proxy: Arc<Proxy>,
    /// Always there but while the memory has it.
    exchange: Option<Exchange>,
    ask: Arc<Ask>,
    /// The names of the memory's tools that are offered.
    ours: BTreeSet<String>,
    body: Object,
    headers: HeaderMap,
}

type Head = oneshot::Sender<Response<Body>>;
type Pieces = mpsc::Sender<io::Result<Bytes>>;

impl Job {
    /// Asks the model with the conversation as it is now.
    async fn ask(&mut self) -> Result<Response<Incoming>, NoAnswer> {
        if let Some(exchange) = &self.exchange {
            self.ask.put(exchange, &mut self.body);
        }
        self.proxy.upstream.send(Method::POST, path_of(self.ask.form), &self.headers, self.body.to_json().into()).await
    }

    async fn whole(mut self, mut head: Head) {
        let mut whole: Box<dyn Whole> = match self.ask.form {
            Form::Chat => Box::<WholeChat>::default(),
            Form::Responses => Box::new(WholeItems::new(Arc::clone(&self.ask))),
        };
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
            let ours = |tool: &str| self.ours.contains(tool);
            let read = if status.is_success() { whole.read(&bytes, &ours) } else { None };
            let Some(mut response) = read else {
                // The client sees what the model's server says, and may ask again.
                self.postpone();
                break reply::whole(status, headers, bytes);
            };
            if whole.has_failed() {
                self.postpone();
            } else if self.answered(whole.answer().clone(), whole.shown().to_owned()).await {
                whole.next_round(&mut response);
                continue;
            }
            let shown = whole.end(&response, &|tool| self.ours.contains(tool));
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
        let mut relay: Box<dyn Relay> = match self.ask.form {
            Form::Chat => Box::<Chunks>::default(),
            Form::Responses => Box::new(Items::new(Arc::clone(&self.ask))),
        };
        let mut body = response.into_body();
        loop {
            match self.relay(&mut *relay, body, &pieces).await {
                Relayed::Whole => {}
                Relayed::Cut(why) => return self.cut(relay, &pieces, why).await,
                Relayed::Gone => return self.break_off(relay.answer().clone(), relay.shown().to_owned()).await,
            }
            if relay.has_failed() {
                self.postpone();
                break;
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
                other => return self.fail(other, relay, &pieces).await,
            };
        }
        let mut out = Vec::new();
        relay.end(&mut out);
        drop(self);
        let _ = send(&pieces, out).await;
    }

    /// Passes one round on, until it is over.
    async fn relay(&self, relay: &mut dyn Relay, mut body: Incoming, pieces: &Pieces) -> Relayed {
        let mut events = Events::default();
        let ours = |tool: &str| self.ours.contains(tool);
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
                if !ended {
                    self.proxy.upstream.let_end(body);
                }
                return Relayed::Whole;
            }
            if ended {
                let cut = || Relayed::Cut("the model's server broke off its answer".to_owned());
                return if relay.is_complete() { Relayed::Whole } else { cut() };
            }
        }
    }

    /// Another round cannot be: its error is the last event.
    async fn fail(mut self, failed: Result<Response<Incoming>, NoAnswer>, mut relay: Box<dyn Relay>, pieces: &Pieces) {
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
        let mut out = Vec::new();
        relay.error(&error, &mut out);
        let _ = send(pieces, out).await;
    }

    /// The client sees that it was cut, as it would without us.
    async fn cut(self, mut relay: Box<dyn Relay>, pieces: &Pieces, why: String) {
        let mut out = Vec::new();
        relay.cut(&mut out);
        if !out.is_empty() {
            let _ = send(pieces, out).await;
        }
        self.break_off(relay.answer().clone(), relay.shown().to_owned()).await;
        let _ = pieces.send(Err(io::Error::new(io::ErrorKind::UnexpectedEof, why))).await;
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
    // A clock for each piece would cost more than the piece: mostly there is room.
    match pieces.try_send(Ok(bytes.into())) {
        Ok(()) => true,
        Err(TrySendError::Full(piece)) => matches!(timeout(SLOW, pieces.send(piece)).await, Ok(Ok(()))),
        Err(TrySendError::Closed(_)) => false,
    }
}

fn stream_of(mut pieces: mpsc::Receiver<io::Result<Bytes>>) -> impl futures_util::Stream<Item = io::Result<Bytes>> {
    futures_util::stream::poll_fn(move |context| pieces.poll_recv(context))
}
