//! What of a conversation is in the archive.

use super::*;
use crate::home::Home;
use crate::layers::episodic::{self, Archive, Filter, NewMessage};

const NOW: UnixMillis = 1_767_225_600_000;
/// A key by its shape.
const KEY: &str = "sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z";

struct Place {
    home: Home,
    clock: Clock,
    _folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { home: Home::at(folder.path().join("home")), clock: Clock::fixed(NOW), _folder: folder }
    }

    fn db(&self) -> Arc<Db> {
        Arc::new(Db::open(&self.home).unwrap().db)
    }

    /// As another process has it.
    fn memory(&self, provider: Provider, archive: Option<Archiving>) -> Memory {
        let settings = TurnSettings { archive, ..settings() };
        Memory::open(provider, Some(self.db()), settings, self.clock.clone(), Redactor::default()).unwrap()
    }

    fn alone(&self) -> Memory {
        self.memory(Provider::None, Some(Archiving { redact: true }))
    }

    fn archive(&self) -> Archive {
        Archive::new(self.db())
    }

    fn session(&self, id: &str) -> (episodic::Session, Vec<NewMessage>) {
        let session = self.archive().find(id).unwrap();
        let messages = self.archive().messages(&session, 0, 1000).unwrap();
        (session, messages.into_iter().map(|message| message.said).collect())
    }

    fn texts(&self, id: &str) -> Vec<(u64, String)> {
        self.session(id).1.into_iter().map(|message| (message.turn, message.content)).collect()
    }
}

fn text(turn: u64, text: &str) -> (u64, String) {
    (turn, text.to_owned())
}

#[test]
fn every_session_is_archived_without_a_provider_too() {
    let place = Place::new();
    for context in [Context::Primary, Context::Subagent, Context::Cron, Context::Review] {
        let name = format!("{context:?}");
        {
            let memory = place.alone();
            let session = memory.session(&name, group("team"), context);
            assert_eq!(say(&session, "Что  подать\nгостю?", "чай").number, 1);
            assert!(memory.shutdown().is_complete());
        }
        let memory = place.alone();
        let again = memory.session(&name, group("team"), context);
        assert_eq!(say(&again, "and then?", "cake").number, 2, "it goes on counting");
        let (session, messages) = place.session(&name);
        assert_eq!((session.head.context, session.head.scope.clone()), (context, group("team")));
        assert_eq!(session.head.title.as_deref(), Some("Что подать"));
        assert_eq!((session.messages, session.last_turn, session.last_ms), (4, 2, NOW));
        let said: Vec<_> = messages.iter().map(|message| (message.turn, message.role, &*message.content)).collect();
        let (user, model) = (Role::User, Role::Assistant);
        let expected =
            [(1, user, "Что  подать\nгостю?"), (1, model, "чай"), (2, user, "and then?"), (2, model, "cake")];
        assert_eq!(said, expected);
    }
}

#[test]
fn what_a_provider_gets_is_archived_too_and_leaves_the_outbox() {
    let place = Place::new();
    let (hooks, shared) = InProcess::new();
    let memory = place.memory(Provider::Ready(hooks), Some(Archiving { redact: true }));
    let session = session(&memory, "s");
    let handle = session.begin("сохрани это");
    let call = |name: &str| ToolCall { id: "call_1".to_owned(), name: name.to_owned(), arguments: "{}".to_owned() };
    place.clock.set(NOW + 5000);
    session.tool(&call("note"));
    place.clock.set(NOW + 9000);
    session.finish(handle, &[Message::new(Role::Assistant, "готово")], Ending::Complete).unwrap();
    session.end().unwrap();
    assert!(memory.shutdown().is_complete());
    assert_eq!(shared.requests(Hook::SyncTurn).len(), 1);
    let (found, messages) = place.session("s");
    let told: Vec<_> =
        messages.iter().map(|message| (&*message.content, &*message.tool, message.at_ms - NOW)).collect();
    assert_eq!(told, [("сохрани это", "", 0), ("", "", 5000), ("{\"got\":{}}", "note", 5000), ("готово", "", 9000)]);
    assert_eq!((&messages[1].tool_calls, &*messages[2].tool_call), (&vec![call("note")], "call_1"));
    assert_eq!((found.head.ended_ms, found.head.reason.as_deref()), (Some(NOW + 9000), Some("ended")));
    let left = |sql: &str| place.db().with(|connection| connection.query_row(sql, [], |row| row.get::<_, i64>(0)));
    assert_eq!(left("SELECT count(*) FROM outbox").unwrap(), 0);
    // What was forgotten here is still counted: the provider knows the numbers.
    place.archive().delete(&[found]).unwrap();
    assert_eq!(say(&memory.session("s", private("anna"), Context::Primary), "и ещё", "да").number, 2);
}

#[test]
fn secrets_are_masked_unless_the_user_wants_them() {
    for redact in [true, false] {
        let place = Place::new();
        let memory = place.memory(Provider::None, Some(Archiving { redact }));
        let session = session(&memory, "s");
        let handle = session.begin(&format!("the key is {KEY}"));
        let arguments = format!("{{\"key\": \"{KEY}\"}}");
        session.note(Message {
            role: Role::Assistant,
            tool_calls: vec![ToolCall { id: "1".to_owned(), name: "x".to_owned(), arguments }],
            ..Message::default()
        });
        let echo = "ok <memory-context>\nwas recalled\n</memory-context>";
        session.finish(handle, &[Message::new(Role::Assistant, echo)], Ending::Complete).unwrap();
        drop((session, memory));
        let (found, messages) = place.session("s");
        let all = format!("{found:?} {messages:?}");
        // In the title, in the message, and in the call.
        assert_eq!(all.matches(KEY).count(), if redact { 0 } else { 3 }, "{all}");
        assert_eq!(messages[2].content, "ok", "what was recalled was said by nobody");
        let mut bytes = std::fs::read(place.home.database()).unwrap();
        bytes.extend(std::fs::read(place.home.database().with_extension("db-wal")).unwrap_or_default());
        assert_eq!(memchr::memmem::find(&bytes, KEY.as_bytes()).is_some(), !redact);
    }
}

#[test]
fn what_is_broken_off_or_folded_is_marked_and_stays() {
    let place = Place::new();
    let memory = place.alone();
    let session = session(&memory, "s");
    say(&session, "what to serve?", "tea");
    say(&session, "what to serve?", "cake");
    let open = session.begin("and then?");
    drop(open);
    let recalled = "what to serve?\n\n<memory-context>\nx\n</memory-context>";
    let _ = session.compress(vec![Message::new(Role::User, recalled), Message::new(Role::Assistant, "tea")]);
    drop(session);
    let (_, messages) = place.session("s");
    let marks: Vec<_> = messages.iter().map(|message| (&*message.content, message.folded, message.partial)).collect();
    let ask = "what to serve?";
    let expected = [
        (ask, true, false),
        ("tea", true, false),
        (ask, false, false),
        ("cake", false, false),
        ("and then?", false, true),
    ];
    assert_eq!(marks, expected);
}

#[test]
fn a_switch_says_where_a_session_goes_on_from() {
    let place = Place::new();
    let memory = place.alone();
    let (first, second, third) = (session(&memory, "a"), session(&memory, "b"), session(&memory, "c"));
    say(&first, "спасибо", "не за что");
    say(&first, "what to serve?", "tea");
    memory.switch(&first, &second, Switch::Continue).unwrap();
    say(&second, "and then?", "cake");
    memory.switch(&second, &third, Switch::Reset).unwrap();
    say(&third, "привет", "и тебе");
    memory.switch(&third, &first, Switch::Reset).unwrap();
    say(&first, "and now?", "water");
    let told = |name: &str| {
        let head = place.session(name).0.head;
        (head.parent, head.title, head.reason)
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(told("a"), (None, some("what to serve?"), None), "its end is not the end any more");
    assert_eq!(told("b"), (some("a"), some("and then?"), some("reset")));
    assert_eq!(told("c"), (some("b"), None, some("reset")));
}

#[test]
fn two_processes_may_write_one_session() {
    let place = Place::new();
    let (one, other) = (place.alone(), place.alone());
    let (here, there) = (session(&one, "s"), session(&other, "s"));
    std::thread::scope(|scope| {
        for (name, session) in [("here", &here), ("there", &there)] {
            scope.spawn(move || {
                for number in 0..20 {
                    say(session, &format!("{name} {number}"), &format!("{name} ok {number}"));
                }
            });
        }
    });
    let texts = place.texts("s");
    assert_eq!(texts.len(), 80);
    // Each turn is whole, has a number of its own, and those of one process are in order.
    for (at, turn) in texts.chunks(2).enumerate() {
        let number = u64::try_from(at).unwrap() + 1;
        assert_eq!([turn[0].0, turn[1].0], [number, number], "{turn:?}");
        assert_eq!(turn[1].1, turn[0].1.replacen(' ', " ok ", 1));
    }
    for name in ["here", "there"] {
        let own = texts.iter().filter(|(_, text)| text.starts_with(name) && !text.contains("ok"));
        let own: Vec<_> = own.map(|(_, text)| text.clone()).collect();
        assert_eq!(own, (0..20).map(|number| format!("{name} {number}")).collect::<Vec<_>>());
    }
}

#[test]
fn what_is_not_to_be_archived_is_not() {
    let place = Place::new();
    let (hooks, shared) = InProcess::new();
    let memory = place.memory(Provider::Ready(hooks), None);
    let session = session(&memory, "s");
    say(&session, "what to serve?", "tea");
    let _ = session.compress(vec![Message::new(Role::User, "what to serve?")]);
    session.end().unwrap();
    assert!(memory.shutdown().is_complete());
    assert_eq!(shared.requests(Hook::SyncTurn).len(), 1);
    assert_eq!(place.archive().list(&Filter::default()).unwrap(), []);
    let nobody = Place::new();
    let memory = nobody.memory(Provider::None, None);
    say(&super::session(&memory, "s"), "what to serve?", "tea");
    assert_eq!(nobody.archive().list(&Filter::default()).unwrap(), []);
}

#[test]
fn what_cannot_be_written_is_written_later_once() {
    let place = Place::new();
    let memory = place.alone();
    let session = session(&memory, "s");
    say(&session, "one", "1");
    let refuse = |sql: &str| place.db().with(|connection| connection.execute_batch(sql)).unwrap();
    refuse("CREATE TRIGGER no BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'full'); END");
    for number in ["two", "three"] {
        let handle = session.begin(number);
        let error = session.finish(handle, &[], Ending::Complete).unwrap_err();
        assert!(!error.lost && error.what.starts_with("the record of turn"), "{error}");
    }
    let again = memory.session("s", private("anna"), Context::Primary);
    assert_eq!(again.record_turn("four", &[]).0, 4, "what waits is counted");
    assert_eq!(place.texts("s"), [text(1, "one"), text(1, "1")]);
    refuse("DROP TRIGGER no");
    let report = memory.shutdown();
    assert!(report.is_complete(), "{report:?}");
    let all = [text(1, "one"), text(1, "1"), text(2, "two"), text(3, "three"), text(4, "four")];
    assert_eq!(place.texts("s"), all);
    // What is left at the end is told.
    refuse("CREATE TRIGGER no BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'full'); END");
    let memory = place.alone();
    let session = super::session(&memory, "s");
    let handle = session.begin("five");
    session.finish(handle, &[], Ending::Complete).unwrap_err();
    let report = memory.shutdown();
    assert!(report.lost[0].own && report.lost.len() == 1, "{report:?}");
}
