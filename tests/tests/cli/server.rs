//! A web server with TLS that does what servers do on a bad day, and a proxy.
//!
//! Its certificate is in `tests/data/tls` and stands for `127.0.0.1`, `localhost` and `mirror.test`, for a hundred
//! years. It is signed by a root that nothing but these tests trusts, whose key was thrown away: a certificate made
//! anew in each run would cost a dependency and show nothing more.

use std::fs;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hermes_tests::workspace;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// What the server does with a request instead of serving it.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    /// Sends so many bytes of the answer's body, and is gone.
    Cut(usize),
    /// Sends so many bytes, and then nothing, until the other side goes.
    Stall(usize),
    /// Sends a byte now and then, until the other side goes.
    Trickle,
    /// Sends the whole file, whatever part was asked for.
    IgnoreRange,
    /// Answers with this status and these lines of the head.
    Status(u16, &'static str),
    /// Sends this body, without saying how long it is.
    Unsized(Vec<u8>),
    /// Sends this body.
    Body(Vec<u8>),
    /// Sends a page, whatever was asked for, as a portal does that wants to be signed in to.
    Page,
    /// Sends the client elsewhere.
    Redirect(String),
    /// Sends the whole file with this name for its version.
    Tagged(&'static str),
}

/// A request, as far as it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) range: Option<String>,
    pub(crate) if_range: Option<String>,
    pub(crate) authorization: Option<String>,
}

/// A server of one folder.
pub(crate) struct Server {
    /// `127.0.0.1:<port>`.
    pub(crate) address: String,
    state: Arc<State>,
}

struct State {
    folder: PathBuf,
    deeds: Mutex<Vec<Deed>>,
    asked: Mutex<Vec<Asked>>,
}

impl Server {
    /// Serves a folder after it has done these deeds, one for each request.
    pub(crate) fn start(folder: &Path, deeds: Vec<Deed>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let state = State { folder: folder.to_owned(), deeds: Mutex::new(deeds), asked: Mutex::default() };
        let (state, config) = (Arc::new(state), config());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (state, config) = (Arc::clone(&shared), Arc::clone(&config));
                // A client that goes away in the middle is no failure of the server.
                std::thread::spawn(move || stream.map(|stream| state.answer(stream, config)));
            }
        });
        Self { address, state }
    }

    /// Does these next.
    pub(crate) fn next(&self, deeds: Vec<Deed>) {
        *self.state.deeds.lock().unwrap() = deeds;
    }

    /// What was asked for so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.state.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// With the certificate of `tests/data/tls`.
pub(crate) fn config() -> Arc<ServerConfig> {
    let folder = workspace().join("tests/data/tls");
    let chain =
        CertificateDer::pem_file_iter(folder.join("server.pem")).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join("server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    Arc::new(builder.with_no_client_auth().with_single_cert(chain, key).unwrap())
}

/// The root that signed the server's certificate, for `SSL_CERT_FILE`.
pub(crate) fn root() -> String {
    workspace().join("tests/data/tls/root.pem").to_str().unwrap().to_owned()
}

impl State {
    fn answer(&self, stream: TcpStream, config: Arc<ServerConfig>) -> std::io::Result<()> {
        let connection = ServerConnection::new(config).unwrap();
        let mut stream = StreamOwned::new(connection, stream);
        let asked = read_head(&mut stream)?;
        self.asked.lock().unwrap().push(asked.clone());
        let deed = {
            let mut deeds = self.deeds.lock().unwrap();
            (!deeds.is_empty()).then(|| deeds.remove(0))
        };
        let file = fs::read(self.folder.join(asked.path.trim_start_matches('/'))).ok();
        let (Some(file), true) = (file, !matches!(deed, Some(Deed::Status(..) | Deed::Redirect(_)))) else {
            let (status, lines) = match deed {
                Some(Deed::Status(status, lines)) => (status, lines.to_owned()),
                Some(Deed::Redirect(to)) => (302, format!("location: {to}\r\n")),
                _ => (404, String::new()),
            };
            write!(stream, "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: 0\r\n{lines}\r\n")?;
            return end(stream);
        };
        let start =
            asked.range.as_deref().and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
        let mut tag = "\"one\"";
        let mut start = start.unwrap_or(0);
        let mut body = file.as_slice();
        let (mut end_after, mut is_sized) = (usize::MAX, true);
        match &deed {
            Some(Deed::IgnoreRange) => start = 0,
            Some(Deed::Page) => (body, start) = (b"<html>Sign in</html>", 0),
            Some(Deed::Tagged(other)) => tag = other,
            Some(Deed::Body(other)) => body = other,
            Some(Deed::Unsized(other)) => (body, is_sized, start) = (other, false, 0),
            Some(Deed::Cut(bytes) | Deed::Stall(bytes)) => end_after = *bytes,
            _ => {}
        }
        // Another version than the client has the beginning of is sent whole (RFC 9110, 13.1.5).
        if asked.if_range.as_deref().is_some_and(|other| other != tag) {
            start = 0;
        }
        let total = body.len();
        if start > total {
            write!(stream, "HTTP/1.1 416 X\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")?;
            return end(stream);
        }
        let body = &body[start..];
        match start {
            0 => write!(stream, "HTTP/1.1 200 OK\r\n")?,
            _ => write!(stream, "HTTP/1.1 206 Partial\r\ncontent-range: bytes {start}-{}/{total}\r\n", total - 1)?,
        }
        if is_sized {
            write!(stream, "content-length: {}\r\n", body.len())?;
        }
        write!(stream, "connection: close\r\netag: {tag}\r\n\r\n")?;
        if matches!(deed, Some(Deed::Trickle)) {
            return body.iter().try_for_each(|&byte| {
                stream.write_all(&[byte])?;
                stream.flush()?;
                std::thread::sleep(std::time::Duration::from_millis(50));
                Ok(())
            });
        }
        stream.write_all(&body[..body.len().min(end_after)])?;
        stream.flush()?;
        match deed {
            Some(Deed::Stall(_)) => stream.sock.read(&mut [0]).map(|_| ()),
            // Without the word that ends a TLS connection.
            Some(Deed::Cut(_)) => Ok(()),
            _ => end(stream),
        }
    }
}

fn end(mut stream: StreamOwned<ServerConnection, TcpStream>) -> std::io::Result<()> {
    stream.conn.send_close_notify();
    stream.flush()?;
    stream.sock.shutdown(Shutdown::Write)
}

fn read_head(stream: &mut impl Read) -> std::io::Result<Asked> {
    let mut reader = BufReader::with_capacity(1, stream);
    let mut asked = Asked::default();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(asked);
        }
        match line.split_once(": ") {
            Some((name, value)) => {
                let value = Some(value.to_owned());
                match name.to_ascii_lowercase().as_str() {
                    "range" => asked.range = value,
                    "if-range" => asked.if_range = value,
                    "authorization" | "proxy-authorization" => asked.authorization = value,
                    _ => {}
                }
            }
            None => asked.path = line.split(' ').nth(1).unwrap_or_default().to_owned(),
        }
    }
}

/// A proxy that connects everything to this machine, whatever host is asked for.
pub(crate) struct Proxy {
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Proxy {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let seen = Arc::clone(&asked);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let seen = Arc::clone(&seen);
                std::thread::spawn(move || client.and_then(|client| connect(client, &seen)));
            }
        });
        Self { address, asked }
    }

    /// The hosts that were asked for, and on whose behalf.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn connect(mut client: TcpStream, seen: &Mutex<Vec<Asked>>) -> std::io::Result<()> {
    let asked = read_head(&mut client)?;
    let port = asked.path.rsplit(':').next().unwrap_or_default().to_owned();
    seen.lock().unwrap().push(asked);
    let mut server = TcpStream::connect(format!("127.0.0.1:{port}"))?;
    client.write_all(b"HTTP/1.1 200 Connected\r\n\r\n")?;
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut from_client, &mut to_server);
        to_server.shutdown(Shutdown::Write)
    });
    std::io::copy(&mut server, &mut client)?;
    client.shutdown(Shutdown::Write)
}
