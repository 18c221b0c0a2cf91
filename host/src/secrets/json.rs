//! The texts of a JSON value, changed where they stand.

use serde_json::Value;

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place<'a> {
    /// It is the name of a field.
    Name,
    /// It is a value: of the field of this name, or an item of a list, or all there is.
    Value(Option<&'a str>),
}

/// Puts what `change` answers in the place of each text; None keeps it. Names of fields go before their values, so that a
/// value is seen under its new name.
pub(crate) fn change_texts(value: &mut Value, change: &impl Fn(Place<'_>, &str) -> Option<String>) {
    walk(value, None, change);
}

fn walk(value: &mut Value, name: Option<&str>, change: &impl Fn(Place<'_>, &str) -> Option<String>) {
    match value {
        Value::String(text) => {
            if let Some(changed) = change(Place::Value(name), text) {
                *text = changed;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, None, change)),
        Value::Object(fields) => {
            let rename = |name: &str| change(Place::Name, name);
            if fields.keys().any(|name| rename(name).is_some()) {
                let old = std::mem::take(fields);
                fields.extend(old.into_iter().map(|(name, field)| (rename(&name).unwrap_or(name), field)));
            }
            for (name, field) in fields {
                walk(field, Some(name), change);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_text_is_seen_where_it_stands() {
        let mut value = json!({"a": "x", "b": ["x", {"c": "x"}, 1, null, true], "x": {"x": ["y"]}});
        change_texts(&mut value, &|place, text| match place {
            Place::Name => (text == "x").then(|| "named".to_owned()),
            Place::Value(name) => (text == "x").then(|| format!("of {name:?}")),
        });
        let expected = json!({
            "a": "of Some(\"a\")", "b": ["of None", {"c": "of Some(\"c\")"}, 1, null, true], "named": {"named": ["y"]},
        });
        assert_eq!(value, expected);
        let mut text = json!("x");
        change_texts(&mut text, &|place, _| Some(format!("{place:?}")));
        assert_eq!(text, "Value(None)");
    }
}
