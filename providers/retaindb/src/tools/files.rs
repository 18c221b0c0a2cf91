//! Files: from the folder that the user chose, to the service, and back as text.

use std::path::Path;

use hermes_provider_api::rest::{FilePart, Passing};
use hermes_provider_api::{ErrorKind, ProviderError, Result};
use serde_json::{Value, json};

use super::schema::SCOPES;
use super::{Tools, count, required};
use crate::api::AGENT;

/// The largest file that the service takes, in bytes.
const LARGEST: u64 = 100 << 20;
/// How much of a file is read to the model, in characters, and the most bytes that these have.
const SHOWN: usize = 32_000;
const SHOWN_BYTES: u64 = 4 * SHOWN as u64;
const TEXTS: [&str; 8] = [".txt", ".md", ".json", ".csv", ".yaml", ".yml", ".xml", ".html"];

impl Tools<'_> {
    pub(super) fn upload(&self, args: &Value) -> Result<Value> {
        let local = required(args, "local_path")?;
        if self.settings.files.is_empty() {
            return Err(ProviderError::new(ErrorKind::Denied, "no folder was chosen that files may be uploaded from")
                .hint("`hermes memory setup retaindb --set files=<folder>` chooses one"));
        }
        let local = Path::new(local).strip_prefix(&self.settings.files).unwrap_or(Path::new(local));
        let name = local.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let remote = self.who.file(args["remote_path"].as_str().filter(|path| !path.is_empty()).unwrap_or(name))?;
        let scope = args["scope"].as_str().unwrap_or("PROJECT");
        if !SCOPES.contains(&scope) {
            return Err(ProviderError::invalid(format!("`scope` must be one of {}", SCOPES.join(", "))));
        }
        let client = &self.api.client;
        let copy = Passing::new(client.host())?;
        let size = client.host().copy_file("files", &local.to_string_lossy(), copy.name())?;
        if size > LARGEST {
            return Err(ProviderError::invalid(format!("`{name}` has {} MB; RetainDB takes 100", size >> 20)));
        }
        let kind = if is_text(name) { "text/plain" } else { "application/octet-stream" };
        let fields = [("path", remote.as_str()), ("scope", scope), ("agent_id", AGENT)];
        let file = FilePart { field: "file", name, kind, path: copy.path() };
        let ask = client.post("/v1/files", &[], self.call).form(&fields, file)?;
        let file = ask.within(30).send()?["file"].take();
        let mut answer = json!({"file": shown(&file)});
        if let (Some(true), Some(id)) = (args["ingest"].as_bool(), file["id"].as_str()) {
            answer["ingest"] = match self.ingest_unseen(id) {
                Ok(done) => done,
                // It was uploaded; the model may ask for the rest once more.
                Err(error) => json!({"error": error.message}),
            };
        }
        Ok(answer)
    }

    pub(super) fn list(&self, args: &Value) -> Result<Value> {
        let limit = count(args, "limit", 50, 200);
        let (folder, wanted) = (self.who.folder(), args["prefix"].as_str().unwrap_or_default());
        let prefix =
            if folder.is_empty() { wanted.to_owned() } else { format!("{folder}/{}", wanted.trim_start_matches('/')) };
        let mut ask = self.api.client.get("/v1/files", &[], self.call).query("limit", &limit.to_string());
        if !prefix.is_empty() {
            ask = ask.query("prefix", &prefix);
        }
        let answer = ask.send()?;
        let rows = answer["files"].as_array().into_iter().flatten();
        let rows: Vec<_> = rows.filter(|file| self.owns(file)).map(shown).collect();
        Ok(json!({"count": rows.len(), "files": rows}))
    }

    pub(super) fn read(&self, id: &str) -> Result<Value> {
        let file = self.file(id)?;
        let (name, kind) = (file["name"].as_str().unwrap_or_default(), file["mime_type"].as_str().unwrap_or_default());
        let mut answer = json!({"file_id": id, "rdb_uri": file["rdb_uri"], "name": name});
        if !kind.starts_with("text/") && !is_text(name) {
            (answer["content"], answer["note"]) = (Value::Null, format!("it is no text: {kind}").into());
            return Ok(answer);
        }
        let size = file["size"].as_u64();
        let bytes = if size == Some(0) {
            Vec::new()
        } else {
            let ask = self.api.client.get("/v1/files/{}/content", &[id], self.call).may_be_missing().within(30);
            ask.header("Range", &format!("bytes=0-{}", SHOWN_BYTES - 1)).fetch(SHOWN_BYTES)?
        };
        let text = String::from_utf8_lossy(&bytes);
        let cut = hermes_text::truncate_chars(&text, SHOWN);
        let got = bytes.len() as u64;
        answer["truncated"] = (cut.len() < text.len() || size.is_some_and(|size| size > got)).into();
        answer["content"] = cut.into();
        Ok(answer)
    }

    pub(super) fn ingest(&self, id: &str) -> Result<Value> {
        self.file(id)?;
        self.ingest_unseen(id)
    }

    fn ingest_unseen(&self, id: &str) -> Result<Value> {
        let body = json!({"user_id": self.who.user, "agent_id": AGENT, "project": self.who.project});
        let ask = self.api.client.post("/v1/files/{}/ingest", &[id], self.call).may_be_missing();
        let answer = ask.within(60).json(body).send()?;
        if let Some(error) = answer["error"].as_str() {
            return Err(ProviderError::new(ErrorKind::Internal, format!("RetainDB could not learn from it: {error}")));
        }
        let fields = ["file_id", "documents_indexed", "memories_created", "memory_ids"];
        Ok(fields.into_iter().map(|field| (field.to_owned(), answer[field].clone())).collect())
    }

    pub(super) fn delete(&self, id: &str) -> Result<Value> {
        self.file(id)?;
        self.api.client.delete("/v1/files/{}", &[id], self.call).within(5).send()?;
        Ok(json!({"deleted": id}))
    }

    /// A file of this audience.
    fn file(&self, id: &str) -> Result<Value> {
        let file = self.api.client.get("/v1/files/{}", &[id], self.call).may_be_missing().send()?["file"].take();
        if self.owns(&file) { Ok(file) } else { Err(ProviderError::not_found(format!("there is no file `{id}`"))) }
    }

    fn owns(&self, file: &Value) -> bool {
        self.who.owns(file["path"].as_str().unwrap_or_default())
    }
}

fn is_text(name: &str) -> bool {
    TEXTS.iter().any(|end| name.to_lowercase().ends_with(end))
}

fn shown(file: &Value) -> Value {
    let fields = ["id", "path", "name", "mime_type", "size", "scope", "rdb_uri", "created_at"];
    fields.into_iter().map(|field| (field.to_owned(), file[field].clone())).collect()
}
