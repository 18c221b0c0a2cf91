//! The Model Context Protocol: on stdin and stdout for one client, or over HTTP on this machine for several.
//!
//! The protocol is the SDK's, on one thread; whatever may wait for a provider runs on a thread that may block, so that
//! no request waits for another. Nothing that a provider does ends the server: it becomes the text of a tool's answer.
//! Each client has a session of the memory. The memory is opened anew when the user changes what it is made of, and the
//! clients are told. The server ends with stdin, or at a signal to stop; what was recorded is delivered then, within
//! limits.

mod args;
mod connection;
mod handler;
mod http;
mod keeper;
mod prompts;
mod reply;
mod resources;
mod running;
mod seats;
mod server;
mod sessions;
mod status;
mod tools;
mod transport;
mod who;

pub use http::{Door, DoorError, PATH, TOKEN};

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::ServerInitializeError;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::error::Failure;
use crate::open::{Closed, Degraded, Surroundings};
use keeper::{JOBS, Keeper};
use running::Running;
use server::Server;
use transport::Lines;

/// How many blocking threads there are at most: those of the requests, and as many that write answers.
const THREADS: usize = 2 * JOBS;
/// How long a client's last requests may still take after a signal, and how long what they began. At the end of stdin
/// the SDK gives them five seconds.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Writes a hint so that it can be typed: with the flags that this program was started with.
pub type Hints = Arc<dyn Fn(&str) -> String + Send + Sync>;

/// Tells the user, who is not the client, what keeps the memory from working fully.
pub type Tell = Arc<dyn Fn(&Degraded) + Send + Sync>;

/// Reads the settings and the secrets again.
pub type Reload = Arc<dyn Fn() -> Result<Surroundings, Failure> + Send + Sync>;

/// What is served.
pub struct Service {
    /// The home, as it was found.
    pub surroundings: Surroundings,
    /// The home as it is later.
    pub reload: Reload,
    /// For the hints in answers.
    pub hints: Hints,
    /// For the user.
    pub tell: Tell,
}

impl Service {
    /// Serves one client on stdin and stdout until it goes away or the process is told to stop.
    ///
    /// # Errors
    /// When the system gives no thread, or the client speaks another protocol.
    pub fn on_stdio(self) -> Result<Closed, Failure> {
        self.serve(None)
    }

    /// Serves all who come in by this door, until the process is told to stop.
    ///
    /// # Errors
    /// When the system gives no thread, or takes the address away.
    pub fn on_http(self, door: Door) -> Result<Closed, Failure> {
        self.serve(Some(door))
    }

    fn serve(self, door: Option<Door>) -> Result<Closed, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(THREADS)
            .thread_name("hermes-mcp")
            .build()
            .map_err(|error| Failure::new(format!("the server cannot be started: {error}")))?;
        let outcome = runtime.block_on(self.run(door));
        // A provider that does not answer may hold a thread for as long as its deadline: the end does not wait for it.
        runtime.shutdown_background();
        outcome
    }

    async fn run(self, door: Option<Door>) -> Result<Closed, Failure> {
        let no_signals = |error| Failure::new(format!("signals cannot be received: {error}"));
        let mut stop = Stop::new().map_err(no_signals)?;
        let keeper = Keeper::new(self.hints, self.tell);
        // A provider may have to be installed and opened first: clients are answered meanwhile.
        let keeping = tokio::spawn(keeper.clone().keep(self.surroundings, self.reload));
        let served = match door {
            None => serve_client(Server::alone(keeper.clone()), &mut stop).await,
            Some(door) => door.serve(&keeper, &mut stop).await,
        };
        keeper.finished(LAST_ANSWERS).await;
        let mut opened = keeper.opened();
        let running = match timeout(LAST_ANSWERS, opened.wait_for(Option::is_some)).await {
            Ok(Ok(running)) => running.clone(),
            _ => None,
        };
        keeping.abort();
        let closed = match running {
            Some(Ok(running)) => ended(running).await?,
            _ => Closed::default(),
        };
        served.map(|()| closed)
    }
}

/// Ends the memory, on a thread of its own: those that may block may all wait for a client that reads no answers.
async fn ended(running: Arc<Running>) -> Result<Closed, Failure> {
    let (send, closed) = oneshot::channel();
    std::thread::Builder::new()
        .name("hermes-end".to_owned())
        .spawn(move || drop(send.send(running.end())))
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
