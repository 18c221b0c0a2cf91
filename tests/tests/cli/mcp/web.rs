//! Clients that speak the protocol over HTTP, and whatever else may send a request.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStderr};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::client::Called;
use crate::scene::Scene;
use crate::shown::words;

/// A running `hermes mcp --http`.
pub(crate) struct Web<'a> {
    scene: &'a Scene,
    child: Child,
    errors: Option<ChildStderr>,
    pub(crate) address: String,
    pub(crate) token: String,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl<'a> Web<'a> {
    /// Starts it, and reads where it listens.
    pub(crate) fn serve(scene: &'a Scene, flags: &str) -> Self {
        let mut child = scene.command(words(&format!("mcp --http --port 0 {flags}"))).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let address = url.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("{url}")).to_owned();
        let env = scene.read("home/.env");
        let token = env.lines().find_map(|line| line.strip_prefix("HERMES_MCP_TOKEN=")).unwrap_or_default().to_owned();
        let errors = child.stderr.take();
        Self { scene, child, errors, address, token }
    }

    /// Sends a request with these headers and no others, and reads the answer to its end.
    pub(crate) fn raw(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let mut request = format!("{method} /mcp HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        headers.iter().for_each(|(name, value)| request.push_str(&format!("{name}: {value}\r\n")));
        // A refusal may come before the body was read.
        let _ = stream.write_all(format!("{request}\r\n{body}").as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let head = head.to_ascii_lowercase();
        let body = if head.contains("transfer-encoding: chunked") { dechunked(body) } else { body.to_owned() };
        Answer { status, head, body }
    }

    /// The headers of a client that does all right.
    pub(crate) fn headers(&self) -> Vec<(&'static str, String)> {
        vec![
            ("Host", self.address.clone()),
            ("Authorization", format!("Bearer {}", self.token)),
            ("Content-Type", "application/json".to_owned()),
            ("Accept", "application/json, text/event-stream".to_owned()),
        ]
    }

    /// The same with one header another, or without it.
    pub(crate) fn with(&self, method: &str, name: &str, value: Option<&str>, body: &str) -> Answer {
        let mut headers = self.headers();
        headers.retain(|(known, _)| *known != name);
        let mut headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        headers.extend(value.map(|value| (name, value)));
        self.raw(method, &headers, body)
    }

    /// Stops it, and answers what it said on stderr.
    pub(crate) fn stop(mut self) -> (i32, String) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        let mut errors = String::new();
        self.errors.take().unwrap().read_to_string(&mut errors).unwrap();
        (self.child.wait().unwrap().code().unwrap_or(-1), errors)
    }

    pub(crate) fn scene(&self) -> &'a Scene {
        self.scene
    }
}

impl Drop for Web<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A body that came in pieces.
fn dechunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or_default();
        if size == 0 || size > rest.len() {
            break;
        }
        whole.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}

/// A client with a session.
pub(crate) struct Visitor<'a> {
    web: &'a Web<'a>,
    session: String,
}

impl<'a> Visitor<'a> {
    /// Says hello under this name.
    pub(crate) fn greet(web: &'a Web<'a>, name: &str) -> Self {
        let mut visitor = Self { web, session: String::new() };
        let info = json!({"name": name, "version": "1.0"});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info});
        let answer = visitor.post(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}));
        let session = answer.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        session.unwrap_or_else(|| panic!("{answer:?}")).trim().clone_into(&mut visitor.session);
        assert_eq!(visitor.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).status, 202);
        visitor
    }

    pub(crate) fn post(&self, message: &Value) -> Answer {
        let session = (!self.session.is_empty()).then_some(self.session.as_str());
        self.web.with("POST", "Mcp-Session-Id", session, &message.to_string())
    }

    #[track_caller]
    pub(crate) fn ask(&self, method: &str, params: Value) -> Value {
        let answer = self.post(&json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}));
        let messages = answer.body.lines().filter_map(|line| line.strip_prefix("data:"));
        let messages = messages.filter_map(|message| serde_json::from_str::<Value>(message.trim()).ok());
        let found = messages.into_iter().find(|message| message["id"] == 7);
        found.unwrap_or_else(|| panic!("{method}: {answer:?}"))
    }

    #[track_caller]
    pub(crate) fn call(&self, tool: &str, args: Value) -> Called {
        Called::of(&self.ask("tools/call", json!({"name": tool, "arguments": args})))
    }

    /// Goes away.
    pub(crate) fn leave(self) -> u16 {
        self.web.with("DELETE", "Mcp-Session-Id", Some(&self.session), "").status
    }
}
