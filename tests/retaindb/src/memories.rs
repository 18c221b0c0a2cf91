//! What is stored and found.

use serde_json::{Value, json};

use crate::routes::{issue, text};
use crate::{Answer, Kind, State};

/// A memory.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Its id.
    pub id: String,
    /// The project.
    pub project: String,
    /// The user.
    pub user: String,
    /// The session, where one was named.
    pub session: String,
    /// The text.
    pub content: String,
    /// `factual` and so on.
    pub kind: String,
    /// From 0 to 1.
    pub importance: f64,
    /// It is not found any more.
    pub deleted: bool,
}

impl Row {
    /// As in the answers of a profile and of a context.
    pub(crate) fn flat(&self, score: f64) -> Value {
        json!({"id": self.id, "content": self.content, "type": self.kind, "importance": self.importance, "score": score,
            "confidence": 0.9, "metadata": {}, "retrieval_source": "memory"})
    }

    /// As in the answer of a search, with all that a user never wants to read.
    pub(crate) fn nested(&self, score: f64) -> Value {
        json!({"memory": {"id": self.id, "content": self.content, "type": self.kind, "scope": "user", "confidence": 0.9,
            "session_id": self.session, "user_id": self.user, "embedding": [0.1, 0.2], "temporal": null}, "similarity": score})
    }

    /// As in the answer of an older route.
    pub(crate) fn camel(&self) -> Value {
        json!({"id": self.id, "content": self.content, "memoryType": self.kind, "userId": self.user,
            "sessionId": self.session, "importance": self.importance})
    }
}

/// What has words of the question, the best first. Letters of scripts without spaces count alone.
pub(crate) fn search(state: &State, body: &Value, top: u64) -> Vec<(Row, f64)> {
    let query = body["query"].as_str().unwrap_or_default().to_lowercase();
    let words: Vec<String> = query
        .split(|c: char| !c.is_alphanumeric())
        .flat_map(|word| match word.is_ascii() {
            true => vec![word.to_owned()],
            false => word.chars().collect::<Vec<_>>().windows(2).map(|pair| pair.iter().collect()).collect(),
        })
        .filter(|word| !word.is_ascii() || word.len() > 2)
        .take(200)
        .collect();
    let rows = of(state, body["project"].as_str().unwrap_or_default(), body["user_id"].as_str().unwrap_or_default());
    let mut found: Vec<_> = rows
        .map(|row| {
            let content = row.content.to_lowercase();
            let hits = words.iter().filter(|word| content.contains(word.as_str())).count();
            (row.clone(), hits as f64 / words.len().max(1) as f64)
        })
        .filter(|(_, score)| *score > 0.0)
        .collect();
    found.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    found.truncate(usize::try_from(top).unwrap());
    found
}

/// The newest first.
pub(crate) fn profile(state: &State, project: &str, user: &str) -> Vec<Row> {
    of(state, project, user).rev().cloned().collect()
}

fn of<'a>(state: &'a State, project: &str, user: &str) -> impl DoubleEndedIterator<Item = &'a Row> {
    let (project, user) = (project.to_owned(), user.to_owned());
    state.rows.iter().filter(move |row| !row.deleted && row.project == project && row.user == user)
}

const KINDS: [&str; 6] = ["factual", "preference", "goal", "instruction", "event", "opinion"];

pub(crate) fn add(state: &mut State, body: &Value, key: &str) -> Result<Answer, Answer> {
    text(body, "content", 10_000)?;
    if !body["memory_type"].as_str().is_some_and(|kind| KINDS.contains(&kind)) {
        return Err(issue("memory_type", "Invalid enum value"));
    }
    if !body["importance"].as_f64().is_none_or(|importance| (0.0..=1.0).contains(&importance)) {
        return Err(issue("importance", "Number must be between 0 and 1"));
    }
    refuse_sync(state, body)?;
    match state.keys.get(key) {
        Some((known, answer)) if known == body => return Ok(Answer::json(201, answer)),
        Some(_) => return Err(Answer::json(409, &json!({"error": "Idempotency-Key was used with another body"}))),
        None => {}
    }
    let id = state.number("memory");
    let row =
        row(&id, body, body["content"].as_str().unwrap_or_default(), body["memory_type"].as_str().unwrap_or_default());
    let memory = row.flat(1.0);
    state.rows.push(row);
    let answer = match body["write_mode"].as_str() {
        Some("sync") => json!({"success": true, "mode": "sync", "memory_id": id, "memory": memory,
            "write_outcome": "created", "validator_issues": [], "trace_id": "t"}),
        _ => {
            json!({"success": true, "mode": "async", "job_id": format!("job-{id}"), "status_url": "/v1/memory/jobs/x"})
        }
    };
    if !key.is_empty() {
        state.keys.insert(key.to_owned(), (body.clone(), answer.clone()));
    }
    Ok(Answer::json(if answer["mode"] == "sync" { 201 } else { 202 }, &answer))
}

pub(crate) fn delete(state: &mut State, id: &str) -> Result<Answer, Answer> {
    let Some(row) = state.rows.iter_mut().find(|row| row.id == id && !row.deleted) else {
        return Err(Answer::json(404, &json!({"error": "Memory not found"})));
    };
    row.deleted = true;
    Ok(Answer::json(200, &json!({"success": true, "message": "Memory deleted", "memory_id": id})))
}

pub(crate) fn ingest(state: &mut State, body: &Value) -> Result<Answer, Answer> {
    let messages = body["messages"].as_array().filter(|messages| !messages.is_empty());
    let messages = messages.ok_or_else(|| issue("messages", "Array must contain at least 1 element(s)"))?;
    for message in messages {
        if !message["timestamp"].as_str().is_some_and(|time| time.ends_with('Z') && time.as_bytes()[10] == b'T') {
            return Err(issue("messages.0.timestamp", "Invalid datetime"));
        }
        if !matches!(message["role"].as_str(), Some("user" | "assistant"))
            || message["content"].as_str().is_none_or(str::is_empty)
        {
            return Err(issue("messages.0", "Invalid message"));
        }
    }
    refuse_sync(state, body)?;
    // It learns what the user says, word for word.
    for message in messages.iter().filter(|message| message["role"] == "user") {
        let id = state.number("memory");
        let row = row(&id, body, message["content"].as_str().unwrap_or_default(), "event");
        state.rows.push(row);
    }
    state.ingested.push(body.clone());
    let count = messages.len();
    match body["write_mode"].as_str() {
        Some("sync") => Ok(Answer::json(
            200,
            &json!({"success": true, "mode": "sync", "session_id": body["session_id"],
            "messages_processed": count, "memories_created": 1, "relations_created": 0, "errors": []}),
        )),
        _ => Ok(Answer::json(
            202,
            &json!({"success": true, "mode": "async", "job_id": "job-1",
            "status_url": "/v1/memory/jobs/job-1", "messages_queued": count}),
        )),
    }
}

fn refuse_sync(state: &State, body: &Value) -> Result<(), Answer> {
    if state.kind != Kind::OnlyAsync || body["write_mode"] != "sync" {
        return Ok(());
    }
    let error = json!({"code": "SYNC_WRITE_RESTRICTED", "message": "Synchronous writes are not allowed"});
    Err(Answer::json(403, &json!({"success": false, "error": error, "trace_id": "t"})))
}

fn row(id: &str, body: &Value, content: &str, kind: &str) -> Row {
    let field = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    Row {
        id: id.to_owned(),
        project: field("project"),
        user: field("user_id"),
        session: field("session_id"),
        content: content.to_owned(),
        kind: kind.to_owned(),
        importance: body["importance"].as_f64().unwrap_or(0.5),
        deleted: false,
    }
}
