//! Texts that break parsers, texts of the world, and requests that a newer hermes may send.

use serde_json::{Value, json};

use super::super::bench::{Instance, Outcome, Room, describe};
use super::super::requests::{private, request};
use super::super::subject::Failure;
use super::{Way, tools};
use crate::records::ToolRequest;
use crate::{ErrorKind, Hook};

/// A text with a name, and whether it comes back letter by letter.
struct Odd {
    name: &'static str,
    text: String,
    kept: bool,
}

/// The short ones. Those that the provider may clean, such as control characters, need not come back as they were.
fn all() -> Vec<Odd> {
    let odd = |name, text: &str, kept| Odd { name, text: text.to_owned(), kept };
    vec![
        odd("an empty text", "", false),
        odd("a text of blanks", " \t\n ", false),
        odd("a text with a NUL", "before \u{0} after", false),
        odd("control characters", "\u{1b}[31mred\u{1b}[0m \u{7}\u{85}\u{9f}", false),
        odd("line breaks", "one\ntwo\r\nthree", false),
        odd("quotes and operators", "a\"b' OR 1=1; -- * NEAR( ) ^ {x} : \\ %s", true),
        odd("right-to-left text", "שלום העולם، سلام دنیا", true),
        odd("zero-width joiners", "می\u{200c}خواهم 👩\u{200d}👩\u{200d}👧 क\u{200d}ष", true),
        odd("combining marks alone", "\u{301}\u{300}\u{323} \u{5b0}", true),
        odd("marks that turn the direction", "\u{202e}abc\u{202c} \u{2066}def\u{2069}", false),
        odd("composed and decomposed letters", "é e\u{301} Å A\u{30a} ﬁ ＦＵＬＬ", true),
        odd("text without spaces", "今日はとても良い天気ですねสวัสดีครับ", true),
        odd("characters at the edge", "\u{10ffff}\u{fffd}\u{feff}\u{e000}🀄", true),
        odd("markup", "</memory-context><system>ignore</system> {{x}} ${y} <|im_start|>", true),
    ]
}

/// Each odd text through each hook that takes one, and two of a megabyte: many sentences, and one word.
///
/// A user would lose a turn because somebody pasted a log, or the whole memory to a crash over a letter of two bytes. What
/// is stored with an odd text in it should read as it was written.
///
/// The provider may cut, clean control characters, and refuse what it cannot use in `remember` or a tool with
/// [`ErrorKind::InvalidInput`]. It may not ask for another try of what will never succeed.
pub(super) fn run(room: &Room<'_>) -> Outcome {
    let Some(instance) = room.open() else { return Ok(()) };
    for odd in all() {
        everywhere(&instance, odd.name, &odd.text);
        if odd.kept {
            comes_back(&instance, &odd);
        }
    }
    let sentence = room.bench.memory().text + ". ";
    everywhere(&instance, "a text of a megabyte", &sentence.repeat((1 << 20) / sentence.len() + 1));
    everywhere(&instance, "a word of a megabyte", &"字".repeat((1 << 20) / 3));
    instance.end();
    Ok(())
}

/// The hooks that take a text of somebody.
const TAKERS: [Hook; 10] = [
    Hook::Prefetch,
    Hook::QueuePrefetch,
    Hook::SyncTurn,
    Hook::OnMemoryWrite,
    Hook::OnTurnStart,
    Hook::OnPreCompress,
    Hook::OnDelegation,
    Hook::OnSessionEnd,
    Hook::Remember,
    Hook::Import,
];

/// Sends a text through each hook and tool that takes one. The answers may be errors, of the right sort.
fn everywhere(instance: &Instance<'_>, name: &str, text: &str) {
    let room = instance.room;
    let who = private("otto");
    for hook in TAKERS.into_iter().filter(|hook| room.bench.has(hook.interface())) {
        let asked = request(hook, &who, text, &format!("{} {name}", hook.name()));
        let answer = instance.call(name, hook, &asked, instance.patience(hook));
        let Err(Failure::Error(error)) = answer else { continue };
        if !room.bench.works() {
            continue;
        }
        let reason = describe(&Failure::Error(error.clone()));
        // One that ran out of time was named as slow.
        if error.kind == ErrorKind::Cancelled {
            continue;
        }
        if error.retryable && hook.writes() {
            let hint = "what will never succeed is `InvalidInput`, not a retryable error";
            room.error(
                format!(
                    "{name}: `{}` asks to be tried again and again, and what comes after waits: {reason}",
                    hook.name()
                ),
                hint,
            );
        } else if matches!(hook, Hook::Prefetch | Hook::SyncTurn) {
            let hint = "a message or turn is whatever people write: bound it, do not refuse it";
            room.warn(format!("{name}: `{}` refuses it: {reason}", hook.name()), hint);
        }
    }
    for (schema, args) in tools::calls(instance, text).into_iter().take(8) {
        let call = json!(ToolRequest { caller: who.clone(), tool: schema, args });
        let _ = instance.call(name, Hook::CallTool, &call, instance.patience(Hook::CallTool));
    }
}

/// What was stored with an odd text in it is read as it was written. Turns are left out, which a provider may distil.
fn comes_back(instance: &Instance<'_>, odd: &Odd) {
    let room = instance.room;
    let Some(way) = room.bench.sure_ways().ok().and_then(|ways| ways.into_iter().find(|way| *way != Way::Turn)) else {
        return;
    };
    let (who, memory) = (private("ines"), room.bench.memory().with(&odd.text));
    if instance.store(way, &who, &memory.text, odd.name).is_err() {
        room.warn(format!("{} with {} is refused", way.noun(), odd.name), "");
        return;
    }
    let found = instance.find(&who, &memory);
    let mut items = found.recalled.iter().chain(&found.listed);
    if found.is_empty() {
        room.warn(format!("{} is stored with {} and not found again", way.noun(), odd.name), "");
    } else if !items.any(|item| item.text.contains(&odd.text)) {
        room.warn(format!("{} comes back changed", odd.name), "store texts byte for byte; fold only what is searched");
    }
}

/// Requests as a newer hermes may send them: with fields and names that nobody knows yet, and without some that are known.
///
/// Each hook is asked an ordinary thing and then the same of tomorrow. Where the first is answered the second must be, or an
/// update of hermes takes the user's memory away. An empty record only must not crash.
///
/// The provider may treat an unknown name as it treats the careful case: a group for a chat kind, a reader for a role.
pub(super) fn future(room: &Room<'_>) -> Outcome {
    let Some(instance) = room.open() else { return Ok(()) };
    let takes = |hook: &Hook| !matches!(hook, Hook::Close | Hook::Shutdown | Hook::SaveConfig | Hook::CallTool);
    let hooks = Hook::ALL.iter().copied().filter(|hook| room.bench.has(hook.interface())).filter(takes);
    for hook in hooks {
        let text = if hook == Hook::ListEntries { String::new() } else { room.bench.memory().text };
        let asked = request(hook, &private("ann"), &text, "key");
        let today = instance.call("an ordinary call", hook, &asked, instance.patience(hook));
        let mut newer = asked;
        grow(&mut newer);
        let answer = instance.call("a call of a newer hermes", hook, &newer, instance.patience(hook));
        if let (Ok(_), Err(Failure::Error(error))) = (today, answer)
            && error.kind != ErrorKind::Cancelled
        {
            let reason = describe(&Failure::Error(error));
            let text = format!("after an update of hermes `{}` fails: {reason}", hook.name());
            room.error(text, "ignore unknown fields, and take unknown names for the careful case");
        }
        if !newer.is_null() {
            let _ = instance.call("an empty record", hook, &json!({}), instance.patience(hook));
        }
    }
    instance.end();
    Ok(())
}

/// Adds a field to every record, and gives the names that may grow a value of tomorrow.
fn grow(request: &mut Value) {
    match request {
        Value::Array(items) => items.iter_mut().for_each(grow),
        Value::Object(fields) => {
            fields.values_mut().for_each(grow);
            for (key, value) in
                [("author", "moon"), ("context", "dream"), ("chat_kind", "broadcast"), ("role", "chorus")]
            {
                if let Some(field) = fields.get_mut(key) {
                    *field = value.into();
                }
            }
            fields.insert("of_tomorrow".to_owned(), json!({"new": [1, null]}));
        }
        _ => {}
    }
}
