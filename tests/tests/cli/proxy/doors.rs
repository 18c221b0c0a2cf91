//! Who is let in.

use serde_json::json;

use super::running::Proxy;
use super::{QUESTION, user, with_fact};
use crate::scene::Scene;

#[test]
fn nobody_comes_in_without_a_token_and_no_web_page_at_all() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    let body = json!({"model": "plain", "messages": [user(QUESTION)]}).to_string();
    let ask =
        |headers: &[(&str, &str)]| proxy.send("POST", "/v1/chat/completions", headers, &body).read().unwrap().status;
    assert_eq!(ask(&[]), 200);
    for wrong in ["Bearer x", "Bearer ", "Basic YTpi", ""] {
        assert_eq!(ask(&[("authorization", wrong)]), 401, "{wrong}");
    }
    assert_eq!(ask(&[("origin", "https://evil.example")]), 403);
    assert_eq!(ask(&[("host", "evil.example")]), 421);
    assert_eq!(ask(&[("content-type", "text/plain")]), 415);
    let path = |path: &str| proxy.get(path).status;
    assert_eq!([path("/v1/../admin"), path("/v1//evil"), path("/v1/%2e%2e/x"), path("/metrics")], [404, 404, 404, 200]);
    let open = proxy.send("GET", "/health", &[("authorization", "none")], "").read().unwrap();
    assert_eq!((open.status, &open.json()["status"]), (200, &json!("ok")));
    assert_eq!(proxy.send("GET", "/metrics", &[("authorization", "none")], "").read().unwrap().status, 401);
    let many: Vec<_> = (0..80).map(|number| (format!("x-{number}"), "y")).collect();
    let many: Vec<_> = many.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    assert_eq!(ask(&many), 431);
    assert_eq!(proxy.model.conversations().len(), 1, "the model heard of none of these");
    assert_eq!(proxy.end().status, 0);
    let log = scene.every_file("home/logs");
    let env = scene.read("home/.env");
    let token = env.lines().find_map(|line| line.strip_prefix("HERMES_PROXY_TOKEN=")).unwrap();
    assert!(log.iter().all(|(_, text)| !String::from_utf8_lossy(text).contains(token)));
}

#[test]
fn a_token_opens_the_memory_of_its_person() {
    let scene = with_fact();
    let new = |name: &str, flags: &str| {
        let made = scene.json(&format!("proxy token new {name} {flags}"));
        made["token"].as_str().unwrap().to_owned()
    };
    let (vera, ann) = (new("laptop", "--user vera"), new("desk", "--user ann --platform office"));
    let listed = scene.json("proxy token list");
    assert_eq!(listed["tokens"][1], json!({"name": "desk", "user": "ann", "platform": "office", "env": null}));
    assert_eq!(scene.run("proxy token new laptop").status, 1);
    assert_eq!(scene.run("proxy token new 'a b'").status, 2);
    assert!(!scene.read("home/config.toml").contains(&vera), "only its hash is kept");

    let proxy = Proxy::start(&scene);
    let say = |token: &str, text: &str| {
        let body = json!({"model": "keep", "messages": [user(text)], "user": "somebody else"}).to_string();
        let bearer = format!("Bearer {token}");
        let answer = proxy.send("POST", "/v1/chat/completions", &[("authorization", &bearer)], &body).read().unwrap();
        assert_eq!(answer.status, 200, "{answer:?}");
        proxy.given().join("\n")
    };
    say(&vera, "The code word of the garden gate is Rhubarb");
    let question = "What is the code word of the garden gate, please?";
    assert!(say(&vera, question).contains("- The code word of the garden gate is Rhubarb"));
    assert!(!say(&ann, question).contains("- The code word"), "what Vera said is for Vera");
    assert_eq!(proxy.end().status, 0);
    scene.does("proxy token remove laptop");
    assert_eq!(scene.run("proxy token remove laptop").status, 1);
}

#[test]
fn without_a_model_it_says_what_to_type() {
    let scene = Scene::without_plugins();
    let ran = scene.run("proxy --port 0");
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("config set model.base_url"), "{}", ran.shown());
}
