//! What the model sees and sends.

use hermes_provider_api::folders::AudienceFolder;
use hermes_provider_api::records::{Effect, RecallItem, ToolRequest, ToolSchema};
use hermes_provider_api::{Call, ProviderError, Result};
use hermes_text::truncate_chars;
use serde_json::{Value, json};

use crate::brv::{is_at_work, seconds_for};
use crate::curate::{LEAST, Text, WISH, curate};
use crate::documents::{documents, tree_for_writing};
use crate::provider::ByteRover;

/// What the system prompt says.
pub(crate) const GUIDANCE: &str = "# ByteRover memory\n\
What fits a message is recalled from a tree of Markdown notes by itself. `brv_query` asks the tree a question when that is \
not enough, and takes some seconds; `brv_curate` keeps what matters later; `brv_status` says how it is doing.";

const MAX_QUERY: usize = 5000;
const MAX_CONTENT: usize = 20_000;
const MAX_ANSWER: usize = 8000;

pub(crate) fn schemas() -> Vec<ToolSchema> {
    vec![
        ToolSchema::of_texts(
            "brv_query",
            "Answers a question from the memory tree with a model of its own. Takes some seconds. The answer names the documents it is from.",
            &[("query", "The question, as a whole sentence")],
        ),
        ToolSchema::of_texts(
            "brv_curate",
            "Keeps knowledge in the memory tree: decisions, preferences, how things are done. The answer says whether it was stored.",
            &[("content", "What to keep, with its context")],
        ),
        ToolSchema::of_texts(
            "brv_status",
            "Says whether the memory works, with which model, and how many documents it has.",
            &[],
        ),
    ]
}

pub(crate) fn effect(tool: &str) -> Effect {
    if matches!(tool, "brv_query" | "brv_status") { Effect::Read } else { Effect::Write }
}

pub(crate) fn run(provider: &ByteRover, request: &ToolRequest, call: &Call<'_>) -> Result<Value> {
    match request.tool.as_str() {
        "brv_query" => query(provider, request, call),
        "brv_curate" => keep(provider, request, call),
        "brv_status" => status(provider, request, call),
        other => Err(ProviderError::unsupported(&format!("tool `{other}`"))),
    }
}

fn text<'a>(request: &'a ToolRequest, key: &str) -> Result<&'a str> {
    let text = request.args[key].as_str().map(str::trim).filter(|text| !text.is_empty());
    text.ok_or_else(|| ProviderError::invalid(format!("`{key}` must be a text that is not empty")))
}

fn query(provider: &ByteRover, request: &ToolRequest, call: &Call<'_>) -> Result<Value> {
    let query = truncate_chars(text(request, "query")?, MAX_QUERY).replace('\0', " ");
    let nothing = json!({ "result": null, "message": "nothing is known about this" });
    let tree = AudienceFolder::of(&provider.data, &request.caller.scope);
    if documents(&tree).is_empty() {
        return Ok(nothing);
    }
    let asked = tree.lock(LEAST, call).and_then(|_lock| {
        let seconds = seconds_for(call)?;
        provider.brv.run(tree.name(), &["query", "--format", "json", "--timeout", &seconds, "--", &query], call)
    });
    match asked {
        Ok(data) => {
            let result = data["result"].as_str().unwrap_or_default();
            let result = result.trim_end_matches("Source: ByteRover Knowledge Base").trim_end_matches(['\n', '-']);
            let paths =
                data["matchedDocs"].as_array().into_iter().flatten().filter_map(|document| document["path"].as_str());
            let paths: Vec<_> = paths.collect();
            // A sentence that nothing was found is no knowledge.
            if paths.is_empty() || result.is_empty() || result.contains("No matching knowledge found") {
                return Ok(nothing);
            }
            let cut = truncate_chars(result, MAX_ANSWER);
            Ok(json!({ "result": cut, "documents": paths, "cut": cut.len() < result.len() }))
        }
        // The documents themselves are at hand without `brv`.
        Err(error) => match provider.search(&request.caller.scope, &query, 5, call)?.as_slice() {
            [] => Err(error),
            found => {
                let document = |item: &RecallItem| json!({ "path": item.path, "text": item.text });
                let found: Vec<_> = found.iter().map(document).collect();
                Ok(json!({ "result": null, "message": error.message, "documents": found }))
            }
        },
    }
}

fn keep(provider: &ByteRover, request: &ToolRequest, call: &Call<'_>) -> Result<Value> {
    let content = text(request, "content")?;
    if hermes_text::char_count(content) > MAX_CONTENT {
        return Err(ProviderError::invalid(format!("`content` has more than {MAX_CONTENT} characters"))
            .hint("keep it in parts"));
    }
    let tree = tree_for_writing(&provider.data, &request.caller.scope)?;
    // The same wish a second time is a second wish.
    let key = format!("tool {} {content}", provider.host.now());
    let text = Text { key: &key, wish: WISH, text: content, queued: false };
    match curate(&provider.brv, &tree, &text, call) {
        Ok(true) => Ok(json!({ "status": "stored" })),
        Ok(false) => Ok(json!({ "status": "unchanged", "message": "brv found nothing in it to keep" })),
        Err(error) if is_at_work(&error) => {
            Ok(json!({ "status": "accepted", "message": "brv is still working on it; do not send it again" }))
        }
        Err(error) => Err(error),
    }
}

fn status(provider: &ByteRover, request: &ToolRequest, call: &Call<'_>) -> Result<Value> {
    let trees = AudienceFolder::visible(&provider.data, &request.caller.scope);
    let (model, status) = (provider.brv.model(call), provider.brv.run("", &["status", "--format", "json"], call));
    let problem = model.as_ref().err().or(status.as_ref().err()).map(ToString::to_string);
    let status = status.unwrap_or_default();
    Ok(json!({
        "documents": trees.iter().map(|tree| documents(tree).len()).sum::<usize>(),
        "auto_extract": provider.auto_extract,
        "model": model.ok().flatten(),
        "login": status["authStatus"],
        "version": status["cliVersion"],
        "problem": problem,
    }))
}
