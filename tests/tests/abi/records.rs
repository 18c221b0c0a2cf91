//! The JSON of every record with all its fields set. A field may be added; one that is renamed, retyped or taken away
//! would be silently ignored by the other side.

use std::fmt::Write as _;

use hermes_provider_api::dispatch::{DeleteEntryRequest, ToolEffectRequest};
use hermes_provider_api::host::{
    ChatMessage, ChatReply, ChatRequest, CommandOutput, CommandRequest, EmbedRequest, Embeddings, FileRequest,
    HttpRequest, HttpResponse, LogRecord, ModelPlace, Models,
};
use hermes_provider_api::metadata::Metadata;
use hermes_provider_api::records::{
    Author, Caller, ChatKind, Choice, CompressNote, ConfigField, Context, Delegation, Effect, EntryPage, FieldType,
    Health, ImportBatch, ImportRecord, ImportReport, ListEntries, MemoryTarget, MemoryWrite, Message, OpenRequest,
    Origin, PreCompress, PrefetchQuery, Recall, RecallItem, RecallState, RecallStatus, Remember, Remembered, Role,
    Scope, SessionEnd, SessionSwitch, ToolCall, ToolRequest, ToolSchema, Turn, TurnStart, When, WriteAction,
};
use hermes_provider_api::{Capabilities, ErrorKind, ProviderError, Secret};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

/// One line per record. Each is read again, so that writing and reading agree, and an empty object is its default.
struct Lines(String);

impl Lines {
    #[track_caller]
    fn add<T: Serialize + DeserializeOwned>(&mut self, name: &str, record: &T) {
        let json = serde_json::to_string(record).unwrap();
        let again: T = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), json, "{name} is not read as it is written");
        let mut newer: serde_json::Value = serde_json::from_str(&json).unwrap();
        if let Some(fields) = newer.as_object_mut() {
            fields.insert("field_of_tomorrow".to_owned(), json!([1]));
            serde_json::from_value::<T>(newer).unwrap_or_else(|error| panic!("{name} refuses a newer field: {error}"));
            serde_json::from_str::<T>("{}").unwrap_or_else(|error| panic!("{name} has no default: {error}"));
        }
        let _ = writeln!(self.0, "{name} {json}");
    }
}

fn scope() -> Scope {
    Scope {
        profile: "p".into(),
        platform: "telegram".into(),
        chat: "c".into(),
        chat_kind: ChatKind::Group,
        user: "u".into(),
        project: "j".into(),
    }
}

fn origin() -> Origin {
    Origin { author: Author::Assistant, session: "s".into(), at: 7 }
}

fn caller() -> Caller {
    Caller { scope: scope(), origin: origin(), context: Context::Cron }
}

fn message() -> Message {
    Message {
        role: Role::Assistant,
        content: "да".into(),
        tool_calls: vec![ToolCall { id: "i".into(), name: "n".into(), arguments: "{".into() }],
        tool_call_id: "t".into(),
    }
}

fn item() -> RecallItem {
    RecallItem {
        id: "i".into(),
        text: "t".into(),
        score: 0.5,
        scope: Some(Scope::default()),
        origin: Some(origin()),
        updated: Some(8),
        path: "p".into(),
    }
}

fn field() -> ConfigField {
    ConfigField {
        key: "k".into(),
        description: "d".into(),
        field_type: FieldType::Url,
        secret: true,
        required: true,
        advanced: true,
        namespace: true,
        default: Some("x".into()),
        choices: vec![Choice { value: "v".into(), description: "d".into() }],
        when: Some(When { key: "k".into(), equals: "e".into() }),
        env_var: "E".into(),
        url: "https://memory.example".into(),
        min: Some(-1),
        max: Some(2),
        token_prefixes: vec!["sk-".into()],
    }
}

fn capabilities() -> Capabilities {
    Capabilities {
        http: vec!["https://memory.example".into()],
        secret: vec!["K".into()],
        command: vec!["brv".into()],
        stop: vec!["brv daemon stop".into()],
        file: vec!["read:notes".into()],
        network: "direct".into(),
        model: vec!["embed".into()],
    }
}

#[test]
fn of_the_hooks() {
    let mut lines = Lines(String::new());
    let key = || "key".to_owned();
    lines.add("Caller", &caller());
    lines.add("PrefetchQuery", &PrefetchQuery { caller: Caller::default(), query: "q".into(), limit: 3 });
    lines.add("Recall", &Recall { preface: Some("p".into()), items: vec![item()] });
    lines.add("RecallStatus", &RecallStatus { state: RecallState::Building, detail: "d".into(), entries: Some(9) });
    lines.add(
        "Turn",
        &Turn {
            caller: Caller::default(),
            idempotency_key: key(),
            number: 2,
            messages: vec![message()],
            interrupted: true,
        },
    );
    lines.add(
        "MemoryWrite",
        &MemoryWrite {
            caller: Caller::default(),
            idempotency_key: key(),
            action: WriteAction::Replace,
            target: MemoryTarget::User,
            content: "c".into(),
            previous: "p".into(),
        },
    );
    lines.add("TurnStart", &TurnStart { caller: Caller::default(), number: 1, message: "m".into() });
    lines.add(
        "SessionEnd",
        &SessionEnd { caller: Caller::default(), idempotency_key: key(), messages: vec![Message::default()] },
    );
    lines.add(
        "SessionSwitch",
        &SessionSwitch {
            caller: Caller::default(),
            idempotency_key: key(),
            from: "f".into(),
            to: "t".into(),
            reset: true,
        },
    );
    lines.add("PreCompress", &PreCompress { caller: Caller::default(), messages: vec![Message::default()] });
    lines.add("CompressNote", &CompressNote { text: "t".into() });
    lines.add(
        "Delegation",
        &Delegation {
            caller: Caller::default(),
            idempotency_key: key(),
            task: "t".into(),
            result: "r".into(),
            child_session: "c".into(),
        },
    );
    lines.add(
        "ToolSchema",
        &ToolSchema { name: "n".into(), description: "d".into(), parameters: json!({"type": "object"}) },
    );
    lines.add("ToolRequest", &ToolRequest { caller: Caller::default(), tool: "t".into(), args: json!({"a": 1}) });
    lines.add("ToolEffectRequest", &ToolEffectRequest { tool: "t".into(), args: json!({}) });
    lines.add("OpenRequest", &OpenRequest { host_version: "1".into(), log_level: "info".into(), scope: scope() });
    lines.add("Health", &Health { ok: true, detail: "d".into() });
    lines.add("Remember", &Remember { caller: Caller::default(), text: "t".into() });
    lines.add("Remembered", &Remembered { id: "i".into(), existed: true });
    lines.add(
        "ImportBatch",
        &ImportBatch {
            caller: Caller::default(),
            records: vec![ImportRecord {
                text: "t".into(),
                created: Some(1),
                tags: vec!["g".into()],
                extra: json!({"x": null}),
            }],
            file: "f".into(),
            cursor: "c".into(),
        },
    );
    lines.add(
        "ImportReport",
        &ImportReport { added: 1, skipped: 2, refused: vec!["r".into()], next: "n".into(), total: Some(3) },
    );
    lines.add("ListEntries", &ListEntries { caller: Caller::default(), cursor: "c".into(), limit: 4 });
    lines.add("EntryPage", &EntryPage { entries: vec![RecallItem::default()], next: "n".into() });
    lines.add("DeleteEntryRequest", &DeleteEntryRequest { caller: Caller::default(), id: "i".into() });
    lines.add(
        "ProviderError",
        &ProviderError {
            kind: ErrorKind::RateLimited,
            message: "m".into(),
            hint: Some("h".into()),
            retryable: true,
            retry_after: Some(5),
        },
    );
    insta::assert_snapshot!(lines.0);
}

#[test]
fn of_the_metadata() {
    let mut lines = Lines(String::new());
    lines.add("ConfigField", &field());
    lines.add("Capabilities", &capabilities());
    lines.add(
        "Metadata",
        &Metadata {
            id: "i".into(),
            title: "t".into(),
            version: "1.0.0".into(),
            abi_major: 1,
            abi_minor: 2,
            api_version: "0.1.0".into(),
            requires_host: "*".into(),
            target: "t".into(),
            rustc: "r".into(),
            panic: "unwind".into(),
            interfaces: vec!["hermes.core/1".into()],
            capabilities: Capabilities::default(),
            config: Vec::new(),
        },
    );
    insta::assert_snapshot!(lines.0);
}

#[test]
fn of_the_host_services() {
    let mut lines = Lines(String::new());
    lines.add("LogRecord", &LogRecord { level: "info".into(), target: "t".into(), message: "m".into(), trace_id: 1 });
    lines.add("Secret", &Secret::new("s"));
    lines.add(
        "HttpRequest",
        &HttpRequest {
            method: "POST".into(),
            url: "https://memory.example".into(),
            headers: vec![("a".into(), "b".into())],
            body: Some("b".into()),
            body_file: Some("f".into()),
            save_to: Some("s".into()),
            timeout_ms: Some(1),
        },
    );
    lines.add("HttpResponse", &HttpResponse { status: 200, headers: vec![("a".into(), "b".into())], body: "b".into() });
    lines.add(
        "CommandRequest",
        &CommandRequest {
            program: "brv".into(),
            args: vec!["a".into()],
            stdin: "s".into(),
            folder: "f".into(),
            timeout_ms: Some(1),
        },
    );
    lines.add("CommandOutput", &CommandOutput { status: -1, stdout: "o".into(), stderr: "e".into(), cut: true });
    lines.add(
        "FileRequest",
        &FileRequest { grant: "g".into(), path: "p".into(), content: Some("c".into()), to: Some("t".into()) },
    );
    let place = || Some(ModelPlace { name: "m".into(), host: "https://model.example".into() });
    lines.add("Models", &Models { embedding: place(), chat: place() });
    lines.add("EmbedRequest", &EmbedRequest { texts: vec!["t".into()], timeout_ms: Some(1) });
    lines.add("Embeddings", &Embeddings { model: "m".into(), vectors: vec![vec![0.5, -1.0]] });
    let messages = vec![ChatMessage { role: "user".into(), content: "c".into() }];
    lines.add("ChatRequest", &ChatRequest { messages, max_tokens: Some(2), timeout_ms: Some(1) });
    lines.add("ChatReply", &ChatReply { model: "m".into(), text: "t".into() });
    insta::assert_snapshot!(lines.0);
}

#[test]
fn of_every_choice() {
    let mut text = String::new();
    let mut add = |name: &str, values: &[serde_json::Value]| {
        let _ = writeln!(text, "{name} {}", serde_json::Value::from(values));
    };
    macro_rules! choices {
        ($($name:ident: $($value:ident)+;)+) => {
            $(
                add(stringify!($name), &[$(serde_json::to_value($name::$value).unwrap()),+]);
                let newer = serde_json::from_value::<$name>(json!("value_of_tomorrow"));
                assert!(newer.is_ok(), "{} refuses a newer value", stringify!($name));
            )+
        };
    }
    choices! {
        ChatKind: Private Group;
        Author: User Assistant Tool Review;
        Context: Primary Subagent Cron Review;
        RecallState: Ready Building Degraded;
        Role: System User Assistant Tool;
        WriteAction: Add Replace Remove Unknown;
        MemoryTarget: Memory User Unknown;
        Effect: Read Write Delete;
        FieldType: Text Integer Number Boolean Url Path;
        ErrorKind: Unavailable Unauthorized RateLimited Quota InvalidInput NotFound Timeout Cancelled Denied
                   Unsupported Storage Panic Poisoned Internal;
    }
    insta::assert_snapshot!(text);
}
