//! Settings, the text for the system prompt, and capabilities.

use serde_json::{Map, Value, json};

use super::super::bench::{Outcome, Room, describe};
use super::super::requests::private;
use super::super::subject::Failure;
use crate::records::{Caller, ConfigField, FieldType};
use crate::{Hook, Interface};

/// Settings that no field allows, that are missing, and that nobody knows.
///
/// Each field is left out once and once given an object, a number beyond measure and a text with a NUL. A user would edit
/// `config.toml` by hand, and get a crash or a refusal that does not say which key is wrong.
///
/// The provider may refuse a value, as long as the error names the key. Types, choices and bounds are checked by hermes
/// before it is opened, so it need not look at them again.
pub(super) fn run(room: &Room<'_>) -> Outcome {
    let usual = room.settings();
    let with = |key: &str, value: Value| {
        let mut settings = usual.clone();
        settings.insert(key.to_owned(), value);
        settings
    };
    if let Some(failure) = tried(room, with("of_tomorrow", json!({"a": 1})), true) {
        let text =
            format!("a setting that only another version knows keeps the memory from opening: {}", describe(&failure));
        room.error(text, "leave unknown settings alone");
    }
    for field in room.bench.metadata.config.iter().filter(|field| !field.secret) {
        let mut without = usual.clone();
        without.remove(&field.key);
        if let Some(failure) = tried(room, without, true) {
            if field.required || field.default.is_some() {
                named(room, field, &failure);
            } else {
                let text =
                    format!("without the setting `{}` the memory does not open: {}", field.key, describe(&failure));
                room.error(text, "make the field required, or give it a default");
            }
        }
        let text = json!("no \u{0} value");
        for garbage in [json!({"a": []}), json!(-1e300), text.clone()] {
            // Hermes checks types and choices before a provider sees a value, so only a text is the provider's to name.
            let own = field.field_type == FieldType::Text && field.choices.is_empty() && garbage == text;
            if let (Some(failure), true) = (tried(room, with(&field.key, garbage), true), own) {
                named(room, field, &failure);
            }
        }
    }
    if !room.bench.metadata.capabilities.secret.is_empty()
        && let Some(failure) = tried(room, usual, false)
    {
        let text = format!(
            "without its key the memory does not even open, so setup cannot say what is missing: {}",
            describe(&failure)
        );
        room.warn(text, "open without it, and answer `unavailable_reason`");
    }
    if room.bench.has(Interface::Setup) {
        setup(room);
    }
    Ok(())
}

/// Opens with these settings. Answers with the error of the provider; everything worse is a finding.
fn tried(room: &Room<'_>, settings: Map<String, Value>, with_secrets: bool) -> Option<Failure> {
    match room.open_with(room.data(), settings, with_secrets) {
        Ok(opened) => {
            let _ = opened.close(std::time::Duration::from_secs(10));
            None
        }
        Err(failure @ Failure::Error(_)) => Some(failure),
        Err(failure) => {
            let text = format!("a wrong setting breaks the memory instead of being named: {}", describe(&failure));
            room.error(text, "read the settings with `Host::config`, and answer its error");
            None
        }
    }
}

/// Whether an error about a setting says which.
fn named(room: &Room<'_>, field: &ConfigField, failure: &Failure) {
    if !describe(failure).contains(&field.key) {
        let text = format!("a wrong value of `{}` is answered without naming it: {}", field.key, describe(failure));
        room.warn(text, "the user looks for the key in `config.toml`");
    }
}

/// The fields that are known at run time only, and answers that are none: those may be refused, and must not crash.
fn setup(room: &Room<'_>) {
    let Some(instance) = room.open() else { return };
    let fields: Vec<ConfigField> = instance.ask("the fields of setup", Hook::ConfigSchema, &()).unwrap_or_default();
    let plain =
        |key: &str| !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    for field in fields.iter().filter(|field| !plain(&field.key)) {
        let text = format!("setup asks for a setting that cannot be stored: `{}`", field.key.escape_debug());
        room.error(text, "a key is letters, digits, `_` and `-`");
    }
    for answers in [Value::Null, json!([]), json!({"no such": {"a": 1}}), json!("x")] {
        let hook = Hook::SaveConfig;
        let _ = instance.call("answers of setup that make no sense", hook, &answers, instance.patience(hook));
    }
    instance.end();
}

/// More than this costs the user noticeably in each request.
const LONG_PROMPT: usize = 4000;
/// More than this leaves a small model no room for the conversation.
const TOO_LONG_PROMPT: usize = 40_000;

/// The same text whenever it is asked for, and not too long; an hour passes and something is learnt in between.
///
/// Model services keep what they have read of a conversation as long as its beginning is the same to the letter. A user would
/// pay for the whole of it at every turn. Lengths are counted in characters.
///
/// The provider may have no text at all, and another one for another caller.
pub(super) fn prompt(room: &Room<'_>) -> Outcome {
    let Some(instance) = room.open() else { return Ok(()) };
    let ask =
        |who: &Caller| instance.ask::<String>("the text for the system prompt", Hook::SystemPromptBlock, who).ok();
    let mut ann = private("ann");
    let Some(first) = ask(&ann) else { return Ok(()) };
    for way in room.bench.ways().unwrap_or_default() {
        let _ = instance.learn(way, &ann);
    }
    ann.origin.at += 3_600_000;
    let later = [ask(&ann), ask(&ann)];
    if later.iter().flatten().any(|text| *text != first) {
        let text =
            "the text for the system prompt changes within a session: every turn is paid for as if it were the first";
        room.error(text, "say what the memory is; what it holds belongs to the recall");
    }
    let length = first.chars().count();
    if length > TOO_LONG_PROMPT {
        room.error(
            format!("the text for the system prompt has {length} characters: it crowds out the conversation"),
            "",
        );
    } else if length > LONG_PROMPT {
        room.warn(format!("the text for the system prompt has {length} characters, paid for in every request"), "");
    }
    instance.end();
    Ok(())
}

/// What the provider asked its host for, in all scenarios before this one, against what it declares.
///
/// A user would be told that something was refused, or be asked to agree to what is never used. The latter is a note: the kit
/// does not reach all that a provider can do. `network` is left out, since nobody sees a socket from here.
pub(super) fn capabilities(room: &Room<'_>) -> Outcome {
    // Of what is dormant nobody is asked.
    let declared = room.bench.metadata.capabilities.awake().lines();
    let asked = room.bench.seen.lock();
    if declared.is_empty() && asked.refused.is_empty() {
        return Err("it declares no capability and asked for none");
    }
    for line in &asked.refused {
        let text = format!("the provider asks for `{}`, which hermes refuses: it is not declared", line.escape_debug());
        room.error(text, "declare it in the manifest, and in the catalog entry");
    }
    for line in declared.iter().filter(|line| !asked.used.contains(*line) && !line.starts_with("network ")) {
        let text = format!("users are asked to agree to `{}`, and no scenario used it", line.escape_debug());
        room.note(text, "declare only what is needed; the kit cannot see what its own calls do not reach");
    }
    Ok(())
}
