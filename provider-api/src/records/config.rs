//! The fields that a provider wants to be set up with.
//!
//! An author writes them as [`Field`](crate::Field)s of the manifest, or answers them from
//! [`config_schema`](crate::MemoryProvider::config_schema) when they are known only at run time.

use serde::{Deserialize, Serialize};

/// The type of a field: how its text is checked, and as which JSON the provider gets it.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FieldType {
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// An `http` or `https` address.
    Url,
    /// A folder or file of the user. Whether it is there is not checked.
    Path,
    /// Text. Also a type that this side does not know yet, so that a newer plugin can still be set up.
    #[default]
    #[serde(other)]
    Text,
}

/// One field of a provider's configuration. A plugin describes its own with [`Field`](crate::Field) in its manifest.
///
/// ```
/// use hermes_provider_api::records::{ConfigField, FieldType};
///
/// let limit = ConfigField {
///     key: "limit".into(), field_type: FieldType::Integer, min: Some(1), max: Some(50), ..ConfigField::default()
/// };
/// assert_eq!(limit.check("7"), Ok(()));
/// assert_eq!(limit.check("many"), Err("`limit` must be a whole number".to_owned()));
/// ```
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct ConfigField {
    /// Its key under `[providers.<id>]`; for a secret, only its name in questions.
    pub key: String,
    /// What it is, in a few words; the question that setup asks.
    pub description: String,
    /// Its type.
    #[serde(rename = "type")]
    pub field_type: FieldType,
    /// Kept in `.env`, never in `config.toml`, and masked wherever it might be shown.
    pub secret: bool,
    /// Setup does not finish without it.
    pub required: bool,
    /// Not asked for by setup, unless the user wants it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub advanced: bool,
    /// Names the place where the provider keeps what it stores, such as a project of a service: under a name that was
    /// never used there is nothing yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub namespace: bool,
    /// Used when nothing is set; as text, whatever the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The only values that are allowed; empty when any is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// Asked only when another field has a certain value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
    /// The environment variable that sets it; a secret must have one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub env_var: String,
    /// Where a person gets the value.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// Smallest number, or shortest length in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// Largest number, or greatest length in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// How keys of this service begin (`sk-…`), so that they are recognised and masked elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub token_prefixes: Vec<String>,
}

/// One allowed value.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct Choice {
    /// What is stored.
    pub value: String,
    /// What it means.
    pub description: String,
}

/// A condition: the field `key` has the value `equals`.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct When {
    /// The other field.
    pub key: String,
    /// Its value, as text.
    pub equals: String,
}

impl ConfigField {
    /// Checks a value against type, choices and bounds. An empty one fits unless the field is required.
    ///
    /// # Errors
    /// A sentence without the value itself, which may be a secret.
    pub fn check(&self, value: &str) -> Result<(), String> {
        let refuse = |what: String| Err(format!("`{}` {what}", self.key));
        if value.is_empty() {
            return if self.required { refuse("must not be empty".to_owned()) } else { Ok(()) };
        }
        if !self.choices.is_empty() && !self.choices.iter().any(|choice| choice.value == value) {
            let names: Vec<_> = self.choices.iter().map(|choice| choice.value.as_str()).collect();
            return refuse(format!("must be one of {}", names.join(", ")));
        }
        let size = match self.field_type {
            FieldType::Integer => match value.parse::<i64>() {
                Ok(number) => Some(number as f64),
                Err(_) => return refuse("must be a whole number".to_owned()),
            },
            FieldType::Number => match value.parse::<f64>() {
                Ok(number) if number.is_finite() => Some(number),
                _ => return refuse("must be a number".to_owned()),
            },
            FieldType::Boolean if value != "true" && value != "false" => {
                return refuse("must be true or false".to_owned());
            }
            FieldType::Url if !is_web_address(value) => {
                return refuse("must be an address that begins with http:// or https://".to_owned());
            }
            FieldType::Boolean => None,
            FieldType::Text | FieldType::Url | FieldType::Path => Some(value.chars().count() as f64),
        };
        let Some(size) = size else { return Ok(()) };
        let unit = if matches!(self.field_type, FieldType::Integer | FieldType::Number) { "" } else { " characters" };
        match (self.min, self.max) {
            (Some(min), _) if size < min as f64 => refuse(format!("must be at least {min}{unit}")),
            (_, Some(max)) if size > max as f64 => refuse(format!("must be at most {max}{unit}")),
            _ => Ok(()),
        }
    }
}

fn is_web_address(value: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        value.strip_prefix(scheme).is_some_and(|rest| {
            !rest.is_empty() && !rest.starts_with(['/', ':', '?', '#']) && !rest.contains(char::is_whitespace)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(field: &ConfigField, value: &str, expect: Result<(), &str>) {
        assert_eq!(field.check(value), expect.map_err(str::to_owned), "{value:?}");
    }

    #[test]
    fn a_type_of_tomorrow_is_text() {
        let field: ConfigField = serde_json::from_str(r#"{"key": "k", "type": "colour"}"#).unwrap();
        assert_eq!(field.field_type, FieldType::Text);
        assert_eq!(serde_json::to_value(FieldType::Text).unwrap(), "text");
    }

    #[test]
    fn values_are_checked_by_type_choice_and_bound() {
        let field = |field_type| ConfigField { key: "k".to_owned(), field_type, ..ConfigField::default() };
        check(&field(FieldType::Text), "", Ok(()));
        check(&ConfigField { required: true, ..field(FieldType::Text) }, "", Err("`k` must not be empty"));
        check(&field(FieldType::Integer), "12", Ok(()));
        check(&field(FieldType::Integer), "1.5", Err("`k` must be a whole number"));
        check(&field(FieldType::Number), "NaN", Err("`k` must be a number"));
        check(&field(FieldType::Boolean), "yes", Err("`k` must be true or false"));
        check(&field(FieldType::Url), "https://memory.example/v1", Ok(()));
        check(&field(FieldType::Url), "https://", Err("`k` must be an address that begins with http:// or https://"));
        let bounded = ConfigField { min: Some(1), max: Some(20), ..field(FieldType::Integer) };
        check(&bounded, "0", Err("`k` must be at least 1"));
        check(&bounded, "21", Err("`k` must be at most 20"));
        let short = ConfigField { max: Some(3), ..field(FieldType::Text) };
        check(&short, "ключ", Err("`k` must be at most 3 characters"));
        check(&short, "ключ".chars().take(3).collect::<String>().as_str(), Ok(()));
        let choice = |value: &str| Choice { value: value.to_owned(), description: String::new() };
        let chosen = ConfigField { choices: vec![choice("cloud"), choice("local")], ..field(FieldType::Text) };
        check(&chosen, "mars", Err("`k` must be one of cloud, local"));
    }
}
