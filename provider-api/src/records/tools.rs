//! Tools that a provider offers to the model.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Caller;

/// A tool as the model sees it. Travels in the OpenAI function format:
/// `{"type": "function", "function": {"name", "description", "parameters"}}`, as the API describes it under
/// [function calling](https://platform.openai.com/docs/guides/function-calling).
///
/// ```
/// use hermes_provider_api::records::ToolSchema;
///
/// let note = ToolSchema {
///     name: "note".into(),
///     description: "Keeps a note, or finds one".into(),
///     parameters: serde_json::json!({
///         "type": "object",
///         "properties": {"action": {"enum": ["add", "search"]}, "text": {"type": "string"}},
///         "required": ["action", "text"],
///     }),
/// };
/// assert_eq!(serde_json::to_value(&note).unwrap()["function"]["name"], "note");
/// ```
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(from = "OpenAiTool", into = "OpenAiTool")]
pub struct ToolSchema {
    /// `[a-zA-Z0-9_-]`, 1 to 64 characters, unique among all tools of the host.
    pub name: String,
    /// What the model is told about it: when to call it, and what comes back. Some services take 1024 characters at the most.
    pub description: String,
    /// A [JSON Schema](https://json-schema.org) of type `object`. Keep to `type`, `enum`, `properties`, `required`, `items`,
    /// `description` and bounds: what lies beyond is not understood by every model service.
    pub parameters: Value,
}

impl ToolSchema {
    /// A tool whose arguments are texts that all have to be given, each with what it is.
    ///
    /// ```
    /// use hermes_provider_api::records::ToolSchema;
    ///
    /// let ask = ToolSchema::of_texts("ask", "Answers a question from the notes", &[("question", "A whole sentence")]);
    /// assert_eq!(ask.parameters["required"], serde_json::json!(["question"]));
    /// ```
    #[must_use]
    pub fn of_texts(name: &str, description: &str, arguments: &[(&str, &str)]) -> Self {
        let property = |about: &str| serde_json::json!({ "type": "string", "description": about });
        let properties = arguments.iter().map(|(key, about)| ((*key).to_owned(), property(about)));
        let properties: serde_json::Map<_, _> = properties.collect();
        let required: Vec<_> = arguments.iter().map(|(key, _)| *key).collect();
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            parameters: serde_json::json!({ "type": "object", "properties": properties, "required": required }),
        }
    }
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct OpenAiTool {
    r#type: String,
    function: OpenAiFunction,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct OpenAiFunction {
    name: String,
    description: String,
    parameters: Value,
}

impl From<OpenAiTool> for ToolSchema {
    fn from(OpenAiTool { function, .. }: OpenAiTool) -> Self {
        let OpenAiFunction { name, description, parameters } = function;
        Self { name, description, parameters }
    }
}

impl From<ToolSchema> for OpenAiTool {
    fn from(ToolSchema { name, description, parameters }: ToolSchema) -> Self {
        Self { r#type: "function".to_owned(), function: OpenAiFunction { name, description, parameters } }
    }
}

/// A call of one of the provider's tools.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub struct ToolRequest {
    /// For whom and by whom.
    pub caller: Caller,
    /// The name from the schema.
    pub tool: String,
    /// The arguments, an object. The model may have sent anything: check them.
    pub args: Value,
}

/// What a tool call does to the store. Depends on the arguments where a tool has several actions.
///
/// Outside of [`Context::Primary`](super::Context::Primary) only [`Effect::Read`] is let through.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Adds or changes. What an undeclared call is taken for.
    #[default]
    Write,
    /// Takes something away. Also an effect that this side does not know yet.
    #[serde(other)]
    Delete,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn travels_in_the_openai_format() {
        let schema = ToolSchema {
            name: "note".to_owned(),
            description: "Keeps a note".to_owned(),
            parameters: serde_json::json!({"type": "object"}),
        };
        let json = serde_json::to_value(&schema).unwrap();
        assert_eq!(
            json,
            serde_json::json!({"type": "function", "function": {
                "name": "note", "description": "Keeps a note", "parameters": {"type": "object"}}})
        );
        assert_eq!(serde_json::from_value::<ToolSchema>(json).unwrap(), schema);
    }
}
