//! What the `memory` tool is asked to do, read from what a model wrote.
//!
//! Models leave fields out, write null, and make fields up. Where only one thing can be meant it is taken as meant;
//! otherwise the error names the field and what it may be, so that the next call can be right.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Target;
use crate::config::suggest;
use crate::guard::fence;

const FIELDS: [&str; 5] = ["action", "target", "content", "old_text", "operations"];
const FIELDS_OF_ONE: [&str; 4] = ["action", "target", "content", "old_text"];
const ACTIONS: [&str; 3] = ["add", "replace", "remove"];
/// How much of a wrong value an error repeats, in characters.
const SHOWN: usize = 60;

/// One change of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Operation {
    /// A new entry.
    Add {
        /// Its text.
        content: String,
    },
    /// Another text for the entry that holds `old_text`.
    Replace {
        /// A part of the entry that no other has.
        old_text: String,
        /// The new text.
        content: String,
    },
    /// The entry that holds `old_text` goes.
    Remove {
        /// A part of the entry that no other has.
        old_text: String,
    },
}

/// Changes of one file, all of them or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The file.
    pub target: Target,
    /// In their order; at least one.
    pub operations: Vec<Operation>,
}

impl Request {
    /// One change.
    #[must_use]
    pub fn one(target: Target, operation: Operation) -> Self {
        Self { target, operations: vec![operation] }
    }

    /// Reads the arguments of the tool.
    ///
    /// # Errors
    /// Which field is wrong, and what it may be.
    pub(super) fn read(arguments: &Value) -> Result<Self, String> {
        let fields = arguments.as_object().ok_or("the arguments are not a JSON object")?;
        known(fields, &FIELDS, "")?;
        let mut target = target(fields, "")?;
        let Some(batch) = field(fields, "operations") else {
            let operation = operation(fields, "")?;
            return Ok(Self { target: target.unwrap_or(Target::Memory), operations: vec![operation] });
        };
        if let Some(also) = ["action", "content", "old_text"].iter().find(|name| is_given(fields, name)) {
            return Err(format!(
                "`operations` and `{also}` are both given: put everything into `operations`, or leave it out"
            ));
        }
        // Some models write the list as a text.
        let parsed = batch.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        let items = parsed.as_ref().unwrap_or(batch).as_array().filter(|items| !items.is_empty());
        let items = items.ok_or_else(|| {
            format!("`operations` is {}, and has to be a list of at least one of {}", shown(batch), quoted(&ACTIONS))
        })?;
        let mut operations = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let place = format!("operations[{at}]");
            let item =
                item.as_object().ok_or_else(|| format!("`{place}` is {}, and has to be an object", shown(item)))?;
            let place = format!("{place}.");
            known(item, &FIELDS_OF_ONE, &place)?;
            match (self::target(item, &place)?, target) {
                (Some(own), Some(other)) if own != other => {
                    return Err(format!(
                        "`{place}target` is \"{}\" and the batch is for \"{}\": one call changes one file",
                        own.word(),
                        other.word()
                    ));
                }
                (own, other) => target = other.or(own),
            }
            operations.push(operation(item, &place)?);
        }
        Ok(Self { target: target.unwrap_or(Target::Memory), operations })
    }
}

/// A field that is there and not null.
fn field<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.get(name).filter(|value| !value.is_null())
}

fn is_given(fields: &Map<String, Value>, name: &str) -> bool {
    field(fields, name).is_some_and(|value| value.as_str() != Some(""))
}

fn known(fields: &Map<String, Value>, names: &[&str], place: &str) -> Result<(), String> {
    let unknown = fields.iter().find(|(name, value)| !names.contains(&name.as_str()) && !value.is_null());
    let Some((name, _)) = unknown else { return Ok(()) };
    let meant = suggest(name, names.iter().copied()).map(|meant| format!(" (did you mean `{meant}`?)"));
    let name = fence::shorten(name, SHOWN).escape_debug().to_string();
    Err(format!("there is no field `{place}{name}`{}: there are {}", meant.unwrap_or_default(), ticked(names)))
}

fn text<'a>(fields: &'a Map<String, Value>, name: &str, place: &str) -> Result<Option<&'a str>, String> {
    match field(fields, name) {
        None => Ok(None),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("`{place}{name}` is {}, and has to be a text", shown(other))),
    }
}

fn target(fields: &Map<String, Value>, place: &str) -> Result<Option<Target>, String> {
    let Some(word) = text(fields, "target", place)? else { return Ok(None) };
    let found = Target::ALL.into_iter().find(|target| {
        let word = word.trim();
        word.eq_ignore_ascii_case(target.word()) || word.eq_ignore_ascii_case(target.file_name())
    });
    found.map(Some).ok_or_else(|| {
        let words = Target::ALL.map(Target::word);
        format!("`{place}target` is {}, and has to be {}", shown(&Value::from(word)), quoted(&words))
    })
}

fn operation(fields: &Map<String, Value>, place: &str) -> Result<Operation, String> {
    let action = text(fields, "action", place)?;
    let content = text(fields, "content", place)?.map(str::to_owned);
    let old_text = text(fields, "old_text", place)?.map(str::to_owned);
    let missing =
        |name: &str, action: &str, what: &str| Err(format!("`{place}{name}` is missing: `{action}` needs {what}"));
    let action = action.map(|action| action.trim().to_lowercase());
    match (action.as_deref(), content, old_text) {
        // A part of an entry that is to be added says nothing, and does no harm.
        (Some("add"), Some(content), _) | (None, Some(content), None) => Ok(Operation::Add { content }),
        (Some("replace") | None, Some(content), Some(old_text)) => Ok(Operation::Replace { old_text, content }),
        (Some("remove"), None, Some(old_text)) => Ok(Operation::Remove { old_text }),
        (Some("remove"), Some(_), Some(_)) => Err(format!(
            "`{place}content` is given, and `remove` has none: use `replace` to change the entry, or leave it out"
        )),
        (Some("add"), None, _) => missing("content", "add", "the text of the new entry"),
        (Some("replace"), None, _) => missing("content", "replace", "the new text; to delete the entry, use `remove`"),
        (Some(action @ ("replace" | "remove")), _, None) => {
            missing("old_text", action, "a part of the entry that no other entry has")
        }
        (Some(other), _, _) => {
            let other = Value::from(fence::shorten(other, SHOWN).as_ref());
            Err(format!("`{place}action` is {}, and has to be {}", shown(&other), quoted(&ACTIONS)))
        }
        (None, None, _) => Err(format!("`{place}action` is missing: it has to be {}", quoted(&ACTIONS))),
    }
}

fn shown(value: &Value) -> String {
    fence::shorten(&value.to_string(), SHOWN).into_owned()
}

fn quoted(words: &[&str]) -> String {
    list(&words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>(), "or")
}

fn ticked(words: &[&str]) -> String {
    list(&words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>(), "and")
}

fn list(words: &[String], last: &str) -> String {
    match words {
        [rest @ .., end] if !rest.is_empty() => format!("{} {last} {end}", rest.join(", ")),
        words => words.concat(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(arguments: Value, expected: Result<(Target, &[Operation]), &str>) {
        let read = Request::read(&arguments);
        let read = read.as_ref().map(|request| (request.target, request.operations.as_slice()));
        assert_eq!(read.map_err(String::as_str), expected, "{arguments}");
    }

    fn add(content: &str) -> Operation {
        Operation::Add { content: content.to_owned() }
    }

    fn replace(old_text: &str, content: &str) -> Operation {
        Operation::Replace { old_text: old_text.to_owned(), content: content.to_owned() }
    }

    fn remove(old_text: &str) -> Operation {
        Operation::Remove { old_text: old_text.to_owned() }
    }

    /// A call that can mean only one thing is that thing.
    #[test]
    fn what_is_missing_is_inferred_where_only_one_thing_can_be_meant() {
        check(json!({"content": "чай"}), Ok((Target::Memory, &[add("чай")])));
        check(
            json!({"action": null, "target": "user", "content": "a", "old_text": ""}),
            Ok((Target::User, &[add("a")])),
        );
        check(json!({"old_text": "a", "content": "b"}), Ok((Target::Memory, &[replace("a", "b")])));
        check(json!({"action": " Remove", "target": "USER.md", "old_text": "a"}), Ok((Target::User, &[remove("a")])));
        check(json!({"action": "add", "content": "a", "reason": null}), Ok((Target::Memory, &[add("a")])));
        let batch = [add("a"), remove("b")];
        check(
            json!({"action": "", "operations": [{"content": "a"}, {"action": "remove", "target": "user", "old_text": "b"}]}),
            Ok((Target::User, &batch)),
        );
        check(
            json!({"operations": "[{\"content\": \"a\"}, {\"action\": \"remove\", \"old_text\": \"b\"}]"}),
            Ok((Target::Memory, &batch)),
        );
    }

    /// An unsupported verb is told as itself, and not as if nothing had been passed.
    #[test]
    fn a_wrong_value_is_repeated_with_what_it_may_be() {
        let actions = "\"add\", \"replace\" or \"remove\"";
        check(json!({"action": "list"}), Err(&format!("`action` is \"list\", and has to be {actions}")));
        check(json!({"target": "memory"}), Err(&format!("`action` is missing: it has to be {actions}")));
        check(json!({"old_text": "a"}), Err(&format!("`action` is missing: it has to be {actions}")));
        check(
            json!({"content": "a", "target": "notes"}),
            Err("`target` is \"notes\", and has to be \"memory\" or \"user\""),
        );
        check(json!({"action": "add", "content": 7}), Err("`content` is 7, and has to be a text"));
        check(
            json!({"action": "add", "contents": "a"}),
            Err(
                "there is no field `contents` (did you mean `content`?): there are `action`, `target`, `content`, `old_text` and `operations`",
            ),
        );
        check(
            json!({"action": "remove"}),
            Err("`old_text` is missing: `remove` needs a part of the entry that no other entry has"),
        );
        check(json!([]), Err("the arguments are not a JSON object"));
    }

    /// In a batch the place of what is wrong is named, so that the same shape is not sent again.
    #[test]
    fn a_wrong_batch_names_the_operation_and_the_field() {
        check(
            json!({"operations": [{"action": "replace", "old_text": "port 80"}]}),
            Err("`operations[0].content` is missing: `replace` needs the new text; to delete the entry, use `remove`"),
        );
        check(
            json!({"operations": [{"content": "a"}, {"action": "drop", "old_text": "b"}]}),
            Err("`operations[1].action` is \"drop\", and has to be \"add\", \"replace\" or \"remove\""),
        );
        check(
            json!({"target": "memory", "operations": [{"content": "a", "target": "user"}]}),
            Err("`operations[0].target` is \"user\" and the batch is for \"memory\": one call changes one file"),
        );
        check(
            json!({"operations": []}),
            Err("`operations` is [], and has to be a list of at least one of \"add\", \"replace\" or \"remove\""),
        );
        check(
            json!({"operations": [{"content": "a"}], "content": "b"}),
            Err("`operations` and `content` are both given: put everything into `operations`, or leave it out"),
        );
    }
}
