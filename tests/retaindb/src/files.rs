//! Files, and the bodies of their uploads.

use serde_json::{Value, json};

use crate::routes::issue;
use crate::{Answer, Request, State};

/// A file.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    /// Its id.
    pub id: String,
    /// Its path.
    pub path: String,
    /// Who may see it.
    pub scope: String,
    /// The name that it was uploaded with.
    pub name: String,
    /// What it is.
    pub mime: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// It was learnt from.
    pub ingested: bool,
}

impl Stored {
    fn json(&self) -> Value {
        json!({"id": self.id, "path": self.path, "name": self.name, "mime_type": self.mime, "size": self.bytes.len(),
            "scope": self.scope, "content_hash": "h", "rdb_uri": format!("rdb://files{}", self.path),
            "created_at": "2026-01-01T00:00:00.000Z"})
    }
}

pub(crate) fn upload(state: &mut State, request: &Request) -> Result<Answer, Answer> {
    let kind = request.header("content-type");
    let boundary =
        kind.strip_prefix("multipart/form-data; boundary=").ok_or_else(|| issue("", "Expected multipart"))?;
    let parts = parts(&request.body, boundary).ok_or_else(|| issue("", "Malformed multipart"))?;
    let mut file = Stored { id: state.number("file"), ..Stored::default() };
    for (head, bytes) in parts {
        let value = |name: &str| {
            let from = head.split_once(&format!("{name}=\""))?.1;
            Some(from.split('"').next()?.to_owned())
        };
        let text = || String::from_utf8(bytes.to_vec()).unwrap();
        match value(" name").as_deref() {
            Some("path") => file.path = text(),
            Some("scope") => file.scope = text(),
            Some("agent_id" | "project_id" | "metadata") => {}
            Some("file") => {
                file.name = value("filename").ok_or_else(|| issue("file", "Required"))?;
                file.mime = head.split_once("Content-Type: ").map_or("", |(_, kind)| kind.trim()).to_owned();
                file.bytes = bytes.to_vec();
            }
            other => return Err(issue(other.unwrap_or_default(), "Unrecognized key")),
        }
    }
    if !file.path.starts_with('/') || !["USER", "PROJECT", "ORG", "AGENT"].contains(&file.scope.as_str()) {
        return Err(issue("path", "Invalid"));
    }
    let answer = json!({"success": true, "file": file.json()});
    state.files.retain(|other| other.path != file.path);
    state.files.push(file);
    Ok(Answer::json(201, &answer))
}

/// Each part with its head.
fn parts<'a>(body: &'a [u8], boundary: &str) -> Option<Vec<(String, &'a [u8])>> {
    let (first, between) = (format!("--{boundary}\r\n"), format!("\r\n--{boundary}"));
    let mut rest = body.strip_prefix(first.as_bytes())?;
    let mut parts = Vec::new();
    loop {
        let head = find(rest, b"\r\n\r\n")?;
        let after = &rest[head + 4..];
        let end = find(after, between.as_bytes())?;
        parts.push((String::from_utf8(rest[..head].to_vec()).ok()?, &after[..end]));
        rest = &after[end + between.len()..];
        match rest.strip_prefix(b"\r\n") {
            Some(more) => rest = more,
            None => return (rest == b"--\r\n").then_some(parts),
        }
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

pub(crate) fn list(state: &State, prefix: &str, limit: &str) -> Result<Answer, Answer> {
    let limit = limit.parse().ok().filter(|limit| (1..=200).contains(limit));
    let limit: usize = limit.ok_or_else(|| issue("limit", "Number must be between 1 and 200"))?;
    let found: Vec<_> = state.files.iter().filter(|file| file.path.starts_with(prefix)).collect();
    let rows: Vec<_> = found.iter().take(limit).map(|file| file.json()).collect();
    Ok(Answer::json(200, &json!({"success": true, "files": rows, "total": found.len(), "limit": limit, "offset": 0})))
}

pub(crate) fn one(
    state: &mut State,
    method: &str,
    id: &str,
    rest: &[&str],
    request: &Request,
) -> Result<Answer, Answer> {
    let Some(at) = state.files.iter().position(|file| file.id == id) else {
        let error = json!({"code": "NOT_FOUND", "message": "File not found"});
        return Err(Answer::json(404, &json!({"success": false, "error": error})));
    };
    let file = &mut state.files[at];
    match (method, rest) {
        ("GET", []) => Ok(Answer::json(200, &json!({"success": true, "file": file.json()}))),
        ("GET", ["content"]) => {
            let last = request.header("range").strip_prefix("bytes=0-").and_then(|last| last.parse::<usize>().ok());
            let end = last.map_or(file.bytes.len(), |last| file.bytes.len().min(last + 1));
            let headers = vec![("content-type", file.mime.clone())];
            Ok(Answer { status: if last.is_some() { 206 } else { 200 }, headers, body: file.bytes[..end].to_vec() })
        }
        ("POST", ["ingest"]) => {
            file.ingested = true;
            Ok(Answer::json(
                200,
                &json!({"success": true, "file_id": id, "rdb_uri": "rdb://x", "documents_indexed": 1,
                "memories_created": 1, "memory_id": "memory-f", "memory_ids": ["memory-f"]}),
            ))
        }
        ("DELETE", []) => {
            state.files.remove(at);
            Ok(Answer::json(200, &json!({"success": true, "deleted": id})))
        }
        _ => Err(Answer::json(404, &json!({"error": "Cannot do that"}))),
    }
}
