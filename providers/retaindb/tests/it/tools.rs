//! What the model sees and sends.

use hermes_provider_api::records::{Effect, Remember};
use hermes_provider_api::{Call, ErrorKind, MemoryProvider as _};
use hermes_tests_retaindb::Kind;
use serde_json::{Value, json};

use crate::support::Case;

#[test]
fn ten_tools_and_what_they_do() {
    let case = Case::new();
    let effects: Vec<_> = case
        .provider
        .tool_schemas()
        .unwrap()
        .into_iter()
        .map(|schema| {
            let effect = case.provider.tool_effect(&schema.name, &Value::Null);
            (schema.name.strip_prefix("retaindb_").unwrap().to_owned(), effect)
        })
        .collect();
    let expected = [
        ("profile", Effect::Read),
        ("search", Effect::Read),
        ("context", Effect::Read),
        ("remember", Effect::Write),
        ("forget", Effect::Delete),
        ("upload_file", Effect::Write),
        ("list_files", Effect::Read),
        ("read_file", Effect::Read),
        ("ingest_file", Effect::Write),
        ("delete_file", Effect::Delete),
    ];
    assert_eq!(effects, expected.map(|(name, effect)| (name.to_owned(), effect)));
    assert_eq!(case.provider.tool_effect("retaindb_surprise", &Value::Null), Effect::Write);
    let prompt = case.provider.system_prompt_block(&case.caller).unwrap();
    assert!(prompt.contains("project default") && prompt.contains("`retaindb_forget`"), "{prompt}");
}

#[test]
fn an_argument_that_is_missing_is_named() {
    let case = Case::new();
    for schema in case.provider.tool_schemas().unwrap() {
        let required = schema.parameters["required"].as_array().unwrap();
        let Some(name) = required.first().and_then(Value::as_str) else { continue };
        for args in [json!({}), json!({name: ""}), json!({name: " "}), json!({name: 7}), Value::Null] {
            let error = case.try_tool(schema.name.strip_prefix("retaindb_").unwrap(), args).unwrap_err();
            assert_eq!((error.kind, error.message), (ErrorKind::InvalidInput, format!("{name} is required")));
        }
    }
    let error = case.try_tool("remember", json!({"content": "x", "memory_type": "rumour"})).unwrap_err();
    assert!(error.message.starts_with("`memory_type` must be one of factual, preference"), "{error}");
}

/// The service sends more with each memory than a model should have to read, embeddings for instance.
#[test]
fn a_model_is_shown_what_it_can_use() {
    let case = Case::new();
    let id = case.add("Ann drinks tea");
    let found = case.tool("search", json!({"query": "tea"}));
    assert_eq!(found["memories"], json!([{"id": id, "content": "Ann drinks tea", "type": "factual", "score": 1.0}]));
    let profile = case.tool("profile", json!({}));
    assert_eq!(profile["memories"][0]["id"], id);
}

#[test]
fn numbers_are_taken_as_models_write_them() {
    let case = Case::new();
    for (top, sent) in [(json!(3), 3), (json!("5"), 5), (json!(99), 20), (json!(-1e300), 1), (json!(null), 8)] {
        case.tool("search", json!({"query": "tea", "top_k": top}));
        assert_eq!(case.cloud.asked_for("POST /v1/memory/search").pop().unwrap().json()["top_k"], sent);
    }
    case.tool("remember", json!({"content": "Ann", "importance": 7, "memory_type": "goal"}));
    let row = case.cloud.rows().remove(0);
    assert_eq!((row.importance, row.kind.as_str()), (1.0, "goal"));
}

#[test]
fn what_a_user_asks_to_be_kept_is_kept_once() {
    for kind in [Kind::Hosted, Kind::Older, Kind::OnlyAsync] {
        let case = Case::of(kind);
        let keep = |text: &str| {
            let wish = Remember { caller: case.caller.clone(), text: text.to_owned() };
            case.provider.remember(&wish, &Call::default())
        };
        let first = keep("Анна пьёт чай").unwrap();
        let again = keep(" анна ПЬЁТ чай ").unwrap();
        assert!(!first.existed && again.existed && !first.id.is_empty(), "{first:?} {again:?}");
        assert_eq!(case.stored(), ["Анна пьёт чай"]);
        assert_eq!(keep(" ").unwrap_err().kind, ErrorKind::InvalidInput);
    }
}
