//! Calls of the tool, as models make them.

use super::*;

#[test]
fn entries_are_added_replaced_and_removed() {
    let mut scene = Scene::new();
    let answer = scene.does(json!({"action": "add", "target": "memory", "content": "  likes tea \n"}));
    assert_eq!((&answer["usage"], &answer["entry_count"]), (&json!("0% — 9/2,200 chars"), &json!(1)));
    scene.does(json!({"action": "add", "content": "port 80\r\nand more"}));
    assert_eq!(scene.read(), "likes tea\n§\nport 80\nand more");
    scene.does(json!({"action": "replace", "old_text": "port 80", "content": "port 8080"}));
    scene.does(json!({"action": "remove", "old_text": "likes"}));
    assert_eq!(scene.read(), "port 8080");
    scene.does(json!({"action": "add", "target": "user", "content": "Имя: Анна\nвторая строка"}));
    assert_eq!(fs::read_to_string(scene.curated.path(Target::User)).unwrap(), "Имя: Анна\nвторая строка");
}

/// A call of success for what is not in the file would be a lie that the user finds out much later.
#[test]
fn success_is_claimed_for_what_is_on_disk() {
    let mut scene = Scene::new();
    scene.does(json!({"content": "the word is pineapple"}));
    fs::remove_dir_all(scene.folder.path().join("home/memories")).unwrap();
    scene.does(json!({"content": "the word is pineapple"}));
    assert_eq!(scene.read(), "the word is pineapple");
}

/// A duplicate is no failure, and no change either.
#[test]
fn a_duplicate_is_success_and_changes_nothing() {
    let mut scene = Scene::new();
    scene.does(json!({"content": "likes tea"}));
    let before = fs::metadata(scene.curated.path(Target::Memory)).unwrap().modified().unwrap();
    let answer = scene.does(json!({"content": "likes tea"}));
    assert!(answer["message"].as_str().unwrap().contains("no duplicate added"));
    assert_eq!(fs::metadata(scene.curated.path(Target::Memory)).unwrap().modified().unwrap(), before);
    let request = Request {
        target: Target::Memory,
        operations: vec![
            Operation::Add { content: "likes tea".to_owned() },
            Operation::Add { content: "likes rye".to_owned() },
        ],
    };
    let outcome = scene.curated.write(&request, &caller(Author::Assistant, Context::Primary)).unwrap();
    assert_eq!((outcome.changes.len(), outcome.duplicates), (1, 1));
}

/// A batch that fails at one place does nothing, and names the place.
#[test]
fn a_batch_is_done_whole_or_not_at_all() {
    let mut scene = Scene::new();
    scene.write("port 80");
    let answer = scene
        .call(json!({"operations": [{"action": "add", "content": "a"}, {"action": "replace", "old_text": "port 80"}]}));
    assert!(answer["error"].as_str().unwrap().starts_with("`operations[1].content` is missing"), "{answer}");
    let answer = scene.call(json!({"operations": [{"content": "a"}, {"action": "remove", "old_text": "port 443"}]}));
    assert_eq!(answer["current_entries"], json!(["port 80", "a"]));
    assert_eq!(scene.read(), "port 80");
}

/// Nothing is dropped at the limit; the answer says how many characters are missing and what could go.
#[test]
fn at_the_limit_one_batch_frees_and_adds() {
    let mut scene = Scene::small(60);
    scene.does(json!({"content": "0123456789 old"}));
    let answer = scene.does(json!({"content": "0123456789 0123456789 0123456789"}));
    assert!(answer["warning"].as_str().unwrap().starts_with("MEMORY.md is 81% full"), "{answer}");
    let answer = scene.call(json!({"content": "0123456789 new"}));
    assert_eq!((&answer["must_free"], &answer["usage"]), (&json!(6), &json!("81% — 49/60 chars")));
    assert_eq!(answer["current_entries"].as_array().unwrap().len(), 2);
    assert_eq!(
        answer["candidates"][0],
        json!({"entry": "0123456789 0123456789 0123456789", "frees": 35, "why": "largest"})
    );
    assert_eq!(answer["candidates"][2]["why"], "oldest");
    scene.does(json!({"operations": [{"action": "remove", "old_text": "old"}, {"action": "add", "content": "0123456789 new"}]}));
    assert_eq!(scene.read(), "0123456789 0123456789 0123456789\n§\n0123456789 new");
}

/// Both files are bounded in the same way.
#[test]
fn the_users_file_overflows_as_the_other_does() {
    let mut settings = Settings::default();
    settings.user.chars = 30;
    let mut scene = Scene::with(settings);
    scene.does(json!({"target": "user", "content": "0123456789 0123456789"}));
    let answer = scene.call(json!({"target": "user", "content": "0123456789"}));
    assert_eq!((&answer["must_free"], &answer["candidates"][0]["frees"]), (&json!(4), &json!(24)));
    scene.does(
        json!({"target": "user", "operations": [{"action": "remove", "old_text": "0123"}, {"content": "short"}]}),
    );
    assert_eq!(fs::read_to_string(scene.curated.path(Target::User)).unwrap(), "short");
    assert_eq!(scene.read(), "");
}

/// What a nightly job could not store is not known to the log alone.
#[test]
fn the_owner_hears_of_what_an_unattended_job_could_not_store() {
    let mut scene = Scene::small(30);
    scene.does(json!({"content": "0123456789 0123456789"}));
    for attempt in 1..=4 {
        let answer = scene.call_as(Author::Assistant, Context::Cron, json!({"content": "what the job found"}));
        assert_eq!(answer["done"] == true, attempt >= 3, "{answer}");
    }
    let waiting = scene.curated.waiting().unwrap();
    assert_eq!((waiting.count, waiting.not_stored, scene.curated.proposals()[0].is_auto()), (1, 1, true));
}

/// A longer wording near the limit is refused with what is missing, and the fact is not lost.
#[test]
fn the_third_failure_is_final_and_keeps_the_fact() {
    let mut scene = Scene::small(30);
    scene.does(json!({"content": "0123456789 0123456789"}));
    for _ in 0..2 {
        let answer = scene.call(json!({"action": "replace", "old_text": "0123", "content": "x".repeat(60)}));
        assert_eq!((&answer["must_free"], &answer["done"]), (&json!(30), &Value::Null));
    }
    let answer = scene.call(json!({"action": "replace", "old_text": "0123", "content": "x".repeat(60)}));
    assert_eq!((&answer["done"], &answer["stored"]), (&json!(true), &json!(false)));
    let waiting = scene.curated.waiting().unwrap();
    assert_eq!((waiting.count, waiting.not_stored), (1, 1));
    assert_eq!(answer["pending"], json!([scene.curated.proposals()[0].id]));
    // What follows is not even looked at, and nothing is queued twice.
    let answer = scene.call(json!({"content": "short"}));
    assert_eq!((&answer["success"], &answer["done"]), (&json!(false), &json!(true)));
    assert_eq!((scene.read().as_str(), scene.curated.proposals().len()), ("0123456789 0123456789", 1));
    // In the next turn the tool works again.
    scene.attempts = Attempts::default();
    scene.does(json!({"content": "short"}));
}

/// A model that repeats the same wrong call is stopped, and has nothing to keep.
#[test]
fn the_same_wrong_call_is_not_answered_for_ever() {
    let mut scene = Scene::new();
    for _ in 0..2 {
        let answer = scene.call(json!({"target": "memory"}));
        assert!(answer["error"].as_str().unwrap().starts_with("`action` is missing"));
    }
    for _ in 0..30 {
        let answer = scene.call(json!({"target": "memory"}));
        assert_eq!(answer["done"], true, "{answer}");
    }
    assert!(scene.curated.waiting().is_none());
}

/// A tidied file is not yet the fact that there was no room for.
#[test]
fn making_room_does_not_make_the_fact_stored() {
    let mut scene = Scene::small(30);
    scene.does(json!({"content": "0123456789 0123456789"}));
    scene.call(json!({"content": "the fact to keep"}));
    let answer = scene.does(json!({"action": "remove", "old_text": "0123"}));
    assert_eq!(answer["done"], false);
    assert!(answer["note"].as_str().unwrap().contains("repeat it now"), "{answer}");
    let mut left = scene.attempts.clone();
    let kept = scene.curated.keep_what_is_left(&caller(Author::Assistant, Context::Primary), &mut left);
    assert!(kept[0].preview().contains("the fact to keep"));
    scene.does(json!({"content": "the fact to keep"}));
    assert!(scene.curated.keep_what_is_left(&Caller::default(), &mut scene.attempts).is_empty());
}

/// A slightly misquoted copy of an entry is met with what the entries are.
#[test]
fn a_text_that_no_entry_has_is_answered_with_the_entries() {
    let mut scene = Scene::new();
    scene.write("Deploys run on Fridays\n§\nDeploys need a review");
    let answer = scene.call(json!({"action": "remove", "old_text": "Deploy runs on Friday"}));
    assert_eq!(answer["current_entries"], json!(["Deploys run on Fridays", "Deploys need a review"]));
    let answer = scene.call(json!({"action": "remove", "old_text": "Deploys"}));
    assert_eq!(answer["matches"].as_array().unwrap().len(), 2);
}

/// What is off is off in every path, and nothing is made on disk for it.
#[test]
fn a_switch_means_what_it_says() {
    let off = Limits { on: false, in_groups: false, chars: 1375 };
    let mut scene = Scene::with(Settings { user: off, ..Settings::default() });
    let answer = scene.call(json!({"target": "user", "content": "a"}));
    assert_eq!(answer["error"], "USER.md is off: `memory.user_profile_enabled` is false");
    assert!(!scene.folder.path().join("home").exists());
    assert_eq!(
        scene.curated.schema(&Scope::default()).unwrap().parameters["properties"]["target"]["enum"],
        json!(["memory"])
    );
    let none = Scene::with(Settings { user: off, memory: off, ..Settings::default() });
    assert!(
        none.curated.schema(&Scope::default()).is_none() && none.curated.snapshot(&Scope::default()).text.is_empty()
    );
    let typed = scene.curated.write(
        &Request::one(Target::User, Operation::Add { content: "a".to_owned() }),
        &caller(Author::User, Context::Primary),
    );
    assert!(matches!(typed, Err(Refusal::Off { .. })));
}

#[test]
fn the_user_is_told_as_the_settings_say() {
    let told = |notifications| {
        let scene = Scene::with(Settings { notifications, ..Settings::default() });
        let caller = caller(Author::Assistant, Context::Primary);
        let call = |arguments: Value| {
            scene.curated.notice(&scene.curated.call(Ok(&arguments), &caller, &mut Attempts::default()))
        };
        let first = call(json!({"content": "likes\n tea"}));
        assert_eq!(call(json!({"content": "likes\n tea"})), None, "a duplicate is no news");
        (first, call(json!({"action": "replace", "old_text": "tea", "content": "likes rye"})))
    };
    assert_eq!(told(Notifications::Off), (None, None));
    let line = Some("💾 Memory updated".to_owned());
    assert_eq!(told(Notifications::On), (line.clone(), line));
    let verbose = told(Notifications::Verbose);
    assert_eq!(verbose.0.as_deref(), Some("💾 Memory updated (MEMORY.md): + likes tea"));
    assert_eq!(verbose.1.as_deref(), Some("💾 Memory updated (MEMORY.md): likes tea → likes rye"));
}
