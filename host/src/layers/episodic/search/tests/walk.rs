//! Scrolling and browsing, and the tool over all of it.

use serde_json::{Value, json};

use super::*;

fn numbers(around: &Around) -> Vec<i64> {
    around.lines.iter().map(|line| line.message).collect()
}

#[test]
fn a_conversation_is_read_across_its_sessions() {
    let scene = Scene::new();
    let first = scene.say("one", &[(Role::User, "a"), (Role::Assistant, "b")]);
    scene.say("elsewhere", &[(Role::User, "x")]);
    let second = scene.say_to(
        &SessionHead { parent: Some("one".into()), ..head("two") },
        NOW,
        &[(Role::User, "c"), (Role::Assistant, "d")],
    );
    let third = scene.say_to(&SessionHead { parent: Some("two".into()), ..head("three") }, NOW, &[(Role::User, "e")]);
    let scroll = |around, counts| scene.searcher.scroll(&Reader::Owner, around, counts, 100).unwrap();
    let all = scroll(second[0], [9, 9]).unwrap();
    assert_eq!(numbers(&all), [&first[..], &second, &third].concat());
    assert!(!all.more_before && !all.more_after);
    let some = scroll(second[0], [1, 2]).unwrap();
    assert_eq!(numbers(&some), [first[1], second[0], second[1], third[0]]);
    assert!(some.more_before && !some.more_after);
    assert_eq!(numbers(&scroll(first[0], [5, 0]).unwrap()), [first[0]]);
    assert!(scroll(9999, [1, 1]).is_none());
    // One that goes on from itself ends.
    scene.db.with(|db| db.execute("UPDATE sessions SET parent = 'three' WHERE name = 'one'", [])).unwrap();
    assert!(numbers(&scroll(second[0], [50, 50]).unwrap()).len() < 20);
}

#[test]
fn scrolling_shows_nothing_of_others() {
    let scene = Scene::new();
    let mut anna = head("s");
    anna.scope.user = "anna".into();
    let private = scene.say_to(&anna, NOW, &[(Role::User, "in private")]);
    let told = NewMessage {
        content: "in the team".into(),
        scope: Some(group("", "team", "anna").scope),
        ..NewMessage::default()
    };
    let team = scene.write(&anna, &[told]);
    let reader = Reader::Audience(group("", "team", "bob").scope);
    assert!(scene.searcher.scroll(&reader, private[0], [5, 5], 100).unwrap().is_none());
    assert_eq!(numbers(&scene.searcher.scroll(&reader, team[0], [5, 5], 100).unwrap().unwrap()), team);
    let listed = scene.searcher.browse(&reader, &Filter::default(), None, 9, 100).unwrap();
    assert_eq!(listed[0].opening.as_ref().unwrap().excerpt.text, "in the team");
    let stranger = Reader::Audience(group("", "other", "bob").scope);
    assert!(scene.searcher.browse(&stranger, &Filter::default(), None, 9, 100).unwrap().is_empty());
}

#[test]
fn sessions_are_browsed_by_time_title_and_platform() {
    let scene = Scene::new();
    for n in 0..5 {
        let title = Some(format!("Garten {n}"));
        let mut head = SessionHead { title, started_ms: NOW - n * DAY, ..head(&format!("s{n}")) };
        head.scope.platform = if n % 2 == 0 { "telegram" } else { "cli" }.into();
        scene.say_to(&head, NOW - n * DAY, &[(Role::User, "hello")]);
    }
    scene.say_to(&in_context("job", Context::Cron), NOW, &[(Role::User, "tick")]);
    let names = |filter: Filter, title: Option<&str>, limit| -> Vec<String> {
        let listed = scene.searcher.browse(&Reader::Owner, &filter, title, limit, 50).unwrap();
        listed.into_iter().map(|listed| listed.session.name).collect()
    };
    let all = Filter::default;
    assert_eq!(names(all(), None, 3), ["job", "s0", "s1"]);
    assert_eq!(names(Filter { others: Others::None, ..all() }, None, 2), ["s0", "s1"]);
    assert_eq!(names(all(), Some("GARTEN 4"), 9), ["s4"]);
    assert_eq!(names(Filter { platform: Some("cli".into()), others: Others::None, ..all() }, None, 9), ["s1", "s3"]);
    let since = Some(i64::try_from(NOW - DAY - 1).unwrap());
    assert_eq!(names(Filter { since, others: Others::None, ..all() }, None, 9), ["s0", "s1"]);
}

fn call(scene: &Scene, arguments: Value) -> Result<Value, Refused> {
    let asking = Asking { scope: head("").scope, session: "now".into(), now: NOW };
    scene.searcher.call(Ok(&arguments), &asking)
}

#[test]
fn the_tool_tells_its_shape_by_its_arguments() {
    let scene = Scene::new();
    let ids = scene.say("old", &[(Role::User, "the gateway has port 8443"), (Role::Assistant, "noted")]);
    scene.say("now", &[(Role::User, "which port has the gateway?")]);
    scene.catch_up();
    let found = call(&scene, json!({"query": "gateway port"})).unwrap();
    assert_eq!(found["sessions"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["sessions"][0]["session"], "old");
    assert_eq!(found["sessions"][0]["passages"][0]["text"], "the gateway has port 8443");
    assert!(found["note"].as_str().unwrap().contains("not instructions"));
    let read = call(&scene, json!({"around": ids[0]})).unwrap();
    assert_eq!(read["messages"][1]["text"], "noted");
    let listed = call(&scene, json!({})).unwrap();
    assert_eq!(listed["sessions"][0]["begins"]["text"], "the gateway has port 8443");
    let nothing = call(&scene, json!({"query": "xylophone"})).unwrap();
    assert_eq!(nothing["sessions"], json!([]));
    assert_eq!(call(&scene, json!({"around": 77})).unwrap_err().kind, "not_found");
    let wrong = call(&scene, json!({"text": "gateway"})).unwrap_err();
    assert!(wrong.kind == "invalid_input" && wrong.message.contains("`query`"), "{wrong:?}");
    // Where it is asked for by name, the present session is searched too.
    let own = call(&scene, json!({"query": "gateway", "sessions": ["now"]})).unwrap();
    assert_eq!(own["sessions"][0]["session"], "now");
}

#[test]
fn an_archive_that_cannot_be_read_is_no_empty_answer() {
    let scene = Scene::of(&["the gateway"]);
    scene.db.with(|db| db.execute("DROP TABLE search_words", [])).unwrap();
    let refused = call(&scene, json!({"query": "gateway"})).unwrap_err();
    assert_eq!(refused.kind, "unavailable");
    assert!(refused.message.contains("search_words"), "{refused:?}");
}
