//! Settings in JSON, with comments where the user has some.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

use super::Client;
use super::entry::{Action, Replace, Wrong, is_ours, list_of};

/// OpenCode's second version lists servers one level further down, and reads both.
const SERVERS: &str = "servers";

/// The text as it should be; None when it is so already.
pub(super) fn edited(client: Client, text: &str, action: Action<'_>) -> Result<Option<String>, Wrong> {
    let (mark, root) = parse(text)?;
    match action {
        Action::Put(entry, replace) => {
            let file = object(root.object_value_or_create(), "it")?;
            let list = list_of(client);
            let mut servers = object(file.object_value_or_create(list), list)?;
            if let Some(nested) = nested(client, &servers) {
                servers = nested;
            }
            let wanted = entry.fields(client);
            match servers.get(&entry.name) {
                None => drop(servers.append(&entry.name, whole(&wanted))),
                Some(known) => {
                    let value = value_of(&known);
                    let ours = is_ours(&value);
                    if !ours && replace == Replace::Refuse {
                        return Err(Wrong::Taken(entry.name.clone()));
                    }
                    match known.object_value().filter(|_| ours) {
                        // What the user added to it stays.
                        Some(fields) => {
                            if wanted.iter().all(|(key, wanted)| value.get(*key) == Some(wanted)) {
                                return Ok(None);
                            }
                            for (key, wanted) in &wanted {
                                set(&fields, key, wanted);
                            }
                        }
                        None => known.set_value(whole(&wanted)),
                    }
                }
            }
        }
        Action::Remove(name) => {
            let Some(servers) = servers(client, &root) else { return Ok(None) };
            let Some(known) = servers.get(name) else { return Ok(None) };
            if !is_ours(&value_of(&known)) {
                return Err(Wrong::Taken(name.to_owned()));
            }
            known.remove();
        }
    }
    let mut edited = format!("{mark}{root}");
    if text.trim().is_empty() && !edited.ends_with('\n') {
        edited.push('\n');
    }
    Ok(Some(edited))
}

/// The entry of this name that is there.
pub(super) fn entry(client: Client, text: &str, name: &str) -> Result<Option<Value>, Wrong> {
    let (_, root) = parse(text)?;
    Ok(servers(client, &root).and_then(|servers| servers.get(name)).map(|entry| value_of(&entry)))
}

/// The document, and the mark that editors of Windows put in front of it.
fn parse(text: &str) -> Result<(&str, CstRootNode), Wrong> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Comments and commas at the end are what clients allow; whatever else is no JSON is a slip of the user's.
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let root = CstRootNode::parse(bare, &options).map_err(|error| Wrong::Malformed(error.to_string()))?;
    Ok((&text[..text.len() - bare.len()], root))
}

fn object(found: Option<CstObject>, what: &str) -> Result<CstObject, Wrong> {
    found.ok_or_else(|| Wrong::Malformed(format!("`{what}` is no object")))
}

fn servers(client: Client, root: &CstRootNode) -> Option<CstObject> {
    let servers = root.object_value()?.object_value(list_of(client))?;
    Some(nested(client, &servers).unwrap_or(servers))
}

fn nested(client: Client, servers: &CstObject) -> Option<CstObject> {
    let nested = servers.object_value(SERVERS).filter(|_| client == Client::OpenCode)?;
    // A server may have this name.
    (nested.get("type").is_none() && nested.get("command").is_none()).then_some(nested)
}

fn set(fields: &CstObject, key: &str, wanted: &Value) {
    match fields.get(key) {
        Some(known) if value_of(&known) == *wanted => {}
        Some(known) => known.set_value(input(wanted)),
        None => drop(fields.append(key, input(wanted))),
    }
}

fn value_of(property: &CstObjectProp) -> Value {
    property.value().and_then(|value| value.to_serde_value()).unwrap_or_default()
}

fn whole(fields: &[(&str, Value)]) -> CstInputValue {
    CstInputValue::Object(fields.iter().map(|(key, value)| ((*key).to_owned(), input(value))).collect())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
