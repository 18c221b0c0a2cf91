//! How the index keeps up with what is recorded.

use super::super::index::vocabulary;
use super::*;
use crate::db;
use crate::home::Home;

/// A word for a number.
fn letters(number: u16) -> String {
    format!("{number:09b}").chars().map(|bit| if bit == '0' { 'k' } else { 'u' }).collect()
}

/// The words and how often they are; in which block a number lies depends on how it came there.
fn whole(scene: &Scene) -> Vec<String> {
    let read = |sql: &str| -> Vec<String> {
        scene.db.with(|db| db.prepare(sql)?.query_map([], |row| row.get(0))?.collect()).unwrap()
    };
    let mut all = read("SELECT word || ' ' || messages FROM search_words UNION ALL SELECT ending FROM search_ends");
    for form in read("SELECT form FROM search_forms") {
        let words = scene.db.with(|db| vocabulary::of_form(db, &form)).unwrap();
        all.extend(words.iter().map(|word| format!("{form} {word}")));
    }
    all.sort();
    all
}

#[test]
fn messages_are_found_before_they_are_in_the_index() {
    let scene = Scene::new();
    scene.say("s", &[(Role::User, "the gateway was deployed")]);
    assert_eq!(scene.searcher.progress().unwrap(), Progress { on: true, behind: 1, messages: 1 });
    scene.finds("gateway", &["s"]);
    scene.finds("deploying", &["s"]);
    scene.catch_up();
    assert_eq!(scene.searcher.progress().unwrap().behind, 0);
    scene.finds("gateway", &["s"]);
}

#[test]
fn the_index_catches_up_by_itself() {
    // Case 219: messages that were written while it was off.
    let mut scene = Scene::with(Settings { index: false, ..Settings::default() });
    for n in 0..300_u16 {
        scene.say(&format!("s{n}"), &[(Role::User, &format!("message of {}", letters(n)))]);
    }
    assert_eq!(scene.searcher.progress().unwrap(), Progress { on: false, behind: 300, messages: 300 });
    assert_ne!(scene.names(&letters(1)).first().map(String::as_str), Some("s1"));
    scene.searcher = Searcher::new(Arc::clone(&scene.db), Settings::default());
    scene.say("new", &[(Role::User, "it is on again")]);
    assert_eq!(scene.searcher.progress().unwrap(), Progress { on: true, behind: 0, messages: 301 });
    assert_eq!(scene.names(&letters(1)).first().map(String::as_str), Some("s1"));
}

#[test]
fn an_index_that_grows_piece_by_piece_is_the_same_as_one_made_at_once() {
    let one = Scene::new();
    let texts: Vec<String> =
        (0..700).map(|n| format!("all have this and {} and some n{}", n * 7919 % 1000, n % 5)).collect();
    for text in &texts {
        one.say("s", &[(Role::User, text)]);
    }
    one.catch_up();
    let other = Scene::of(&[]);
    let all: Vec<_> = texts.iter().map(|text| (Role::User, text.as_str())).collect();
    other.say("s", &all);
    other.catch_up();
    assert_eq!(whole(&one), whole(&other));
    let ask = |scene: &Scene, query: &str| -> Vec<i64> {
        scene.ask(query).iter().flat_map(|found| &found.passages).map(|passage| passage.message).collect()
    };
    for query in ["all", "919", "n3 and 7", "some"] {
        assert_eq!(ask(&one, query), ask(&other, query), "{query}");
    }
}

#[test]
fn what_is_forgotten_leaves_nothing() {
    let scene = Scene::new();
    let common: Vec<String> = (0..400).map(|n| format!("common words and number{n}")).collect();
    scene.say("kept", &common.iter().map(|text| (Role::User, text.as_str())).collect::<Vec<_>>());
    scene.catch_up();
    let before = whole(&scene);
    let secret: Vec<String> = (0..300).map(|n| format!("common swordfish{n} häuser 猫猫狗")).collect();
    let ids = scene.say("secret", &secret.iter().map(|text| (Role::User, text.as_str())).collect::<Vec<_>>());
    scene.catch_up();
    assert_ne!(whole(&scene), before);
    scene
        .db
        .with(|db| {
            let transaction = db.transaction()?;
            forget(&transaction, &ids)?;
            transaction
                .execute("DELETE FROM messages WHERE session = (SELECT id FROM sessions WHERE name = 'secret')", [])?;
            transaction.commit()
        })
        .unwrap();
    // Words that are still there may have got forms by the rules of another language, and nothing else is left.
    let forms = |all: &[String]| -> Vec<String> { all.iter().filter(|row| !before.contains(row)).cloned().collect() };
    let left = forms(&whole(&scene));
    assert!(
        left.iter().all(|row| before.iter().any(|kept| row.split(' ').nth(1) == kept.split(' ').next())),
        "{left:?}"
    );
    assert!(before.iter().all(|row| whole(&scene).contains(row)));
    scene.finds("swordfish", &[]);
    assert_eq!(scene.names("number7").first().unwrap(), "kept");
}

#[test]
fn of_tools_the_beginning_is_found() {
    let result = format!("{} needle {} haystack", "line ".repeat(100), "line ".repeat(1000));
    let messages = [
        NewMessage { role: Role::User, content: "look it up".into(), ..NewMessage::default() },
        NewMessage {
            role: Role::Assistant,
            tool_calls: vec![hermes_provider_api::records::ToolCall {
                id: "c".into(),
                name: "read_file".into(),
                arguments: "{\"path\": \"/etc/fstab\"}".into(),
            }],
            ..NewMessage::default()
        },
        NewMessage { role: Role::Tool, content: result, tool: "read_file".into(), ..NewMessage::default() },
    ];
    let mut scene = Scene::new();
    scene.write(&head("s"), &messages);
    scene.catch_up();
    scene.finds("needle", &["s"]);
    scene.finds("fstab", &["s"]);
    scene.finds("haystack", &[]);
    // Another share of it makes another index.
    scene.searcher = Searcher::new(Arc::clone(&scene.db), Settings { index_tool_chars: 0, ..Settings::default() });
    assert_eq!(scene.searcher.progress().unwrap().behind, 3);
    scene.catch_up();
    assert_eq!(scene.searcher.progress().unwrap().behind, 0);
    scene.finds("needle", &[]);
    scene.finds("fstab", &[]);
    scene.finds("look", &["s"]);
}

#[test]
fn tool_results_do_not_swell_the_index() {
    // Case 210: the index of long results is small, since only their beginning is in it.
    let scene = Scene::new();
    let result: String =
        (0..20_000_u32).map(|n| format!("{{\"key{n}\": {}}}, ", n.wrapping_mul(2_654_435_761))).collect();
    let tool = NewMessage { role: Role::Tool, content: result.clone(), ..NewMessage::default() };
    scene.write(&head("s"), &vec![tool; 40]);
    scene.catch_up();
    let size = "SELECT sum(length(word) + length(newest)) + (SELECT coalesce(sum(length(ids)), 0) FROM search_blocks)
        + (SELECT coalesce(sum(length(form) + length(words)), 0) FROM search_forms) FROM search_words";
    let size: i64 = scene.db.with(|db| db.query_row(size, [], |row| row.get(0))).unwrap();
    assert!(size * 100 < 40 * i64::try_from(result.len()).unwrap(), "{size}");
}

#[test]
fn an_older_index_of_the_archive_is_filled_again() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().join("home"));
    home.create().unwrap();
    let old = rusqlite::Connection::open(home.database()).unwrap();
    db::up_to(&old, 7);
    old.execute_batch(
        "INSERT INTO audiences (id, profile, platform, chat, chat_kind, user, project)
            VALUES (1, 'default', '', '', 'private', '', '');
         INSERT INTO sessions (id, name, audience, context, started_ms, last_ms, messages)
            VALUES (1, 's', 1, 'primary', 1, 1, 1);
         INSERT INTO messages (id, session, audience, turn, role, content, at_ms)
            VALUES (1, 1, 1, 1, 'user', 'the gateway', 1);
         INSERT INTO search_words (word, messages, newest) VALUES ('stale', 1, x'01');
         INSERT INTO search_state (name, value) VALUES ('mark', 1);",
    )
    .unwrap();
    drop(old);
    let searcher = Searcher::new(Arc::new(Db::open(&home).unwrap().db), Settings::default());
    assert_eq!(searcher.progress().unwrap().behind, 1);
    searcher.catch_up(i64::MAX);
    let words = "SELECT group_concat(word, ' ') FROM (SELECT word FROM search_words WHERE word >= 'a' AND word < '{')";
    let words: String = Db::open(&home).unwrap().db.with(|db| db.query_row(words, [], |row| row.get(0))).unwrap();
    assert_eq!(words, "gateway the");
}

#[test]
fn a_damaged_index_is_an_error_that_says_what_to_do() {
    let scene = Scene::of(&["the gateway"]);
    scene.db.with(|db| db.execute("UPDATE search_words SET newest = x'80'", [])).unwrap();
    let ask =
        Discover { query: "gateway", filter: &scene.filter, sessions: 1, passages: 1, chars: 100, thorough: false };
    let error = scene.searcher.discover(&Reader::Owner, &ask).unwrap_err();
    let told = format!("{error}: {}", std::error::Error::source(&error).unwrap());
    assert!(told.contains("hermes sessions reindex"), "{told}");
}
