//! A running `hermes proxy`, and how it is asked.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::process::Child;

use hermes_tests::http::{Answer, Sent, send};
use hermes_tests::model::ScriptedModel;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::scene::Scene;
use crate::shown::{Ran, words};

/// A proxy in front of a scripted model.
pub(crate) struct Proxy<'a> {
    scene: &'a Scene,
    child: Child,
    out: BufReader<std::process::ChildStdout>,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    pub(crate) model: ScriptedModel,
}

impl<'a> Proxy<'a> {
    pub(crate) fn start(scene: &'a Scene) -> Self {
        let model = ScriptedModel::start();
        scene.does(&format!("config set model.base_url {}", model.base()));
        Self::over(scene, model)
    }

    /// The same in front of this model, which the settings name already.
    pub(crate) fn over(scene: &'a Scene, model: ScriptedModel) -> Self {
        let mut child = scene.command(words("proxy --port 0 --json")).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let Ok(ready) = serde_json::from_str::<Value>(&line) else {
            let mut err = String::new();
            child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
            panic!("{line}{err}");
        };
        let base = ready["base_url"].as_str().unwrap();
        let address = base.trim_start_matches("http://").trim_end_matches("/v1").parse().unwrap();
        let env = scene.read("home/.env");
        let token = env.lines().find_map(|line| line.strip_prefix("HERMES_PROXY_TOKEN=")).unwrap().to_owned();
        Self { scene, child, out, address, token, model }
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Sent {
        let bearer = format!("Bearer {}", self.token);
        let mut all = headers.to_vec();
        if !all.iter().any(|(name, _)| *name == "authorization") {
            all.push(("authorization", &bearer));
        }
        send(self.address, method, path, &all, body).unwrap()
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], "").read().unwrap()
    }

    /// Goes on with a conversation.
    pub(crate) fn chat(&self, body: &Value) -> Answer {
        self.send("POST", "/v1/chat/completions", &[], &body.to_string()).read().unwrap()
    }

    /// One question, and the text of the answer.
    pub(crate) fn ask(&self, model: &str, messages: &[Value], stream: bool) -> String {
        let answer = self.chat(&json!({"model": model, "messages": messages, "stream": stream}));
        assert_eq!((answer.status, answer.whole), (200, true), "{answer:?}");
        if stream {
            streamed(&answer).0
        } else {
            answer.json()["choices"][0]["message"]["content"].as_str().unwrap_or_default().to_owned()
        }
    }

    /// A count of the metrics.
    pub(crate) fn count(&self, metric: &str) -> u64 {
        let text = self.get("/metrics").text();
        let line = text.lines().find_map(|line| line.strip_prefix(metric)?.strip_prefix(' '));
        line.and_then(|count| count.parse().ok()).unwrap_or_default()
    }

    /// Asks by items, and answers with the whole response, as a client puts a stream together.
    pub(crate) fn respond(&self, body: &Value) -> Value {
        let answer = self.send("POST", "/v1/responses", &[], &body.to_string()).read().unwrap();
        assert_eq!((answer.status, answer.whole), (200, true), "{answer:?}");
        assert!(
            !answer.text().contains("memory-context") && !answer.text().contains("fact_store"),
            "{}",
            answer.text()
        );
        if body["stream"] == true { of_items(&answer) } else { answer.json() }
    }

    /// The last conversation that the model was given.
    pub(crate) fn given(&self) -> Vec<String> {
        self.model.conversations().pop().unwrap()
    }

    /// Ends it without a word.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Tells it to stop, and waits until it has.
    pub(crate) fn end(mut self) -> Ran {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        let mut out = String::new();
        self.out.read_to_string(&mut out).unwrap();
        let output = self.child.wait_with_output().unwrap();
        self.scene.ran(output)
    }
}

/// The text of a stream, its tool calls by name, and how it ended.
pub(crate) fn streamed(answer: &Answer) -> (String, Vec<String>, String) {
    let (mut text, mut calls, mut finish) = (String::new(), Vec::new(), String::new());
    for data in answer.text().lines().filter_map(|line| line.strip_prefix("data: ").map(str::to_owned)) {
        let Ok(chunk) = serde_json::from_str::<Value>(&data) else { continue };
        let choice = &chunk["choices"][0];
        text.push_str(choice["delta"]["content"].as_str().unwrap_or_default());
        let names = choice["delta"]["tool_calls"].as_array().into_iter().flatten();
        calls.extend(names.filter_map(|call| call["function"]["name"].as_str().map(str::to_owned)));
        finish.push_str(choice["finish_reason"].as_str().unwrap_or_default());
    }
    (text, calls, finish)
}

/// The response that a stream of items ends with, after a look at all that came before it.
pub(crate) fn of_items(answer: &Answer) -> Value {
    let (mut items, mut texts, mut last, mut id) = (Vec::<Value>::new(), String::new(), Value::Null, Value::Null);
    for (number, data) in answer.text().lines().filter_map(|line| line.strip_prefix("data: ")).enumerate() {
        let event: Value = serde_json::from_str(data).unwrap();
        assert_eq!(event["sequence_number"], number, "{event}");
        let index = event["output_index"].as_u64().map(|index| usize::try_from(index).unwrap());
        match event["type"].as_str().unwrap() {
            "response.created" => {
                assert_eq!(number, 0);
                id = event["response"]["id"].clone();
            }
            "response.output_item.added" => {
                assert_eq!(index, Some(items.len()));
                items.push(event["item"].clone());
            }
            "response.output_item.done" => items[index.unwrap()] = event["item"].clone(),
            "response.output_text.delta" => {
                assert_eq!(event["item_id"], items[index.unwrap()]["id"]);
                texts.push_str(event["delta"].as_str().unwrap());
            }
            "response.completed" => last = event["response"].clone(),
            _ => assert!(index.is_none_or(|index| index < items.len()), "{event}"),
        }
    }
    assert_eq!(last["id"], id, "an answer has one name");
    assert_eq!(last["output"], Value::from(items), "{}", answer.text());
    assert_eq!(text_of(&last), texts);
    last
}

/// What a response says.
pub(crate) fn text_of(response: &Value) -> String {
    let parts = response["output"].as_array().into_iter().flatten().flat_map(|item| item["content"].as_array());
    parts.flatten().filter_map(|part| part["text"].as_str()).collect()
}
