//! The settings that a provider is opened with: what was given, the defaults, and something that fits for the rest.
//!
//! The aim is a provider that opens without its author having to say anything: `check::<Notes>(json!({}))` is enough for
//! most. What is made up is harmless by itself: an address that nobody serves, a folder in the room of the scenario.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value};

use crate::metadata::Metadata;
use crate::records::{ConfigField, FieldType};

/// The configuration as a host hands it over: by the manifest's fields, secrets left out.
///
/// First what was given and the defaults, then what is required and still missing: its condition may depend on the others.
/// Keys that no field has are left in, for the author who tries what becomes of them.
pub(super) fn filled(given: &Value, metadata: &Metadata, folder: &Path) -> Map<String, Value> {
    let mut settings = given.as_object().cloned().unwrap_or_default();
    let fields: Vec<_> = metadata.config.iter().filter(|field| !field.secret).collect();
    for field in &fields {
        if let Some(Value::String(text)) = settings.get(&field.key) {
            let typed = typed(field.field_type, text);
            settings.insert(field.key.clone(), typed);
        } else if let (None, Some(text)) = (settings.get(&field.key), &field.default) {
            settings.insert(field.key.clone(), typed(field.field_type, text));
        }
    }
    for field in fields.into_iter().filter(|field| field.required) {
        let applies = field.when.as_ref().is_none_or(|when| {
            settings
                .get(&when.key)
                .is_some_and(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned) == when.equals)
        });
        if applies && !settings.contains_key(&field.key) {
            settings.insert(field.key.clone(), fitting(field, folder));
        }
    }
    settings
}

/// A text as JSON of the field's type; as text where it is none, for the provider to refuse.
fn typed(field_type: FieldType, text: &str) -> Value {
    let parsed = match field_type {
        FieldType::Integer => text.parse::<i64>().ok().map(Value::from),
        FieldType::Number => text.parse::<f64>().ok().map(Value::from),
        FieldType::Boolean => text.parse::<bool>().ok().map(Value::from),
        FieldType::Text | FieldType::Url | FieldType::Path => None,
    };
    parsed.unwrap_or_else(|| text.into())
}

/// A value that the field's own rules allow: the first choice, the least number, the shortest text.
fn fitting(field: &ConfigField, folder: &Path) -> Value {
    if let Some(choice) = field.choices.first() {
        return typed(field.field_type, &choice.value);
    }
    match field.field_type {
        FieldType::Integer => field.min.unwrap_or(1).into(),
        FieldType::Number => (field.min.unwrap_or(1) as f64).into(),
        FieldType::Boolean => false.into(),
        // A port that nobody serves.
        FieldType::Url => "http://127.0.0.1:9".into(),
        FieldType::Path => folder.join("of-the-user").display().to_string().into(),
        FieldType::Text => {
            let least = field.min.and_then(|min| usize::try_from(min).ok()).unwrap_or(1).clamp(1, 4096);
            "k".repeat(least).into()
        }
    }
}

/// A made-up value for each secret that the provider asks for, by its variable. None of them may turn up anywhere.
///
/// Each begins as the keys of its service do, where the manifest says how, for providers that look at that.
pub(super) fn canaries(metadata: &Metadata) -> BTreeMap<String, String> {
    let canary = |(at, name): (usize, &String)| {
        let field = metadata.config.iter().find(|field| field.secret && field.env_var == *name);
        let prefix = field.and_then(|field| field.token_prefixes.first()).map_or("", String::as_str);
        (name.clone(), format!("{prefix}kitcanary{at}q7Zt0wXbR4mJ2vLs"))
    };
    metadata.capabilities.secret.iter().enumerate().map(canary).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{Choice, When};
    use serde_json::json;

    #[test]
    fn what_is_missing_is_filled_in_as_a_host_would() {
        let field = |key: &str, field_type| ConfigField { key: key.to_owned(), field_type, ..ConfigField::default() };
        let choice = |value: &str| Choice { value: value.to_owned(), description: String::new() };
        let metadata = Metadata {
            config: vec![
                ConfigField { default: Some("5".to_owned()), ..field("limit", FieldType::Integer) },
                ConfigField { required: true, choices: vec![choice("local")], ..field("mode", FieldType::Text) },
                ConfigField {
                    required: true,
                    when: Some(When { key: "mode".to_owned(), equals: "server".to_owned() }),
                    ..field("address", FieldType::Url)
                },
                ConfigField { secret: true, required: true, ..field("key", FieldType::Text) },
                field("strict", FieldType::Boolean),
            ],
            ..Metadata::default()
        };
        let settings = filled(&json!({"strict": "true"}), &metadata, Path::new("/data"));
        assert_eq!(Value::Object(settings), json!({"limit": 5, "mode": "local", "strict": true}));
        let server = filled(&json!({"mode": "server", "limit": 7}), &metadata, Path::new("/data"));
        assert_eq!(server["address"], "http://127.0.0.1:9");
        assert_eq!(server["limit"], 7);
    }
}
