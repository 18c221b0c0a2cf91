//! The tools that a model sees: joined at this one point, so that no name is sent twice and prompt and list agree.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use hermes_provider_api::records::ToolSchema;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::error::Hint as _;
use crate::layers::external::ExternalError;
use crate::model::wire::{self, Form, raw};
use crate::plugins::hooks::CallError;
use crate::secrets::Mask;

/// Names that the host keeps for itself, whether or not it offers them now.
pub const RESERVED: [&str; 8] = [
    "memory",
    "memory_recall",
    "memory_record_turn",
    "memory_status",
    "session_search",
    "skill_manage",
    "skills_list",
    "skill_view",
];

/// What the host is called where it owns a tool.
const HOST: &str = "hermes itself";

/// Which of the tools are offered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Toolset {
    /// All.
    #[default]
    All,
    /// These, and none when it is empty.
    Only(BTreeSet<String>),
}

/// The tools of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tools {
    /// What the model sees, in this order.
    pub offered: Vec<ToolSchema>,
    /// What it does not see, and why.
    pub hidden: Vec<Hidden>,
    /// Why the provider's tools are not known.
    pub problem: Option<String>,
    spelt: Spelt,
}

/// Those that are offered as a request has them, in each form, once they were asked for: schemas are large, and every
/// request has them all. Tools do not differ by it.
#[derive(Clone, Debug, Default)]
struct Spelt([OnceLock<Vec<Box<RawValue>>>; 2]);

impl PartialEq for Spelt {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A tool that the model does not see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Its name.
    pub tool: String,
    /// Who wanted to offer it.
    pub owner: String,
    /// Why it is not offered.
    pub why: Why,
}

/// Why a tool is not offered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Why {
    /// Models accept other names only.
    #[error("its name is not 1 to 64 of the characters a-z, A-Z, 0-9, `_` and `-`")]
    Name,
    /// The owner lists it twice.
    #[error("it is listed twice; the first is offered")]
    Twice,
    /// The name belongs to another owner.
    #[error("the name belongs to {0}")]
    Taken(String),
    /// Its parameters are not a JSON Schema of type `object`.
    #[error("its parameters are not a JSON Schema of type `object`")]
    Parameters,
    /// The tools in use leave it out.
    #[error("it is not among the tools in use here")]
    LeftOut,
}

impl Tools {
    /// Joins the tools of a provider with the host's. The first owner of a name keeps it.
    #[must_use]
    pub fn join(owner: &str, schemas: Vec<ToolSchema>, toolset: &Toolset) -> Self {
        let mut tools = Self::default();
        for mut schema in schemas {
            if schema.parameters.is_null() {
                schema.parameters = json!({"type": "object", "properties": {}});
            }
            match tools.why_not(&schema, toolset) {
                None => tools.offered.push(schema),
                Some(why) => tools.hidden.push(Hidden { tool: schema.name, owner: owner.to_owned(), why }),
            }
        }
        tools
    }

    /// None, since it cannot be known which the provider has.
    pub(super) fn unknown(problem: String) -> Self {
        Self { problem: Some(problem), ..Self::default() }
    }

    /// Puts a tool of the host before the others.
    pub(super) fn put_first(&mut self, schema: ToolSchema, toolset: &Toolset) {
        match toolset {
            Toolset::Only(names) if !names.contains(&schema.name) => {
                self.hidden.push(Hidden { tool: schema.name, owner: HOST.to_owned(), why: Why::LeftOut });
            }
            _ => self.offered.insert(0, schema),
        }
    }

    /// Those that the model sees as a request of this form has them, in the same order.
    pub(super) fn spelt(&self, form: Form) -> &[Box<RawValue>] {
        let Spelt([chat, responses]) = &self.spelt;
        let spelt = match form {
            Form::Chat => chat,
            Form::Responses => responses,
        };
        spelt.get_or_init(|| self.offered.iter().map(|tool| raw(&wire::tool(form, tool))).collect())
    }

    /// Whether the model sees a tool.
    #[must_use]
    pub fn offers(&self, tool: &str) -> bool {
        self.offered.iter().any(|offered| offered.name == tool)
    }

    fn why_not(&self, schema: &ToolSchema, toolset: &Toolset) -> Option<Why> {
        let name = schema.name.as_str();
        if !is_name(name) {
            return Some(Why::Name);
        }
        if RESERVED.contains(&name) {
            return Some(Why::Taken(HOST.to_owned()));
        }
        if self.offers(name) {
            return Some(Why::Twice);
        }
        // A schema without a type is taken for one of an object by every model API.
        if !schema.parameters.is_object() || schema.parameters.get("type").is_some_and(|kind| kind != "object") {
            return Some(Why::Parameters);
        }
        match toolset {
            Toolset::Only(names) if !names.contains(name) => Some(Why::LeftOut),
            _ => None,
        }
    }
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// What came of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutcome {
    /// The tool.
    pub tool: String,
    /// Its answer.
    pub result: Result<Value, ToolFailure>,
}

/// Why a tool call has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFailure {
    /// A word for programs, as in [`hermes_provider_api::ErrorKind`], or `read_only`, `bad_reply`, `unloadable`, `paused`.
    pub kind: String,
    /// A sentence.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// What the model is given in place of these, where a sentence does not say enough.
    pub answer: Option<Value>,
}

impl ToolOutcome {
    /// `{"tool", "ok": true, "result"}` or `{"tool", "ok": false, "error": {"kind", "message", "hint"}}`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &self.result {
            Ok(result) => json!({"tool": self.tool, "ok": true, "result": result}),
            Err(failure) => json!({"tool": self.tool, "ok": false, "error": failure.to_json()}),
        }
    }

    /// The text that the model is given as the tool's message.
    #[must_use]
    pub fn content(&self) -> String {
        match &self.result {
            Ok(Value::String(text)) => text.clone(),
            Ok(value) => value.to_string(),
            Err(ToolFailure { answer: Some(answer), .. }) => answer.to_string(),
            Err(failure) => json!({"error": failure.to_json()}).to_string(),
        }
    }
}

impl ToolFailure {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self { kind: "invalid_input".to_owned(), message: message.into(), hint: None, answer: None }
    }

    pub(super) fn unknown(tool: &str, tools: &Tools) -> Self {
        let hint = match tools.hidden.iter().find(|hidden| hidden.tool == tool) {
            Some(hidden) => format!("{}'s tool of this name is not offered: {}", hidden.owner, hidden.why),
            None => "run `hermes tools list`".to_owned(),
        };
        let message = format!("there is no tool `{}`", tool.escape_debug());
        Self { kind: "not_found".to_owned(), message, hint: Some(hint), answer: None }
    }

    pub(super) fn masked(mut self, mask: &Mask) -> Self {
        self.message = mask.apply(&self.message).into_owned();
        self.hint = self.hint.map(|hint| mask.apply(&hint).into_owned());
        self.answer.iter_mut().for_each(|answer| mask.apply_json(answer));
        self
    }

    fn to_json(&self) -> Value {
        let mut json = json!({"kind": self.kind, "message": self.message});
        if let Some(hint) = &self.hint {
            json["hint"] = hint.as_str().into();
        }
        if let Some(answer) = &self.answer {
            json["answer"] = answer.clone();
        }
        json
    }
}

impl From<ExternalError> for ToolFailure {
    fn from(error: ExternalError) -> Self {
        let kind = match &error {
            ExternalError::Call(CallError::Failed { error, .. }) => serde_json::to_value(error.kind)
                .ok()
                .and_then(|kind| kind.as_str().map(str::to_owned))
                .unwrap_or_else(|| "internal".to_owned()),
            ExternalError::Call(CallError::Timeout { .. }) => "timeout".to_owned(),
            ExternalError::Call(CallError::Crashed { .. }) => "panic".to_owned(),
            ExternalError::Call(CallError::Cut { .. }) => "cancelled".to_owned(),
            ExternalError::Call(CallError::BadReply { .. }) => "bad_reply".to_owned(),
            ExternalError::Call(CallError::Paused { .. }) => "paused".to_owned(),
            ExternalError::Call(CallError::Unloadable { .. }) => "unloadable".to_owned(),
            ExternalError::ReadOnly { .. } => "read_only".to_owned(),
            ExternalError::Unsupported { .. } => "unsupported".to_owned(),
        };
        let message = error.provider_error().map_or_else(|| error.to_string(), |error| error.message.clone());
        Self { kind, message, hint: error.hints().into_iter().next(), answer: None }
    }
}

/// Reads a tool's arguments: an object, or nothing for none.
pub(super) fn read_arguments(text: &str) -> Result<Value, ToolFailure> {
    if text.trim().is_empty() {
        return Ok(json!({}));
    }
    match serde_json::from_str(text) {
        Ok(args @ Value::Object(_)) => Ok(args),
        Ok(_) => Err(ToolFailure::invalid("the arguments are not a JSON object")),
        Err(error) => Err(ToolFailure::invalid(format!("the arguments are not JSON: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::external::testing::schema;

    #[track_caller]
    fn check(schemas: Vec<ToolSchema>, toolset: &Toolset, offered: &[&str], hidden: &[(&str, Why)]) {
        let tools = Tools::join("notes", schemas, toolset);
        assert_eq!(tools.offered.iter().map(|schema| schema.name.as_str()).collect::<Vec<_>>(), offered);
        let found: Vec<_> = tools.hidden.iter().map(|hidden| (hidden.tool.as_str(), hidden.why.clone())).collect();
        assert_eq!(found, hidden);
    }

    #[test]
    fn each_name_is_offered_once_by_its_first_owner() {
        check(
            vec![schema("note"), schema("memory"), schema("note"), schema("a b"), schema(""), schema(&"x".repeat(65))],
            &Toolset::All,
            &["note"],
            &[
                ("memory", Why::Taken("hermes itself".to_owned())),
                ("note", Why::Twice),
                ("a b", Why::Name),
                ("", Why::Name),
                (&"x".repeat(65), Why::Name),
            ],
        );
    }

    #[test]
    fn parameters_are_an_object() {
        let with = |parameters| ToolSchema { parameters, ..schema("note") };
        check(vec![with(Value::Null)], &Toolset::All, &["note"], &[]);
        check(vec![with(json!({"type": "string"}))], &Toolset::All, &[], &[("note", Why::Parameters)]);
        check(vec![with(json!([]))], &Toolset::All, &[], &[("note", Why::Parameters)]);
    }

    #[test]
    fn zero_tools_means_zero() {
        check(vec![schema("note")], &Toolset::Only(BTreeSet::new()), &[], &[("note", Why::LeftOut)]);
        check(vec![schema("note")], &Toolset::Only(["note".to_owned()].into()), &["note"], &[]);
    }

    #[test]
    fn arguments() {
        assert_eq!(read_arguments(" ").unwrap(), json!({}));
        assert_eq!(read_arguments("{\"a\": 1}").unwrap(), json!({"a": 1}));
        assert_eq!(read_arguments("[]").unwrap_err().kind, "invalid_input");
        assert!(read_arguments("{").unwrap_err().message.starts_with("the arguments are not JSON: "));
    }
}
