//! A client that sends the whole conversation each time, and what the model is given of it.

use std::sync::Arc;
use std::time::Duration;

use hermes_provider_api::records::Scope;
use hermes_provider_api::{Hook, Secret};
use serde_json::{Value, json};

use super::*;
use crate::db::Db;
use crate::guard::Redactor;
use crate::layers::external::testing::{InProcess, Shared, item, schema};
use crate::model::wire::Answer;
use crate::secrets::Mask;
use crate::turn::{Provider, TurnSettings};

const LONG: Duration = Duration::from_secs(600);

/// A client with its conversation, and the door to the memory.
struct Scene {
    memory: Memory,
    shared: Arc<Shared>,
    conversations: Arc<Conversations>,
    clock: Clock,
}

impl Scene {
    fn new() -> Self {
        let (hooks, shared) = InProcess::new();
        let clock = Clock::fixed(1_767_225_600_000);
        let provider = Provider::Ready(hooks);
        let memory = Memory::open(provider, None, TurnSettings::default(), clock.clone(), Redactor::default()).unwrap();
        shared.tools(vec![schema("note")]);
        let conversations = Arc::new(Conversations::new("proxy", clock.clone()));
        Self { memory, shared, conversations, clock }
    }

    fn ask_as(&self, user: &str, session: Option<&str>, client: &[Value]) -> Exchange {
        let scope = Scope { user: user.to_owned(), ..Scope::default() };
        let who = Who { door: String::new(), scope };
        let messages: Vec<_> = client.iter().map(|message| WireMessage::new(message.clone())).collect();
        let request = Request {
            who: &who,
            session,
            form: Form::Chat,
            from: Since::Start,
            messages: &messages,
            tools: ["theirs".to_owned()].into(),
            offers: true,
        };
        Exchange::begin(&self.conversations, &self.memory, request).unwrap()
    }

    fn ask(&self, client: &[Value]) -> Exchange {
        self.ask_as("anna", None, client)
    }

    /// The client asks, the model answers with a text, and the client keeps it. Answers what the model was given.
    fn turn(&self, client: &mut Vec<Value>, question: &str, answer: &str) -> (String, Vec<String>) {
        client.push(user(question));
        let mut exchange = self.ask(client);
        let given = given(&exchange);
        assert!(!exchange.answered(&Answer::of_text(answer), answer).unwrap());
        client.push(assistant(answer));
        (exchange.session().to_owned(), given)
    }

    fn turns(&self) -> Vec<Value> {
        assert!(self.memory.drain(LONG).is_complete());
        self.shared.requests(Hook::SyncTurn)
    }
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn given(exchange: &Exchange) -> Vec<String> {
    exchange.messages().iter().map(|message| message.get().to_owned()).collect()
}

fn calls(text: &str, calls: &[(&str, &str)]) -> Answer {
    let calls = calls.iter().map(|(id, name)| json!({"id": id, "function": {"name": name, "arguments": "{}"}}));
    Answer::of_choice(&json!({"message": {"content": text, "tool_calls": calls.collect::<Vec<_>>()}}))
}

fn texts(turn: &Value) -> Vec<String> {
    let said = |message: &Value| {
        let calls = message["tool_calls"].as_array().into_iter().flatten().map(|call| call["name"].as_str().unwrap());
        let calls: Vec<_> = calls.collect();
        format!("{}: {}{}", message["role"].as_str().unwrap(), message["content"].as_str().unwrap(), calls.join(","))
    };
    turn["messages"].as_array().unwrap().iter().map(said).collect()
}

/// What a model's cache needs: what it has read once, it reads again.
#[test]
fn what_the_model_was_given_once_it_is_given_again_for_a_hundred_turns() {
    let scene = Scene::new();
    let mut client = vec![json!({"role": "system", "content": "Be kind."})];
    let (mut before, mut sessions) = (Vec::<String>::new(), Vec::new());
    for number in 0..100 {
        // What is known changes all the time, and so would a prompt that was made anew.
        scene.shared.knows(vec![item(&number.to_string(), &format!("fact {number} of Анна"), "anna")]);
        let question = format!("What about number {number}?");
        let mut asked = client.clone();
        asked.push(user(&question));
        let mut exchange = scene.ask(&asked);
        let first = given(&exchange);
        assert_eq!(first[..before.len()], before, "turn {number}");
        assert!(first.last().unwrap().contains(&format!("fact {number} of")), "{first:?}");
        if number % 3 == 0 {
            // A round that the client never sees.
            assert!(exchange.answered(&calls("", &[("c", "note")]), "").unwrap());
            assert_eq!(given(&exchange)[..first.len()], first);
        }
        let (text, shown) = if number % 4 == 0 {
            (format!("A {number} echo"), format!("A {number}"))
        } else {
            (format!("B {number}"), format!("B {number}"))
        };
        assert!(!exchange.answered(&Answer::of_text(&text), &shown).unwrap());
        before = given(&exchange);
        // As the official client writes it.
        let sent = json!({"role": "assistant", "content": shown, "refusal": null, "tool_calls": null});
        let seen = if text == shown { sent.clone() } else { assistant(&text) };
        before.push(WireMessage::new(seen).raw().get().to_owned());
        sessions.push(exchange.session().to_owned());
        client = asked;
        client.push(sent);
    }
    sessions.dedup();
    assert_eq!((sessions.len(), scene.turns().len(), scene.conversations.len()), (1, 100, 1));
    assert!(client.iter().all(|message| !message.to_string().contains("memory-context")));
}

#[test]
fn calls_of_both_kinds_are_split_and_joined_again() {
    let scene = Scene::new();
    let mut client = vec![user("Wie wird das Wetter bei Anna?")];
    let mut exchange = scene.ask(&client);
    let first = given(&exchange);
    let answer = calls("Moment", &[("a", "note"), ("b", "theirs"), ("c", "note")]);
    assert!(!exchange.answered(&answer, "Moment").unwrap());
    drop(exchange);
    let visible = json!({"role": "assistant", "content": "Moment", "tool_calls": [
        {"id": "b", "type": "function", "function": {"name": "theirs", "arguments": "{}"}}]});
    client.extend([visible, json!({"role": "tool", "tool_call_id": "b", "content": "Regen"})]);
    let mut exchange = scene.ask(&client);
    let second = given(&exchange);
    assert_eq!(second[..first.len()], first);
    let rest: Vec<Value> = second[first.len()..].iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    let ids = |value: &Value| {
        value["tool_calls"].as_array().unwrap().iter().map(|call| call["id"].to_string()).collect::<String>()
    };
    assert_eq!(ids(&rest[0]), r#""a""b""c""#);
    let answered: Vec<_> = rest[1..].iter().map(|message| message["tool_call_id"].as_str().unwrap()).collect();
    assert_eq!(answered, ["a", "c", "b"]);
    assert!(!exchange.answered(&Answer::of_text("Regen"), "Regen").unwrap());
    let turns = scene.turns();
    assert_eq!(turns.len(), 1, "one turn, however often its client is asked");
    assert_eq!(
        texts(&turns[0]),
        [
            "user: Wie wird das Wetter bei Anna?",
            "assistant: Momentnote,theirs,note",
            "tool: {\"got\":{}}",
            "tool: {\"got\":{}}",
            "tool: Regen",
            "assistant: Regen"
        ]
    );
}

#[test]
fn a_model_that_calls_without_end_is_stopped() {
    let scene = Scene::new();
    let mut exchange = scene.ask(&[user("Remember everything about Anna")]);
    let mut rounds = 0;
    while exchange.answered(&calls("", &[("x", "note")]), "").unwrap() {
        rounds += 1;
        assert_eq!(exchange.may_call(), rounds < 8);
    }
    assert_eq!(rounds, 8);
    assert_eq!(scene.shared.requests(Hook::CallTool).len(), 8);
    assert_eq!(scene.turns().len(), 1);
}

#[test]
fn conversations_that_begin_alike_are_kept_apart() {
    let scene = Scene::new();
    let (mut one, mut two) = (Vec::new(), Vec::new());
    let (first, _) = scene.turn(&mut one, "Hi there, friend", "Hello!");
    let (second, _) = scene.turn(&mut two, "Hi there, friend", "Hello!");
    assert_ne!(first, second, "the same words may be another conversation");
    let (third, _) = scene.turn(&mut one, "I am Anna", "Hello Anna");
    assert!(third != first && third != second, "it could be either, so it is neither");
    assert_eq!(scene.turn(&mut two, "I am Vera", "Hello Vera").0, {
        // Both began so, and both stand there still: one more of its own.
        let turns = scene.turns();
        turns.last().unwrap()["caller"]["origin"]["session"].as_str().unwrap().to_owned()
    });
    assert_eq!(scene.turn(&mut one, "Who am I?", "Anna").0, third);
    // Another person's conversation of the same words.
    let mut other = one.clone();
    other.push(user("And now?"));
    assert_ne!(scene.ask_as("vera", None, &other).session(), third);
    assert_eq!(scene.ask(&other).session(), third);
    // Other instructions do not make it another conversation.
    other.insert(0, json!({"role": "system", "content": "It is noon."}));
    other.extend([assistant("?"), user("Hm, was it?")]);
    assert_eq!(scene.ask(&other).session(), third);
}

#[test]
fn a_session_that_is_named_is_that_session_for_this_person_alone() {
    let scene = Scene::new();
    let ask = |user_name: &str, text: &str| scene.ask_as(user_name, Some("s1"), &[user(text)]).session().to_owned();
    assert_eq!([ask("anna", "first words"), ask("anna", "second words")], ["anna/s1", "anna/s1"]);
    assert_eq!(ask("vera", "first words"), "vera/s1");
    // Two requests of one session at once: neither turn is lost.
    let mut held = scene.ask_as("anna", Some("s1"), &[user("third words")]);
    let mut other = scene.ask_as("anna", Some("s1"), &[user("fourth words")]);
    assert_ne!(held.session(), other.session());
    assert!(
        !other.answered(&Answer::of_text("4"), "4").unwrap() && !held.answered(&Answer::of_text("3"), "3").unwrap()
    );
    let complete: Vec<_> = scene.turns().into_iter().filter(|turn| turn["interrupted"] == false).collect();
    assert_eq!(complete.len(), 2);
}

#[test]
fn what_failed_is_asked_again_and_what_is_broken_off_is_known_as_that() {
    let scene = Scene::new();
    scene.shared.knows(vec![item("1", "Anna likes green tea", "anna")]);
    let client = [user("What to serve?")];
    let mut failed = scene.ask(&client);
    let session = failed.session().to_owned();
    assert!(failed.answered(&calls("", &[("a", "note")]), "").unwrap());
    let sent = given(&failed);
    failed.postpone();
    let again = scene.ask(&client);
    assert_eq!((again.session(), given(&again)), (session.as_str(), sent), "with the call that was run already");
    again.break_off(&Answer::of_text("Green t"), "Green t").unwrap();
    let turns = scene.turns();
    assert_eq!((turns.len(), &turns[0]["interrupted"]), (1, &json!(true)));
    assert_eq!(texts(&turns[0]).last().unwrap(), "assistant: Green t");
    let next = scene.ask(&[user("What to serve?"), assistant("Green t"), user("Go on about it")]);
    assert_eq!(next.session(), session);
    assert!(given(&next)[1].contains("Anna likes green tea"), "{:?}", given(&next));
    assert_eq!(scene.shared.requests(Hook::Prefetch).len(), 2);
}

#[test]
fn another_answer_to_the_same_question_recalls_nothing_anew() {
    let scene = Scene::new();
    scene.shared.knows(vec![item("1", "Anna likes green tea", "anna")]);
    let mut client = Vec::new();
    scene.turn(&mut client, "Who are you, really?", "A friend");
    let (session, first) = scene.turn(&mut client, "What to serve?", "Tea");
    client.pop();
    scene.shared.knows(vec![item("2", "Anna likes black tea", "anna")]);
    let mut again = scene.ask(&client);
    assert_eq!((again.session(), given(&again)), (session.as_str(), first));
    assert!(!again.answered(&Answer::of_text("Coffee"), "Coffee").unwrap());
    assert_eq!(scene.turns().len(), 3);
}

#[test]
fn a_clients_own_tool_keeps_its_name() {
    let scene = Scene::new();
    scene.shared.tools(vec![schema("note"), schema("theirs")]);
    let mut exchange = scene.ask(&[user("What to serve?")]);
    assert!(exchange.tools().len() == 1 && exchange.ours().len() == 1);
    assert!(exchange.is_ours("note") && !exchange.is_ours("theirs"));
    assert!(!exchange.answered(&calls("", &[("a", "theirs")]), "").unwrap());
    assert!(scene.shared.requests(Hook::CallTool).is_empty());
}

#[test]
fn sessions_end_once_when_nothing_more_is_said() {
    let scene = Scene::new();
    let mut client = Vec::new();
    scene.turn(&mut client, "What to serve?", "Tea");
    scene.conversations.end_idle(LONG);
    assert_eq!(scene.conversations.len(), 1);
    scene.clock.set(scene.clock.now() + 700_000);
    scene.conversations.end_idle(LONG);
    scene.conversations.end_idle(LONG);
    assert!(scene.conversations.is_empty());
    assert!(scene.memory.drain(LONG).is_complete());
    assert_eq!(scene.shared.requests(Hook::OnSessionEnd).len(), 1);
    let (_, given) = scene.turn(&mut client, "And to eat?", "Cake");
    assert_eq!(given.len(), 4, "it goes on all the same");
}

#[test]
fn what_is_known_is_bounded() {
    let scene = Scene::new();
    for number in 0..super::MOST + 50 {
        drop(scene.ask(&[user(&format!("/command {number}"))]));
    }
    assert!(scene.conversations.len() <= super::MOST);
    scene.conversations.end_idle(LONG);
    let beginnings = scene.conversations.known().by_beginning.len();
    assert!(beginnings <= 2 * scene.conversations.len(), "{beginnings}");
}

#[test]
fn nothing_is_put_into_a_conversation_without_a_user() {
    let scene = Scene::new();
    let messages = [WireMessage::new(json!({"role": "system", "content": "Write a title."}))];
    let who = Who::default();
    let (form, from, tools) = Default::default();
    let request = Request { who: &who, session: None, form, from, messages: &messages, tools, offers: true };
    assert!(Exchange::begin(&scene.conversations, &scene.memory, request).is_none());
}

/// What is recalled stands behind the question, in a place of its own and of bounded length.
#[test]
fn a_long_recall_stays_in_its_place() {
    let scene = Scene::new();
    let fact =
        |number: usize| item(&number.to_string(), &format!("{number} {}", "about anna's garden ".repeat(40)), "anna");
    scene.shared.knows((0..20).map(fact).collect());
    let exchange = scene.ask(&[user("And tea?")]);
    let given: Value = serde_json::from_str(given(&exchange).last().unwrap()).unwrap();
    let (question, block) = given["content"].as_str().unwrap().split_once("\n\n").unwrap();
    assert_eq!(question, "And tea?");
    assert!(
        block.starts_with("<memory-context>\nNotes from earlier") && block.ends_with("</memory-context>"),
        "{block}"
    );
    let most = TurnSettings::default().recall_chars + 300;
    assert!((500..most).contains(&block.chars().count()), "{}", block.len());
}

/// No message gets anything but what was recalled for it, however long the task is and whatever tools are run.
#[test]
fn nothing_is_added_where_nothing_is_known() {
    let scene = Scene::new();
    let mut client = Vec::new();
    for number in 0..60 {
        client.push(user(&format!("Step {number} of the task for Anna")));
        let mut exchange = scene.ask(&client);
        let (answer, text) = (calls("", &[("c", "note")]), format!("Done with {number}"));
        assert!(exchange.answered(&answer, "").unwrap());
        assert!(!exchange.answered(&Answer::of_text(&text), &text).unwrap());
        client.push(assistant(&text));
        let given = given(&exchange).into_iter().filter(|message| message.contains("\"user\""));
        let asked = client.iter().filter(|message| message["role"] == "user").map(Value::to_string);
        assert_eq!(given.collect::<Vec<_>>(), asked.collect::<Vec<_>>());
    }
}

/// What one process put into a conversation the next one puts there again; a secret is not written down, and nothing stays
/// for longer than a month.
#[test]
fn another_process_gives_the_same_again() {
    let db = Arc::new(Db::in_memory().unwrap());
    let scene = |at: u64| {
        let (hooks, shared) = InProcess::new();
        let clock = Clock::fixed(1_767_225_600_000 + at);
        let redactor = Redactor::new(Mask::new([("GATE", Secret::new("correct horse battery"))]));
        let (provider, settings) = (Provider::Ready(hooks), TurnSettings::default());
        let memory = Memory::open(provider, Some(Arc::clone(&db)), settings, clock.clone(), redactor).unwrap();
        shared.tools(vec![schema("note")]);
        shared.knows(vec![item("1", "Anna likes green tea", "anna")]);
        let conversations = Arc::new(Conversations::new("proxy", clock.clone()));
        Scene { memory, shared, conversations, clock }
    };
    let stored = || {
        let read = |connection: &mut rusqlite::Connection| {
            let mut select = connection.prepare("SELECT coalesce(kept, '') FROM client_beginnings")?;
            select.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()
        };
        db.with(read).unwrap()
    };
    let first = scene(0);
    let mut client = vec![user("What to serve Anna?")];
    let mut exchange = first.ask(&client);
    let secret = json!({"message": {"content": "", "tool_calls": [{"id": "c", "function": {"name": "note", "arguments":
        "{\"text\":\"correct horse battery\"}"}}]}});
    assert!(exchange.answered(&Answer::of_choice(&secret), "").unwrap());
    assert!(!exchange.answered(&Answer::of_text("Tea"), "Tea").unwrap());
    client.push(assistant("Tea"));
    let (session, before) = (exchange.session().to_owned(), given(&exchange));
    drop((exchange, first));
    assert!(stored().iter().any(|kept| kept.contains("green tea")) && !stored().concat().contains("horse"));

    let second = scene(1000);
    let (name, next) = second.turn(&mut client, "And to eat, for Anna?", "Cake");
    assert_eq!(name, session);
    assert_eq!(next[..2], before[..2], "the prompt, and the block where it was");
    assert!(next[2].contains("note") && next[2] != before[2], "a call with a secret in it comes back without");
    assert_ne!(second.ask_as("vera", None, &client).session(), session);

    // A name of a session that is another person's name for one, and that of one which nobody named.
    let mut named = second.ask_as("anna", Some("s1"), &[user("What to drink, Anna?")]);
    assert!(!named.answered(&Answer::of_text("Tea"), "Tea").unwrap());
    drop((named, second));
    let third = scene(2000);
    for name in ["anna/s1", &session] {
        assert_eq!(third.ask_as("", Some(name), &[user("What is known of Anna?")]).session(), name);
        assert_eq!(third.conversations.len(), 1, "nobody else's was read for it");
        third.conversations.end_idle(Duration::ZERO);
    }
    let own = third.ask_as("anna", Some("s1"), &[user("What to drink, Anna?"), assistant("Tea"), user("And to eat?")]);
    assert!(given(&own)[1].contains("green tea"), "{:?}", given(&own));
    drop((own, third));

    let later = scene(1001 + 31 * 24 * 60 * 60 * 1000);
    let named = later.ask_as("anna", Some("other"), &[user("Who else is there?")]);
    later.conversations.end_idle(LONG);
    assert_eq!(stored().len(), 0);
    drop(named);
}
