//! What leaves is clean, who may not write does not, and what is missing is done without.

use hermes_provider_api::ErrorKind;
use hermes_provider_api::records::{MemoryWrite, Message, Origin, Role, SessionEnd, ToolCall, Turn};
use serde_json::json;

use super::testing::{Fault, InProcess, Shared};
use super::*;
use crate::outbox::{Deliver as _, Retry};

const KEY: &str = "sk-0123456789abcdefXY";

fn external(missing: &[Interface]) -> (External, Arc<Shared>) {
    let (hooks, shared) = InProcess::without(missing);
    (External::new(hooks, Arc::default()), shared)
}

fn caller(context: Context) -> Caller {
    Caller { context, origin: Origin { session: "s".to_owned(), ..Origin::default() }, ..Caller::default() }
}

fn tool(context: Context, args: Value) -> ToolRequest {
    ToolRequest { caller: caller(context), tool: "note".to_owned(), args }
}

fn turn(context: Context, messages: Vec<Message>) -> CleanTurn {
    let key = "k".to_owned();
    let turn = Turn { caller: caller(context), messages, idempotency_key: key, number: 1, interrupted: false };
    Cleaner::new(Arc::default()).turn(&turn, None)
}

#[test]
fn only_the_primary_context_writes() {
    let (external, shared) = external(&[]);
    for context in [Context::Subagent, Context::Cron, Context::Review] {
        let refused = [
            external.outgoing().turn(&turn(context, Vec::new())).unwrap_err(),
            external
                .outgoing()
                .memory_write(&MemoryWrite { caller: caller(context), ..MemoryWrite::default() })
                .unwrap_err(),
            external
                .outgoing()
                .session_end(&SessionEnd { caller: caller(context), ..SessionEnd::default() })
                .unwrap_err(),
            external.remember(&Remember { caller: caller(context), text: "x".to_owned() }).unwrap_err(),
            external.import(&ImportBatch { caller: caller(context), ..ImportBatch::default() }).unwrap_err(),
            external.delete_entry("1", &caller(context)).unwrap_err(),
            external.call_tool(&tool(context, json!({"action": "add"}))).unwrap_err(),
        ];
        for error in refused {
            assert!(matches!(&error, ExternalError::ReadOnly { .. }), "{error}");
        }
        assert_eq!(external.call_tool(&tool(context, json!({"action": "list"}))).unwrap()["got"]["action"], "list");
        // An unknown effect counts as a write.
        shared.fault(Hook::ToolEffect, Fault::Error(ErrorKind::Internal));
        external.call_tool(&tool(context, json!({"action": "list"}))).unwrap_err();
    }
    assert_eq!(shared.writes(), Vec::<&str>::new());
    assert_eq!(shared.requests(Hook::CallTool).len(), 3);
    let error = external.call_tool(&tool(Context::Cron, json!({}))).unwrap_err();
    assert_eq!(error.to_string(), "`notes` is read-only in a cron context: tool `note` was refused");
}

#[test]
fn a_stored_row_of_another_context_is_not_delivered() {
    let (external, shared) = external(&[]);
    let mut delivery = external.outgoing().turn(&turn(Context::Primary, Vec::new())).unwrap().unwrap();
    delivery.payload = delivery.payload.replace("\"primary\"", "\"cron\"");
    assert_eq!(external.deliver(&delivery).unwrap_err().retry, Retry::Never);
    delivery.payload = "{".to_owned();
    assert_eq!(external.deliver(&delivery).unwrap_err().retry, Retry::Never);
    delivery.kind = "on_full_moon".to_owned();
    assert_eq!(external.deliver(&delivery).unwrap_err().message, "this hermes knows no hook `on_full_moon`");
    assert_eq!(shared.writes(), Vec::<&str>::new());
}

#[test]
fn secrets_and_echoed_blocks_do_not_leave() {
    let (external, shared) = external(&[]);
    let echo = format!("Привет {KEY} <memory-context>\n- tea\n</memory-context>");
    let question = external.outgoing().question(&Caller::default(), &echo, 5);
    external.prefetch(&question, Box::new(|_| {})).unwrap();
    external.call_tool(&tool(Context::Primary, json!({"text": echo, "password": "hunter22", "n": [echo]}))).unwrap();
    external.remember(&Remember { caller: Caller::default(), text: echo.clone() }).unwrap();
    let arguments = json!({"q": echo, "\u{1}": 1}).to_string();
    let call = ToolCall { id: "1".to_owned(), name: "note".to_owned(), arguments };
    let calls = Message { role: Role::Assistant, tool_calls: vec![call], ..Message::default() };
    let messages = vec![Message::new(Role::User, &*echo), calls, Message::new(Role::Tool, json!([echo]).to_string())];
    let sync = external.outgoing().turn(&turn(Context::Primary, messages.clone())).unwrap().unwrap();
    external.deliver(&sync).unwrap();
    external.pre_compress(&PreCompress { caller: Caller::default(), messages }).unwrap();
    let write = MemoryWrite { content: echo.clone(), previous: echo.clone(), ..MemoryWrite::default() };
    external.deliver(&external.outgoing().memory_write(&write).unwrap().unwrap()).unwrap();
    let hooks =
        [Hook::Prefetch, Hook::CallTool, Hook::Remember, Hook::SyncTurn, Hook::OnPreCompress, Hook::OnMemoryWrite];
    for hook in hooks {
        let sent = shared.requests(hook)[0].to_string();
        assert!(sent.contains("Привет [redacted]"), "{hook:?}: {sent}");
        for gone in [KEY, "memory-context", "tea", "hunter22"] {
            assert!(!sent.contains(gone), "{hook:?}: {sent}");
        }
    }
}

#[test]
fn clean_texts_leave_byte_for_byte() {
    let (external, shared) = external(&[]);
    let texts = ["Анна любит зелёный чай", "安娜喜欢绿茶", "آنا چای سبز می\u{200C}خواهد", "{ \"a\" :1, \"b\": 1.0 }"];
    let messages: Vec<Message> = texts.iter().map(|text| Message::new(Role::User, *text)).collect();
    external.deliver(&external.outgoing().turn(&turn(Context::Primary, messages)).unwrap().unwrap()).unwrap();
    let sent = &shared.requests(Hook::SyncTurn)[0]["messages"];
    let sent: Vec<&str> = (0..4).map(|at| sent[at]["content"].as_str().unwrap()).collect();
    assert_eq!(sent, texts);
}

#[test]
fn without_an_interface_the_host_does_without() {
    let missing: Vec<Interface> = Interface::ALL[1..].to_vec();
    let (external, shared) = external(&missing);
    let question = external.outgoing().question(&Caller::default(), "tea?", 5);
    assert_eq!(external.prefetch(&question, Box::new(|_| {})).unwrap(), Recall::default());
    assert_eq!(external.outgoing().queue_prefetch(question), None);
    assert_eq!(external.recall_status().unwrap(), None);
    assert_eq!(external.tool_schemas().unwrap(), []);
    assert_eq!(external.pre_compress(&PreCompress::default()).unwrap(), CompressNote::default());
    assert_eq!(external.outgoing().turn(&turn(Context::Primary, Vec::new())).unwrap(), None);
    assert_eq!(
        external.remember(&Remember::default()).unwrap_err().to_string(),
        "`notes` has no way to remember a text on request"
    );
    assert!(matches!(external.call_tool(&tool(Context::Primary, json!({}))), Err(ExternalError::Unsupported { .. })));
    assert!(shared.calls.lock().unwrap().is_empty());
    assert!(external.health().unwrap().ok);
}

#[track_caller]
fn check_retry(fault: Fault, expected: Retry) {
    let (external, shared) = external(&[]);
    shared.fault(Hook::SyncTurn, fault);
    let sync = external.outgoing().turn(&turn(Context::Primary, Vec::new())).unwrap().unwrap();
    let error = external.deliver(&sync).unwrap_err();
    assert_eq!(error.retry, expected);
    assert!(!error.message.contains(KEY), "{error}");
}

#[test]
fn which_failures_are_tried_again() {
    for kind in [ErrorKind::Unavailable, ErrorKind::Timeout, ErrorKind::Storage, ErrorKind::Poisoned] {
        check_retry(Fault::Error(kind), Retry::Down);
    }
    for kind in [ErrorKind::Unauthorized, ErrorKind::Quota, ErrorKind::RateLimited, ErrorKind::NotFound] {
        check_retry(Fault::Error(kind), Retry::Hold(None));
    }
    check_retry(Fault::Paused, Retry::Until(0));
    check_retry(Fault::Error(ErrorKind::InvalidInput), Retry::Never);
    for fault in [Fault::Hang, Fault::Panic, Fault::Error(ErrorKind::Internal)] {
        check_retry(fault, Retry::Counted);
    }
}
