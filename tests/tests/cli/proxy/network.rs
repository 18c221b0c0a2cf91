//! The model behind the proxy of a company.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_tests::http::send;
use hermes_tests::model::ScriptedModel;
use rustls::{ServerConnection, StreamOwned};
use serde_json::json;

use super::running::Proxy;
use super::{FACT, QUESTION, user, with_fact};
use crate::scene::Scene;
use crate::server::{config, root};

/// A proxy that connects to one place, whatever it is asked for, and keeps what that was.
struct Gate {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Gate {
    fn to(place: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, asked) = (listener.local_addr().unwrap(), Arc::default());
        let gate = Self { address, asked: Arc::clone(&asked) };
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let asked = Arc::clone(&asked);
                std::thread::spawn(move || pass(stream, place, &asked));
            }
        });
        gate
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn pass(mut client: TcpStream, place: SocketAddr, asked: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(client.try_clone().unwrap());
    let head = head_of(&mut reader);
    asked.lock().unwrap().push(head.clone());
    if !head.contains("proxy-authorization: Basic am86c2VjcmV0\r\n") {
        client.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n").unwrap();
        return;
    }
    let server = TcpStream::connect(place).unwrap();
    client.write_all(b"HTTP/1.1 200 Connection established\r\nvia: gate\r\n\r\n").unwrap();
    let (mut to_server, mut from_server) = (server.try_clone().unwrap(), server);
    std::thread::spawn(move || std::io::copy(&mut reader, &mut to_server));
    let _ = std::io::copy(&mut from_server, &mut client);
}

#[test]
fn the_models_server_is_reached_as_the_environment_says() {
    let model = ScriptedModel::start();
    let gate = Gate::to(model.address());
    let place = gate.address;
    let scene = with_fact().variable("HTTP_PROXY", &format!("http://jo:secret@{place}"));
    scene.does("config set model.base_url http://model.example:8080/v1");
    let proxy = Proxy::over(&scene, model.clone());
    for stream in [false, true] {
        assert_eq!(proxy.ask("plain", &[user(QUESTION)], stream), "Hello!");
    }
    assert!(
        gate.asked().iter().all(|head| head.starts_with("CONNECT model.example:8080 HTTP/1.1\r\n")),
        "{:?}",
        gate.asked()
    );
    assert!(!gate.asked().is_empty());
    assert_eq!(proxy.end().status, 0);

    // This machine is never asked for through it, nor is what the user excepts.
    scene.does(&format!("config set model.base_url {}", model.base()));
    let before = gate.asked().len();
    let proxy = Proxy::over(&scene, model.clone());
    assert_eq!(proxy.ask("plain", &[user(QUESTION)], true), "Hello!");
    assert_eq!((proxy.end().status, gate.asked().len()), (0, before));
    let scene = scene.variable("NO_PROXY", "model.example");
    scene.does("config set model.base_url http://model.example:8080/v1");
    let proxy = Proxy::over(&scene, model);
    let answer = proxy.chat(&json!({"model": "plain", "messages": [user(QUESTION)]}));
    assert_eq!((answer.status, gate.asked().len()), (502, before), "{answer:?}");
    assert_eq!(proxy.end().status, 0);
}

/// Has TLS in front of a server: takes whole requests, and gives whole answers back.
fn with_tls(server: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut stream = BufReader::new(StreamOwned::new(ServerConnection::new(config()).unwrap(), stream));
                loop {
                    let head = head_of(&mut stream);
                    let Some((line, headers)) = head.split_once("\r\n") else { return };
                    let length = headers.lines().find_map(|line| line.strip_prefix("content-length: "));
                    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
                    stream.read_exact(&mut body).unwrap();
                    let mut words = line.split(' ');
                    let [method, path] = [words.next().unwrap(), words.next().unwrap()];
                    let body = String::from_utf8(body).unwrap();
                    let answer = send(server, method, path, &[], &body).unwrap().read().unwrap();
                    let (status, length) = (answer.status, answer.body.len());
                    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n\r\n");
                    stream.get_mut().write_all(&[head.as_bytes(), &answer.body].concat()).unwrap();
                }
            });
        }
    });
    address
}

/// All before the body; nothing at the end of the connection.
fn head_of(stream: &mut impl BufRead) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && stream.read_line(&mut head).is_ok_and(|read| read > 0) {}
    head
}

/// The proxy of the company sees where to, and nothing of what is said.
#[test]
fn a_model_with_tls_is_reached_through_a_proxy_with_its_own_certificate() {
    let model = ScriptedModel::start();
    let gate = Gate::to(with_tls(model.address()));
    let scene = with_fact().variable("HTTPS_PROXY", &format!("http://jo:secret@{}", gate.address));
    scene.does("config set model.base_url https://mirror.test/v1");
    let trusting = scene.variable("SSL_CERT_FILE", &root());
    let proxy = Proxy::over(&trusting, model.clone());
    for stream in [false, true] {
        assert_eq!(proxy.ask("plain", &[user(QUESTION)], stream), "Hello!");
    }
    assert!(proxy.given().iter().any(|message| message.contains(FACT)));
    assert_eq!(proxy.end().status, 0);
    let asked = gate.asked();
    assert!(asked.len() == 1 && asked[0].starts_with("CONNECT mirror.test:443 HTTP/1.1\r\n"), "{asked:?}");

    // A certificate for another name is none.
    trusting.does("config set model.base_url https://model.example/v1");
    let proxy = Proxy::over(&trusting, model);
    let answer = proxy.chat(&json!({"model": "plain", "messages": [user(QUESTION)]}));
    assert!(answer.status == 502 && answer.text().contains("certificate"), "{}", answer.text());
    assert_eq!(proxy.end().status, 0);
}

#[test]
fn a_proxy_that_refuses_is_told_without_its_password() {
    let model = ScriptedModel::start();
    let gate = Gate::to(model.address());
    let scene = with_fact().variable("ALL_PROXY", &format!("http://jo:wrong-word@{}", gate.address));
    scene.does("config set model.base_url https://model.example/v1");
    let proxy = Proxy::over(&scene, model);
    let answer = proxy.chat(&json!({"model": "plain", "messages": [user(QUESTION)]}));
    assert!(answer.status == 502 && answer.text().contains("407"), "{}", answer.text());
    assert!(!answer.text().contains("wrong-word"));
    assert_eq!(proxy.end().status, 0);
    let scene = scene.variable("ALL_PROXY", "socks5://127.0.0.1:1");
    let ran = scene.run("proxy --port 0");
    assert!(ran.status == 1 && ran.err.contains("NO_PROXY"), "{}", ran.shown());
}

/// Each handshake with a model's server far away costs as much as the memory's whole part.
#[test]
fn a_connection_to_the_models_server_serves_one_request_after_another() {
    let scene = Scene::with_memory();
    let proxy = Proxy::start(&scene);
    for _ in 0..6 {
        proxy.ask("late", &[user("Hello there")], true);
        // The next request comes when the answer is over, as a person's does.
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(proxy.model.connections() <= 3, "{} connections for 6 streams", proxy.model.connections());
    assert_eq!(proxy.end().status, 0);
}
