//! A model's server by script: OpenAI's API as real servers speak it, with answers that depend on the name of the model
//! and on what was said, and on nothing else.
//!
//! | model | what it does |
//! |---|---|
//! | `echo` | repeats the last message of the user, memory blocks included |
//! | `keep` | calls `fact_store` to keep what the user said, then says so |
//! | `aloud` | repeats what the user said while it calls `fact_store`, and after it |
//! | `both` | calls `fact_store` and `get_weather` in one message, then tells the weather |
//! | `malformed` | calls `fact_store` with arguments that are no JSON, then tells what came of it |
//! | `endless` | calls `fact_store` whatever is said to it |
//! | `cut` | says half of an answer |
//! | `busy`, `broken` | answers 429 and 500 |
//! | `silent` | never answers |
//! | `slow`, `slow-<n>` | says twenty words, or n, one each 25 ms |
//! | `late` | says `Hello!`, and 20 ms later that its answer is over, as servers do whose last chunk comes by itself |
//! | `nowhere` | has no `/responses` |
//! | any other | says `Hello!` |
//!
//! `/chat/completions` and `/responses` say the same. The latter thinks first where it is asked for `reasoning`, and goes
//! on from an answer or a conversation that it is told the id of.

mod items;

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

/// A running server. It runs as long as the process does.
#[derive(Clone)]
pub struct ScriptedModel {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    /// What was said up to each answer, and in each conversation, by its id.
    said: Arc<Mutex<HashMap<String, Vec<Value>>>>,
    keeps: bool,
    connections: Arc<AtomicUsize>,
}

impl ScriptedModel {
    /// Starts one that keeps what it is asked.
    ///
    /// # Panics
    /// When the system has no port.
    #[must_use]
    pub fn start() -> Self {
        Self::started(true)
    }

    /// The same for very many requests, which are not kept.
    ///
    /// # Panics
    /// As [`start`](Self::start).
    #[must_use]
    pub fn forgetful() -> Self {
        Self::started(false)
    }

    fn started(keeps: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let address = listener.local_addr().expect("it has an address");
        let (asked, said, connections) = Default::default();
        let model = Self { address, asked, said, keeps, connections };
        let server = model.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let server = server.clone();
                server.connections.fetch_add(1, Ordering::Relaxed);
                std::thread::spawn(move || while server.answer(&stream).is_some() {});
            }
        });
        model
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address that paths are added to.
    #[must_use]
    pub fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The head and body of each request so far.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How often somebody connected to it.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// The messages of each conversation that it was asked to go on with, as they came.
    #[must_use]
    pub fn conversations(&self) -> Vec<Vec<String>> {
        self.lists("messages")
    }

    /// The items that it was given each time, as they came.
    #[must_use]
    pub fn inputs(&self) -> Vec<Vec<String>> {
        self.lists("input")
    }

    fn lists(&self, field: &str) -> Vec<Vec<String>> {
        let list = |asked: &String| {
            let body: Box<serde_json::value::RawValue> = serde_json::from_str(asked.split_once("\r\n\r\n")?.1).ok()?;
            let fields: HashMap<String, Box<serde_json::value::RawValue>> = serde_json::from_str(body.get()).ok()?;
            let list: Vec<Box<serde_json::value::RawValue>> = serde_json::from_str(fields.get(field)?.get()).ok()?;
            Some(list.iter().map(|one| one.get().to_owned()).collect())
        };
        self.asked().iter().filter_map(list).collect()
    }

    /// Answers one request; None when the connection is over.
    fn answer(&self, stream: &TcpStream) -> Option<()> {
        stream.set_nodelay(true).ok()?;
        let mut reader = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            head.push_str(&line);
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let text = String::from_utf8_lossy(&body).into_owned();
        if self.keeps {
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(head.clone() + &text);
        }
        self.respond(stream, &head, &text)?;
        // Who asks to be left then waits for the end of the connection.
        (!head.to_ascii_lowercase().contains("\r\nconnection: close\r\n")).then_some(())
    }

    fn respond(&self, mut stream: &TcpStream, head: &str, text: &str) -> Option<()> {
        let asked: Value = serde_json::from_str(text).unwrap_or_default();
        if head.starts_with("GET /v1/models ") {
            return whole(stream, "200 OK", &json!({"object": "list", "data": [{"id": "echo", "object": "model"}]}));
        }
        if let Some(id) = head.strip_prefix("GET /v1/responses/").and_then(|rest| rest.split(['/', ' ']).next()) {
            return whole(stream, "200 OK", &json!({"object": "list", "data": self.said_up_to(id)}));
        }
        let speaks_items = head.starts_with("POST /v1/responses ");
        if !head.contains("/chat/completions") && !speaks_items {
            return whole(stream, "200 OK", &json!({"object": "other", "got": asked}));
        }
        match asked["model"].as_str()? {
            "busy" => {
                let body = json!({"error": {"message": "Slow down, please", "type": "rate_limit", "code": "busy"}});
                whole(stream, "429 Too Many Requests\r\nretry-after: 7\r\nx-ratelimit-remaining: 0", &body)
            }
            "broken" => whole(stream, "500 Internal Server Error", &json!({"error": {"message": "it broke"}})),
            "silent" => {
                // Until the other side goes away.
                let _ = stream.read(&mut [0; 1]);
                None
            }
            "nowhere" if speaks_items => {
                whole(stream, "404 Not Found", &json!({"error": {"message": "there is no such route"}}))
            }
            model if speaks_items => self.say_items(stream, &asked, model),
            model => say(stream, &asked, &message(model, &asked), model),
        }
    }
}

/// What it answers.
fn message(model: &str, asked: &Value) -> Value {
    let messages = asked["messages"].as_array().cloned().unwrap_or_default();
    let last = messages.last().cloned().unwrap_or_default();
    let said = messages.iter().rfind(|message| message["role"] == "user").map(text_of).unwrap_or_default();
    let question = said.split("\n\n<memory-context>").next().unwrap_or_default().to_owned();
    let call = |number: usize, tool: &str, arguments: &str| json!({"id": format!("call_{}_{number}", messages.len()), "type": "function", "function": {"name": tool, "arguments": arguments}});
    let keep = json!({"action": "add", "content": question}).to_string();
    let calls = |calls: Vec<Value>| json!({"role": "assistant", "content": null, "tool_calls": calls});
    let text = |text: String| json!({"role": "assistant", "content": text});
    let after_tool = last["role"] == "tool";
    match model {
        "echo" => text(format!("You said: {said} — that was it.")),
        "aloud" if after_tool => text(format!("After it: {said}.")),
        "aloud" => {
            json!({"role": "assistant", "content": format!("Before it: {said}. "), "tool_calls": [call(0, "fact_store", &keep)]})
        }
        "keep" | "malformed" | "both" if after_tool => {
            let results: Vec<_> =
                messages.iter().rev().take_while(|message| message["role"] == "tool").map(text_of).collect();
            text(format!("Done after {} results: {}", results.len(), results.last().cloned().unwrap_or_default()))
        }
        "keep" => calls(vec![call(0, "fact_store", &keep)]),
        "malformed" => calls(vec![call(0, "fact_store", "{\"action\": ")]),
        "both" => calls(vec![call(0, "fact_store", &keep), call(1, "get_weather", "{\"city\": \"Riga\"}")]),
        "endless" => calls(vec![call(0, "fact_store", &keep)]),
        "cut" => text("This answer is about to be".to_owned()),
        slow if is_slow(slow) => {
            let words = slow.strip_prefix("slow-").and_then(|words| words.parse().ok()).unwrap_or(20);
            text("word ".repeat(words))
        }
        _ => text("Hello!".to_owned()),
    }
}

fn is_slow(model: &str) -> bool {
    model == "slow" || model.starts_with("slow-")
}

fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        parts => parts.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect(),
    }
}

fn whole(mut stream: &TcpStream, head: &str, body: &Value) -> Option<()> {
    let body = body.to_string();
    let length = body.len();
    let answer = format!("HTTP/1.1 {head}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(answer.as_bytes()).ok()
}

fn say(mut stream: &TcpStream, asked: &Value, message: &Value, model: &str) -> Option<()> {
    let finish = if message["tool_calls"].is_array() { "tool_calls" } else { "stop" };
    let used = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
    let head = json!({"id": "chatcmpl-1", "created": 1_767_225_600, "model": model});
    let with = |object: &str, choices: Value| {
        let mut body = head.clone();
        body["object"] = object.into();
        body["choices"] = choices;
        body
    };
    if asked["stream"] != true {
        if model == "cut" {
            let half =
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{\"choices\": [";
            stream.write_all(half.as_bytes()).ok()?;
            return None;
        }
        let mut body = with("chat.completion", json!([{"index": 0, "message": message, "finish_reason": finish}]));
        body["usage"] = used;
        return whole(stream, "200 OK", &body);
    }
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).ok()?;
    let mut event = |data: &str| {
        let event = format!("data: {data}\n\n");
        stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes()).ok()
    };
    let mut piece = |delta: Value, finish: Value| {
        event(
            &with("chat.completion.chunk", json!([{"index": 0, "delta": delta, "finish_reason": finish}])).to_string(),
        )
    };
    piece(json!({"role": "assistant", "content": ""}), Value::Null)?;
    let text: Vec<char> = message["content"].as_str().unwrap_or_default().chars().collect();
    // Pieces of odd lengths, so that fences are cut everywhere.
    let (mut at, mut size) = (0, 1);
    while at < text.len() {
        let end = text.len().min(at + size);
        piece(json!({"content": text[at..end].iter().collect::<String>()}), Value::Null)?;
        (at, size) = (end, size % 7 + 1);
        if is_slow(model) {
            size = 5;
            std::thread::sleep(Duration::from_millis(25));
        }
    }
    if model == "cut" {
        return None;
    }
    for (index, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
        let mut begun = call.clone();
        begun["index"] = index.into();
        begun["function"]["arguments"] = "".into();
        piece(json!({"tool_calls": [begun]}), Value::Null)?;
        for half in call["function"]["arguments"].as_str().unwrap_or_default().split_inclusive(':') {
            piece(json!({"tool_calls": [{"index": index, "function": {"arguments": half}}]}), Value::Null)?;
        }
    }
    piece(json!({}), finish.into())?;
    if asked["stream_options"]["include_usage"] == true {
        let mut body = with("chat.completion.chunk", json!([]));
        body["usage"] = used;
        event(&body.to_string())?;
    }
    event("[DONE]")?;
    if model == "late" {
        std::thread::sleep(Duration::from_millis(20));
    }
    stream.write_all(b"0\r\n\r\n").ok()
}
