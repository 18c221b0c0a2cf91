//! One JSON-RPC message per line, on stdin and stdout.
//!
//! The SDK's own transport drops a line that is too long or no JSON, and answers a request of the wrong shape without
//! its id: a client would wait for an answer that never comes. This one answers each of them.

use std::fs::File;
use std::io::{self, BufRead, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::mpsc;

/// The longest message, in bytes.
pub(super) const LONGEST: u64 = 16 << 20;

/// What stdin gave.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// Stdin and stdout.
pub(super) struct Lines {
    input: mpsc::Receiver<Line>,
    /// Not by way of `io::stdout()`: whoever waits for a client that reads nothing would keep its lock, and the process
    /// could not end.
    output: Arc<Mutex<File>>,
}

impl Lines {
    /// Begins to read. The thread ends with stdin, or with the process: a read cannot be called off.
    pub(super) fn stdio() -> io::Result<Self> {
        let output = Arc::new(Mutex::new(File::from(io::stdout().as_fd().try_clone_to_owned()?)));
        let (send, input) = mpsc::channel(4);
        std::thread::Builder::new().name("hermes-stdin".to_owned()).spawn(move || {
            let mut input = io::stdin().lock();
            loop {
                let line = match next_line(&mut input, LONGEST) {
                    Ok(Some(line)) => line,
                    Ok(None) => break,
                    Err(error) => {
                        tracing::error!(%error, "stdin cannot be read");
                        break;
                    }
                };
                if send.blocking_send(line).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { input, output })
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    /// The message is on its way when this returns, whether or not anybody waits for the future.
    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        let written = tokio::task::spawn_blocking(move || {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            output.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line)
        });
        async { written.await.map_err(io::Error::other)? }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let refused = match self.input.recv().await? {
                Line::Whole(line) => match read(&line) {
                    Ok(Some(message)) => return Some(message),
                    Ok(None) => continue,
                    Err(refused) => refused,
                },
                Line::TooLong => Refused {
                    error: ErrorData::invalid_request(format!("a message has at most {LONGEST} bytes"), None),
                    id: None,
                },
            };
            if let Err(error) = self.send(ServerJsonRpcMessage::error(refused.error, refused.id)).await {
                tracing::error!(%error, "stdout cannot be written");
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.input.close();
        Ok(())
    }
}

/// The next line without its end; None at the end of the input. Of one that is too long nothing is kept.
fn next_line(input: &mut impl BufRead, longest: u64) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    if input.by_ref().take(longest + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.pop_if(|last| *last == b'\n').is_some() || line.len() as u64 <= longest {
        return Ok(Some(Line::Whole(line)));
    }
    input.skip_until(b'\n')?;
    Ok(Some(Line::TooLong))
}

#[derive(Debug)]
struct Refused {
    error: ErrorData,
    id: Option<RequestId>,
}

/// A message; None for what nobody waits to be answered: an empty line, a notification that nobody knows, an answer
/// that is none.
fn read(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Refused> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Ok(Some(message));
    }
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| Refused { error: ErrorData::parse_error(format!("not JSON: {error}"), None), id: None })?;
    if value.is_object() && (value.get("method").is_none() || value.get("id").is_none()) {
        let answer = value.get("result").is_some() || value.get("error").is_some();
        if answer || value.get("method").is_some_and(Value::is_string) {
            return Ok(None);
        }
    }
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    let error = match value {
        Value::Array(_) => "one message per line, and not a list of them",
        _ => "not a message: it has `jsonrpc`, `method`, as `params` an object, and as `id` a text or a whole number",
    };
    Err(Refused { error: ErrorData::invalid_request(error, None), id })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded() {
        let mut input: &[u8] = b"abc\nabcd\nabcde\r\n\nabcdefgh\nab";
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut input, 4).unwrap() {
            lines.push(line);
        }
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        assert_eq!(lines, [whole("abc"), whole("abcd"), Line::TooLong, whole(""), Line::TooLong, whole("ab")]);
    }

    #[track_caller]
    fn check(line: &str, refused: Option<(i32, Option<&str>)>) {
        let found =
            read(line.as_bytes()).err().map(|refused| (refused.error.code.0, refused.id.map(|id| id.to_string())));
        let found = found.as_ref().map(|(code, id)| (*code, id.as_deref()));
        assert_eq!(found, refused, "{line}");
    }

    #[test]
    fn whoever_waits_is_answered() {
        check(r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#, None);
        check("\u{feff} {\"jsonrpc\": \"2.0\", \"id\": \"a\", \"method\": \"no/such\", \"params\": {}}\r", None);
        check(r#"{"jsonrpc": "2.0", "id": "a", "method": "ping", "params": [1]}"#, Some((-32600, Some("a"))));
        check(r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 7}}"#, None);
        check("", None);
        check(r#"{"jsonrpc": "2.0", "method": "notifications/no-such", "params": 7}"#, None);
        check(r#"{"jsonrpc": "2.0", "id": 1, "result": 7}"#, None);
        check("{\"jsonrpc\": ", Some((-32700, None)));
        check("\u{0}", Some((-32700, None)));
        check(&"[".repeat(100_000), Some((-32700, None)));
        check("7", Some((-32600, None)));
        check("[]", Some((-32600, None)));
        check("{}", Some((-32600, None)));
        check(r#"{"id": 1, "method": "ping"}"#, Some((-32600, Some("1"))));
        check(r#"{"jsonrpc": "1.0", "id": "a", "method": "ping"}"#, Some((-32600, Some("a"))));
        check(r#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#, Some((-32600, None)));
        check(r#"{"jsonrpc": "2.0", "id": 1, "method": 7}"#, Some((-32600, Some("1"))));
        assert_eq!(read(b"\xff").unwrap_err().error.code.0, -32700);
    }
}
