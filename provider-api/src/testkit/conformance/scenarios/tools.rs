//! Tools: what the model sees, what it may send, and that looking changes nothing.
//!
//! A schema travels in the function format of the OpenAI chat API, whose rules most model services took over: a name of
//! `[a-zA-Z0-9_-]{1,64}`, a description, and parameters that are a [JSON Schema](https://json-schema.org) of type `object`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::super::bench::{Instance, Outcome, Room, shortened};
use super::super::requests::private;
use super::super::subject::Failure;
use crate::dispatch::ToolEffectRequest;
use crate::records::{Caller, Effect, RecallItem, ToolRequest, ToolSchema};
use crate::{ErrorKind, Hook, Interface};

/// What some model services take as the longest description of a function.
const LONGEST_DESCRIPTION: usize = 1024;

/// The tools that the provider offers.
fn schemas(instance: &Instance<'_>) -> Vec<ToolSchema> {
    if !instance.room.bench.has(Interface::Tools) {
        return Vec::new();
    }
    instance.ask("listing the tools", Hook::ToolSchemas, &()).unwrap_or_default()
}

/// What the provider says that a call does.
pub(super) fn effect(instance: &Instance<'_>, tool: &str, args: &Value) -> Option<Effect> {
    let request = ToolEffectRequest { tool: tool.to_owned(), args: args.clone() };
    instance.ask("the effect of a tool call", Hook::ToolEffect, &request).ok()
}

/// Calls that fit the schemas and are about a text: one for each value of the first choice, such as an action.
pub(super) fn calls(instance: &Instance<'_>, about: &str) -> Vec<(String, Value)> {
    let fitting =
        |schema: ToolSchema| variants(&schema, about).into_iter().map(move |args| (schema.name.clone(), args));
    schemas(instance).into_iter().flat_map(fitting).collect()
}

/// Arguments that a schema allows: one object for each value of the first property that is a choice.
///
/// Only `properties`, `enum`, `type`, `items` and `minimum` are understood. Of a schema that says more, such as `oneOf`,
/// the arguments may be wrong; a tool has to name that like anything else that a model gets wrong.
fn variants(schema: &ToolSchema, about: &str) -> Vec<Value> {
    let none = Map::new();
    let properties = schema.parameters["properties"].as_object().unwrap_or(&none);
    let base: Map<String, Value> =
        properties.iter().map(|(name, rules)| (name.clone(), fitting(rules, about))).collect();
    let choices = properties.iter().find_map(|(name, rules)| Some((name, rules["enum"].as_array()?)));
    match choices {
        None => vec![Value::Object(base)],
        Some((name, values)) => values
            .iter()
            .map(|value| {
                let mut args = base.clone();
                args.insert(name.clone(), value.clone());
                Value::Object(args)
            })
            .collect(),
    }
}

/// A value that the rules of a property allow.
fn fitting(rules: &Value, about: &str) -> Value {
    if let Some(first) = rules["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    let types = &rules["type"];
    match types.as_str().or_else(|| types[0].as_str()).unwrap_or("string") {
        "integer" => rules["minimum"].as_i64().unwrap_or(1).into(),
        "number" => rules["minimum"].as_f64().unwrap_or(0.5).into(),
        "boolean" => true.into(),
        "array" => json!([fitting(&rules["items"], about)]),
        "object" => json!({}),
        _ => about.into(),
    }
}

/// What a model service makes of the schemas, and what the tools make of a model.
///
/// A schema that a service refuses costs the user every turn with it, whether the tool is used or not. A tool that answers
/// anything as if all were well has a model believe what never happened.
///
/// The provider may offer no tool, and may answer any call with an error that says what was wrong.
pub(super) fn run(room: &Room<'_>) -> Outcome {
    if !room.bench.has(Interface::Tools) {
        return Err("it lists no tools");
    }
    let Some(instance) = room.open() else { return Ok(()) };
    let schemas = schemas(&instance);
    if schemas.is_empty() {
        room.warn("the model sees no tool, although the provider says that it has some", "");
    }
    let mut names = BTreeSet::new();
    for schema in &schemas {
        described(room, schema);
        if !names.insert(&schema.name) {
            let text =
                format!("two tools are called `{}`: the model reaches only one of them", shortened(&schema.name));
            room.error(text, "");
        }
        garbage(&instance, schema);
    }
    let unknown = ToolRequest { caller: private("ann"), tool: "no_such_tool".to_owned(), args: json!({}) };
    let answer = instance.ask::<Value>("a tool that is not there", Hook::CallTool, &unknown);
    if answer.is_ok() {
        room.error(
            "a tool that is not there is answered as if it were: the model takes it for done",
            "answer an error",
        );
    }
    let _ = effect(&instance, "no_such_tool", &Value::Null);
    instance.end();
    Ok(())
}

/// What a model service would refuse, and the user's whole turn with it.
fn described(room: &Room<'_>, schema: &ToolSchema) {
    let name = shortened(&schema.name);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if schema.name.is_empty() || schema.name.len() > 64 || !schema.name.chars().all(plain) {
        let text = format!("the tool name `{name}` is refused by model services, and every turn with it");
        room.error(text, "1 to 64 letters, digits, `_` and `-`");
    }
    let parameters = &schema.parameters;
    let is_map = |value: &Value| value.is_null() || value.is_object();
    let shape = parameters["type"] == "object"
        && is_map(&parameters["properties"])
        && parameters["properties"].as_object().is_none_or(|fields| fields.values().all(Value::is_object));
    if !shape {
        let text =
            format!("the parameters of `{name}` are no JSON Schema of an object: model services refuse the turn");
        room.error(text, r#"{"type": "object", "properties": {…}}"#);
    }
    let known = |name: &Value| name.as_str().is_some_and(|name| parameters["properties"].get(name).is_some());
    let required = &parameters["required"];
    if !required.is_null() && !required.as_array().is_some_and(|names| names.iter().all(known)) {
        room.error(format!("`{name}` requires arguments that its schema does not have: no model can call it"), "");
    }
    let length = schema.description.chars().count();
    if length == 0 {
        room.warn(format!("the model is not told what `{name}` is for"), "describe it");
    } else if length > LONGEST_DESCRIPTION {
        let text = format!("the description of `{name}` has {length} characters: some model services refuse it");
        room.warn(text, "at most 1024; what is longer belongs into the system prompt block");
    }
}

/// What models really send: nothing, too much, other types. Answers and errors are both fine; a panic is not, and an error
/// that sounds like a fault of the memory is a warning, since the model then gives up instead of calling better.
fn garbage(instance: &Instance<'_>, schema: &ToolSchema) {
    let room = instance.room;
    let properties = schema.parameters["properties"].as_object();
    let odd = |value: Value| properties.into_iter().flatten().map(move |(name, _)| json!({name: value}));
    let mut all =
        vec![Value::Null, json!([]), json!("x"), json!("{\"a\": 1}"), json!(7), json!({}), json!({"no such": 1})];
    all.extend(odd(json!({"a": [null]})));
    all.extend(odd(json!(-1e300)));
    let required = schema.parameters["required"].as_array().is_some_and(|names| !names.is_empty());
    for args in all {
        let what = format!("`{}` with arguments that make no sense", shortened(&schema.name));
        let call = ToolEffectRequest { tool: schema.name.clone(), args: args.clone() };
        let _ = instance.ask::<Effect>(&what, Hook::ToolEffect, &call);
        let empty = args == json!({});
        let call = ToolRequest { caller: private("mo"), tool: schema.name.clone(), args };
        match instance.ask::<Value>(&what, Hook::CallTool, &call) {
            Ok(_) if empty && required => {
                let text =
                    format!("`{}` without its arguments is answered as if all were well", shortened(&schema.name));
                room.warn(text, "name the missing argument in an error, and the model calls again");
            }
            Err(Failure::Error(error))
                if room.bench.works() && (error.retryable || error.kind == ErrorKind::Internal) =>
            {
                let text =
                    format!("{what}: the model is told of a fault of the memory ({})", shortened(&error.message));
                room.warn(text, "`ProviderError::invalid` with a hint that shows a right call");
            }
            _ => {}
        }
    }
}

/// Calls everything that says it reads, and compares what is recalled and listed before and after.
///
/// Helpers, jobs and reviews may only read. A user would find the memory changed by something that ran at night. Compared are
/// ids, texts and their order; the provider may count lookups as long as that moves nothing.
pub(super) fn lookups(room: &Room<'_>) -> Outcome {
    if !room.bench.has(Interface::Tools) {
        return Err("it lists no tools");
    }
    let ways = room.bench.sure_ways()?;
    let Some(instance) = room.open() else { return Ok(()) };
    let ann = private("ann");
    let memories: Vec<_> = (0..3).flat_map(|_| &ways).filter_map(|way| instance.learn(*way, &ann)).collect();
    let look = |instance: &Instance<'_>| -> Vec<Vec<(String, String)>> {
        let plain = |items: Vec<RecallItem>| items.into_iter().map(|item| (item.id, item.text)).collect();
        let recalls = memories.iter().map(|memory| plain(instance.recall(&ann, &memory.question)));
        recalls.chain([plain(instance.list(&ann, 50))]).collect()
    };
    // A memory may rank what was recalled higher from then on, and then no tool is to blame.
    let first = look(&instance);
    let before = look(&instance);
    if first != before {
        instance.end();
        return Err("a recall itself changes what is recalled next");
    }
    for memory in memories.iter().take(2) {
        for (tool, args) in calls(&instance, &memory.marker) {
            if effect(&instance, &tool, &args) != Some(Effect::Read) {
                continue;
            }
            call(&instance, &ann, &tool, &args);
            if look(&instance) != before {
                let text = format!(
                    "looking something up with `{}` changes what is recalled or listed later",
                    shortened(&tool)
                );
                room.error(text, "what changes the store is `Effect::Write`: a reader must not be let through with it");
                instance.end();
                return Ok(());
            }
        }
    }
    instance.end();
    Ok(())
}

/// Makes a call whose answer does not matter.
fn call(instance: &Instance<'_>, who: &Caller, tool: &str, args: &Value) {
    let call = ToolRequest { caller: who.clone(), tool: tool.to_owned(), args: args.clone() };
    let _ = instance.ask::<Value>("a lookup by a tool", Hook::CallTool, &call);
}
