//! The agent's notes and what the user wants to be kept: files that are added, replaced and removed, word for word.

use std::fs;

use hermes_provider_api::records::{ListEntries, WriteAction};
use hermes_provider_api::{Call, ErrorKind, MemoryProvider as _};
use serde_json::json;

use crate::support::Case;

/// Where only additions were mirrored, what was corrected lived on in its old form.
#[test]
fn a_note_follows_the_curated_memory() {
    let case = Case::new();
    case.write(WriteAction::Add, "Anna drinks green tea", "");
    case.write(WriteAction::Add, "Anna drinks green tea", "");
    assert_eq!(case.recall("What does Anna drink?"), ["Anna drinks green tea"]);
    for _ in 0..2 {
        case.write(WriteAction::Replace, "Anna drinks black coffee", "Anna drinks green tea");
    }
    assert_eq!(case.recall("What does Anna drink?"), ["Anna drinks black coffee"]);
    // The same text, written otherwise by a host that says so.
    case.write(WriteAction::Replace, "Anna drinks black coffee", "Anna drinks black coffee");
    assert_eq!(case.recall("What does Anna drink?").len(), 1);
    for _ in 0..2 {
        case.write(WriteAction::Remove, "", "Anna drinks black coffee");
    }
    assert!(case.recall("What does Anna drink?").is_empty());
    case.write(WriteAction::Unknown, "Anna drinks milk", "x");
    assert!(case.recall("What does Anna drink?").is_empty());
    assert!(case.asked.lock().unwrap().is_empty(), "`brv` is not needed for it");
}

#[test]
fn what_brv_derived_from_a_note_goes_with_it() {
    let case = Case::new();
    case.write(WriteAction::Add, "The code of the cellar is 4711", "");
    let folder = case.folder.path().join("private/.brv/context-tree/hermes/user");
    let note = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    fs::write(note.with_extension("abstract.md"), "The code is 4711").unwrap();
    case.write(WriteAction::Remove, "", "The code of the cellar is 4711");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn texts_stay_as_they_were_written() {
    let case = Case::new();
    for text in
        ["---\ntitle: x\n---\nrest", "Ω ".repeat(70_000).as_str(), "  blanks  \n\n", "../../etc/passwd", "🦊", "a\0b"]
    {
        let id = case.remember(text);
        assert_eq!(case.remember(text), id);
        let page = case
            .provider
            .list_entries(&ListEntries { caller: case.caller.clone(), ..ListEntries::default() }, &Call::default());
        let entry = page.unwrap().entries.into_iter().find(|entry| entry.id == id).unwrap();
        assert_eq!(entry.text, text);
        let file = case.folder.path().join(&entry.path);
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert!(file.canonicalize().unwrap().starts_with(case.folder.path().canonicalize().unwrap().join("private")));
    }
}

#[test]
fn what_is_no_entry_is_not_deleted() {
    let case = Case::new();
    let id = case.remember("Biscuit is a spaniel");
    let delete = |id: &str| case.provider.delete_entry(id, &case.caller, &Call::default());
    for other in ["", "private/../scope.json", "private/scope.json", "/etc/passwd", "private/hermes/kept"] {
        assert_eq!(delete(other).unwrap_err().kind, ErrorKind::NotFound, "{other}");
    }
    delete(&id).unwrap();
    assert_eq!(delete(&id).unwrap_err().kind, ErrorKind::NotFound);
    assert!(case.folder.path().join("private/scope.json").is_file());
}

#[test]
fn nothing_is_mirrored_where_the_user_does_not_want_it() {
    for off in [json!(false), json!("false"), json!("off"), json!("No"), json!(0)] {
        let case = Case::configured(json!({"auto_extract": off}));
        case.write(WriteAction::Add, "Anna drinks green tea", "");
        assert!(case.recall("What does Anna drink?").is_empty(), "{off}");
    }
    // A note from before is still corrected: it would live on as a memory of what is gone.
    let case = Case::new();
    case.write(WriteAction::Add, "Anna drinks green tea", "");
    let off = case.reopened(json!({"auto_extract": false}));
    assert_eq!(off.recall("What does Anna drink?").len(), 1);
    off.write(WriteAction::Replace, "Anna drinks coffee", "Anna drinks green tea");
    assert!(off.recall("What does Anna drink?").is_empty());
}
