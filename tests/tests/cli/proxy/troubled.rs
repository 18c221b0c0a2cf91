//! A memory that is dead, slow, crashes or says nonsense: every request is answered, and it is seen.

use serde_json::json;

use super::running::{Proxy, text_of};
use super::user;
use crate::package::Package;
use crate::scene::Scene;

/// Says these words in both forms of the API, whole and streamed. The provider does what they say.
fn is_answered(proxy: &Proxy<'_>, deed: &str) {
    for stream in [false, true] {
        assert_eq!(proxy.ask("plain", &[user(deed)], stream), "Hello!", "{deed}");
        let response = proxy.respond(&json!({"model": "plain", "input": deed, "stream": stream}));
        assert_eq!(text_of(&response), "Hello!", "{deed}");
    }
}

fn recalls(proxy: &Proxy<'_>, outcome: &str) -> u64 {
    proxy.count(&format!("hermes_proxy_recalls_total{{outcome=\"{outcome}\"}}"))
}

fn health(proxy: &Proxy<'_>) -> String {
    let health = proxy.get("/health");
    assert_eq!((health.status, &health.json()["status"]), (200, &json!("ok")));
    health.json()["memory"].as_str().unwrap().to_owned()
}

#[test]
fn a_provider_that_crashes_fails_no_request() {
    let scene = Scene::with_faulty();
    let proxy = Proxy::start(&scene);
    is_answered(&proxy, "as ever");
    assert_eq!((health(&proxy).as_str(), recalls(&proxy, "error")), ("ready", 0));
    for deed in ["segfault", "abort", "panic at once"] {
        is_answered(&proxy, deed);
    }
    assert!(recalls(&proxy, "error") >= 3);
    assert_eq!((health(&proxy).as_str(), proxy.count("hermes_proxy_memory_degraded")), ("degraded", 1));
    assert_eq!(proxy.count("hermes_proxy_turns_total{ending=\"complete\"}"), 16);
    // What cannot be delivered now is kept.
    assert_eq!(proxy.end().status, 0);
    assert_eq!(scene.json("sessions list --limit 100").as_array().unwrap().len(), 16);
}

#[test]
fn a_provider_that_is_slow_or_says_nonsense_fails_no_request() {
    for (deed, outcome) in [("wait-deaf for good", "timeout"), ("error of some kind", "error"), ("huge 65", "error")] {
        let scene = Scene::with_faulty_recall();
        scene.does("config set memory.prefetch_timeout 200ms");
        let proxy = Proxy::start(&scene);
        is_answered(&proxy, "print nonsense");
        is_answered(&proxy, deed);
        // Once it has failed three times it is left alone, and that is an error.
        assert!(recalls(&proxy, outcome) > 0, "{deed}: {}", proxy.get("/metrics").text());
        assert_eq!((health(&proxy).as_str(), proxy.count("hermes_proxy_memory_degraded")), ("degraded", 1), "{deed}");
        assert_eq!(proxy.count("hermes_proxy_turns_total{ending=\"complete\"}"), 8);
        // A provider that still hangs at the end is told of.
        let ran = proxy.end();
        assert!(ran.status == 0 || ran.err.contains("the provider did not end cleanly"), "{}", ran.shown());
    }
}

#[test]
fn a_provider_that_is_dead_fails_no_request() {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &Package::faulty().harmless());
    scene.does("memory setup faulty");
    std::fs::write(scene.stored("faulty"), "no library").unwrap();
    let proxy = Proxy::start(&scene);
    is_answered(&proxy, "as ever");
    assert_eq!((health(&proxy).as_str(), proxy.count("hermes_proxy_memory_degraded")), ("degraded", 1));
    assert_eq!(proxy.count("hermes_proxy_turns_total{ending=\"complete\"}"), 4);
    assert_eq!(proxy.end().status, 0);
}
