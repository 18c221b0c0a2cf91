//! The server: who comes in, which way a request goes, and how it all ends.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{Method, Response, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::IntoResponse as _;
use axum::routing::get;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::task::TaskTracker;

use super::metrics::Metrics;
use super::tokens::Tokens;
use super::upstream::Upstream;
use super::{answering, ask, kept, pass, reply};
use crate::model::wire::Form;
use crate::open::OpenMemory;
use crate::surfaces::guard::{self, Refused};
use crate::turn::conversations::{Conversations, Who};

/// How many requests are at the memory at once; more of them wait.
pub(super) const JOBS: usize = 128;
/// How long the memory's part may take before the model is asked without it. Each of its calls has a deadline of its
/// own, which is shorter.
const MEMORY: Duration = Duration::from_secs(20);
/// The largest body: pictures are sent in it.
const MOST: usize = 32 << 20;
/// How long a client may take for the head of a request, and for its body.
const HEAD: Duration = Duration::from_secs(30);
const BODY: Duration = Duration::from_secs(60);
/// How many headers a request has at most, and how many bytes they have.
const HEADERS: usize = 64;
const HEADER_BYTES: usize = 32 << 10;
/// How many clients are connected at once.
const CONNECTIONS: usize = 1024;
/// How long answers may still take when the server is told to end.
const LAST_ANSWERS: Duration = Duration::from_secs(20);
/// How often it is looked for conversations that are over.
const SWEEP: Duration = Duration::from_secs(10);

/// What all requests share.
pub(super) struct Proxy {
    pub(super) open: OpenMemory,
    pub(super) conversations: Arc<Conversations>,
    pub(super) upstream: Upstream,
    pub(super) tokens: Tokens,
    pub(super) metrics: Metrics,
    pub(super) offers_tools: bool,
    pub(super) idle: Duration,
    /// What is done for clients that may be gone.
    pub(super) at_work: TaskTracker,
    pub(super) jobs: Arc<Semaphore>,
    pub(super) bound: IpAddr,
}

impl Proxy {
    /// Whether the memory does less than it could, as far as that is known without asking it.
    async fn memory_is_degraded(self: &Arc<Self>) -> bool {
        let proxy = Arc::clone(self);
        let known = tokio::task::spawn_blocking(move || proxy.open.known_degradation().is_some());
        known.await.unwrap_or(true)
    }

    /// Does something with the memory, on a thread that may wait. None when it takes too long; it goes on to its end.
    pub(super) async fn memory<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let work = async {
            let permit = Arc::clone(&self.jobs).acquire_owned().await.ok()?;
            let done = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                job()
            });
            done.await.ok()
        };
        timeout(MEMORY, work).await.ok().flatten()
    }
}

/// Answers clients until it is told to stop, and those that are being answered then to their end.
pub(super) async fn serve(proxy: &Arc<Proxy>, listener: TcpListener, stop: impl Future<Output = ()>) {
    let router = Router::new()
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .fallback(api)
        .layer(from_fn_with_state(Arc::clone(proxy), let_in))
        .with_state(Arc::clone(proxy));
    let (connections, open) = (GracefulShutdown::new(), Arc::new(Semaphore::new(CONNECTIONS)));
    let mut stop = std::pin::pin!(stop);
    let sweeper = tokio::spawn(sweep(Arc::clone(proxy)));
    loop {
        let next = async {
            let permit = Arc::clone(&open).acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Too many files are open, for instance: that passes.
                tracing::warn!(%error, "a client could not be let in");
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .max_headers(HEADERS)
            .max_buf_size(HEADER_BYTES)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router.clone()));
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            let _permit = permit;
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection");
            }
        });
    }
    drop(listener);
    sweeper.abort();
    proxy.at_work.close();
    let _ = timeout(LAST_ANSWERS, async { tokio::join!(connections.shutdown(), proxy.at_work.wait()) }).await;
}

/// Ends conversations in which nothing was said for long.
async fn sweep(proxy: Arc<Proxy>) {
    loop {
        sleep(SWEEP).await;
        let owner = Arc::clone(&proxy);
        let _ = tokio::task::spawn_blocking(move || owner.conversations.end_idle(owner.idle)).await;
    }
}

/// Lets programs in that know a token, and no web page.
async fn let_in(State(proxy): State<Arc<Proxy>>, mut request: Request, next: Next) -> Response<Body> {
    let route = match request.uri().path() {
        "/health" => "health",
        "/metrics" => "metrics",
        path => match ask::form_at(of_api(path)) {
            Some(Form::Chat) => "chat",
            Some(Form::Responses) => "responses",
            None => "other",
        },
    };
    proxy.metrics.open.fetch_add(1, Ordering::Relaxed);
    let who = guard::bearer(request.headers()).and_then(|token| proxy.tokens.who(token)).cloned();
    let checked = guard::check_page(proxy.bound, request.method(), request.headers());
    let answer = match checked {
        Err(refused) => reply::refused(refused),
        Ok(()) => match who {
            None if route != "health" => reply::refused(Refused::Token),
            who => {
                request.extensions_mut().insert(who.unwrap_or_default());
                next.run(request).await
            }
        },
    };
    proxy.metrics.open.fetch_sub(1, Ordering::Relaxed);
    proxy.metrics.request(route, answer.status().as_u16());
    answer
}

/// The path behind `/v1`, which a client may leave out of its base address.
fn of_api(path: &str) -> &str {
    path.strip_prefix("/v1").filter(|rest| rest.starts_with('/')).unwrap_or(path)
}

async fn api(State(proxy): State<Arc<Proxy>>, request: Request) -> Response<Body> {
    if proxy.at_work.is_closed() {
        return reply::ending();
    }
    let (parts, body) = request.into_parts();
    let path = of_api(parts.uri.path());
    if !pass::is_plain(path) {
        return reply::wrong(StatusCode::NOT_FOUND, "invalid_request_error", "there is nothing at this path");
    }
    let bytes: Bytes = match timeout(BODY, axum::body::to_bytes(body, MOST)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => {
            let message = "the body is larger than 32 MiB, or was broken off";
            return reply::wrong(StatusCode::PAYLOAD_TOO_LARGE, "invalid_request_error", message);
        }
        Err(_) => {
            let message = "the body took longer than a minute";
            return reply::wrong(StatusCode::REQUEST_TIMEOUT, "invalid_request_error", message);
        }
    };
    let who = parts.extensions.get::<Who>().cloned().unwrap_or_default();
    if let Some(form) = ask::form_at(path).filter(|_| parts.method == Method::POST) {
        return answering::complete(proxy, form, who, parts.headers, bytes).await;
    }
    let answer = kept::answer_at(path).map(str::to_owned);
    let path = parts.uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    // A stream is that of an answer which was made without the memory.
    if let Some(answer) = answer.filter(|_| !parts.uri.query().is_some_and(|query| query.contains("stream=true"))) {
        return kept::ask(&proxy, who, parts.method, answer, &path, &parts.headers, bytes).await;
    }
    pass::pass(&proxy, parts.method, &path, &parts.headers, bytes).await
}

/// Requests are answered whatever the memory does, so that is told apart. What is the matter is nobody's business who has
/// no token.
async fn health(State(proxy): State<Arc<Proxy>>) -> Response<Body> {
    let memory = match (proxy.memory_is_degraded().await, proxy.open.memory.external()) {
        (true, _) => "degraded",
        (false, Some(_)) => "ready",
        (false, None) => "files",
    };
    let version = env!("CARGO_PKG_VERSION");
    reply::json(StatusCode::OK, &json!({"status": "ok", "version": version, "memory": memory}))
}

async fn metrics(State(proxy): State<Arc<Proxy>>) -> Response<Body> {
    let degraded = proxy.memory_is_degraded().await;
    let text = proxy.metrics.text(proxy.conversations.len(), degraded);
    ([("content-type", "text/plain; version=0.0.4")], text).into_response()
}
