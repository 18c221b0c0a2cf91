//! The protocol over HTTP, on this machine: several clients, each with its own session, and none without the token.

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{HeaderValue, Method};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use hermes_provider_api::Secret;
use http_body::Frame;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use super::keeper::Keeper;
use super::seats::Guests;
use super::server::Server;
use super::{LAST_ANSWERS, Stop, transport};
use crate::error::{Failure, Hint};
use crate::surfaces::guard::{Refused, bearer, check_page, is_token};

/// The path of the protocol.
pub const PATH: &str = "/mcp";
/// The variable that holds the token.
pub const TOKEN: &str = "HERMES_MCP_TOKEN";

/// How long a session is kept whose client says nothing.
const IDLE: Duration = Duration::from_secs(4 * 60 * 60);
/// How many requests are open at once, those that only listen included.
const REQUESTS: usize = 1024;

/// Where clients come in, and who may.
#[derive(Debug)]
pub struct Door {
    listener: TcpListener,
    address: SocketAddr,
    token: Secret,
}

/// Nobody can be let in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DoorError {
    /// The address is taken, or not one of this machine.
    #[error("`{address}` cannot be listened on")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

impl Hint for DoorError {
    fn hints(&self) -> Vec<String> {
        let Self::Bind { source, .. } = self;
        match source.kind() {
            std::io::ErrorKind::AddrInUse => {
                vec!["another server may be running; `hermes mcp --http --port 0` takes any free port".to_owned()]
            }
            _ => vec!["`hermes mcp --http` takes the loopback address".to_owned()],
        }
    }
}

impl Door {
    /// Takes the address. From now on clients may knock; they are answered once it is [served](super::Service::on_http).
    ///
    /// # Errors
    /// When it cannot be had.
    pub fn open(address: SocketAddr, token: Secret) -> Result<Self, DoorError> {
        let bind = |source| DoorError::Bind { address, source };
        let listener = TcpListener::bind(address).map_err(bind)?;
        listener.set_nonblocking(true).map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        Ok(Self { listener, address, token })
    }

    /// What a client is told to connect to.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Answers until told to stop. Requests that are at work are answered then, and no others.
    pub(super) async fn serve(self, keeper: &Keeper, stop: &mut Stop) -> Result<(), Failure> {
        let Self { listener, address, token } = self;
        let broken = |error| Failure::new(format!("`{address}` is no longer listened on: {error}"));
        let listener = tokio::net::TcpListener::from_std(listener).map_err(broken)?;
        let config = config();
        let streams = config.cancellation_token.clone();
        let open = Arc::new(Semaphore::new(REQUESTS));
        let guard = Arc::new(Guard { bound: address.ip(), token, open: Arc::clone(&open) });
        let router = Router::new()
            .route_service(PATH, service(keeper.clone(), config))
            .layer(from_fn(move |request, next| let_in(Arc::clone(&guard), request, next)));
        let (close, closing) = oneshot::channel::<()>();
        let serving = axum::serve(listener, router).with_graceful_shutdown(async { drop(closing.await) });
        let mut serving = std::pin::pin!(serving.into_future());
        tokio::select! {
            ended = &mut serving => return ended.map_err(broken),
            () = stop.told() => drop(close),
        }
        let all = u32::try_from(REQUESTS).expect("it is a small number");
        let drain = async {
            keeper.finished(LAST_ANSWERS).await;
            // Until the last answer is written. Those who only listen would never be done.
            let _ = timeout(LAST_ANSWERS, open.acquire_many(all)).await;
            streams.cancel();
        };
        let done = async { tokio::join!(&mut serving, drain).0 };
        match timeout(3 * LAST_ANSWERS, done).await {
            Ok(ended) => ended.map_err(broken),
            Err(_) => Ok(()),
        }
    }
}

fn service(keeper: Keeper, config: StreamableHttpServerConfig) -> StreamableHttpService<Server, LocalSessionManager> {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(IDLE);
    let guests = Guests::default();
    StreamableHttpService::new(move || Ok(Server::new(keeper.clone(), guests.clone())), Arc::new(sessions), config)
}

fn config() -> StreamableHttpServerConfig {
    let longest = usize::try_from(transport::LONGEST).expect("it is a small number");
    // The guard has looked at host and origin already, and knows the address that is listened on.
    StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(longest)
}

struct Guard {
    bound: IpAddr,
    token: Secret,
    open: Arc<Semaphore>,
}

async fn let_in(guard: Arc<Guard>, request: Request, next: Next) -> Response {
    let checked = check_page(guard.bound, request.method(), request.headers()).and_then(|()| {
        let given = bearer(request.headers()).filter(|given| is_token(given, &guard.token));
        given.map(drop).ok_or(Refused::Token)
    });
    if let Err(refused) = checked {
        tracing::info!(%refused, "a request was not let in");
        let mut response = (refused.status(), format!("{refused}\n")).into_response();
        if refused == Refused::Token {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        return response;
    }
    let is_answered = request.method() == Method::POST;
    let permit = if is_answered { Arc::clone(&guard.open).acquire_owned().await.ok() } else { None };
    let response = next.run(request).await;
    match permit {
        Some(permit) => response.map(|body| Body::new(Held { body, _permit: permit })),
        None => response,
    }
}

/// The body of an answer, which is under way until it was read to its end.
struct Held {
    body: Body,
    _permit: OwnedSemaphorePermit,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }
}
