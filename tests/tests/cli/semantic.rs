//! Finding by meaning from the command line, with a model on this machine: what is sent and when, how far it is, and
//! what is left when the model is gone.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::scene::Scene;

/// A model that knows that a physician is a doctor, behind the API that most servers speak.
struct Model {
    base: String,
    /// Heads and bodies of what it was asked.
    asked: Arc<Mutex<Vec<String>>>,
    gone: Arc<Mutex<bool>>,
}

impl Model {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let model = Self { base, asked: Arc::default(), gone: Arc::default() };
        let (asked, gone) = (Arc::clone(&model.asked), Arc::clone(&model.gone));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if !*gone.lock().unwrap() {
                    answer(stream, &asked);
                }
            }
        });
        model
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, asked: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    asked.lock().unwrap().push(format!("{head}{body}"));
    let texts = body["input"].as_array().unwrap();
    let data: Vec<_> = texts.iter().map(|text| json!({"embedding": meaning(text.as_str().unwrap())})).collect();
    let body = json!({ "data": data }).to_string();
    let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    let _ = stream.write_all((head + &body).as_bytes());
}

fn meaning(text: &str) -> Vec<f32> {
    let mut vector = vec![0.01; 64];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let hash = word.bytes().fold(7_usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(usize::from(byte)));
        match word {
            "physician" | "doctor" => vector[0] += 3.0,
            _ => vector[1 + hash % 63] += 0.5,
        }
    }
    vector
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(180), "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn nothing_is_sent_before_it_is_turned_on_and_facts_are_found_by_meaning_then() {
    let model = Model::start();
    let scene = Scene::with_memory();
    assert!(scene.does("memory status").contains("sends nothing to a model: `semantic` and `rerank` are off"));
    assert!(scene.does("memory status").contains("may use: nothing outside its data folder"));
    for fact in ["Maria works as a physician", "Tom bought a red kite", "The office is closed on Fridays"] {
        scene.does(&format!("memory remember '{fact}'"));
    }
    scene.does(&format!("config set model.base_url {}", model.base));
    scene.does("config set model.embedding tiny");
    scene.write("home/.env", "HERMES_MODEL_API_KEY=sk-of-the-model\n");
    let question = "memory recall 'Is there a doctor among us?'";
    assert!(!scene.run(question).out.contains("Maria"));
    assert_eq!(model.asked(), [""; 0], "it is off");

    scene.does("config set providers.holographic.semantic on");
    scene.does("config set memory.prefetch_timeout 60s");
    let status = scene.does("memory status");
    let line =
        format!("sends what it stores and is asked, without secrets, to {} (tiny), since `semantic` is on", model.base);
    assert!(status.contains(&line) && status.contains("sends a model nothing else: `rerank` is off"), "{status}");
    assert!(scene.does("plugins info holographic").contains(&line));
    let used = &scene.json("memory status")["model"];
    assert_eq!((&used[0]["kind"], &used[0]["on"], &used[1]["on"]), (&json!("embed"), &json!(true), &json!(false)));
    let mut detail = String::new();
    until("all facts have vectors", || {
        detail = scene.json("memory status --check")["check"]["detail"].to_string();
        detail.contains("3 of 3 found by meaning")
    });
    assert!(detail.contains(&format!("with `tiny` at {}", model.base)), "{detail}");
    until("the question is answered in time", || scene.run(question).out.contains("Maria works as a physician"));
    let asked = model.asked();
    assert!(asked.iter().all(|asked| asked.starts_with("POST /v1/embeddings ")));
    assert!(asked.iter().all(|asked| asked.contains("authorization: Bearer sk-of-the-model\r\n")));

    *model.gone.lock().unwrap() = true;
    assert!(scene.run("memory recall 'Who has a kite?'").out.contains("Tom bought a red kite"), "words go on");
    let check = scene.run("memory status --check");
    assert_eq!(check.status, 1, "{}", check.out);
    assert!(check.out.contains("facts are found by words alone"), "{}", check.out);
    assert!(!(check.out + &check.err).contains("sk-of-the-model"));
}

#[test]
fn what_is_on_without_a_model_is_a_problem_with_a_way_out() {
    let scene = Scene::with_memory();
    scene.does("config set providers.holographic.semantic on");
    let status = scene.run("memory status");
    assert!(status.out.contains("problem: `semantic` is on, and no model is set up for it"), "{}", status.out);
    assert!(status.err.contains("hermes config set model.embedding NAME"), "{}", status.err);
    scene.does("memory remember 'Tom bought a red kite'");
    assert!(scene.run("memory recall 'Who has a kite?'").out.contains("Tom"));
    let key = scene.run("config set model.api_key sk-1");
    assert_eq!(key.status, 2, "{}", key.err);
}
