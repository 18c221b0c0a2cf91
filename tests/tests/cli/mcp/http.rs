//! `hermes mcp --http`: who is let in, and that several clients are served at a time.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::client::Client;
use super::names;
use super::web::{Visitor, Web};
use crate::scene::Scene;

#[test]
fn clients_have_sessions_of_their_own() {
    let scene = Scene::with_memory();
    let web = Web::serve(&scene, "");
    let (left, right) = (Visitor::greet(&web, "Left Client"), Visitor::greet(&web, "right"));
    let tools = left.ask("tools/list", json!({}))["result"]["tools"].clone();
    let [first, second, third] = super::OWN;
    assert_eq!(names(&tools), ["memory", "session_search", "fact_store", "fact_feedback", first, second, third]);
    let kept = left.call("fact_store", json!({"action": "add", "content": "Собака Веры, Бисквит, не ест курицу"}));
    assert_eq!(kept.structured["status"], "added", "{kept:?}");
    let recalled = right.call("memory_recall", json!({"message": "Чем угостить Бисквита?"}));
    assert!(recalled.text.contains("курицу"), "{recalled:?}");
    let session = |visitor: &Visitor<'_>| visitor.call("memory_status", json!({})).structured["session"].clone();
    let (of_left, of_right) = (session(&left), session(&right));
    assert_eq!((&of_left["platform"], &of_right["platform"]), (&json!("left-client"), &json!("right")));
    assert_ne!(of_left["id"], of_right["id"]);
    assert_eq!(session(&left), of_left, "it is the same one from request to request");
    assert_eq!(left.leave(), 202);
    assert_eq!(session(&right), of_right);
    let (status, errors) = web.stop();
    assert_eq!(status, 0, "{errors}");
}

#[test]
fn no_web_page_and_nobody_without_the_token_is_let_in() {
    let scene = Scene::with_memory();
    let web = Web::serve(&scene, "--verbose");
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let of = |name: &str, value: Option<&str>| web.with("POST", name, value, &ping).status;
    // A name that was made to point here.
    assert_eq!(of("Host", Some("evil.example")), 421);
    assert_eq!(of("Host", Some("127.0.0.1.evil.example")), 421);
    // A page, also one of this machine, and one without an origin.
    for origin in ["https://evil.example", "http://localhost:3000", "null"] {
        assert_eq!(of("Origin", Some(origin)), 403, "{origin}");
    }
    // What a form sends without asking first.
    for kind in [Some("text/plain"), Some("application/x-www-form-urlencoded"), None] {
        assert_eq!(of("Content-Type", kind), 415, "{kind:?}");
    }
    // The question that a browser asks before.
    let asked = web.with("OPTIONS", "Origin", Some("https://evil.example"), "");
    assert!(asked.status == 403 && !asked.head.contains("access-control-allow"), "{asked:?}");
    let wrong = format!("Bearer {}", "0".repeat(web.token.len()));
    for token in [None, Some(wrong.as_str()), Some("Bearer "), Some(web.token.as_str())] {
        let refused = web.with("POST", "Authorization", token, &ping);
        assert_eq!(refused.status, 401, "{token:?}");
        assert!(refused.head.contains("www-authenticate: bearer"), "{refused:?}");
    }
    for method in ["GET", "DELETE"] {
        assert_eq!(web.with(method, "Authorization", None, "").status, 401);
    }
    // With all that is right it is only the session that is missing.
    assert_eq!(of("Mcp-Session-Id", Some("no-such")), 404);
    let long = "x".repeat(17 << 20);
    assert_eq!(web.with("POST", "Mcp-Session-Id", None, &long).status, 413);

    let token = web.token.clone();
    let (status, errors) = web.stop();
    assert_eq!(status, 0, "{errors}");
    assert!(!errors.contains(&token) && errors.contains("HERMES_MCP_TOKEN"), "{errors}");
    for (path, content) in scene.every_file("home/logs") {
        assert!(!String::from_utf8_lossy(&content).contains(&token), "{}", path.display());
    }
}

#[test]
fn the_token_is_made_once_for_the_user_alone() {
    let scene = Scene::new();
    let web = Web::serve(&scene, "");
    let (address, token) = (web.address.clone(), web.token.clone());
    assert_eq!(token.len(), 64);
    assert_eq!(std::fs::metadata(scene.path("home/.env")).unwrap().permissions().mode() & 0o777, 0o600);
    let port = address.rsplit(':').next().unwrap();
    let taken = scene.run(&format!("mcp --http --port {port}"));
    assert_eq!((taken.status, taken.err.contains("cannot be listened on")), (1, true), "{}", taken.shown());
    web.stop();
    assert_eq!(Web::serve(&scene, "").token, token);

    scene.write("home/.env", "HERMES_MCP_TOKEN=short\n");
    let weak = scene.run("mcp --http --port 0");
    assert!(weak.status == 1 && weak.err.contains("at least 16") && !weak.err.contains("short\n"), "{}", weak.shown());
    assert_eq!(scene.run("mcp --port 80").status, 2);
    assert_eq!(scene.run("mcp --http evil.example").status, 2);
}

/// What a client calls when the server is told to stop is done and answered, and delivered.
#[test]
fn it_drains_when_it_is_stopped() {
    let scene = Scene::with_faulty();
    let web = Web::serve(&scene, "");
    std::thread::scope(|scope| {
        let calls = ["one", "two", "three"].map(|name| {
            let visitor = Visitor::greet(&web, name);
            scope.spawn(move || {
                let turn = json!({"user": format!("said by {name}"), "assistant": "Well."});
                visitor.call("memory_record_turn", turn)
            })
        });
        for call in calls {
            let called = call.join().unwrap();
            assert_eq!((called.failed, &called.structured["turn"]), (false, &json!(1)), "{called:?}");
        }
    });
    let (status, errors) = web.stop();
    assert_eq!(status, 0, "{errors}");
    let started = scene.read("home/plugins/data/faulty/started");
    for name in ["one", "two", "three"] {
        assert_eq!(started.matches(&format!("sync_turn said by {name}\n")).count(), 1, "{started}");
    }
    assert!(started.trim_end().ends_with(" drop"), "the provider was closed: {started}");
}

/// One by pipes and two over HTTP, each recording turns and adding entries at the same time.
#[test]
fn clients_of_one_home_lose_nothing() {
    const EACH: usize = 8;
    let scene = Scene::with_faulty();
    let web = Web::serve(&scene, "");
    let entries = |who: &str, number: usize| json!({"content": format!("{who} has noted {number}")});
    let turn = |who: &str, number: usize| json!({"user": format!("{who} said {number}"), "assistant": "Well."});
    std::thread::scope(|scope| {
        for who in ["left", "right"] {
            let visitor = Visitor::greet(&web, who);
            scope.spawn(move || {
                for number in 0..EACH {
                    let noted = visitor.call("memory", entries(who, number));
                    assert!(!noted.failed, "{noted:?}");
                    let said = visitor.call("memory_record_turn", turn(who, number));
                    assert!(!said.failed && said.structured["turn"] == number + 1, "{said:?}");
                }
            });
        }
        let scene = web.scene();
        scope.spawn(move || {
            let mut client = Client::connect(scene, "pipes");
            for number in 0..EACH {
                assert!(!client.call("memory", entries("pipes", number)).failed);
                assert!(!client.call("memory_record_turn", turn("pipes", number)).failed);
            }
            assert_eq!(client.end().status, 0);
        });
    });
    // One of the two servers delivers for both.
    let started = || scene.read("home/plugins/data/faulty/started");
    hermes_tests::wait::until("all turns are delivered", || {
        (started().matches("sync_turn ").count() >= 3 * EACH).then_some(())
    });
    assert_eq!(web.stop().0, 0);
    let (noted, started) = (scene.read("home/memories/MEMORY.md"), started());
    for who in ["left", "right", "pipes"] {
        for number in 0..EACH {
            assert_eq!(noted.matches(&format!("{who} has noted {number}")).count(), 1, "{noted}");
            assert_eq!(started.matches(&format!("sync_turn {who} said {number}\n")).count(), 1, "{started}");
        }
    }
}

/// The newest protocol has no sessions over HTTP: a client is known by its name from one request to the next.
#[test]
fn a_client_without_a_session_is_known_by_its_name() {
    let scene = Scene::with_memory();
    let web = Web::serve(&scene, "");
    let status = |name: &str| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": "memory_status", "arguments": {}, "_meta": meta});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let mut headers = web.headers();
        headers.push(("MCP-Protocol-Version", "2026-07-28".to_owned()));
        headers.push(("Mcp-Method", "tools/call".to_owned()));
        headers.push(("Mcp-Name", "memory_status".to_owned()));
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let answer = web.raw("POST", &headers, &call.to_string());
        let message = answer.body.lines().find_map(|line| line.strip_prefix("data:")).unwrap_or(&answer.body);
        let message: Value = serde_json::from_str(message.trim()).unwrap_or_else(|_| panic!("{answer:?}"));
        message["result"]["structuredContent"]["session"].clone()
    };
    let first = status("Stateless One");
    assert_eq!(first["platform"], "stateless-one");
    assert_eq!(status("Stateless One"), first);
    assert_ne!(status("another")["id"], first["id"]);
}
