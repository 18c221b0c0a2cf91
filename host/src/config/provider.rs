//! A provider's own settings: `[providers.<id>]` and environment variables, by the fields that the provider describes.

use std::collections::BTreeMap;
use std::ffi::OsString;

use hermes_provider_api::records::{ConfigField, FieldType};
use serde_json::{Map, Value};
use toml_edit::Item;

use super::{Config, ConfigError, Warning, join, line_of, suggest};

/// What a provider is configured with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProviderSettings {
    /// By key, defaults filled in; without secrets, and without fields whose condition does not hold.
    pub values: Map<String, Value>,
    /// Required fields that have no value; secrets are not counted.
    pub missing: Vec<String>,
    /// What is odd in the file.
    pub warnings: Vec<Warning>,
}

impl Config {
    /// The settings of a provider, by its fields. A variable that is set and not empty wins over the file, and the
    /// file over the field's default.
    ///
    /// # Errors
    /// A value that its field does not allow, with file and line, or with the variable.
    pub fn provider_settings(
        &self,
        id: &str,
        fields: &[ConfigField],
        env: impl Fn(&str) -> Option<OsString>,
    ) -> Result<ProviderSettings, ConfigError> {
        let mut settings = ProviderSettings::default();
        let mut texts = BTreeMap::new();
        for field in fields.iter().filter(|field| !field.secret) {
            let text = match overridden(id, field, &env)? {
                Some(text) => Some(text),
                None => self.stored(id, field)?.or_else(|| field.default.clone()),
            };
            if let Some(text) = text {
                texts.insert(field.key.as_str(), text);
            }
        }
        for field in fields.iter().filter(|field| !field.secret && applies(field, fields, &texts)) {
            match texts.get(field.key.as_str()).filter(|text| !text.is_empty()) {
                Some(text) => {
                    settings.values.insert(field.key.clone(), typed(field.field_type, text));
                }
                None if field.required => settings.missing.push(field.key.clone()),
                None => {}
            }
        }
        settings.warnings = self.provider_warnings(id, fields);
        Ok(settings)
    }

    /// The providers that have settings of their own, in use or not.
    pub fn configured_providers(&self) -> impl Iterator<Item = &str> {
        let tables = self.document.get("providers").and_then(Item::as_table_like);
        tables.into_iter().flat_map(|tables| tables.iter().map(|(id, _)| id))
    }

    fn stored(&self, id: &str, field: &ConfigField) -> Result<Option<String>, ConfigError> {
        let Some(table) = self.provider_table(id) else { return Ok(None) };
        let Some(item) = table.get(&field.key) else { return Ok(None) };
        let refuse = |expected: String| {
            let key = format!("providers.{id}.{}", field.key);
            ConfigError::value(&self.path, line_of(self.document.raw(), table, &field.key), &key, expected)
        };
        let text = item.as_value().and_then(scalar).ok_or_else(|| refuse(rule(field.field_type).to_owned()))?;
        check(field, &text).map_err(refuse)?;
        Ok(Some(text))
    }

    fn provider_table(&self, id: &str) -> Option<&dyn toml_edit::TableLike> {
        self.document.get("providers")?.get(id).and_then(Item::as_table_like)
    }

    fn provider_warnings(&self, id: &str, fields: &[ConfigField]) -> Vec<Warning> {
        let Some(table) = self.provider_table(id) else { return Vec::new() };
        let prefix = join("providers", id);
        let names = || fields.iter().map(|field| field.key.as_str());
        let odd = table.iter().filter_map(|(name, _)| {
            let line = line_of(self.document.raw(), table, name);
            let key = join(&prefix, name);
            match fields.iter().find(|field| field.key == name) {
                None => Some(Warning::unknown(&self.path, line, &key, suggest(name, names()).map(str::to_owned))),
                Some(field) if field.secret => {
                    let message = format!(
                        "`{key}` is a secret and is not read from here; `hermes memory setup {id}` keeps it in `.env`"
                    );
                    Some(Warning { path: self.path.clone(), line, message })
                }
                Some(_) => None,
            }
        });
        odd.collect()
    }
}

/// What the environment says, where it says anything.
fn overridden(
    id: &str,
    field: &ConfigField,
    env: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<String>, ConfigError> {
    if field.env_var.is_empty() {
        return Ok(None);
    }
    let Some(text) = env(&field.env_var).filter(|text| !text.is_empty()) else { return Ok(None) };
    let refuse = |expected: String| ConfigError::Variable {
        variable: field.env_var.clone(),
        key: format!("providers.{id}.{}", field.key),
        expected,
    };
    let text = text.into_string().map_err(|_| refuse("must be UTF-8 text".to_owned()))?;
    check(field, &text).map_err(refuse)?;
    Ok(Some(text))
}

/// Whether a field's condition, and that of the field that it looks at, and so on, hold.
fn applies(field: &ConfigField, fields: &[ConfigField], texts: &BTreeMap<&str, String>) -> bool {
    let mut field = field;
    // A chain that is longer than the fields are many runs in a circle and never holds.
    for _ in fields {
        let Some(when) = &field.when else { return true };
        if texts.get(when.key.as_str()) != Some(&when.equals) {
            return false;
        }
        let Some(next) = fields.iter().find(|other| other.key == when.key) else { return false };
        field = next;
    }
    false
}

/// Checks a text against a field; `must be …` without the field's name.
pub(super) fn check(field: &ConfigField, text: &str) -> Result<(), String> {
    let named = format!("`{}` ", field.key);
    field.check(text).map_err(|error| error.strip_prefix(&named).map_or(error.clone(), str::to_owned))
}

/// A text that was checked, as the JSON of its type.
pub(super) fn typed(field_type: FieldType, text: &str) -> Value {
    match field_type {
        FieldType::Integer => text.parse::<i64>().map_or(Value::Null, Value::from),
        FieldType::Number => text.parse::<f64>().map_or(Value::Null, Value::from),
        FieldType::Boolean => (text == "true").into(),
        _ => text.into(),
    }
}

/// One value as text. `config set` does not know a provider's fields, so a number may well be meant as text.
fn scalar(value: &toml_edit::Value) -> Option<String> {
    match value {
        toml_edit::Value::String(text) => Some(text.value().clone()),
        toml_edit::Value::Integer(number) => Some(number.value().to_string()),
        toml_edit::Value::Float(number) => Some(number.value().to_string()),
        toml_edit::Value::Boolean(flag) => Some(flag.value().to_string()),
        _ => None,
    }
}

fn rule(field_type: FieldType) -> &'static str {
    match field_type {
        FieldType::Integer => "must be a whole number",
        FieldType::Number => "must be a number",
        FieldType::Boolean => "must be true or false",
        _ => "must be a text",
    }
}

/// Any TOML value as JSON.
pub(super) fn to_json(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Float(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(flag) => (*flag.value()).into(),
        toml_edit::Value::Datetime(time) => time.value().to_string().into(),
        toml_edit::Value::Array(array) => array.iter().map(to_json).collect(),
        toml_edit::Value::InlineTable(table) => {
            Value::Object(table.iter().map(|(name, value)| (name.to_owned(), to_json(value))).collect())
        }
    }
}
