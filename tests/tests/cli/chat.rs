//! `hermes chat`: one question, and a conversation at a terminal.

use hermes_tests::model::ScriptedModel;
use insta::assert_snapshot;

use crate::pty::{CTRL_C, ENTER, Terminal};
use crate::scene::Scene;

fn with_model(model: &str) -> (Scene, ScriptedModel) {
    let scene = Scene::with_memory();
    let server = ScriptedModel::start();
    scene.does(&format!("config set model.base_url {}", server.base()));
    scene.does(&format!("config set model.chat {model}"));
    (scene, server)
}

#[test]
fn without_a_model_there_is_a_next_step() {
    let scene = Scene::without_plugins();
    assert_snapshot!(scene.says("chat -q 'Are you there?'"), @r"
    exit 1
    ---- err
    error: no model is set up: `model.chat` and `model.base_url` say which one answers, and where
    hint: `hermes config set model.base_url URL` and `hermes config set model.chat NAME`
    ");
    assert_eq!(scene.run("chat").status, 1);
    let (scene, _server) = with_model("echo");
    assert_snapshot!(scene.says("chat"), @r#"
    exit 2
    ---- err
    error: there is nothing to ask
    hint: `hermes chat -q "…"` asks one question
    "#);
}

#[test]
fn one_question_is_answered_with_what_is_remembered_and_recorded() {
    let (scene, server) = with_model("echo");
    scene.does("memory remember 'Собака Веры, Бисквит, не ест курицу'");
    let answer = scene.json("chat -q 'Чем угостить Бисквита?'");
    // The server repeats what it was given: the block is there, and does not come back.
    assert_eq!(answer["answer"], "You said: Чем угостить Бисквита?\n\n — that was it.");
    assert!(server.asked().last().unwrap().contains("курицу"), "{:?}", server.asked());
    assert_eq!((&answer["complete"], &answer["turn"]), (&true.into(), &1.into()));
    let session = answer["session"].as_str().unwrap();
    let shown = scene.does(&format!("sessions show {session}"));
    assert!(shown.contains("Чем угостить Бисквита?") && !shown.contains("<memory-context>"), "{shown}");
    assert_eq!(scene.json(&format!("sessions show {session}"))["session"]["model"], "echo");
    let resumed = scene.json(&format!("chat --resume {session} -q 'А чем ещё, кроме этого?'"));
    assert_eq!((&resumed["session"], &resumed["turn"]), (&answer["session"], &2.into()));
    let asked = server.asked().pop().unwrap();
    assert!(asked.contains("Чем угостить Бисквита?") && asked.contains("А чем ещё"), "{asked}");
    let aloud = scene.json("chat --model aloud -q 'Чем кормить Бисквита?'")["answer"].to_string();
    assert!(aloud.contains("After it") && !aloud.contains("memory-context"), "{aloud}");
    let tools = scene.json("chat --model keep -q 'My friend Ann lives in Riga now'");
    assert_eq!(tools["tools"], serde_json::json!(["fact_store"]));
    assert!(scene.does("memory recall 'Where does Ann live?'").contains("Riga"));
}

#[test]
fn what_the_model_says_is_wrong_is_told_and_the_message_is_on_record() {
    let (scene, _server) = with_model("busy");
    let ran = scene.run("chat -q 'Is anybody there tonight?'");
    assert!(ran.status == 1 && ran.out.is_empty() && ran.err.contains("(429)"), "{}", ran.shown());
    assert!(scene.does("sessions search anybody").contains("Is anybody there tonight?"));
    let cut = scene.run("chat --model cut -q 'Tell me half of it'");
    assert!(cut.status == 1 && !cut.out.trim().is_empty(), "{}", cut.shown());
}

#[test]
fn a_conversation_has_commands_and_a_history() {
    let (scene, _server) = with_model("echo");
    let Some(terminal) = Terminal::start(&scene, "chat") else { return };
    terminal.sees("session chat-").sees("› ").types(&format!("What does Otto the parrot eat?{ENTER}"));
    terminal.sees("recalled nothing").sees("What does Otto the parrot eat?").sees("› ");
    terminal.types(&format!("/status{ENTER}")).sees("memory: holographic").sees("› ");
    terminal.types(&format!("/memory pending{ENTER}")).sees("› ");
    terminal.types(&format!("/skills{ENTER}")).sees("hermes has no skills of its own").sees("› ");
    terminal.types(&format!("/nope{ENTER}")).sees("there is no command /nope").sees("› ");
    terminal.types(&format!("/model slow{ENTER}")).sees("slow answers from now on").sees("› ");
    terminal.types(&format!("/new{ENTER}")).sees("session chat-").sees("› ");
    terminal.types(CTRL_C).sees("once more").sees("› ").types(CTRL_C);
    assert_eq!(terminal.ends(), 0);
    assert!(scene.read("home/chat_history").contains("What does Otto the parrot eat?"));
    assert!(scene.does("sessions search parrot").contains("What does Otto the parrot eat?"));
}
