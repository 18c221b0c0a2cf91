//! The memory files at the command line: what a person does with them, and what an agent's writes look like to one.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::pty::{DOWN, ENTER, Terminal};
use crate::scene::Scene;

fn call(scene: &Scene, args: Value) -> Value {
    let ran = scene.run(&format!("tools call memory '{args}'"));
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.shown()))
}

fn only_pending(scene: &Scene) -> String {
    let pending = scene.json("memory pending");
    assert_eq!(pending.as_array().unwrap().len(), 1, "{pending}");
    pending[0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_person_keeps_the_files() {
    let scene = Scene::without_plugins();
    assert_snapshot!(scene.says("memory add 'Deploys run on Fridays'"), @"
    exit 0
    ---- err
    MEMORY.md (1% — 22/2,200 chars): + Deploys run on Fridays
    ");
    assert_snapshot!(scene.says("memory add --target user 'Имя: Анна'"), @"
    exit 0
    ---- err
    USER.md (0% — 9/1,375 chars): + Имя: Анна
    ");
    assert_snapshot!(scene.says("memory list"), @"
    exit 0
    ---- out
    MEMORY.md · 1 entry · 1% — 22/2,200 chars
      m1   Deploys run on Fridays  (you, [ago])
    USER.md · 1 entry · 0% — 9/1,375 chars
      u1   Имя: Анна  (you, [ago])
    ");
    assert_snapshot!(scene.says("memory edit m1 'Deploys run on Mondays'"), @"
    exit 0
    ---- err
    MEMORY.md (1% — 22/2,200 chars): Deploys run on Fridays → Deploys run on Mondays
    ");
    assert_snapshot!(scene.says("memory search MONDAYS"), @"
    exit 0
    ---- out
    m1   Deploys run on Mondays
    ");
    assert_snapshot!(scene.says("memory undo"), @"
    exit 0
    ---- err
    MEMORY.md is as it was: − Deploys run on Mondays · + Deploys run on Fridays
    ");
    // The last change of all, whichever file it was.
    assert_snapshot!(scene.says("memory undo"), @"
    exit 0
    ---- err
    USER.md is as it was: − Имя: Анна
    ");
    scene.does("memory undo");
    assert_snapshot!(scene.says("memory undo"), @"
    exit 1
    ---- err
    error: there is nothing to undo in MEMORY.md
    hint: `hermes memory history` shows what there is
    ");
    scene.does("memory add 'Deploys run on Fridays'");
    scene.does("memory add --target user 'Имя: Анна'");
    assert_snapshot!(scene.says("memory remove анна"), @"
    exit 0
    ---- err
    USER.md (0% — 0/1,375 chars): − Имя: Анна
    ");
    assert_snapshot!(scene.says("memory remove nothing"), @"
    exit 1
    ---- err
    error: MEMORY.md has no entry “nothing”
    hint: `hermes memory list` shows what there is
    ");
    assert_snapshot!(scene.says("memory add 'the key is sk-proj-abcDEF1234567890xyz'"), @"
    exit 1
    ---- err
    error: `content` holds what looks like a secret
    hint: keep secrets in the `.env` of the home or in the environment, and only their names here
    ");
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: no external provider
    MEMORY.md: 1 entry · 1% — 22/2,200 chars
    USER.md: 0 entries · 0% — 0/1,375 chars
    ---- err
    hint: choose one with `hermes memory setup`
    ");
    let ran = scene.run_with_input("memory add -", "из трубы\nдве строки\n".as_bytes());
    assert_eq!(ran.status, 0, "{}", ran.shown());
    assert_eq!(scene.read("home/memories/MEMORY.md"), "Deploys run on Fridays\n§\nиз трубы\nдве строки");
    assert_eq!(scene.json("memory list")[0]["entries"][1]["facts"]["author"], "user");
}

#[test]
fn an_agent_writes_and_the_user_is_told() {
    let scene = Scene::without_plugins();
    assert_snapshot!(scene.says("tools list"), @"
    exit 0
    ---- out
    memory  Keeps short facts for later conversations, in small files that you are shown at the start of each.…
    ");
    assert_snapshot!(scene.says("tools call memory '{\"content\": \"likes tea\"}'"), @r#"
    exit 0
    ---- out
    {"ok":true,"result":{"done":true,"entry_count":1,"message":"Entry added.","success":true,"target":"memory","usage":"0% — 9/2,200 chars"},"tool":"memory"}
    ---- err
    💾 Memory updated
    "#);
    assert_snapshot!(scene.says("tools call memory '{\"content\": \"likes tea\"}'"), @r#"
    exit 0
    ---- out
    {"ok":true,"result":{"done":true,"entry_count":1,"message":"Entry already exists (no duplicate added).","success":true,"target":"memory","usage":"0% — 9/2,200 chars"},"tool":"memory"}
    "#);
    assert_snapshot!(scene.says("tools call memory '{\"action\": \"list\", \"target\": \"memory\"}'"), @r#"
    exit 1
    ---- out
    {"error":{"answer":{"error":"`action` is \"list\", and has to be \"add\", \"replace\" or \"remove\"","success":false},"kind":"refused","message":"`action` is \"list\", and has to be \"add\", \"replace\" or \"remove\""},"ok":false,"tool":"memory"}
    "#);
    scene.does("config set display.memory_notifications verbose");
    let ran = scene.run("tools call memory '{\"old_text\": \"tea\", \"content\": \"likes green tea\"}'");
    assert_eq!(ran.err, "💾 Memory updated (MEMORY.md): likes tea → likes green tea\n");
    scene.does("config set display.memory_notifications off");
    assert_eq!(scene.run("tools call memory '{\"content\": \"x\"}'").err, "");
}

/// Calls in a recording are really done, on a copy unless the home itself is wanted.
#[test]
fn a_recorded_conversation_keeps_and_shows_facts() {
    let scene = Scene::without_plugins();
    let arguments = json!({"content": "Vera lives in Kazan", "target": "user"}).to_string();
    let calls = json!([{"id": "1", "type": "function", "function": {"name": "memory", "arguments": arguments}}]);
    let talk = |session: &str| {
        let said = |role: &str, content: &str| json!({"role": role, "content": content, "session_id": session});
        let call = json!({"role": "assistant", "content": null, "session_id": session, "tool_calls": calls});
        [said("user", "I live in Kazan"), call, said("assistant", "Noted")].map(|line| format!("{line}\n")).concat()
    };
    scene.write("talk.jsonl", talk("a") + &talk("b"));
    scene.does("replay talk.jsonl");
    assert!(!scene.path("home/memories/USER.md").exists());
    assert_snapshot!(scene.says("replay talk.jsonl --live --show-prompt"), @r#"
    exit 0
    ---- out
    == session a
    -- system

    -- tools
    memory, session_search
    -- user · session a · turn 1
    I live in Kazan
    -- calls memory
    {"content":"Vera lives in Kazan","target":"user"}
    -- result of memory
    {"done":true,"entry_count":1,"message":"Entry added.","success":true,"target":"user","usage":"1% — 19/1,375 chars"}
    💾 Memory updated
    -- assistant
    Noted
    == session b
    -- system
    ══════════════════════════════════════════════
    USER PROFILE (who the user is) [1% — 19/1,375 chars]
    ══════════════════════════════════════════════
    Vera lives in Kazan
    -- tools
    memory, session_search
    -- user · session b · turn 1
    I live in Kazan
    -- calls memory
    {"content":"Vera lives in Kazan","target":"user"}
    -- result of memory
    {"done":true,"entry_count":1,"message":"Entry already exists (no duplicate added).","success":true,"target":"user","usage":"1% — 19/1,375 chars"}
    -- assistant
    Noted
    "#);
    assert_eq!(scene.read("home/memories/USER.md"), "Vera lives in Kazan");
}

/// Off is off: nothing is written, shown or offered, and the status says what stays on.
#[test]
fn a_file_that_is_off_is_not_touched() {
    let scene = Scene::without_plugins();
    scene.does("config set memory.user_profile_enabled false");
    assert_snapshot!(scene.says("memory add --target user Anna"), @"
    exit 1
    ---- err
    error: USER.md is off: `memory.user_profile_enabled` is false
    hint: `hermes config set memory.user_profile_enabled true` turns it on
    ");
    let refused = call(&scene, json!({"target": "user", "content": "Anna"}));
    assert_eq!(refused["error"]["message"], "USER.md is off: `memory.user_profile_enabled` is false");
    assert!(!scene.path("home/memories/USER.md").exists());
    scene.does("config set memory.memory_enabled false");
    let left = scene.json("tools list")["tools"].clone();
    assert!(left.as_array().unwrap().iter().all(|tool| tool["function"]["name"] == "session_search"), "{left}");
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: no external provider
    MEMORY.md: off
    USER.md: off
    ---- err
    hint: choose one with `hermes memory setup`
    ");
}

#[test]
fn a_write_waits_for_the_user() {
    let scene = Scene::without_plugins();
    assert_snapshot!(scene.says("memory approval on"), @"
    exit 0
    ---- err
    every write of the agent waits for you: `hermes memory pending`
    ");
    let answer = call(&scene, json!({"target": "user", "content": "Prefers short answers"}));
    let id = only_pending(&scene);
    assert_eq!(answer["result"]["pending"], id.as_str());
    assert!(!scene.path("home/memories/USER.md").exists());
    let steady = |text: String| text.replace(&id, "[id]");
    // The start of any session says so, in one line.
    let told = scene.run("tools list").err;
    assert!(told.starts_with("1 change of the memory waits for you, the oldest since "), "{told}");
    assert_snapshot!(steady(scene.says("memory pending")), @"
    exit 0
    ---- out
    [id]  USER.md: + Prefers short answers  ([ago]; `memory.write_approval` is on)
    ---- err
    hint: `hermes memory diff` shows one whole, `approve` writes it, `reject` drops it
    ");
    assert!(scene.says(&format!("memory diff {id}")).contains("\n+ Prefers short answers\n"));
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: no external provider
    writes of the agent wait for your approval
    waiting for your approval: 1, the oldest since [ago]
    ---- err
    hint: `hermes memory pending` lists them
    hint: choose one with `hermes memory setup`
    ");
    scene.does(&format!("memory edit {id} 'Prefers very short answers'"));
    assert_snapshot!(scene.says(&format!("memory approve {id}")), @"
    exit 0
    ---- err
    USER.md (1% — 26/1,375 chars): + Prefers very short answers
    ");
    assert_eq!(scene.read("home/memories/USER.md"), "Prefers very short answers");
    assert_snapshot!(steady(scene.says(&format!("memory approve {id}"))), @"
    exit 1
    ---- err
    error: no proposal `[id]` waits
    hint: `hermes memory pending` shows what there is
    ");
    // The file has moved on since: nothing is overwritten unseen.
    call(&scene, json!({"target": "user", "old_text": "very", "content": "Prefers long answers"}));
    let id = only_pending(&scene);
    scene.write("home/memories/USER.md", "Prefers very good answers");
    let ran = scene.run(&format!("memory approve {id}"));
    assert!(ran.status == 1 && ran.err.contains("USER.md has changed since this was proposed"), "{}", ran.shown());
    assert!(scene.says(&format!("memory diff {id}")).contains("--rebase"));
    scene.does(&format!("memory approve {id} --rebase"));
    assert_eq!(scene.read("home/memories/USER.md"), "Prefers long answers");
    call(&scene, json!({"content": "x"}));
    assert_eq!(scene.run("memory reject all").status, 0);
    assert_eq!(scene.json("memory pending"), json!([]));
}

/// Nobody runs an agent when this is approved, and the provider hears of it all the same.
#[test]
fn an_approval_reaches_the_provider() {
    let scene = Scene::with_memory();
    scene.does("memory approval on");
    call(&scene, json!({"content": "Biscuit is allergic to chicken"}));
    assert_eq!(scene.run("memory recall 'What is Biscuit allergic to?'").out, "");
    let id = only_pending(&scene);
    scene.does(&format!("memory approve {id}"));
    assert_eq!(scene.run("memory recall 'What is Biscuit allergic to?'").out, "Biscuit is allergic to chicken\n");
    // A tool of the provider that writes waits as well, and is done in the provider's own store.
    let ran = scene.run("tools call fact_store '{\"action\": \"add\", \"content\": \"Vera lives in Kazan\"}'");
    assert!(ran.status == 0 && ran.out.contains("Not done yet"), "{}", ran.shown());
    scene.does("memory approve all");
    assert_eq!(scene.run("memory recall 'Where does Vera live?'").out, "Vera lives in Kazan\n");
    assert!(!scene.read("home/memories/MEMORY.md").contains("Kazan"));
    // What is corrected and removed is so for the provider too.
    scene.does("memory remove chicken");
    assert_eq!(scene.run("memory recall 'What is Biscuit allergic to?'").out, "");
}

/// In a terminal the user is asked at once, sees the whole text and the file, and Enter alone writes nothing.
#[test]
fn somebody_who_is_there_is_asked_at_once() {
    let scene = Scene::without_plugins();
    scene.does("memory approval on");
    let line = "tools call memory '{\"content\": \"likes tea\"}'";
    let Some(terminal) = Terminal::start(&scene, line) else { return };
    terminal.sees("The agent wants to change what it remembers in MEMORY.md:");
    terminal.sees("+ likes tea").sees("Change MEMORY.md?").types(ENTER);
    assert_eq!(terminal.ends(), 0);
    assert!(!scene.path("home/memories/MEMORY.md").exists());
    only_pending(&scene);
    let Some(terminal) = Terminal::start(&scene, line) else { return };
    terminal.sees("Change MEMORY.md?").types(DOWN).types(ENTER);
    assert_eq!(terminal.ends(), 0);
    assert_eq!(scene.read("home/memories/MEMORY.md"), "likes tea");
}

/// Real processes: a lock that holds only within one would lose entries here.
#[test]
fn eight_processes_lose_nothing() {
    let scene = Scene::without_plugins();
    scene.does("config set memory.memory_char_limit 1000000");
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let mut child = scene.command(["tools", "call", "--stdin"]).stdin(Stdio::piped()).spawn().unwrap();
            let lines: String = (0..50)
                .map(|number| {
                    json!({"tool": "memory", "args": {"content": format!("w{writer} entry {number}.")}}).to_string()
                        + "\n"
                })
                .collect();
            child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
            child
        })
        .collect();
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        let answers = String::from_utf8(output.stdout).unwrap();
        assert_eq!(answers.lines().filter(|line| line.contains("\"ok\":true")).count(), 50, "{answers}");
    }
    let text = scene.read("home/memories/MEMORY.md");
    for (writer, number) in (0..8).flat_map(|writer| (0..50).map(move |number| (writer, number))) {
        assert!(text.contains(&format!("w{writer} entry {number}.")));
    }
    assert_eq!(text.split("\n§\n").count(), 400);
    assert_eq!(fs::read_dir(scene.path("home/memories/.backups")).unwrap().count(), 20);
}

/// An upset file is told at the start of each session, and is neither empty nor overwritten.
#[test]
fn a_file_that_is_no_memory_file_is_told() {
    let scene = Scene::without_plugins();
    scene.write("home/memories/MEMORY.md", b"caf\xe9");
    scene.write("home/memories/USER.md", format!("# Anna\n{}\n# Work\nshe deploys", "likes tea ".repeat(200)));
    assert_snapshot!(scene.run("tools list").err, @"
    `/home/memories/MEMORY.md` cannot be read as a memory file, and is left as it is: line 1 is not UTF-8 text
    `USER.md` has no lines of `§`: it was read as 2 entries, one for each heading
    ");
    assert_snapshot!(scene.says("memory add x"), @"
    exit 1
    ---- err
    error: `/home/memories/MEMORY.md` cannot be read as a memory file, and is left as it is: line 1 is not UTF-8 text
    hint: save it as UTF-8, for example with `iconv -f latin1 -t utf-8`, or put a version back with `hermes memory undo`
    ");
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: no external provider
    MEMORY.md: cannot be read
    USER.md: 2 entries · 100% — 2,027/1,375 chars
    odd: `/home/memories/MEMORY.md` cannot be read as a memory file, and is left as it is: line 1 is not UTF-8 text
    odd: `USER.md` has no lines of `§`: it was read as 2 entries, one for each heading
    ---- err
    hint: save it as UTF-8, for example with `iconv -f latin1 -t utf-8`, or put a version back with `hermes memory undo`
    hint: choose one with `hermes memory setup`
    ");
    assert_eq!(fs::read(scene.path("home/memories/MEMORY.md")).unwrap(), b"caf\xe9");
}

/// What the hint on such a file says to type does help, and is careful.
#[test]
fn a_version_is_put_back_over_what_cannot_be_read() {
    let scene = Scene::without_plugins();
    scene.does("memory add 'Deploys run on Fridays'");
    scene.does("memory add 'The port is 8080'");
    scene.write("home/memories/MEMORY.md", b"caf\xe9");
    let ran = scene.run("memory undo --to 1");
    assert!(ran.status == 1 && ran.err.contains("more than one version begins with `1`"), "{}", ran.shown());
    scene.does("memory undo");
    assert_eq!(scene.read("home/memories/MEMORY.md"), "Deploys run on Fridays");
    fs::set_permissions(scene.path("home/memories/MEMORY.md"), fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(scene.run("memory undo").status, 1);
    assert_eq!(scene.read("home/memories/MEMORY.md"), "Deploys run on Fridays");
}

/// What is typed with other line ends and a mark of its encoding is found again when its end is noted.
#[test]
fn an_entry_from_a_file_may_expire() {
    let scene = Scene::without_plugins();
    let ran = scene.run_with_input("memory add - --expires-in 30d", "\u{feff}the office\r\nis closed\r\n".as_bytes());
    assert_eq!(ran.status, 0, "{}", ran.shown());
    assert_eq!(scene.read("home/memories/MEMORY.md"), "the office\nis closed");
}
