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

    /// The last conversation that the model was given.
    pub(crate) fn given(&self) -> Vec<String> {
        self.model.conversations().pop().unwrap()
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
