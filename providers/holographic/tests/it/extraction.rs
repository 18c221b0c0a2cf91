//! What users say of themselves becomes facts where they want it, once, and for nobody else.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hermes_provider_api::records::{Context, Message, OpenRequest, Role, SessionEnd, ToolCall, TurnStart};
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, MemoryProvider as _, Scope};
use hermes_provider_holographic::Holographic;
use serde_json::{Value, json};

use crate::support::{Case, group, private};

const MINUTE: u64 = 60_000;

struct Talk {
    case: Case,
    clock: Arc<AtomicU64>,
}

fn with(extract: Value) -> Talk {
    let folder = tempfile::tempdir().unwrap();
    let fake = FakeHost::new(folder.path()).with_config(extract);
    let clock = fake.clock();
    let provider = Holographic::open(fake.host(), OpenRequest::default()).unwrap();
    let mut case = Case { provider, folder, caller: hermes_provider_api::records::Caller::default() };
    case.caller.origin.session = "s1".into();
    Talk { case, clock }
}

impl Talk {
    fn end(&self, messages: Vec<Message>) {
        let end = SessionEnd { caller: self.case.caller.clone(), idempotency_key: "k".into(), messages };
        self.case.provider.on_session_end(&end, &Call::default()).unwrap();
    }

    fn turn(&self, message: &str) {
        let start = TurnStart { caller: self.case.caller.clone(), number: 1, message: message.to_owned() };
        self.case.provider.on_turn_start(&start, &Call::default()).unwrap();
    }

    fn wait(&self, minutes: u64) {
        self.clock.fetch_add(minutes * MINUTE, Ordering::Relaxed);
    }

    /// The facts that are stored, newest first.
    fn facts(&self) -> Vec<Value> {
        self.case.store(json!({"action": "list"}))["results"].as_array().unwrap().clone()
    }

    fn contents(&self) -> Vec<String> {
        self.facts().iter().map(|fact| fact["content"].as_str().unwrap().to_owned()).collect()
    }
}

fn user(text: &str) -> Message {
    Message::new(Role::User, text)
}

#[test]
fn nothing_is_taken_unless_the_user_wants_it() {
    for settings in [json!({}), json!({"extract": "off"})] {
        let talk = with(settings);
        talk.turn("I live in Lisbon.");
        talk.wait(60);
        talk.turn("I like figs.");
        talk.end(vec![user("I live in Lisbon.")]);
        assert_eq!(talk.facts(), Vec::<Value>::new());
    }
    let fake = FakeHost::new(tempfile::tempdir().unwrap().path()).with_config(json!({"extract": "always"}));
    assert!(Holographic::open(fake.host(), OpenRequest::default()).is_err());
}

#[test]
fn the_end_of_a_session_keeps_what_the_user_said() {
    let talk = with(json!({"extract": "session_end"}));
    talk.turn("I live in Lisbon.");
    talk.wait(60);
    talk.turn("Anything new?");
    assert_eq!(talk.facts(), Vec::<Value>::new(), "only the end counts");
    talk.end(vec![
        Message::new(Role::System, "My name is Hermes."),
        user("Hi! I live in Lisbon, and I prefer window seats. Is it warm?"),
        Message::new(Role::Assistant, "I live in a server."),
        Message::new(Role::Tool, "I was born in Porto."),
        user("We use pnpm in this project."),
    ]);
    let facts = talk.facts();
    let told: Vec<_> =
        facts.iter().map(|fact| (fact["content"].as_str().unwrap(), fact["category"].as_str().unwrap())).collect();
    assert_eq!(
        told,
        [
            ("We use pnpm in this project", "project"),
            ("I prefer window seats", "user_pref"),
            ("I live in Lisbon", "general"),
        ]
    );
    for fact in &facts {
        assert_eq!(
            (&fact["source"], &fact["tags"], &fact["trust"]),
            (&json!("extraction"), &json!(["extracted"]), &json!(0.4))
        );
    }
    assert_eq!(talk.case.recall("Where do I live?"), ["I live in Lisbon"], "a recall trusts it enough");
}

#[test]
fn what_comes_twice_or_is_known_in_other_words_is_kept_once() {
    let talk = with(json!({"extract": "idle"}));
    talk.case.add("The user lives in Lisbon");
    let said = vec![user("I live in Lisbon. I like figs."), user("I like figs!")];
    talk.turn("I like figs.");
    talk.wait(11);
    talk.turn("Hello again");
    talk.end(said.clone());
    talk.end(said);
    assert_eq!(talk.contents(), ["I like figs", "The user lives in Lisbon"]);
}

#[test]
fn a_pause_keeps_what_was_said_before_it() {
    let talk = with(json!({"extract": "idle"}));
    talk.turn("I like figs.");
    talk.wait(9);
    talk.turn("I collect stamps.");
    assert_eq!(talk.contents(), Vec::<String>::new(), "the conversation goes on");
    talk.wait(10);
    talk.turn("I speak Basque.");
    assert_eq!(talk.contents(), ["I collect stamps", "I like figs"]);
    talk.end(vec![user("I like figs."), user("I collect stamps."), user("I speak Basque.")]);
    assert_eq!(talk.contents(), ["I speak Basque", "I collect stamps", "I like figs"]);
}

#[test]
fn what_the_model_has_corrected_does_not_come_back() {
    let talk = with(json!({"extract": "idle"}));
    talk.turn("I like figs.");
    let fact = talk.case.add("I like figs");
    talk.case.store(json!({"action": "forget", "fact_id": fact}));
    talk.wait(11);
    talk.turn("I speak Basque.");
    assert_eq!(talk.contents(), Vec::<String>::new());
    let forget = ToolCall {
        name: "fact_store".into(),
        arguments: r#"{"action": "forget", "fact_id": 1}"#.into(),
        ..ToolCall::default()
    };
    let answer = Message { tool_calls: vec![forget], ..Message::new(Role::Assistant, "") };
    talk.end(vec![user("I like figs."), user("Forget that."), answer, user("I speak Basque.")]);
    assert_eq!(talk.contents(), ["I speak Basque"]);
}

#[track_caller]
fn check(learnt: Scope, reader: Scope, found: bool) {
    let mut talk = with(json!({"extract": "idle"}));
    talk.case.caller.scope = learnt.clone();
    talk.end(vec![user("I like figs.")]);
    talk.turn("I collect stamps.");
    talk.wait(11);
    talk.case.caller.scope = reader.clone();
    talk.turn("Hello");
    assert_eq!(talk.contents().contains(&"I like figs".to_owned()), found, "{learnt:?} {reader:?}");
    assert_eq!(talk.contents().contains(&"I collect stamps".to_owned()), found && learnt == reader);
}

#[test]
fn what_was_said_stays_with_its_audience() {
    check(private("ann"), private("ann"), true);
    check(private("ann"), private("bob"), false);
    check(private("ann"), Scope { profile: "work".into(), ..private("ann") }, false);
    check(private("ann"), group("team", "ann"), false);
    // In a group nobody knows who "I" is.
    check(group("team", "ann"), group("team", "ann"), false);
    check(group("team", "ann"), private("ann"), false);
}

#[test]
fn only_the_conversation_with_the_user_counts() {
    let mut talk = with(json!({"extract": "session_end"}));
    talk.case.caller.context = Context::Cron;
    talk.end(vec![user("I like figs.")]);
    assert_eq!(talk.contents(), Vec::<String>::new());
}
