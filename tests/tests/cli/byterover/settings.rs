//! What setup was answered lands where the provider reads it, and `auto_extract = false` means it.

use serde_json::json;

use super::{begun, calls, markdown, talk, tool, with_fake};

#[test]
fn answers_land_where_the_provider_reads_them() {
    let scene = with_fake();
    scene.does("memory setup byterover --yes --set auto_extract=false");
    let config: toml::Table = scene.read("home/config.toml").parse().unwrap();
    assert_eq!(config["memory"]["provider"].as_str(), Some("byterover"));
    assert_eq!(config["providers"]["byterover"]["auto_extract"].as_bool(), Some(false));
    assert_eq!(tool(&scene, "brv_status", &json!({}))["auto_extract"], false);
    // What is the default already is not written down.
    scene.does("memory setup byterover --yes --set auto_extract=true");
    assert!(!scene.read("home/config.toml").contains("auto_extract"));
    let status = tool(&scene, "brv_status", &json!({}));
    let expected = json!({
        "documents": 0, "auto_extract": true, "model": "small of Ollama", "login": "not_logged_in", "version": "3.14.0",
        "problem": null,
    });
    assert_eq!(status, expected);
}

/// Chatter of a morning would be recalled as facts later.
#[test]
fn nothing_is_extracted_where_the_user_does_not_want_it() {
    let scene = with_fake();
    scene.does("memory setup byterover --yes --set auto_extract=false");
    let said = ["Mirabel keeps bees in Ljubljana", "We deploy on Fridays"].map(str::to_owned);
    scene.write("talk.jsonl", talk("a", &said));
    scene.does("replay --live talk.jsonl");
    assert_eq!((begun(&scene, "curate"), markdown(&scene).len()), (0, 0), "{:?}", calls(&scene));
    // What the user or the model says outright is kept all the same.
    scene.does("memory remember 'Biscuit is a spaniel'");
    assert_eq!(tool(&scene, "brv_curate", &json!({"content": "The boat is Wanderfalke"}))["status"], "stored");
}

#[test]
fn chatter_is_not_curated() {
    let scene = with_fake();
    scene.does("memory setup byterover --yes");
    let said = ["hi", "ok, thanks", "/compress", "👍", "Danke!"].map(str::to_owned);
    scene.write("talk.jsonl", talk("a", &said));
    scene.does("replay --live talk.jsonl");
    assert_eq!(begun(&scene, "curate"), 0, "{:?}", calls(&scene));
}
