//! The library as an application uses it: a home opened, a conversation in this process, with the real provider.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::path::Path;
use std::process::{Command, Stdio};

use hermes_host::config::{ConfigEdit, Isolation};
use hermes_host::home::Home;
use hermes_host::home::profiles::{self, ProfileError, ProfileName};
use hermes_host::open::Surroundings;
use hermes_host::turn::{Ending, RecallOutcome, Session};
use hermes_provider_api::records::{Context, Message, Role, Scope, ToolCall};
use hermes_tests::{fixtures, log, wait};
use serde_json::{Value, json};

/// A home in which `hermes` has set up holographic from a catalog of its own.
fn home(folder: &Path) -> Home {
    home_with(fixtures().holographic(), folder)
}

/// The same with another provider, which may have what it asks for.
fn home_with(library: &Path, folder: &Path) -> Home {
    let metadata = hermes_host::plugins::inspect::inspect(library).unwrap();
    let (id, secrets, models) = (&metadata.id, &metadata.capabilities.secret, &metadata.capabilities.model);
    let catalog = folder.join("catalog");
    std::fs::create_dir(&catalog).unwrap();
    let archive = catalog.join("plugin.tar.gz");
    hermes_host::plugins::package::pack(&[library.to_owned()], std::fs::File::create(&archive).unwrap()).unwrap();
    let sha256 = hermes_host::plugins::verify::sha256_of(&archive).unwrap();
    let entry = format!(
        "name = \"{id}\"\ntitle = \"H\"\ndescription = \"d\"\nmaintainer = \"m\"\ncategory = \"memory\"\n\
         licence = \"MIT\"\n[[releases]]\nversion = \"{}\"\nrequires_host = \"*\"\nabi = \"1.0\"\n\
         capabilities = {{ secret = {secrets:?}, model = {models:?} }}\n\
         [[releases.artifacts]]\ntarget = \"{}\"\npath = \"plugin.tar.gz\"\nsha256 = \"{sha256}\"\nsize = {}\n",
        metadata.version,
        metadata.target,
        std::fs::metadata(&archive).unwrap().len()
    );
    std::fs::write(catalog.join(format!("{id}.toml")), entry).unwrap();
    let home = Home::at(folder.join("home"));
    set_up(id, folder, &home);
    home
}

/// Sets up a provider in a home from the catalog in `folder`.
fn set_up(id: &str, folder: &Path, home: &Home) {
    #[expect(clippy::disallowed_methods, reason = "a test starts the program")]
    let status = Command::new(fixtures().hermes())
        .args(["memory", "setup", id, "--yes", "--catalog"])
        .arg(folder.join("catalog"))
        .env("HERMES_HOME", home.root())
        .stdin(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
}

fn converse(surroundings: &Surroundings) {
    let open = surroundings.memory().unwrap();
    assert!(open.degraded.is_none(), "{:?}", open.degraded);
    let scope = Scope { platform: "app".into(), user: "vera".into(), ..Scope::default() };
    let first = open.memory.session("one", scope.clone(), Context::Primary);
    let turn = first.begin("Мою собаку зовут Бублик, он не ест курицу.");
    let fact = ToolCall {
        id: "1".into(),
        name: "fact_store".into(),
        arguments: r#"{"action": "add", "content": "Собаку Веры зовут Бублик, курицу он не ест."}"#.into(),
    };
    first.tool(&fact).result.unwrap();
    first.finish(turn, &[Message::new(Role::Assistant, "Запомнил.")], Ending::Complete).unwrap();
    first.end().unwrap();

    let second = open.memory.session("two", scope, Context::Primary);
    let turn = second.begin("Что купить Бублику?");
    let RecallOutcome::Asked(recalled) = &turn.recall else { panic!("{:?}", turn.recall) };
    assert_eq!(recalled.memories.len(), 1, "{recalled:?}");
    assert!(turn.prompt.starts_with("Что купить Бублику?\n\n<memory-context>\n"), "{}", turn.prompt);
    let stranger = Scope { platform: "app".into(), user: "boris".into(), ..Scope::default() };
    let other = open.memory.session("three", stranger, Context::Primary);
    assert_eq!(other.begin("Что купить Бублику?").block, None, "another user's fact");
    drop((first, second, other));
    let closed = open.close();
    assert!(closed.deliveries.is_complete() && closed.problem.is_none(), "{closed:?}");
}

#[test]
fn an_application_converses_in_its_own_process() {
    let folder = tempfile::tempdir().unwrap();
    let surroundings = Surroundings::of_home(home(folder.path())).unwrap();
    assert_eq!(surroundings.isolation(), Isolation::InProcess);
    converse(&surroundings);
}

/// mnemosyne#7: what a tool finds is what comes to mind by itself, in a new session and for a subagent too, and a subagent
/// keeps nothing.
#[test]
fn both_ways_of_reading_have_the_same_audience() {
    let folder = tempfile::tempdir().unwrap();
    let open = Surroundings::of_home(home(folder.path())).unwrap().memory().unwrap();
    let of = |user: &str| Scope { platform: "app".into(), user: user.into(), ..Scope::default() };
    let tool = |session: &Session, arguments: Value| {
        let (name, arguments) = ("fact_store".to_owned(), arguments.to_string());
        session.tool(&ToolCall { id: "1".into(), name, arguments }).result
    };
    let add = |fact: &str| json!({"action": "add", "content": fact});
    let first = open.memory.session("one", of("vera"), Context::Primary);
    tool(&first, add("Biscuit the spaniel is allergic to chicken")).unwrap();
    let helper = open.memory.session("helper", of("vera"), Context::Subagent);
    assert_eq!(tool(&helper, add("Biscuit the spaniel sleeps all day")).unwrap_err().kind, "read_only");
    let later = open.memory.session("two", of("vera"), Context::Primary);
    let stranger = open.memory.session("three", of("boris"), Context::Primary);
    for (session, facts) in [(&first, 1), (&helper, 1), (&later, 1), (&stranger, 0)] {
        let words = "What is Biscuit the spaniel allergic to?";
        let recalled = match session.begin(words).recall {
            RecallOutcome::Asked(recalled) => recalled.memories.len(),
            skipped @ RecallOutcome::Skipped(_) => panic!("{skipped:?}"),
        };
        let found = tool(session, json!({"action": "search", "query": words})).unwrap();
        assert_eq!((recalled, &found["count"]), (facts, &json!(facts)), "{session:?}: {found}");
    }
    // The subject may change within a session, for both ways at once.
    later.set_scope(of("boris"));
    assert_eq!(later.begin("What is Biscuit the spaniel allergic to?").block, None);
    assert_eq!(tool(&later, json!({"action": "search", "query": "Biscuit"})).unwrap()["count"], 0);
    drop((first, helper, later, stranger));
    assert_eq!(open.close().problem, None);
}

/// What an application is handed goes to a model or a log as it is.
#[test]
fn no_secret_comes_back_to_an_application() {
    const SECRET: &str = "amber otter 42";
    log::keep();
    let folder = tempfile::tempdir().unwrap();
    let home = home_with(fixtures().faulty(), folder.path());
    std::fs::write(home.env_file(), format!("FAULTY_KEY='{SECRET}'\n")).unwrap();
    std::fs::write(home.provider_data("faulty").join("boast"), "").unwrap();
    let mut surroundings = Surroundings::of_home(home).unwrap();
    surroundings.executable = Some(fixtures().hermes().to_owned());
    surroundings.isolation = Isolation::Process;
    let open = surroundings.memory().unwrap();
    let session = open.memory.session("s", Scope::default(), Context::Primary);
    let told = |said: &dyn std::fmt::Debug| {
        let said = format!("{said:?}");
        assert!(said.contains("[FAULTY_KEY]") && !said.contains("otter"), "{said}");
    };
    told(&session.tools().offered);
    told(&session.system_prompt());
    for deed in ["answer", "error", "panic", "abort"] {
        let arguments = json!({"deed": format!("secret {deed}"), "as_json": true}).to_string();
        told(&session.tool(&ToolCall { id: "1".into(), name: "do".into(), arguments }));
    }
    for deed in ["log", "print"] {
        let arguments = json!({"deed": format!("secret {deed}")}).to_string();
        session.tool(&ToolCall { id: "2".into(), name: "do".into(), arguments }).result.unwrap();
    }
    for line in ["message=signed in with [FAULTY_KEY]", "message=not signed in with [FAULTY_KEY]"] {
        wait::until(line, || log::contains(line).then_some(()));
    }
    drop(session);
    let _ = open.close();
    assert!(!log::contains("otter"));
}

/// mnemosyne#895: which profile it is, is said by the home that was handed over and by nothing of the process.
#[test]
fn two_profiles_in_one_process_share_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let base = home(folder.path());
    let name = ProfileName::parse("работа").unwrap().unwrap();
    let profile = profiles::create(&base, &name, None).unwrap();
    set_up("holographic", folder.path(), &profile);
    let both = [(&base, "a spaniel"), (&profile, "a server")].map(|(home, what)| {
        let open = Surroundings::of_home(home.clone()).unwrap().memory().unwrap();
        let session = open.memory.session("s", Scope::default(), Context::Primary);
        let arguments = format!(r#"{{"action": "add", "content": "Biscuit is {what}."}}"#);
        let fact = ToolCall { id: "1".into(), name: "fact_store".into(), arguments };
        session.tool(&fact).result.unwrap();
        (open, session, what)
    });
    for (_, session, what) in &both {
        let turn = session.begin("Who is Biscuit?");
        let RecallOutcome::Asked(recalled) = &turn.recall else { panic!("{:?}", turn.recall) };
        let texts: Vec<_> = recalled.memories.iter().map(|memory| memory.text.clone()).collect();
        assert_eq!(texts, [format!("Biscuit is {what}.")]);
    }
    assert!(matches!(profiles::remove(&base, &name), Err(ProfileError::InUse { .. })));
    for (open, session, _) in both {
        drop(session);
        assert_eq!(open.close().problem, None);
    }
}

#[test]
fn an_application_may_have_workers() {
    let folder = tempfile::tempdir().unwrap();
    let mut surroundings = Surroundings::of_home(home(folder.path())).unwrap();
    surroundings.executable = Some(fixtures().hermes().to_owned());
    surroundings.isolation = Isolation::Process;
    converse(&surroundings);
}

#[test]
fn a_worker_that_cannot_be_is_said_and_the_memory_goes_on_without() {
    let folder = tempfile::tempdir().unwrap();
    let home = home(folder.path());
    ConfigEdit::default().set("plugins.isolation", "process").unwrap().apply(&home).unwrap();
    let open = Surroundings::of_home(home).unwrap().memory().unwrap();
    let degraded = open.degraded.as_ref().map(|failure| failure.message.as_str());
    let wanted = "`holographic` is to run in a worker process, and this application names no `hermes` program for that";
    assert_eq!(degraded, Some(wanted));
    assert_eq!(open.memory.session("s", Scope::default(), Context::Primary).begin("Where is Biscuit?").block, None);
}
