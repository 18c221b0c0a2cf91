//! An OpenAI-compatible server in front of the user's model: any application that speaks to one gets a memory by
//! changing its base address and key.
//!
//! The conversation that a client sends goes on to the model with the memory's part of the system prompt, and what is
//! worth knowing below each message of the user. What the model answers comes back without any of that. What a turn is,
//! how conversations are found again and how tools are run stands in `turn`; here is only the protocol, in its two forms:
//! `/v1/chat/completions` and `/v1/responses`. Other routes are passed on as they are.
//!
//! Nothing that the memory does fails a request, and its calls have deadlines. A client that goes away ends its turn as
//! interrupted, and the model's server is told so at once.
//!
//! | file | what it does |
//! |---|---|
//! | `server` | who comes in, limits, routes, the end |
//! | `answering` | one conversation's request, from the model's first answer to the last |
//! | `ask` | what is asked, in either form of the API |
//! | `relay`, `items` | what a client sees of the answer: of chunks, and of items |
//! | `kept` | answers that the model's server keeps |
//! | `pass` | all other routes |
//! | `upstream`, `way` | the model's server, and how it is reached |
//! | `tokens`, `metrics`, `reply` | who has which token; what is counted; what the proxy itself says |

mod answering;
mod ask;
mod items;
mod kept;
mod metrics;
mod pass;
mod relay;
mod reply;
mod server;
mod tokens;
mod upstream;
mod way;

pub use tokens::token_hash;

use std::net::SocketAddr;
use std::sync::Arc;

use hermes_provider_api::Secret;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;
use tokio::sync::oneshot;
use tokio_util::task::TaskTracker;

use crate::error::Failure;
use crate::model::Endpoint;
use crate::open::{Closed, OpenMemory, Surroundings};
use crate::turn::conversations::Conversations;
use server::Proxy;
use tokens::Tokens;
use upstream::Upstream;

/// The variable of the user's own token.
pub const TOKEN: &str = "HERMES_PROXY_TOKEN";

/// Hears the address, that of the model, and what is wrong with tokens, a line each.
pub type Ready = Box<dyn FnOnce(SocketAddr, &str, &[String]) + Send>;

/// What the server is told.
pub struct Options {
    /// Where it listens.
    pub listen: SocketAddr,
    /// The user's own token.
    pub token: Secret,
    /// Called once it listens.
    pub ready: Ready,
}

/// Serves until the process is told to stop.
///
/// # Errors
/// When no model is set up, the address cannot be listened at, or the system gives no thread.
pub fn serve(surroundings: &Surroundings, open: OpenMemory, options: Options) -> Result<Closed, Failure> {
    let no_server = |error| Failure::new(format!("the server cannot be started: {error}"));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .max_blocking_threads(2 * server::JOBS)
        .thread_name("hermes-proxy")
        .build()
        .map_err(no_server)?;
    let outcome = runtime.block_on(run(surroundings, open, options));
    // A provider that does not answer may hold a thread for as long as its deadline: the end does not wait for it.
    runtime.shutdown_background();
    outcome
}

async fn run(surroundings: &Surroundings, open: OpenMemory, options: Options) -> Result<Closed, Failure> {
    let config = &surroundings.config;
    let endpoint = Endpoint::of(config, &surroundings.secrets)?;
    let upstream = Upstream::new(&endpoint, config.proxy_upstream_timeout())?;
    let (tokens, warnings) = Tokens::of(&options.token, config, &surroundings.secrets);
    let listener = TcpListener::bind(options.listen).await.map_err(|error| {
        Failure::new(format!("`{}` cannot be listened at: {error}", options.listen))
            .hint("choose another port with `hermes proxy --port PORT`")
    })?;
    let address = listener.local_addr().unwrap_or(options.listen);
    let proxy = Arc::new(Proxy {
        conversations: Arc::new(Conversations::new("proxy", surroundings.clock.clone())),
        open,
        upstream,
        tokens,
        metrics: metrics::Metrics::default(),
        offers_tools: config.proxy_tools(),
        idle: config.proxy_session_idle(),
        at_work: TaskTracker::new(),
        jobs: Arc::new(Semaphore::new(server::JOBS)),
        bound: address.ip(),
    });
    let stop = stop()?;
    (options.ready)(address, &endpoint.place(), &warnings);
    // Not on the thread of `block_on`, from which each client would have to be handed over to the others.
    let serving = Arc::clone(&proxy);
    let served = tokio::spawn(async move { server::serve(&serving, listener, stop).await }).await;
    let closed = ended(proxy).await;
    served.map_err(|error| Failure::new(format!("the server broke down: {error}")))?;
    closed
}

/// Ends what is going on and closes the memory, on a thread of its own: those that may block may all wait for a
/// provider.
async fn ended(proxy: Arc<Proxy>) -> Result<Closed, Failure> {
    let (send, closed) = oneshot::channel();
    std::thread::Builder::new()
        .name("hermes-end".to_owned())
        .spawn(move || {
            proxy.conversations.end_idle(std::time::Duration::ZERO);
            drop(send.send(proxy.open.close()));
        })
        .map_err(|error| Failure::new(format!("the memory cannot be closed, there is no thread: {error}")))?;
    Ok(closed.await.unwrap_or_default())
}

/// Comes back when the process is asked to stop.
fn stop() -> Result<impl Future<Output = ()>, Failure> {
    let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
    let mut signals = Vec::new();
    for kind in kinds {
        let no_signals = |error| Failure::new(format!("signals cannot be received: {error}"));
        signals.push(signal(kind).map_err(no_signals)?);
    }
    Ok(async move {
        let mut signals: Vec<_> =
            signals.into_iter().map(|mut signal| Box::pin(async move { signal.recv().await })).collect();
        let all = futures_util::future::select_all(signals.drain(..));
        let _ = all.await;
    })
}
