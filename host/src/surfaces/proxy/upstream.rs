//! The model's server, as a client of HTTP sees it.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, USER_AGENT};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::timeout;

use super::way::Way;
use crate::error::Failure;
use crate::model::Endpoint;
use crate::net;

/// How long a name is looked up, and a connection with its TLS handshake may take.
const CONNECT: Duration = Duration::from_secs(15);
/// How long a connection that nobody uses is kept.
const IDLE: Duration = Duration::from_secs(60);
/// How long the end of an answer is waited for, and how much may come in between, so that its connection can be kept.
const LAST_BYTES: Duration = Duration::from_secs(2);
const MOST_AFTER: usize = 64 << 10;
/// The most of an answer that is not streamed.
const MOST: usize = 64 << 20;

/// Headers of a client that are the model's business.
const PASSED_ON: [&str; 5] =
    ["openai-organization", "openai-project", "openai-beta", "x-request-id", "accept-language"];
/// Headers of an answer that are not the client's: they belong to one connection, or would set cookies for another host.
const HELD_BACK: [&str; 11] = [
    "connection",
    "content-length",
    "keep-alive",
    "proxy-authenticate",
    "proxy-connection",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "alt-svc",
];

/// Why there is no answer of the model's server.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoAnswer {
    #[error("{place} cannot be reached: {reason}")]
    Unreachable { place: String, reason: String },
    #[error("{place} said nothing for {} s", limit.as_secs())]
    Silent { place: String, limit: Duration },
    #[error("{place} broke off its answer")]
    Cut { place: String },
    #[error("the answer of {place} is larger than 64 MiB")]
    TooLarge { place: String },
    #[error("no address at {place} can be made of what was asked for")]
    Address { place: String },
}

/// The model's server.
pub(super) struct Upstream {
    client: Client<HttpsConnector<Way>, Full<Bytes>>,
    base: String,
    place: String,
    authorization: Option<HeaderValue>,
    /// How long nothing may come from it.
    pub(super) patience: Duration,
}

impl Upstream {
    pub(super) fn new(endpoint: &Endpoint, patience: Duration) -> Result<Self, Failure> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT));
        let tls = HttpsConnectorBuilder::new().with_tls_config(net::client_config()?);
        let way = Way::to(&endpoint.base, tcp)?;
        let connector = tls.https_or_http().enable_http1().wrap_connector(way);
        let mut builder = Client::builder(TokioExecutor::new());
        builder.pool_idle_timeout(IDLE).pool_timer(TokioTimer::new());
        let authorization = endpoint.key.as_ref().map(|key| HeaderValue::try_from(format!("Bearer {}", key.expose())));
        let authorization = authorization.transpose().map_err(|_| {
            Failure::new("the model's key has characters that no header may have")
                .hint("put the right one at `HERMES_MODEL_API_KEY` in `.env`")
        })?;
        let authorization = authorization.map(|mut value| {
            value.set_sensitive(true);
            value
        });
        let client = builder.build(connector);
        Ok(Self { client, base: endpoint.base.clone(), place: endpoint.place(), authorization, patience })
    }

    /// Sends a request and waits for the head of the answer. `path` begins with `/`.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        from: &HeaderMap,
        body: Bytes,
    ) -> Result<Response<Incoming>, NoAnswer> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.base));
        if let Some(headers) = request.headers_mut() {
            let names = PASSED_ON.map(HeaderName::from_static).into_iter().chain([ACCEPT, CONTENT_TYPE, USER_AGENT]);
            for name in names {
                if let Some(value) = from.get(&name) {
                    headers.insert(name, value.clone());
                }
            }
            if let Some(value) = &self.authorization {
                headers.insert(AUTHORIZATION, value.clone());
            }
        }
        let request = request.body(Full::new(body)).map_err(|_| NoAnswer::Address { place: self.place.clone() })?;
        match timeout(self.patience, self.client.request(request)).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => {
                let reason = innermost(&error);
                Err(NoAnswer::Unreachable { place: self.place.clone(), reason })
            }
            Err(_) => Err(self.silent()),
        }
    }

    /// The next bytes of an answer; None at its end.
    pub(super) async fn next(&self, body: &mut Incoming) -> Result<Option<Bytes>, NoAnswer> {
        loop {
            match timeout(self.patience, body.frame()).await {
                Err(_) => return Err(self.silent()),
                Ok(None) => return Ok(None),
                Ok(Some(Err(_))) => return Err(NoAnswer::Cut { place: self.place.clone() }),
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
            }
        }
    }

    /// Reads on to the end of an answer of which all is known, in the background: its connection serves the next request
    /// then, which needs no handshake.
    pub(super) fn let_end(&self, mut body: Incoming) {
        tokio::spawn(timeout(LAST_BYTES, async move {
            let mut read = 0;
            while let Some(Ok(frame)) = body.frame().await {
                read += frame.data_ref().map_or(0, Bytes::len);
                if read > MOST_AFTER {
                    break;
                }
            }
        }));
    }

    /// The whole of an answer.
    pub(super) async fn whole(&self, mut body: Incoming) -> Result<Bytes, NoAnswer> {
        let mut whole = Vec::new();
        while let Some(bytes) = self.next(&mut body).await? {
            if whole.len() + bytes.len() > MOST {
                return Err(NoAnswer::TooLarge { place: self.place.clone() });
            }
            whole.extend_from_slice(&bytes);
        }
        Ok(whole.into())
    }

    fn silent(&self) -> NoAnswer {
        NoAnswer::Silent { place: self.place.clone(), limit: self.patience }
    }
}

/// The headers of an answer that its client is given.
pub(super) fn passed_back(headers: &HeaderMap) -> HeaderMap {
    let mut passed = HeaderMap::new();
    for (name, value) in headers.iter().filter(|(name, _)| !HELD_BACK.contains(&name.as_str())) {
        passed.append(name, value.clone());
    }
    passed
}

fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
