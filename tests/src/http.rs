//! A client of HTTP that says exactly what it is told to, one request for each connection.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// An answer, or as much of it as came.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The status line and the headers.
    pub head: String,
    /// The body, without the lengths of its chunks.
    pub body: Vec<u8>,
    /// Whether it came to its end.
    pub whole: bool,
    /// How long after the request the first byte of the body came.
    pub first: Duration,
}

impl Answer {
    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; null when it is none.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// A connection on which a request was sent.
#[derive(Debug)]
pub struct Sent {
    stream: TcpStream,
    at: Instant,
}

/// Sends a request. Headers that are needed and not given are added.
///
/// # Errors
/// When nobody listens there.
pub fn send(to: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> io::Result<Sent> {
    let mut stream = TcpStream::connect(to)?;
    stream.set_nodelay(true)?;
    let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    let defaults = [("host", to.to_string()), ("content-type", "application/json".to_owned())];
    for (name, value) in &defaults {
        if !headers.iter().any(|(given, _)| given == name) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let at = Instant::now();
    stream.write_all(format!("{head}\r\n{body}").as_bytes())?;
    Ok(Sent { stream, at })
}

impl Sent {
    /// Reads until this much of the answer's body is there, and goes away.
    ///
    /// # Errors
    /// When the answer ends before.
    pub fn leave_after(mut self, text: &str) -> io::Result<()> {
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains(text) {
            let mut piece = [0; 4096];
            match self.stream.read(&mut piece)? {
                0 => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the answer is over")),
                read => seen.extend_from_slice(&piece[..read]),
            }
        }
        Ok(())
    }

    /// Reads the answer to its end.
    ///
    /// # Errors
    /// When there is none.
    pub fn read(mut self) -> io::Result<Answer> {
        let (mut bytes, mut first, mut end) = (Vec::new(), Duration::ZERO, None);
        loop {
            let mut piece = [0; 16 << 10];
            let read = match self.stream.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => read,
                // What came before counts.
                Err(_) if end.is_some() => break,
                Err(error) => return Err(error),
            };
            bytes.extend_from_slice(&piece[..read]);
            end = end.or_else(|| bytes.windows(4).position(|end| end == b"\r\n\r\n").map(|at| at + 4));
            if first.is_zero() && end.is_some_and(|end| bytes.len() > end) {
                first = self.at.elapsed();
            }
        }
        let end = end.ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, "no answer"))?;
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        let body = &bytes[end..];
        let header = |name: &str| {
            head.lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix(name).map(|rest| rest.trim().to_owned()))
        };
        let (body, whole) = match header("content-length:").and_then(|length| length.parse::<usize>().ok()) {
            Some(length) => (body.to_vec(), body.len() == length),
            None => dechunked(body),
        };
        Ok(Answer { status, head, body, whole, first })
    }
}

/// The text of chunks, and whether the last one was there.
fn dechunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(end) = rest.windows(2).position(|end| end == b"\r\n") else { return (body, false) };
        let length = std::str::from_utf8(&rest[..end]).ok().and_then(|hex| usize::from_str_radix(hex.trim(), 16).ok());
        match length {
            Some(0) => return (body, true),
            Some(length) if rest.len() >= end + 2 + length + 2 => {
                body.extend_from_slice(&rest[end + 2..end + 2 + length]);
                rest = &rest[end + 2 + length + 2..];
            }
            _ => return (body, false),
        }
    }
}
