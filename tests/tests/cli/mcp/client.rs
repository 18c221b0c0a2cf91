//! A client of the Model Context Protocol that speaks it line by line, and can say what no good client would.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;

use hermes_tests::wait::PATIENCE;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::scene::Scene;
use crate::shown::{Ran, words};

/// A running `hermes mcp` and its client.
pub(crate) struct Client<'a> {
    scene: &'a Scene,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: JoinHandle<String>,
    /// What was read while something else was waited for.
    kept: VecDeque<Value>,
    next: u64,
    /// Its roots; a client without any says that it has none.
    pub(crate) roots: Option<Value>,
}

impl<'a> Client<'a> {
    /// Starts the server and says nothing to it.
    pub(crate) fn silent(scene: &'a Scene, line: &str) -> Self {
        let mut command = scene.command(words(line));
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        let (send, lines) = channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        let mut err = child.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            err.read_to_string(&mut text).unwrap();
            text
        });
        let (input, kept) = (child.stdin.take(), VecDeque::new());
        Self { scene, child, input, lines, errors, kept, next: 1, roots: None }
    }

    /// Connects under this name.
    pub(crate) fn connect(scene: &'a Scene, name: &str) -> Self {
        Self::connect_with_roots(scene, name, None)
    }

    pub(crate) fn connect_with_roots(scene: &'a Scene, name: &str, roots: Option<Value>) -> Self {
        let mut client = Self::silent(scene, "mcp");
        client.roots = roots;
        client.greet(name);
        client
    }

    /// The handshake; answers what the server says of itself.
    pub(crate) fn greet(&mut self, name: &str) -> Value {
        let capabilities = match &self.roots {
            Some(_) => json!({"roots": {"listChanged": true}}),
            None => json!({}),
        };
        let greeting = self.ask(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18", "capabilities": capabilities,
                "clientInfo": {"name": name, "version": "1.0"},
            }),
        );
        self.tell("notifications/initialized");
        greeting["result"].clone()
    }

    /// Sends a line.
    pub(crate) fn line(&mut self, line: impl AsRef<[u8]>) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_ref()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn tell(&mut self, method: &str) {
        self.line(json!({"jsonrpc": "2.0", "method": method}).to_string());
    }

    /// Answers the server's question for the roots.
    pub(crate) fn tell_roots(&mut self, id: &Value, roots: &Value) {
        self.line(json!({"jsonrpc": "2.0", "id": id, "result": {"roots": roots}}).to_string());
    }

    /// Sends a request and answers its id.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.line(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        id
    }

    pub(crate) fn send_call(&mut self, tool: &str, args: Value) -> u64 {
        self.send("tools/call", json!({"name": tool, "arguments": args}))
    }

    /// The next message that fits. The roots are told to a server that asks for them.
    #[track_caller]
    pub(crate) fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.kept.iter().position(&fits) {
            return self.kept.remove(place).unwrap();
        }
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect("the server says something");
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if fits(&message) {
                return message;
            } else if message["method"] == "roots/list" {
                self.tell_roots(&message["id"], &self.roots.clone().unwrap_or_default());
            } else {
                self.kept.push_back(message);
            }
        }
    }

    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Calls a tool.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, args: Value) -> Called {
        let id = self.send_call(tool, args);
        let answer = self.answer(id);
        Called::of(&answer)
    }

    #[track_caller]
    pub(crate) fn status(&mut self) -> Value {
        let called = self.call("memory_status", json!({}));
        assert!(!called.failed, "{called:?}");
        called.structured
    }

    /// Closes stdin, and waits until the server has ended. What it still said is dropped.
    pub(crate) fn end(mut self) -> Ran {
        drop(self.input.take());
        self.ended()
    }

    /// Waits until the server ends by itself.
    pub(crate) fn ended(mut self) -> Ran {
        let status = self.child.wait().unwrap();
        let out: String = self.lines.iter().map(|line| line + "\n").collect();
        let (stdout, stderr) = (out.into_bytes(), self.errors.join().unwrap().into_bytes());
        self.scene.ran(std::process::Output { status, stdout, stderr })
    }

    /// Sends a signal, and waits until the server has ended.
    pub(crate) fn ended_by(self, signal: Signal) -> Ran {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        self.ended()
    }
}

/// What a tool answered.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) text: String,
    pub(crate) structured: Value,
    pub(crate) failed: bool,
}

impl Called {
    #[track_caller]
    pub(crate) fn of(answer: &Value) -> Self {
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
        Self { text, structured: result["structuredContent"].clone(), failed: result["isError"] == true }
    }

    #[track_caller]
    pub(crate) fn fails_with(&self, part: &str) {
        assert!(self.failed && self.text.contains(part), "{self:?} has no `{part}`");
    }
}
