//! Entries from elsewhere.

use super::*;

fn import(scene: &Scene, author: Author, texts: &[&str]) -> Imported {
    let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
    scene.curated.import(Target::Memory, &texts, &caller(author, Context::Primary)).unwrap()
}

/// One that cannot be kept does not keep the others out, and is told with its place and without its secret.
#[test]
fn each_is_judged_by_itself() {
    let scene = Scene::small(60);
    scene.write("likes tea");
    let texts =
        ["likes rye", "key sk-proj-abcDEF1234567890xyz", "a\n§\nb", "likes tea", &"x".repeat(50), " чай \r\n", ""];
    let Imported { outcome, left_out } = import(&scene, Author::User, &texts);
    assert_eq!(scene.read(), "likes tea\n§\nlikes rye\n§\nчай");
    assert_eq!((outcome.changes.len(), outcome.duplicates), (2, 1));
    let told: Vec<(usize, String)> = left_out.iter().map(|left| (left.number, left.why.to_string())).collect();
    assert_eq!(
        told,
        [
            (2, "it holds what looks like a secret".to_owned()),
            (3, "it has a line that is only `§`, which separates entries".to_owned()),
            (5, "there is no room: it needs 53 characters, and 39 are left".to_owned()),
            (7, "it is empty".to_owned()),
        ]
    );
    assert!(!left_out[0].excerpt.contains("abcDEF"), "{}", left_out[0].excerpt);
    // The same again changes nothing.
    assert!(import(&scene, Author::User, &texts[..1]).outcome.changes.is_empty());
}

#[test]
fn the_first_entry_may_fill_the_file() {
    let scene = Scene::small(60);
    assert!(import(&scene, Author::User, &[&"x".repeat(60), "y"]).left_out.iter().all(|left| left.number == 2));
    assert_eq!(scene.read().len(), 60);
}

/// An agent that imports asks like one that writes.
#[test]
fn what_an_agent_imports_waits_with_approval() {
    let scene = Scene::with(Settings { write_approval: true, ..Settings::default() });
    let outcome = import(&scene, Author::Assistant, &["a", "b"]).outcome;
    assert_eq!((scene.read().as_str(), outcome.changes.len()), ("", 0));
    scene.curated.approve(&outcome.proposal.unwrap().id, false).unwrap();
    assert_eq!(scene.read(), "a\n§\nb");
}
