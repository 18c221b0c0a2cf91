//! What is written is read again.

use std::sync::Arc;

use hermes_provider_api::records::{ChatKind, Context, Role, Scope, ToolCall};

use super::*;
use crate::db::Db;

fn archive() -> Archive {
    Archive::new(Arc::new(Db::in_memory().unwrap()))
}

fn scope(platform: &str, user: &str) -> Scope {
    Scope { profile: "default".to_owned(), platform: platform.to_owned(), user: user.to_owned(), ..Scope::default() }
}

fn head(name: &str, at: UnixMillis) -> SessionHead {
    SessionHead { name: name.to_owned(), scope: scope("cli", "anna"), started_ms: at, ..SessionHead::default() }
}

fn say(turn: u64, role: Role, content: &str) -> NewMessage {
    NewMessage { turn, role, content: content.to_owned(), at_ms: 1000 * turn, ..NewMessage::default() }
}

fn write(archive: &Archive, head: &SessionHead, messages: &[NewMessage]) -> Appended {
    let write = |connection: &mut rusqlite::Connection| {
        let transaction = connection.transaction()?;
        let appended = append(&transaction, head, messages)?;
        transaction.commit()?;
        Ok(appended)
    };
    archive.db.with(write).unwrap()
}

fn names(archive: &Archive, filter: &Filter) -> Vec<String> {
    archive.list(filter).unwrap().into_iter().map(|session| session.head.name).collect()
}

#[test]
fn messages_come_back_as_they_were() {
    let archive = archive();
    let group = Scope { chat: "team".to_owned(), chat_kind: ChatKind::Group, ..scope("telegram", "anna") };
    let call = ToolCall { id: "call_1".to_owned(), name: "note".to_owned(), arguments: "{\"a\":".to_owned() };
    let said = [
        NewMessage { tokens: Some(3), ..say(1, Role::User, "где чай?\0 🍵") },
        NewMessage { tool_calls: vec![call], folded: true, ..say(1, Role::Assistant, "") },
        NewMessage { tool_call: "call_1".to_owned(), tool: "note".to_owned(), ..say(1, Role::Tool, "{}") },
        NewMessage { partial: true, scope: Some(group), ..say(2, Role::System, "x") },
    ];
    let appended = write(&archive, &head("s", 500), &said);
    let session = archive.find("s").unwrap();
    let read = archive.messages(&session, 0, 10).unwrap();
    assert_eq!(read.iter().map(|message| message.id).collect::<Vec<_>>(), appended.messages);
    assert_eq!(read.into_iter().map(|message| message.said).collect::<Vec<_>>(), said);
    assert_eq!(session.head, head("s", 500));
    let Session { last_ms, messages, tokens, last_turn, pinned, .. } = session;
    assert_eq!((last_ms, messages, tokens, last_turn, pinned), (2000, 4, 3, 2, false));
    let rest = archive.messages(&session, appended.messages[1], 1).unwrap();
    assert_eq!(rest[0].said, said[2]);
}

#[test]
fn a_session_keeps_how_it_began() {
    let archive = archive();
    let first = SessionHead { title: Some("tea".to_owned()), model: Some("a".to_owned()), ..head("s", 500) };
    write(&archive, &first, &[say(1, Role::User, "one")]);
    let ended = SessionHead { ended_ms: Some(9000), reason: Some("over".to_owned()), ..first.clone() };
    assert_eq!(write(&archive, &ended, &[]).messages, [0; 0]);
    assert_eq!(archive.find("s").unwrap().head, ended);
    let later = SessionHead {
        scope: scope("telegram", "anna"),
        title: Some("cake".to_owned()),
        model: Some("b".to_owned()),
        parent: Some("p".to_owned()),
        ..head("s", 700)
    };
    write(&archive, &later, &[say(2, Role::User, "two")]);
    let now = archive.find("s").unwrap();
    let expected = SessionHead { model: Some("b".to_owned()), ..first };
    assert_eq!((now.head.clone(), now.messages, now.last_turn), (expected, 2, 2));
    let scopes: Vec<_> = archive.messages(&now, 0, 9).unwrap().into_iter().map(|message| message.said.scope).collect();
    assert_eq!(scopes, [None, Some(scope("telegram", "anna"))], "what is said to another audience is marked so");
}

#[test]
fn sessions_are_found_by_what_is_asked() {
    let archive = archive();
    let titled = |name: &str, title: &str| SessionHead { title: Some(title.to_owned()), ..head(name, 500) };
    write(&archive, &titled("morning", "Über ЧАЙ"), &[say(3, Role::User, "x")]);
    write(&archive, &SessionHead { context: Context::Cron, ..head("job", 600) }, &[say(1, Role::User, "x")]);
    write(&archive, &SessionHead { scope: scope("telegram", "bob"), ..head("bob", 700) }, &[say(2, Role::User, "x")]);
    let check = |filter: Filter, expected: &[&str]| assert_eq!(names(&archive, &filter), expected, "{filter:?}");
    let some = |text: &str| Some(text.to_owned());
    check(Filter::default(), &["morning", "bob", "job"]);
    check(Filter { limit: Some(2), ..Filter::default() }, &["morning", "bob"]);
    check(Filter { title: some("über чай"), ..Filter::default() }, &["morning"]);
    check(Filter { title: some("%"), ..Filter::default() }, &[]);
    check(Filter { platform: some("telegram"), ..Filter::default() }, &["bob"]);
    check(Filter { user: some("anna"), context: Some(Context::Primary), ..Filter::default() }, &["morning"]);
    check(Filter { since: Some(2000), ..Filter::default() }, &["morning", "bob"]);
    check(Filter { until: Some(600), ..Filter::default() }, &["morning"]);
    check(Filter { chat: some(""), project: some(""), ..Filter::default() }, &["morning", "bob", "job"]);
}

#[test]
fn the_beginning_of_an_id_is_enough_when_it_is_the_only_one() {
    let archive = archive();
    for name in ["чай-1", "чай-12", "%_"] {
        write(&archive, &head(name, 1), &[]);
    }
    let found = |which: &str| archive.find(which).map(|session| session.head.name).map_err(|error| error.to_string());
    assert_eq!(found("чай-1").unwrap(), "чай-1", "the whole id means itself");
    assert_eq!(found("%").unwrap(), "%_");
    assert_eq!(found("чай-12").unwrap(), "чай-12");
    assert!(found("чай").unwrap_err().contains("or"));
    assert!(found("_").is_err() && found("").is_err());
}
