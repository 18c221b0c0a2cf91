//! Files: from the folder that the user chose, to the service, and back as text.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use hermes_provider_api::{ErrorKind, Host, ProviderError, Result};
use serde_json::{Value, json};

use super::schema::SCOPES;
use super::{Tools, count, required};
use crate::api::AGENT;
use crate::audience::segment;
use crate::client::Ask;
use crate::deliveries::hash;

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
        let host = &self.api.client.host;
        let (copy, body) = (Passing::new(host, name)?, Passing::new(host, name)?);
        let size = host.copy_file("files", &local.to_string_lossy(), &copy.name)?;
        if size > LARGEST {
            return Err(ProviderError::invalid(format!("`{name}` has {} MB; RetainDB takes 100", size >> 20)));
        }
        let boundary = hash(&format!("{} {}", body.name, host.now()));
        multipart(&boundary, &[("path", &remote), ("scope", scope), ("agent_id", AGENT)], name, &copy.path, &body.path)
            .map_err(|error| ProviderError::storage(format!("`{}`: {error}", body.path.display())))?;
        let ask = Ask::new("POST", "/v1/files", &[], self.call).body_file(&body.name).within(30);
        let ask = ask.header("Content-Type", &format!("multipart/form-data; boundary={boundary}"));
        let file = self.api.client.send(ask)?["file"].take();
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
        let mut route = format!("/v1/files?limit={limit}");
        if !prefix.is_empty() {
            route.push_str(&format!("&prefix={}", segment(&prefix)));
        }
        let answer = self.api.client.send(Ask::new("GET", &route, &[], self.call))?;
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
        let mut bytes = Vec::new();
        if size != Some(0) {
            let saved = Passing::new(&self.api.client.host, name)?;
            let ask = Ask::new("GET", "/v1/files/{}/content", &[id], self.call).names_something().within(30);
            let ask = ask.header("Range", &format!("bytes=0-{}", SHOWN_BYTES - 1)).save_to(&saved.name);
            self.api.client.exchange(ask)?;
            let read = File::open(&saved.path).and_then(|file| file.take(SHOWN_BYTES + 1).read_to_end(&mut bytes));
            read.map_err(|error| ProviderError::storage(format!("`{}`: {error}", saved.path.display())))?;
        }
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
        let ask = Ask::new("POST", "/v1/files/{}/ingest", &[id], self.call).names_something().within(60).json(body);
        let answer = self.api.client.send(ask)?;
        if let Some(error) = answer["error"].as_str() {
            return Err(ProviderError::new(ErrorKind::Internal, format!("RetainDB could not learn from it: {error}")));
        }
        let fields = ["file_id", "documents_indexed", "memories_created", "memory_ids"];
        Ok(fields.into_iter().map(|field| (field.to_owned(), answer[field].clone())).collect())
    }

    pub(super) fn delete(&self, id: &str) -> Result<Value> {
        self.file(id)?;
        self.api.client.send(Ask::new("DELETE", "/v1/files/{}", &[id], self.call).names_something().within(5))?;
        Ok(json!({"deleted": id}))
    }

    /// A file of this audience.
    fn file(&self, id: &str) -> Result<Value> {
        let ask = Ask::new("GET", "/v1/files/{}", &[id], self.call).names_something();
        let file = self.api.client.send(ask)?["file"].take();
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

/// Writes the body of an upload, as RFC 7578 has it.
fn multipart(boundary: &str, fields: &[(&str, &str)], name: &str, file: &Path, body: &Path) -> io::Result<()> {
    let mut out = File::create(body)?;
    for (field, value) in fields {
        write!(out, "--{boundary}\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{value}\r\n")?;
    }
    let name = name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
    let head = format!("Content-Disposition: form-data; name=\"file\"; filename=\"{name}\"");
    let kind = if is_text(&name) { "text/plain" } else { "application/octet-stream" };
    write!(out, "--{boundary}\r\n{head}\r\nContent-Type: {kind}\r\n\r\n")?;
    io::copy(&mut File::open(file)?, &mut out)?;
    write!(out, "\r\n--{boundary}--\r\n")
}

/// How the files begin that last as long as a call.
const PASSING: &str = "passing-";
/// No call takes as long as this.
const AN_HOUR: Duration = Duration::from_secs(3600);

/// Deletes the copies of files that a kill has left behind.
pub(crate) fn sweep(folder: &Path, now: SystemTime) {
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        let age = || now.duration_since(file.metadata()?.modified()?).map_err(io::Error::other);
        if file.file_name().to_string_lossy().starts_with(PASSING) && age().is_ok_and(|age| age > AN_HOUR) {
            let _ = fs::remove_file(file.path());
        }
    }
}

/// A file of the data folder that lasts as long as a call.
struct Passing {
    name: String,
    path: PathBuf,
}

impl Passing {
    fn new(host: &Host, about: &str) -> Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let unique = hash(&format!("{} {count} {} {about}", std::process::id(), host.now()));
        let name = format!("{PASSING}{}", &unique[..16]);
        Ok(Self { path: host.data_dir()?.join(&name), name })
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        // One that was never written is not there.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kill_left_behind_is_deleted_later() {
        let folder = tempfile::tempdir().unwrap();
        let (copy, other) = (folder.path().join("passing-1"), folder.path().join("delivered"));
        fs::write(&copy, "private").unwrap();
        fs::write(&other, "key").unwrap();
        sweep(folder.path(), SystemTime::now());
        assert!(copy.exists(), "another process may be using it");
        sweep(folder.path(), SystemTime::now() + 2 * AN_HOUR);
        assert!(!copy.exists() && other.exists());
    }
}
