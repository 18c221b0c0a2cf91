//! The real `brv`, where it is installed, with its daemon and without the net: a model of this test stands for the
//! user's, and whatever else `brv` asks is answered with nothing.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use hermes_tests::target_folder;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{install, markdown, talk, tool, without_brv};
use crate::scene::Scene;

/// Names the program where it does not lie in the target folder.
const BRV: &str = "HERMES_TEST_BRV";
/// The services of ByteRover, by the variables of `brv`.
const SERVICES: [&str; 6] = [
    "BRV_IAM_BASE_URL",
    "BRV_COGIT_BASE_URL",
    "BRV_BILLING_BASE_URL",
    "BRV_LLM_BASE_URL",
    "BRV_WEB_APP_URL",
    "BRV_GIT_REMOTE_BASE_URL",
];

/// A scene whose `brv` is the real one. The script that stands before it sets what the product would not hand on.
struct Real(Scene);

impl Real {
    /// None where there is no `brv`.
    fn new() -> Option<Self> {
        let there = target_folder().join("brv/node_modules/.bin/brv");
        let program = std::env::var_os(BRV).map_or(there, PathBuf::from);
        if !program.exists() {
            return None;
        }
        let address = serve();
        let scene = without_brv();
        let variables = SERVICES.map(|name| format!("export {name}=http://{address}\n")).concat();
        install(&scene, &format!("#!/bin/sh\n{variables}exec '{}' \"$@\"\n", program.display()));
        // A machine that builds at the same time is slow.
        for hook in ["health", "call_tool", "sync_turn"] {
            scene.does(&format!("config set timeouts.{hook} 120s"));
        }
        let real = Self(scene);
        let no_model = real.0.run("memory setup byterover --yes");
        assert!(no_model.status == 1 && no_model.err.contains("no model is connected"), "{}", no_model.shown());
        let base = format!("http://{address}/v1");
        real.brv(&["providers", "connect", "openai-compatible", "--base-url", &base, "--api-key", "k", "--model", "m"]);
        Some(real)
    }

    /// What a user does with `brv` by themselves.
    fn brv(&self, args: &[&str]) {
        #[expect(clippy::disallowed_methods, reason = "the program of the user")]
        let mut command = std::process::Command::new(self.0.path("user/.brv-cli/bin/brv"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let output =
            command.args(args).env_clear().env("PATH", path).env("HOME", self.0.path("user")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

impl Drop for Real {
    /// Ends the daemon and what it started.
    fn drop(&mut self) {
        let daemon: Value = serde_json::from_str(&self.0.read("user/.local/share/brv/daemon.json")).unwrap_or_default();
        let Some(daemon) = daemon["pid"].as_i64() else { return };
        let children = std::fs::read_to_string(format!("/proc/{daemon}/task/{daemon}/children")).unwrap_or_default();
        let pids = children.split_whitespace().filter_map(|pid| pid.parse().ok()).chain([daemon]);
        for pid in pids.filter_map(|pid: i64| Pid::from_raw(i32::try_from(pid).ok()?)) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Serves a model, and an empty answer to everything else.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || stream.map(answer));
        }
    });
    address
}

fn answer(stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut head, mut length) = (String::new(), 0);
    while reader.read_line(&mut head)? > 2 {
        let line = head.lines().last().unwrap_or_default().to_lowercase();
        length = line.strip_prefix("content-length:").and_then(|n| n.trim().parse().ok()).unwrap_or(length);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let mut stream = stream;
    let (kind, reply) = match head.contains("/chat/completions") {
        true => ("text/event-stream", completion(&serde_json::from_slice(&body).unwrap_or_default())),
        false => ("application/json", "{}".to_owned()),
    };
    let length = reply.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{reply}"
    )
}

/// What the model says: for a text that is to be curated a call that stores it, else a sentence.
fn completion(request: &Value) -> String {
    let last = &request["messages"].as_array().and_then(|messages| messages.last().cloned()).unwrap_or_default();
    let asked = last["content"].to_string();
    let variable = asked.split_once("Context variable: ").map(|(_, rest)| rest);
    let variable = variable.and_then(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
    let delta = match variable.filter(|_| last["role"] == "user") {
        Some(variable) => {
            let code = format!(
                "(async () => {{ const said = String({variable}).split('\\n').filter(line => /bees|boat/.test(line)).join(' ');
                const change = {{ type: 'UPSERT', path: 'people/habits', title: 'what was said', summary: said, reason: 'told',
                  confidence: 'high', impact: 'low', content: {{ snippets: [said], narrative: {{ highlights: said }},
                  facts: [{{ statement: said, category: 'other' }}], relations: [] }} }};
                const done = await tools.curate([change]); setFinalResult('done'); return done; }})()"
            );
            let arguments = json!({ "code": code, "language": "javascript" }).to_string();
            json!({ "role": "assistant", "tool_calls": [
                { "index": 0, "id": "call_1", "type": "function", "function": { "name": "code_exec", "arguments": arguments } }] })
        }
        None => json!({ "role": "assistant", "content": "Mirabel keeps them in Ljubljana." }),
    };
    let finish = if variable.is_some() { "tool_calls" } else { "stop" };
    let chunk = |delta: &Value, finish: Value| {
        json!({ "id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
    };
    format!("data: {}\n\ndata: {}\n\ndata: [DONE]\n\n", chunk(&delta, Value::Null), chunk(&json!({}), json!(finish)))
}

#[test]
fn the_real_brv_curates_answers_and_tells_its_state() {
    let Some(real) = Real::new() else {
        eprintln!("skipped: `brv` is not installed; {BRV} names the program");
        return;
    };
    let scene = &real.0;
    let ran = scene.run("memory setup byterover --yes");
    assert!(ran.status == 0 && ran.err.contains("brv works with m of OpenAI Compatible"), "{}", ran.shown());

    scene.write("talk.jsonl", talk("a", &["My sister Mirabel keeps bees in Ljubljana".to_owned()]));
    scene.does("replay --live talk.jsonl");
    scene.run("memory outbox retry");
    let by_brv = |path: &Path| !path.components().any(|part| part.as_os_str() == "hermes");
    let learnt = |word: &str| markdown(scene).iter().any(|(path, text)| text.contains(word) && by_brv(path));
    assert!(learnt("Mirabel"), "{:?}\n{}", markdown(scene), scene.says("memory outbox list"));
    let recalled = scene.json("memory recall 'Where does Mirabel keep bees?'");
    assert!(recalled["memories"][0]["text"].as_str().unwrap_or_default().contains("Ljubljana"), "{recalled}");

    let stored = tool(scene, "brv_curate", &json!({ "content": "Our boat is called Wanderfalke" }));
    assert_eq!(stored["status"], "stored", "{stored}");
    assert!(learnt("Wanderfalke"), "{:?}", markdown(scene));
    // What the plugin wrote by itself is found by `brv` as well.
    scene.does("memory remember 'The cellar of Grandmother Zdenka holds 37 jars'");
    let answer =
        tool(scene, "brv_query", &json!({ "query": "How many jars are in the cellar of Grandmother Zdenka?" }));
    let documents = answer["documents"].to_string();
    assert!(documents.contains("hermes/kept/") && answer["result"].is_string(), "{answer}");
    let nothing = tool(scene, "brv_query", &json!({ "query": "zebra crossing velocity" }));
    assert_eq!(nothing["message"], "nothing is known about this", "{nothing}");

    let status = tool(scene, "brv_status", &json!({}));
    assert_eq!((&status["problem"], &status["login"]), (&Value::Null, &json!("not_logged_in")), "{status}");
    assert_eq!(status["model"], "m of OpenAI Compatible");
    assert!(scene.json("memory status --check")["state"] == "ok");
}
