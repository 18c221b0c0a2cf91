//! How the model's server is reached: directly, or through the proxy that the environment names, as everything else is.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::Uri;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tower_service::Service;
use ureq::{Proxy, ProxyProtocol};

use crate::error::Failure;
use crate::net::Network;

/// How long the proxy may take to reach the server, and how long its answer may be.
const CONNECT: Duration = Duration::from_secs(15);
const LONGEST: usize = 16 << 10;

/// Connects to the model's server.
#[derive(Clone)]
pub(super) struct Way {
    tcp: HttpConnector,
    through: Option<Arc<Through>>,
}

/// A proxy.
struct Through {
    address: Uri,
    authorization: Option<String>,
}

impl Way {
    /// The way to this address. A proxy is never asked for this machine.
    pub(super) fn to(base: &str, tcp: HttpConnector) -> Result<Self, Failure> {
        let proxy = base.parse().ok().and_then(|base| Network::of_process().ok()?.proxy_for(&base));
        let through = proxy.map(through).transpose()?.map(Arc::new);
        Ok(Self { tcp, through })
    }
}

fn through(proxy: &Proxy) -> Result<Through, Failure> {
    let place = format!("{}:{}", proxy.host(), proxy.port());
    let address = match proxy.protocol() {
        ProxyProtocol::Http => format!("http://{place}").parse().ok(),
        _ => None,
    };
    let address = address.ok_or_else(|| {
        Failure::new(format!("the model cannot be reached through the proxy at {place}: it is none that speaks HTTP"))
            .hint("name one with `HTTPS_PROXY=http://...`, or the model's host in `NO_PROXY`")
    })?;
    let name = proxy.username().map(|name| format!("{name}:{}", proxy.password().unwrap_or_default()));
    let authorization = name.map(|name| format!("Basic {}", BASE64_STANDARD.encode(name)));
    Ok(Through { address, authorization })
}

type Connecting = Pin<Box<dyn Future<Output = io::Result<TokioIo<TcpStream>>> + Send>>;

impl Service<Uri> for Way {
    type Response = TokioIo<TcpStream>;
    type Error = io::Error;
    type Future = Connecting;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.tcp.poll_ready(context).map_err(io::Error::other)
    }

    fn call(&mut self, to: Uri) -> Connecting {
        let first = self.through.as_ref().map_or_else(|| to.clone(), |through| through.address.clone());
        let (connecting, through) = (self.tcp.call(first), self.through.clone());
        Box::pin(async move {
            let stream = connecting.await.map_err(io::Error::other)?;
            let Some(through) = through else { return Ok(stream) };
            let mut stream = stream.into_inner();
            let tunnel = timeout(CONNECT, tunnel(&mut stream, &through, &to));
            tunnel.await.map_err(|_| io::Error::other("the proxy does not answer"))??;
            Ok(TokioIo::new(stream))
        })
    }
}

/// Has the proxy connect to a server.
async fn tunnel(stream: &mut TcpStream, through: &Through, to: &Uri) -> io::Result<()> {
    let port = to.port_u16().unwrap_or(if to.scheme_str() == Some("http") { 80 } else { 443 });
    let place = format!("{}:{port}", to.host().unwrap_or_default());
    let authorization = through.authorization.as_ref().map(|value| format!("proxy-authorization: {value}\r\n"));
    let authorization = authorization.unwrap_or_default();
    let head = format!("CONNECT {place} HTTP/1.1\r\nhost: {place}\r\n{authorization}\r\n");
    stream.write_all(head.as_bytes()).await?;
    // What follows the head is the server's.
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        if answer.len() == LONGEST {
            return Err(io::Error::other("the proxy does not speak HTTP"));
        }
        answer.push(stream.read_u8().await.map_err(|_| io::Error::other("the proxy broke off"))?);
    }
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.split(' ').nth(1).unwrap_or_default();
    if status.starts_with('2') && answer.starts_with("HTTP/1.") {
        return Ok(());
    }
    let status: String = status.chars().filter(char::is_ascii_digit).take(3).collect();
    Err(io::Error::other(format!("the proxy refuses with {status}")))
}
