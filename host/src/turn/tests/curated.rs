//! The curated memory in sessions: frozen in the prompt, live in the tool, mirrored to the provider.

use std::collections::BTreeSet;
use std::fs;

use tempfile::TempDir;

use super::*;
use crate::home::Home;
use crate::layers::curated::{Checks, Operation, Request, Settings, Target};

pub(super) struct Scene {
    pub(super) folder: TempDir,
    pub(super) memory: Memory,
    pub(super) shared: Arc<Shared>,
}

impl Scene {
    pub(super) fn with(set_up: Settings, turns: TurnSettings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (hooks, shared) = InProcess::new();
        let clock = Clock::fixed(1_767_225_600_000);
        let curated = Curated::of(&Home::at(folder.path()), set_up, Checks::default(), clock);
        Self { folder, memory: memory_with(hooks, turns).with_curated(curated), shared }
    }

    pub(super) fn new() -> Self {
        Self::with(Settings::default(), settings())
    }

    pub(super) fn file(&self) -> String {
        fs::read_to_string(self.folder.path().join("memories/MEMORY.md")).unwrap_or_default()
    }

    /// What the provider was told of the files: action, old text, new text.
    pub(super) fn mirrored(&self) -> Vec<(String, String, String)> {
        assert!(self.memory.drain(LONG).is_complete());
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let writes = self.shared.requests(Hook::OnMemoryWrite);
        writes.iter().map(|write| (text(&write["action"]), text(&write["previous"]), text(&write["content"]))).collect()
    }
}

pub(super) fn call(session: &Session, arguments: Value) -> ToolOutcome {
    session.tool(&ToolCall { id: String::new(), name: "memory".to_owned(), arguments: arguments.to_string() })
}

pub(super) fn write(action: &str, previous: &str, content: &str) -> (String, String, String) {
    (action.to_owned(), previous.to_owned(), content.to_owned())
}

/// A prompt that changes in the middle of a session is paid for again in full.
#[test]
fn the_prompt_is_the_same_through_a_hundred_turns() {
    let scene = Scene::new();
    let first = session(&scene.memory, "s");
    call(&first, json!({"content": "likes tea"}));
    let here = session(&scene.memory, "t");
    let prompt = here.system_prompt().to_owned();
    assert!(prompt.contains("MEMORY (your personal notes) [0% — 9/2,200 chars]"), "{prompt}");
    assert!(prompt.ends_with("Notes of anna: use `note`."), "the provider's text comes last: {prompt}");
    for number in 0..100 {
        let handle = here.begin(&format!("message {number}"));
        let done = call(&here, json!({"content": format!("fact {number}")})).result.unwrap();
        assert_eq!(done["entry_count"], number + 2, "the tool answers with what is so now");
        here.finish(handle, &[Message::new(Role::Assistant, "yes")], Ending::Complete).unwrap();
        assert_eq!(here.system_prompt(), prompt);
        assert_eq!(here.with_new_surface().system_prompt(), prompt);
    }
    // Compression and another model start the window again; the turns go on. The memory stands where it stood, in the
    // same words: a summary of the window says nothing of it.
    let note = here.compress(vec![Message::new(Role::User, "message 0")]);
    assert!(!note.to_lowercase().contains("memory"), "{note}");
    let restarted = here.restarted();
    drop(here);
    assert!(restarted.system_prompt().contains("fact 99"));
    let before = prompt.split_once("MEMORY (your personal notes)").unwrap().0;
    assert!(restarted.system_prompt().starts_with(before) && restarted.system_prompt().contains("likes tea"));
    assert_eq!(say(&restarted, "and now?", "yes").number, 101);
}

/// A duplicate that counts as a success must not reach the provider a second time.
#[test]
fn the_provider_hears_of_what_really_changed() {
    let scene = Scene::new();
    let here = session(&scene.memory, "s");
    call(&here, json!({"content": "likes tea"}));
    call(&here, json!({"content": "likes tea"}));
    call(&here, json!({"operations": [{"content": "likes tea"}, {"content": "likes rye"}]}));
    call(&here, json!({"action": "replace", "old_text": "tea", "content": "likes green tea"}));
    call(&here, json!({"action": "remove", "old_text": "rye"}));
    call(&here, json!({"action": "remove", "old_text": "coffee"}));
    assert_eq!(
        scene.mirrored(),
        [
            write("add", "", "likes tea"),
            write("add", "", "likes rye"),
            write("replace", "likes tea", "likes green tea"),
            write("remove", "likes rye", ""),
        ]
    );
}

/// An approval that nobody told the provider of would leave it with what the user has corrected.
#[test]
fn an_approval_is_mirrored_like_a_direct_write() {
    let scene = Scene::with(Settings { write_approval: true, ..Settings::default() }, settings());
    let here = session(&scene.memory, "s");
    let answer = call(&here, json!({"content": "likes tea"})).result.unwrap();
    let news = here.take_news();
    assert_eq!(news[0].proposal.as_deref(), answer["pending"].as_str());
    assert!(news[0].line.as_ref().unwrap().contains("waits for you"));
    assert!(scene.mirrored().is_empty() && scene.file().is_empty());
    // The session of the proposal is over, and a person decides somewhere else.
    drop(here);
    scene.memory.approve(answer["pending"].as_str().unwrap(), false).unwrap();
    assert_eq!((scene.mirrored(), scene.file().as_str()), (vec![write("add", "", "likes tea")], "likes tea"));
    let caller = &scene.shared.requests(Hook::OnMemoryWrite)[0]["caller"];
    assert_eq!((&caller["origin"]["author"], &caller["origin"]["session"]), (&json!("assistant"), &json!("s")));
}

/// A tool of the provider that writes is held back too, and done in its own store once it is approved.
#[test]
fn a_tool_of_the_provider_waits_and_is_done_where_it_belongs() {
    let scene = Scene::with(Settings { write_approval: true, ..Settings::default() }, settings());
    *scene.shared.schemas.lock().unwrap() = vec![schema("note")];
    let here = session(&scene.memory, "s");
    let note = |arguments: &str| {
        here.tool(&ToolCall { id: String::new(), name: "note".to_owned(), arguments: arguments.to_owned() })
    };
    let answer = note("{\"text\": \"чай\"}").result.unwrap();
    assert!(scene.shared.requests(Hook::CallTool).is_empty(), "{answer}");
    note("{\"action\": \"list\"}").result.unwrap();
    assert_eq!(scene.shared.requests(Hook::CallTool).len(), 1, "reading waits for nobody");
    let approved = scene.memory.approve(answer["pending"].as_str().unwrap(), false).unwrap();
    assert!(matches!(approved, Approved::Tool(_)));
    assert_eq!(scene.shared.requests(Hook::CallTool)[1]["args"]["text"], "чай");
    assert!(scene.memory.curated().unwrap().proposals().is_empty() && scene.file().is_empty());
}

#[test]
fn what_the_user_changes_and_takes_back_is_mirrored() {
    let scene = Scene::with(Settings { write_approval: true, ..Settings::default() }, settings());
    let caller = by_user(Caller { scope: private("anna"), ..Caller::default() });
    let add = |text: &str| Request::one(Target::Memory, Operation::Add { content: text.to_owned() });
    scene.memory.change(&add("a"), &caller).unwrap();
    scene.memory.change(&add("b"), &caller).unwrap();
    scene.memory.undo(Target::Memory, None, &caller).unwrap();
    assert_eq!(scene.mirrored(), [write("add", "", "a"), write("add", "", "b"), write("remove", "b", "")]);
}

/// What a turn could not store and did not repeat is not simply gone when it ends.
#[test]
fn the_end_of_a_turn_keeps_what_there_was_no_room_for() {
    let mut set_up = Settings::default();
    set_up.memory.chars = 100;
    let scene = Scene::with(set_up, settings());
    let here = session(&scene.memory, "s");
    let handle = here.begin("remember this");
    call(&here, json!({"content": "x".repeat(90)}));
    let refused = call(&here, json!({"content": "the fact to keep"})).result.unwrap_err();
    assert_eq!(refused.answer.unwrap()["must_free"], 9);
    call(&here, json!({"action": "replace", "old_text": "xxx", "content": "y".repeat(200)})).result.unwrap_err();
    let last = call(&here, json!({"content": "the fact to keep"}));
    assert!(last.content().contains("\"done\":true"), "{}", last.content());
    assert_eq!(here.take_news().len(), 2, "one was written, one could not be");
    here.finish(handle, &[], Ending::Complete).unwrap();
    assert_eq!(scene.memory.curated().unwrap().waiting().unwrap().not_stored, 2);
    // In the next turn the tool works again; one failure there is kept at its end.
    let handle = here.begin("go on");
    call(&here, json!({"content": "another fact"})).result.unwrap_err();
    here.finish(handle, &[], Ending::Complete).unwrap();
    assert_eq!(scene.memory.curated().unwrap().proposals().len(), 3);
    assert!(here.take_news()[0].line.as_ref().unwrap().contains("not updated"));
}

/// The prompt and the list of tools come from one decision, and none means none.
#[test]
fn a_session_without_tools_still_knows_what_is_kept() {
    let toolset = Toolset::Only(BTreeSet::new());
    let scene = Scene::with(Settings::default(), TurnSettings { toolset, ..settings() });
    fs::create_dir_all(scene.folder.path().join("memories")).unwrap();
    fs::write(scene.folder.path().join("memories/USER.md"), "Anna").unwrap();
    let here = session(&scene.memory, "s");
    assert!(here.tools().offered.is_empty() && here.system_prompt().contains("Anna"));
    assert_eq!(here.tools().hidden[0].why, tools::Why::LeftOut);
    assert_eq!(call(&here, json!({"content": "x"})).result.unwrap_err().kind, "not_found");
}

/// A home with only the files is a whole memory.
#[test]
fn no_provider_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let curated = Curated::of(&Home::at(folder.path()), Settings::default(), Checks::default(), Clock::default());
    let bare = Memory::open(Provider::None, None, settings(), Clock::default(), Redactor::default()).unwrap();
    let memory = bare.with_curated(curated);
    let here = session(&memory, "s");
    assert_eq!((here.system_prompt(), here.tools().offered[0].name.as_str()), ("", "memory"));
    call(&here, json!({"content": "likes tea"})).result.unwrap();
    assert!(session(&memory, "t").system_prompt().ends_with("likes tea"));
}

/// What runs beside the conversation writes nothing that reaches the provider.
#[test]
fn a_review_adds_to_the_files_alone() {
    let scene = Scene::new();
    let review = scene.memory.session("s", private("anna"), Context::Review);
    call(&review, json!({"content": "likes tea"})).result.unwrap();
    let proposed = call(&review, json!({"action": "remove", "old_text": "tea"})).result.unwrap();
    assert!(proposed["pending"].is_string());
    assert_eq!((scene.file().as_str(), scene.mirrored().len()), ("likes tea", 0));
    let facts = scene.memory.curated().unwrap().list(Target::Memory).unwrap().entries[0].facts.clone().unwrap();
    assert_eq!(facts.author, Some(Author::Review));
}
