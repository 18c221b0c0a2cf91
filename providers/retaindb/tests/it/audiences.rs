//! Who sees what: profiles are projects, audiences are users of the service.

use hermes_provider_api::{ErrorKind, Scope};
use hermes_tests_retaindb::{Fault, Kind};
use serde_json::json;

use crate::support::{Case, group, private};

/// The project and user that a turn of somebody is sent under.
fn sent(config: serde_json::Value, scope: Scope) -> (String, String) {
    let case = Case::with(Kind::Hosted, config, |fake| fake).speaking_as(scope);
    case.sync(&case.turn("k1", "Hello there", "Hi.")).unwrap();
    let turn = case.cloud.ingested().remove(0);
    let text = |name: &str| turn[name].as_str().unwrap().to_owned();
    (text("project"), text("user_id"))
}

#[test]
fn a_profile_is_a_project_and_an_audience_a_user() {
    let sent_as = |scope| sent(json!({}), scope);
    let pair = |project: &str, user: &str| (project.to_owned(), user.to_owned());
    assert_eq!(sent_as(Scope::default()), pair("default", "default"));
    assert_eq!(sent_as(Scope { profile: "default".into(), ..Scope::default() }), pair("default", "default"));
    assert_eq!(sent_as(Scope { profile: "work".into(), ..Scope::default() }), pair("hermes-work", "default"));
    assert_eq!(sent_as(private("ann")), pair("default", "telegram:ann"));
    assert_eq!(sent_as(private("a:b%")), pair("default", "telegram:a%3Ab%25"));
    assert_eq!(sent_as(group("team", "ann")), pair("default", "group:telegram:team"));
    // Whoever is called like the owner's stand-in is somebody else.
    assert_eq!(sent_as(Scope { user: "default".into(), ..Scope::default() }), pair("default", ":default"));
    assert_eq!(sent(json!({"project": " demo "}), Scope::default()), pair("demo", "default"));
}

/// One person is one user of the service on every platform that they name, and nobody is by chance.
#[test]
fn the_owner_may_have_other_names() {
    let owner = json!({"owner": "telegram:1234, discord:ann"});
    let user = |scope| sent(owner.clone(), scope).1;
    assert_eq!(user(private("1234")), "default");
    assert_eq!(user(Scope { platform: "discord".into(), ..private("ann") }), "default");
    assert_eq!(user(private("ann")), "telegram:ann");
    assert_eq!(user(group("team", "1234")), "group:telegram:team");
}

#[test]
fn nobody_deletes_what_they_cannot_see() {
    let case = Case::new().speaking_as(private("ann"));
    let id = case.add("Ann drinks tea");
    let case = case.speaking_as(private("bob"));
    let error = case.try_tool("forget", json!({"memory_id": id})).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotFound);
    assert!(case.cloud.asked_for(&format!("DELETE /v1/memory/{id}")).is_empty());
    assert_eq!(case.stored(), ["Ann drinks tea"]);
    case.speaking_as(private("ann")).tool("forget", json!({"memory_id": id}));
}

/// An id from an earlier conversation is looked up in the list.
#[test]
fn what_an_earlier_conversation_was_shown_can_be_forgotten() {
    let case = Case::new();
    case.sync(&case.turn("k1", "I moved to Riga", "Noted.")).unwrap();
    let id = case.cloud.rows()[0].id.clone();
    case.tool("forget", json!({"memory_id": id}));
    assert!(case.stored().is_empty());
}

/// The service parts users; should it fail to, what it says is another's is not passed on.
#[test]
fn rows_of_somebody_else_are_left_out() {
    let case = Case::new();
    let rows = r#"{"results": [
        {"memory": {"id": "1", "content": "mine", "user_id": "default"}, "similarity": 0.9},
        {"memory": {"id": "2", "content": "not mine", "user_id": "telegram:bob"}, "similarity": 0.9}]}"#;
    case.cloud.fail("/v1/memory/search", 1, Fault::Says(200, rows));
    let found = case.tool("search", json!({"query": "mine"}));
    assert_eq!((&found["count"], &found["memories"][0]["content"]), (&json!(1), &json!("mine")));
}
