//! Each audience has a folder of its own, and `brv` works there.

use hermes_provider_api::records::{Caller, ListEntries, Remember, ToolRequest};
use hermes_provider_api::{Call, ChatKind, ErrorKind, MemoryProvider as _, Scope};
use serde_json::json;

use crate::support::Case;

fn scopes() -> Vec<Scope> {
    let ann = Scope { profile: "default".into(), platform: "telegram".into(), user: "ann".into(), ..Scope::default() };
    let group = Scope { chat: "team".into(), chat_kind: ChatKind::Group, ..ann.clone() };
    vec![
        Scope { profile: "default".into(), ..Scope::default() },
        Scope { profile: "work".into(), ..Scope::default() },
        Scope { user: "bob/../../ann".into(), ..ann.clone() },
        Scope { platform: "discord".into(), ..ann.clone() },
        Scope { chat: "other".into(), ..group.clone() },
        ann,
        group,
    ]
}

#[test]
fn nobody_sees_the_tree_of_another() {
    let case = Case::new();
    let as_ = |scope: &Scope| Caller { scope: scope.clone(), ..Caller::default() };
    for (at, scope) in scopes().iter().enumerate() {
        let wish = Remember { caller: as_(scope), text: format!("The code of cellar {at} is 4711") };
        case.provider.remember(&wish, &Call::default()).unwrap();
        let request = ToolRequest {
            caller: as_(scope),
            tool: "brv_curate".into(),
            args: json!({"content": format!("Note {at}")}),
        };
        assert_eq!(case.provider.call_tool(&request, &Call::default()).unwrap()["status"], "stored");
    }
    let folders: std::collections::BTreeSet<_> =
        case.asked.lock().unwrap().iter().map(|asked| asked.folder.clone()).collect();
    assert_eq!(folders.len(), scopes().len(), "{folders:?}");
    assert!(folders.contains("private") && folders.iter().all(|name| !name.contains(['/', '.'])), "{folders:?}");
    for (at, scope) in scopes().iter().enumerate() {
        let list = ListEntries { caller: as_(scope), ..ListEntries::default() };
        let page = case.provider.list_entries(&list, &Call::default()).unwrap();
        let texts: Vec<_> = page.entries.iter().map(|entry| entry.text.as_str()).collect();
        assert_eq!(texts.len(), 2, "{at}: {texts:?}");
        assert!(texts.contains(&format!("The code of cellar {at} is 4711").as_str()), "{at}: {texts:?}");
    }
}

#[test]
fn a_group_without_an_id_has_no_memory() {
    let case = Case::new();
    let scope = Scope { chat_kind: ChatKind::Group, ..Scope::default() };
    let wish = Remember { caller: Caller { scope, ..Caller::default() }, text: "x".into() };
    assert_eq!(case.provider.remember(&wish, &Call::default()).unwrap_err().kind, ErrorKind::InvalidInput);
}

#[test]
fn pages_lead_through_all_that_is_there() {
    let case = Case::new();
    let ids: std::collections::BTreeSet<_> = (0..7).map(|n| case.remember(&format!("Shelf {n}"))).collect();
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let list = ListEntries { caller: case.caller.clone(), cursor, limit: 2 };
        let page = case.provider.list_entries(&list, &Call::default()).unwrap();
        seen.extend(page.entries.into_iter().map(|entry| entry.id));
        cursor = page.next;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!((seen.len(), seen.into_iter().collect::<std::collections::BTreeSet<_>>()), (7, ids));
    let odd = ListEntries { cursor: "odd".into(), ..ListEntries::default() };
    assert_eq!(case.provider.list_entries(&odd, &Call::default()).unwrap_err().kind, ErrorKind::InvalidInput);
}
