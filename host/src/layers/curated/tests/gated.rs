//! What waits for the user, and what becomes of it.

use super::*;

fn gated() -> Scene {
    Scene::with(Settings { write_approval: true, ..Settings::default() })
}

fn only(scene: &Scene) -> Proposal {
    let mut all = scene.curated.proposals();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[test]
fn with_approval_nothing_is_written_before_a_person_decides() {
    let mut scene = gated();
    let answer = scene.does(json!({"content": "likes tea"}));
    assert!(answer["message"].as_str().unwrap().starts_with("Not written yet"));
    assert_eq!(scene.read(), "");
    // The same again does not wait twice, and what the user types needs no approval.
    scene.does(json!({"content": "likes tea"}));
    scene.add("typed").unwrap();
    let proposal = only(&scene);
    assert_eq!(
        (&proposal.why, proposal.is_auto(), proposal.preview().as_str()),
        (&Why::Approval, false, "MEMORY.md: + likes tea")
    );
    let outcome = scene.curated.approve(&proposal.id, false).unwrap();
    assert_eq!(outcome.changes, [Change::Add { content: "likes tea".to_owned() }]);
    assert_eq!(scene.read(), "typed\n§\nlikes tea");
    assert!(scene.curated.proposals().is_empty() && scene.curated.approve(&proposal.id, false).is_err());
    let facts = scene.curated.list(Target::Memory).unwrap().entries[1].facts.clone().unwrap();
    assert_eq!((facts.author, facts.session.as_str()), (Some(Author::Assistant), "monday"));
}

/// Without the gate, what nobody watches may add, and only propose to replace and remove: a record says which it was.
#[test]
fn what_runs_unattended_adds_and_proposes_the_rest() {
    let mut scene = Scene::new();
    scene.call_as(Author::Review, Context::Review, json!({"content": "likes tea"}));
    assert_eq!(scene.read(), "likes tea");
    scene.call_as(Author::Review, Context::Review, json!({"action": "remove", "old_text": "tea"}));
    let proposal = only(&scene);
    assert_eq!((&proposal.why, proposal.is_auto()), (&Why::Unattended, true));
    assert_eq!(scene.read(), "likes tea");
    scene.call_as(Author::Assistant, Context::Subagent, json!({"content": "of a helper"}));
    assert_eq!((scene.read().as_str(), scene.curated.proposals().len()), ("likes tea", 2));
}

/// An entry that was changed meanwhile is not overwritten by what was said of the old one.
#[test]
fn an_approval_sees_that_the_file_has_moved_on() {
    let mut scene = gated();
    scene.write("port 80 is open");
    scene.does(json!({"action": "replace", "old_text": "port 80", "content": "port 80 is closed"}));
    scene.write("port 80 is filtered\n§\nother");
    let id = only(&scene).id;
    let refused = scene.curated.approve(&id, false).unwrap_err();
    assert!(matches!(refused, Refusal::Moved { .. }), "{refused}");
    assert_eq!(scene.read(), "port 80 is filtered\n§\nother");
    scene.curated.approve(&id, true).unwrap();
    assert_eq!(scene.read(), "port 80 is closed\n§\nother");
}

/// What was done by hand meanwhile is no conflict.
#[test]
fn an_approval_of_what_is_so_already_changes_nothing() {
    let mut scene = gated();
    scene.write("a\n§\nb");
    scene.does(json!({"operations": [{"action": "remove", "old_text": "a"}, {"action": "replace", "old_text": "b", "content": "c"}]}));
    scene.write("c");
    let outcome = scene.curated.approve(&only(&scene).id, false).unwrap();
    assert_eq!((outcome.changes.len(), scene.read().as_str()), (0, "c"));
}

#[test]
fn a_proposal_can_be_reworded_and_dropped() {
    let mut scene = gated();
    scene.does(json!({"content": "likes green tea"}));
    let id = only(&scene).id;
    assert!(scene.curated.reword(&id, "a\n§\nb").is_err());
    scene.curated.reword(&id, "likes black tea").unwrap();
    scene.curated.approve(&id[..4], false).unwrap();
    assert_eq!(scene.read(), "likes black tea");
    scene.does(json!({"content": "x"}));
    scene.curated.drop_proposal(&only(&scene).id).unwrap();
    assert_eq!((scene.read().as_str(), scene.curated.waiting()), ("likes black tea", None));
}

/// An approval goes on waiting when there is no room, and the file is as it was.
#[test]
fn an_approval_without_room_goes_on_waiting() {
    let mut scene = gated();
    scene.does(json!({"content": "x".repeat(2000)}));
    scene.add(&"y".repeat(1000)).unwrap();
    let id = only(&scene).id;
    assert!(matches!(scene.curated.approve(&id, false), Err(Refusal::OverLimit { .. })));
    assert_eq!(only(&scene).id, id);
}

/// What would be refused is refused when it is proposed: the model can still do better then.
#[test]
fn what_could_not_be_approved_is_not_proposed() {
    let mut scene = gated();
    assert_eq!(scene.call(json!({"content": "key sk-proj-abcDEF1234567890xyz"}))["success"], false);
    assert_eq!(scene.call(json!({"action": "remove", "old_text": "a"}))["success"], false);
    assert!(scene.curated.proposals().is_empty());
}
