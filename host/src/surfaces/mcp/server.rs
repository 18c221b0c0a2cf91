//! One client as the server knows it: who it is, which session it has, and on which thread its requests are done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rmcp::model::{InitializeRequestParams, ProgressNotificationParam};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::connection::Connection;
use super::keeper::Keeper;
use super::running::{Running, lock};
use super::seats::{Guests, Seat};
use super::who::{self, Who};
use crate::error::Failure;
use crate::secrets::Mask;

/// How long a request waits for the memory to be opened, which may have to install a provider.
const OPENING: Duration = Duration::from_secs(20);
/// How long a client may take to name its roots.
const ROOTS: Duration = Duration::from_secs(3);
/// How often a client that asked for it is told that its request is still at work.
const PROGRESS: Duration = Duration::from_millis(500);

/// Answers one client.
pub(super) struct Server {
    keeper: Keeper,
    own: Seat,
    guests: Guests,
    /// Whether the client has a session of its own.
    has_session: AtomicBool,
    /// The project of the client; None while it is asked for.
    project: watch::Sender<Option<String>>,
    /// How often it was asked for.
    questions: AtomicU64,
    /// Tells the client of changes.
    following: std::sync::Mutex<Option<AbortHandle>>,
}

impl Server {
    /// For the one client of a pair of pipes.
    pub(super) fn alone(keeper: Keeper) -> Self {
        let server = Self::new(keeper, Guests::default());
        server.has_session.store(true, Ordering::Relaxed);
        server
    }

    /// For a client that may say hello, or may be one that never does.
    pub(super) fn new(keeper: Keeper, guests: Guests) -> Self {
        Self {
            keeper,
            own: Seat::Own(Arc::default()),
            guests,
            has_session: AtomicBool::new(false),
            project: watch::Sender::new(Some(String::new())),
            questions: AtomicU64::new(0),
            following: std::sync::Mutex::default(),
        }
    }

    /// Does something with the memory that may wait. An error is one of ours, and not the provider's.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        job: impl FnOnce(&Connection) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let work = async {
            let (running, permit) = self.memory().await?;
            let who = self.who(context).await;
            let seat = match self.has_session.load(Ordering::Relaxed) {
                true => self.own.clone(),
                false => Seat::Guest(self.guests.clone()),
            };
            let done = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                let connection = seat.connection(&running, &who);
                connection.spoken_by(who);
                job(&connection)
            });
            done.await.map_err(|error| Failure::new(format!("hermes itself failed here: {error}")))
        };
        tokio::select! {
            done = work => done,
            // What has begun is done to its end, and nobody waits for the answer.
            () = context.ct.cancelled() => Err(Failure::new("cancelled")),
            never = self.tell_progress(context) => match never {},
        }
    }

    /// The memory, and the right to work with it.
    async fn memory(&self) -> Result<(Arc<Running>, OwnedSemaphorePermit), Failure> {
        let mut opened = self.keeper.opened();
        loop {
            let running = match timeout(OPENING, opened.wait_for(Option::is_some)).await {
                Ok(Ok(opened)) => opened.clone().unwrap_or_else(|| Err(Failure::new("the memory is not open")))?,
                Ok(Err(_)) => return Err(Failure::new("the memory is closed")),
                Err(_) => {
                    return Err(Failure::new("the memory is still being opened").hint("try again in a moment"));
                }
            };
            let permit = self.keeper.jobs().acquire_owned().await;
            let permit = permit.map_err(|_| Failure::new("the server is shutting down"))?;
            // While others were at work, it may have been closed.
            if matches!(&*opened.borrow(), Some(Ok(now)) if Arc::ptr_eq(now, &running)) {
                return Ok((running, permit));
            }
        }
    }

    /// For errors of our own, in which a cause may stand; nothing is known before the memory is open.
    pub(super) fn mask(&self) -> Mask {
        match &*self.keeper.opened().borrow() {
            Some(Ok(running)) => running.open.mask.clone(),
            _ => Mask::default(),
        }
    }

    async fn tell_progress(&self, context: &RequestContext<RoleServer>) -> std::convert::Infallible {
        let Some(token) = context.meta.get_progress_token() else { return std::future::pending().await };
        for step in 1_u32.. {
            sleep(PROGRESS).await;
            let what = match &*self.keeper.opened().borrow() {
                None => "the memory is being opened",
                Some(_) => "the memory is at work",
            };
            let progress = ProgressNotificationParam::new(token.clone(), f64::from(step)).with_message(what);
            if context.peer.notify_progress(progress).await.is_err() {
                break;
            }
        }
        std::future::pending().await
    }

    async fn who(&self, context: &RequestContext<RoleServer>) -> Who {
        let client = context.client_info().map(|client| client.name).unwrap_or_default();
        let mut project = self.project.subscribe();
        if timeout(ROOTS, project.wait_for(Option::is_some)).await.is_err() {
            // A client that does not answer is waited for once. It may have answered at this very moment.
            self.project.send_if_modified(|project| {
                let unknown = project.is_none();
                project.get_or_insert_default();
                unknown
            });
        }
        let project = self.project.borrow().clone();
        Who { platform: who::platform(&client), project: project.unwrap_or_default() }
    }

    /// The client says hello: it has a session of its own from now on.
    pub(super) fn greeted(&self, client: &InitializeRequestParams) {
        self.has_session.store(true, Ordering::Relaxed);
        if has_roots(client) {
            // They may be asked for only later, and a call that comes before them waits.
            self.project.send_replace(None);
        }
    }

    /// Asks for the roots of a client that has some.
    pub(super) async fn ask_roots(&self, peer: &Peer<RoleServer>) {
        let question = self.questions.fetch_add(1, Ordering::Relaxed);
        self.project.send_replace(None);
        let first = timeout(ROOTS, first_root(peer)).await.unwrap_or_default();
        // The answer to an earlier question may come last, and is older all the same.
        if self.questions.load(Ordering::Relaxed) == question + 1 {
            self.project.send_replace(Some(first.map(|uri| who::project(&uri)).unwrap_or_default()));
        }
    }

    /// How often the memory was opened anew.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.keeper.changes()
    }

    /// From now on the client is told when what it is offered may have changed.
    pub(super) fn follow(&self, peer: &Peer<RoleServer>) {
        let (peer, mut changes) = (peer.clone(), self.changes());
        let following = tokio::spawn(async move {
            while changes.changed().await.is_ok() {
                let told = peer.notify_tool_list_changed().await;
                let told = told.and(peer.notify_resource_list_changed().await);
                if told.and(peer.notify_prompt_list_changed().await).is_err() {
                    break;
                }
            }
        });
        if let Some(earlier) = lock(&self.following).replace(following.abort_handle()) {
            earlier.abort();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(following) = lock(&self.following).take() {
            following.abort();
        }
        // With it goes the session, and its end is written to disk.
        if let Seat::Own(own) = &self.own
            && let Some(connection) = lock(own).take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn_blocking(move || drop(connection));
        }
    }
}

/// The address of the client's first root.
#[expect(deprecated, reason = "the newest protocol has no roots, and most clients speak an older one")]
async fn first_root(peer: &Peer<RoleServer>) -> Option<String> {
    match peer.list_roots().await {
        Ok(roots) => roots.roots.into_iter().next().map(|root| root.uri),
        Err(error) => {
            tracing::debug!(%error, "the client named no roots");
            None
        }
    }
}

pub(super) fn has_roots(client: &InitializeRequestParams) -> bool {
    client.capabilities.roots.is_some()
}
