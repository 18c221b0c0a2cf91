//! The routes: what each takes, and what it does.

use serde_json::{Value, json};

use crate::memories::{self, profile, search};
use crate::{Answer, Kind, Request, State, files};

/// What a route takes: the names of its fields, those that must be there first.
struct Takes(&'static [&'static str], &'static [&'static str]);

const CONTEXT: Takes = Takes(&["project", "query", "user_id"], &["session_id", "include_memories", "max_tokens"]);
const SEARCH: Takes = Takes(&["project", "query", "user_id"], &["session_id", "top_k", "include_pending"]);
const ADD: Takes =
    Takes(&["project", "content", "memory_type", "user_id"], &["session_id", "importance", "write_mode"]);
const ADD_OLD: Takes = Takes(&["project", "content", "memory_type", "user_id"], &["session_id", "importance"]);
const INGEST: Takes = Takes(&["project", "session_id", "user_id", "messages"], &["write_mode"]);
const ASK: Takes = Takes(&["project", "query", "reasoning_level"], &[]);
const DIALECTIC: Takes = Takes(&["project", "user_id", "question", "reasoning_level"], &[]);
const SEED: Takes = Takes(&["project", "content", "source"], &[]);
const INGEST_FILE: Takes = Takes(&["user_id", "agent_id"], &["project", "skip_memory_extraction"]);

pub(crate) fn answer(state: &mut State, request: &Request) -> Answer {
    match route(state, request) {
        Ok(answer) | Err(answer) => answer,
    }
}

fn route(state: &mut State, request: &Request) -> Result<Answer, Answer> {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let parts: Vec<String> = path.split('/').skip(1).map(decode).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let query: Vec<(String, String)> = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect();
    let asked = |name: &str| query.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.as_str());
    head(state, request, path)?;
    let kind = state.kind;
    let (newer, older) = (kind != Kind::Older, kind == Kind::Older);
    match (request.method.as_str(), parts.as_slice()) {
        ("POST", ["v1", "context", "query"]) => {
            let body = body(request, &CONTEXT)?;
            text(&body, "query", 5000)?;
            let found = search(state, &body, 10);
            let rows: Vec<_> = found.iter().map(|(row, score)| row.flat(*score)).collect();
            let context: Vec<_> = found.iter().map(|(row, _)| row.content.clone()).collect();
            let meta = json!({"total": rows.len(), "latency_ms": 3, "tokens_used": 40});
            Ok(Answer::json(200, &json!({"results": rows, "context": context.join("\n"), "meta": meta})))
        }
        ("POST", ["v1", "memory", "search"]) => {
            let body = body(request, &SEARCH)?;
            text(&body, "query", 5000)?;
            let top = body["top_k"].as_u64().filter(|top| (1..=50).contains(top));
            let top = top.ok_or_else(|| issue("top_k", "Number must be between 1 and 50"))?;
            let rows: Vec<_> = search(state, &body, top).into_iter().map(|(row, score)| row.nested(score)).collect();
            let count = rows.len();
            let answer = json!({"results": rows, "count": count, "query": body["query"], "trace_id": "t", "fallback": "lexical"});
            Ok(Answer::json(200, &answer))
        }
        ("GET", ["v1", "memory", "profile", user]) if newer => {
            let rows = profile(state, asked("project"), user);
            let rows: Vec<_> = rows.iter().map(|row| row.flat(1.0)).collect();
            let count = rows.len();
            let answer = json!({"user_id": user, "memories": rows, "count": count, "include_pending": true, "pending_overlay_count": 0});
            Ok(Answer::json(200, &answer))
        }
        ("GET", ["v1", "memories"]) => {
            let rows = profile(state, asked("project"), asked("user_id"));
            let limit = asked("limit").parse().map_err(|_| issue("limit", "Expected number"))?;
            let rows: Vec<_> = rows.iter().take(limit).map(|row| row.camel()).collect();
            Ok(Answer::json(200, &json!({"memories": rows})))
        }
        ("POST", ["v1", "memory"]) if newer => {
            memories::add(state, &body(request, &ADD)?, request.header("idempotency-key"))
        }
        ("POST", ["v1", "memories"]) if older => memories::add(state, &body(request, &ADD_OLD)?, ""),
        ("DELETE", ["v1", "memory", id]) if newer => memories::delete(state, id),
        ("DELETE", ["v1", "memories", id]) if older => memories::delete(state, id),
        ("POST", ["v1", "memory", "ingest", "session"]) => memories::ingest(state, &body(request, &INGEST)?),
        ("GET", ["v1", "memory", "jobs", job]) => {
            Ok(Answer::json(200, &json!({"success": true, "job": {"id": job, "status": "completed"}})))
        }
        ("POST", ["v1", "memory", "profile", _, "ask"]) if kind == Kind::Own => {
            Err(Answer::json(500, &json!({"error": "Route control missing"})))
        }
        ("POST", ["v1", "memory", "profile", user, "ask"]) if newer => {
            let body = body(request, &ASK)?;
            level(&body)?;
            Ok(Answer::json(200, &json!({"answer": format!("{user} asked: {}", body["query"].as_str().unwrap())})))
        }
        ("POST", ["v1", "memory", "dialectic"]) if kind == Kind::Own => {
            let body = body(request, &DIALECTIC)?;
            text(&body, "question", 1000)?;
            level(&body)?;
            Ok(Answer::json(200, &json!({"answer": format!("of old: {}", body["question"].as_str().unwrap())})))
        }
        ("GET", ["v1", "memory", "agent", agent, "model"]) if newer => {
            let count = state.seeds.len();
            let persona = state.seeds.last().map_or(Value::Null, |seed| seed["content"].clone());
            Ok(Answer::json(
                200,
                &json!({"agent_id": agent, "persona": persona, "persistent_instructions": ["be brief"],
                "working_style": "calm", "capabilities": [], "goals": [], "memory_count": count,
                "last_updated": "2026-01-01T00:00:00.000Z", "trace_id": "t"}),
            ))
        }
        ("POST", ["v1", "memory", "agent", agent, "seed"]) if newer => {
            let body = body(request, &SEED)?;
            text(&body, "content", 32_000)?;
            state.seeds.push(body);
            Ok(Answer::json(200, &json!({"agent_id": agent, "seeded": 1, "trace_id": "t"})))
        }
        ("POST", ["v1", "files"]) if newer => files::upload(state, request),
        ("GET", ["v1", "files"]) if newer => files::list(state, asked("prefix"), asked("limit")),
        (method, ["v1", "files", id, rest @ ..]) if newer => {
            if (method, rest) == ("POST", &["ingest"]) {
                body(request, &INGEST_FILE)?;
            }
            files::one(state, method, id, rest, request)
        }
        _ => Err(Answer::json(404, &json!({"error": format!("Cannot {} {path}", request.method)}))),
    }
}

/// What every request has to say of itself.
fn head(state: &State, request: &Request, path: &str) -> Result<(), Answer> {
    let refuse = |text: String| Err(Answer::json(401, &json!({"error": text})));
    if request.header("authorization") != format!("Bearer {}", state.key()) {
        return refuse("Invalid API key".to_owned());
    }
    let twice = path.starts_with("/v1/memory") || path.starts_with("/v1/context");
    if twice && request.header("x-api-key") != state.key() {
        return refuse("X-API-Key is missing".to_owned());
    }
    if request.header("x-sdk-runtime") != "hermes-plugin" {
        return Err(issue("x-sdk-runtime", "Required"));
    }
    if !request.body.is_empty() && path != "/v1/files" && request.header("content-type") != "application/json" {
        return Err(issue("content-type", "Expected application/json"));
    }
    Ok(())
}

/// The body, if it is what the route takes.
fn body(request: &Request, takes: &Takes) -> Result<Value, Answer> {
    if request.body.len() > 10 << 20 {
        return Err(Answer::json(413, &json!({"error": "request entity too large"})));
    }
    let body = request.json();
    let Some(fields) = body.as_object() else { return Err(issue("", "Expected object")) };
    let Takes(required, optional) = takes;
    if let Some(name) = required.iter().find(|name| fields.get(**name).is_none_or(|value| value == "")) {
        return Err(issue(name, "Required"));
    }
    if let Some(name) =
        fields.keys().find(|name| !required.contains(&name.as_str()) && !optional.contains(&name.as_str()))
    {
        return Err(issue(name, "Unrecognized key"));
    }
    if request.body.windows(6).any(|part| part == b"\\u0000") {
        let error = json!({"code": "INTERNAL", "message": "invalid byte sequence for encoding \"UTF8\": 0x00"});
        return Err(Answer::json(500, &json!({"success": false, "error": error})));
    }
    Ok(body)
}

/// A text of at most so many characters.
pub(crate) fn text(body: &Value, name: &str, most: usize) -> Result<(), Answer> {
    let length = body[name].as_str().map(|text| text.chars().count());
    if length.is_some_and(|length| (1..=most).contains(&length)) {
        return Ok(());
    }
    Err(issue(name, &format!("String must contain at most {most} character(s)")))
}

fn level(body: &Value) -> Result<(), Answer> {
    match body["reasoning_level"].as_str() {
        Some("low" | "medium" | "high") => Ok(()),
        _ => Err(issue("reasoning_level", "Invalid enum value")),
    }
}

/// A refusal as the validator of the real one writes it.
pub(crate) fn issue(field: &str, message: &str) -> Answer {
    let issues = json!([{"code": "invalid_type", "path": [field], "message": message}]);
    Answer::json(400, &json!({"success": false, "error": {"issues": issues, "name": "ZodError"}}))
}

pub(crate) fn decode(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, more @ ..] = rest {
        let code = more.get(..2).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match (first, code) {
            (b'%', Some(code)) => (bytes.push(code), rest = &more[2..]).0,
            _ => (bytes.push(*first), rest = more).0,
        }
    }
    String::from_utf8(bytes).unwrap()
}
