//! Arguments of the host's own tools: texts, each of which has to be there.

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::guard::fence;

/// How much of a field's name an error repeats, in characters.
const NAME_CHARS: usize = 64;

/// Reads exactly these fields. The error names the field.
pub(super) fn texts<const N: usize>(args: Option<JsonObject>, fields: [&str; N]) -> Result<[String; N], String> {
    let mut args = args.unwrap_or_default();
    if let Some(unknown) = args.keys().find(|key| !fields.contains(&key.as_str())) {
        let name = fence::shorten(unknown, NAME_CHARS).escape_debug().to_string();
        let known: Vec<_> = fields.iter().map(|field| format!("`{field}`")).collect();
        return Err(match N {
            0 => format!("there is no argument `{name}`: this tool takes none"),
            _ => format!("there is no argument `{name}`: this tool takes {}", known.join(" and ")),
        });
    }
    let mut read = [const { String::new() }; N];
    for (field, place) in fields.iter().zip(&mut read) {
        *place = match args.remove(*field) {
            Some(Value::String(text)) if text.trim().is_empty() => return Err(format!("`{field}` is empty")),
            Some(Value::String(text)) => text,
            Some(other) => return Err(format!("`{field}` is {}, and has to be a text", kind(&other))),
            None => return Err(format!("`{field}` is missing")),
        };
    }
    Ok(read)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(args: Value, expected: Result<[&str; 2], &str>) {
        let Value::Object(args) = args else { panic!("{args} is no object") };
        let read = texts(Some(args), ["user", "assistant"]);
        assert_eq!(read.as_ref().map(|texts| texts.each_ref().map(String::as_str)).map_err(String::as_str), expected);
    }

    #[test]
    fn an_error_names_the_field() {
        check(json!({"user": "чай?", "assistant": " yes "}), Ok(["чай?", " yes "]));
        check(json!({"user": "a"}), Err("`assistant` is missing"));
        check(json!({"user": null, "assistant": "b"}), Err("`user` is null, and has to be a text"));
        check(json!({"user": ["a"], "assistant": "b"}), Err("`user` is a list, and has to be a text"));
        check(json!({"user": "a", "assistant": "\n"}), Err("`assistant` is empty"));
        let unknown = "there is no argument `a\\u{7}`: this tool takes `user` and `assistant`";
        check(json!({"user": "a", "assistant": "b", "a\u{7}": 1}), Err(unknown));
        assert_eq!(texts(None, ["message"]).unwrap_err(), "`message` is missing");
        assert_eq!(texts(None, []), Ok([]));
    }
}
