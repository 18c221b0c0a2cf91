//! The server on a port.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Cloud, Request};

/// A server on a port of this machine.
pub struct Server {
    /// `http://127.0.0.1:<port>`.
    pub url: String,
    /// What it stores and how it fails.
    pub cloud: Cloud,
    down: Arc<AtomicBool>,
}

impl Server {
    /// Serves a cloud.
    ///
    /// # Panics
    /// When there is no port.
    #[must_use]
    pub fn start(cloud: Cloud) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let down = Arc::<AtomicBool>::default();
        let server = Self { url, cloud: cloud.clone(), down: Arc::clone(&down) };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that goes away in the middle is no failure of the server.
                if !down.load(Ordering::Relaxed) {
                    let cloud = cloud.clone();
                    std::thread::spawn(move || serve(&stream, &cloud));
                }
            }
        });
        server
    }

    /// Closes every connection at once, or no longer.
    pub fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::Relaxed);
    }
}

fn serve(stream: &TcpStream, cloud: &Cloud) -> io::Result<()> {
    let request = read(stream)?;
    let Some(answer) = cloud.answer(&request) else { return Ok(()) };
    let mut head =
        format!("HTTP/1.1 {} X\r\nconnection: close\r\ncontent-length: {}\r\n", answer.status, answer.body.len());
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = stream;
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    stream.write_all(&answer.body)?;
    stream.flush()
}

fn read(stream: &TcpStream) -> io::Result<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = || -> io::Result<String> {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ').map(str::to_owned);
    let mut request = Request { method: words.next().unwrap_or_default(), ..Request::default() };
    request.path = words.next().unwrap_or_default();
    loop {
        let header = line()?;
        let Some((name, value)) = header.split_once(':') else { break };
        request.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = request.header("content-length").parse().unwrap_or(0);
    request.body = vec![0; length];
    reader.read_exact(&mut request.body)?;
    Ok(request)
}
