//! The Model Context Protocol on stdin and stdout: one client, one connection, one session of the memory.
//!
//! The protocol is the SDK's, on one thread; whatever may wait for a provider runs on a thread that may block, so that
//! no request waits for another. Nothing that a provider does ends the server: it becomes the text of a tool's answer.
//! The connection ends when stdin does, or at a signal to stop; what was recorded is delivered then, within limits.

mod args;
mod connection;
mod reply;
mod server;
mod status;
mod tools;
mod transport;
mod who;

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::ServerInitializeError;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use crate::error::Failure;
use crate::open::{Closed, Degraded, Surroundings};
use connection::Connection;
use server::{Jobs, Server};
use transport::Lines;

/// How many blocking threads there are at most: those of the requests, and as many that write answers.
const THREADS: usize = 2 * server::JOBS;
/// How long a client's last requests may still take after a signal, and how long what they began. At the end of stdin
/// the SDK gives them five seconds.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Writes a hint so that it can be typed: with the flags that this program was started with.
pub type Hints = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// Tells the user, who is not the client, what keeps the memory from working fully.
pub type Tell = Arc<dyn Fn(&Degraded) + Send + Sync>;

/// Serves one client on stdin and stdout until it goes away or the process is told to stop.
///
/// # Errors
/// When the system gives no thread, or the client speaks another protocol.
pub fn serve(surroundings: Surroundings, hints: Hints, tell: Tell) -> Result<Closed, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .thread_name("hermes-mcp")
        .build()
        .map_err(|error| Failure::new(format!("the server cannot be started: {error}")))?;
    let outcome = runtime.block_on(run(surroundings, hints, tell));
    // A provider that does not answer may hold a thread for as long as its deadline: the end does not wait for it.
    runtime.shutdown_background();
    outcome
}

async fn run(surroundings: Surroundings, hints: Hints, tell: Tell) -> Result<Closed, Failure> {
    let no_signals = |error| Failure::new(format!("signals cannot be received: {error}"));
    let mut stop = Stop::new().map_err(no_signals)?;
    // A provider may have to be installed and opened first: the client is answered meanwhile.
    let (opening, mut opened) = watch::channel(None);
    tokio::task::spawn_blocking(move || {
        let connection = Connection::open(surroundings, hints).map(Arc::new);
        // What only the provider knows is told by its answers and the status: a client waits.
        if let Ok(connection) = &connection
            && let Some(degraded) = connection.open.known_degradation()
        {
            tell(&degraded);
        }
        opening.send_replace(Some(connection));
    });
    let jobs = Jobs::default();
    let served = serve_client(Server::new(opened.clone(), jobs.clone()), &mut stop).await;

    jobs.finished(LAST_ANSWERS).await;
    let connection = match timeout(LAST_ANSWERS, opened.wait_for(Option::is_some)).await {
        Ok(Ok(connection)) => connection.clone(),
        _ => None,
    };
    let closed = match connection {
        Some(Ok(connection)) => ended(connection).await?,
        _ => Closed::default(),
    };
    served.map(|()| closed)
}

/// Ends the connection, on a thread of its own: those that may block may all wait for a client that reads no answers.
async fn ended(connection: Arc<Connection>) -> Result<Closed, Failure> {
    let (send, closed) = oneshot::channel();
    std::thread::Builder::new()
        .name("hermes-end".to_owned())
        .spawn(move || drop(send.send(connection.end())))
        .map_err(|error| Failure::new(format!("the memory cannot be closed, there is no thread: {error}")))?;
    Ok(closed.await.unwrap_or_default())
}

async fn serve_client(server: Server, stop: &mut Stop) -> Result<(), Failure> {
    let lines = Lines::stdio().map_err(|error| Failure::new(format!("stdin cannot be read: {error}")))?;
    let begun = tokio::select! {
        begun = rmcp::serve_server(server, lines) => begun,
        () = stop.told() => return Ok(()),
    };
    let running = match begun {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
            return Err(Failure::new("the client did not begin with `initialize`"));
        }
        Err(error) => return Err(Failure::new(format!("the client could not be greeted: {error}"))),
    };
    let cancel = running.cancellation_token();
    let mut ended = std::pin::pin!(running.waiting());
    let ended = tokio::select! {
        ended = &mut ended => ended,
        () = stop.told() => {
            cancel.cancel();
            match timeout(LAST_ANSWERS, ended).await {
                Ok(ended) => ended,
                Err(_) => return Ok(()),
            }
        }
    };
    ended.map(drop).map_err(|error| Failure::new(format!("the connection broke off: {error}")))
}

/// The signals that ask a process to stop.
struct Stop([Signal; 3]);

impl Stop {
    fn new() -> std::io::Result<Self> {
        Ok(Self([signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?, signal(SignalKind::hangup())?]))
    }

    /// Comes back when one of them has come.
    async fn told(&mut self) {
        let [terminate, interrupt, hangup] = &mut self.0;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}
