//! The routes of the service, each with that of its older servers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hermes_provider_api::rest::{Client, Failed, Service};
use hermes_provider_api::{Call, ErrorKind, Host, ProviderError};
use serde_json::{Value, json};

use crate::audience::Audience;

/// Routes of memories and contexts take the key in a second header; what an open server says of a route that it lacks is no
/// 404.
const RETAINDB: Service = Service::new("retaindb", "RetainDB")
    .key("RETAINDB_API_KEY", "https://www.retaindb.com")
    .key_headers(|path, key| {
        let mut headers = vec![("Authorization", format!("Bearer {key}"))];
        if ["/v1/memory", "/v1/context"].iter().any(|start| path.starts_with(start)) {
            headers.push(("X-API-Key", key.to_owned()));
        }
        headers
    })
    .missing_route("Route control missing");

/// Who the agent is to the service.
pub(crate) const AGENT: &str = "hermes";
/// The longest question, and the longest memory, in characters.
const QUERY: usize = 5000;
pub(crate) const CONTENT: usize = 10_000;
/// The longest question about a user that older servers take.
const QUESTION: usize = 1000;
/// How often a job of the server is looked at before it is left to itself.
const LOOKS: u32 = 3;

pub(crate) struct Api {
    pub(crate) client: Client,
    /// The server stores only in its own time.
    only_async: AtomicBool,
    /// What this server does not have is not asked for again.
    no_synthesis: AtomicBool,
    no_model: AtomicBool,
}

/// A memory, in whichever shape it came.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) kind: String,
    pub(crate) score: f64,
}

impl Memory {
    /// What a tool shows of it. Servers add much more, embeddings for instance.
    pub(crate) fn to_json(&self) -> Value {
        json!({"id": self.id, "content": self.text, "type": self.kind, "score": self.score})
    }
}

/// A memory that is to be stored.
pub(crate) struct New<'a> {
    pub(crate) text: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) importance: f64,
    /// The server takes a repetition with the same key for the first time.
    pub(crate) key: Option<&'a str>,
}

impl Api {
    pub(crate) fn new(host: Host) -> Result<Self, ProviderError> {
        let client = Client::new(host, RETAINDB)?.header("x-sdk-runtime", "hermes-plugin");
        let [only_async, no_synthesis, no_model] = [const { AtomicBool::new(false) }; 3];
        Ok(Self { client, only_async, no_synthesis, no_model })
    }

    /// What fits a message.
    pub(crate) fn context(&self, who: &Audience, query: &str, call: &Call<'_>) -> Result<Vec<Memory>, Failed> {
        let query = hermes_text::truncate_chars(query, QUERY);
        let body = who.body(json!({"query": query, "include_memories": true, "max_tokens": 1200}));
        let answer = self.client.post("/v1/context/query", &[], call).json(body).send()?;
        Ok(memories(&answer["results"], who))
    }

    pub(crate) fn search(&self, who: &Audience, query: &str, top: u64, call: &Call<'_>) -> Result<Vec<Memory>, Failed> {
        let query = hermes_text::truncate_chars(query, QUERY);
        let body = who.body(json!({"query": query, "top_k": top, "include_pending": true}));
        let answer = self.client.post("/v1/memory/search", &[], call).json(body).send()?;
        Ok(memories(&answer["results"], who))
    }

    /// What is known of a user, within so many seconds.
    pub(crate) fn profile(&self, who: &Audience, within: u64, call: &Call<'_>) -> Result<Vec<Memory>, Failed> {
        let ask = self.client.get("/v1/memory/profile/{}", &[&who.user], call).query("project", &who.project);
        match ask.query("include_pending", "true").within(within).send() {
            Err(failed) if failed.no_such_route => failed.or_older(self.list(who, call)),
            answer => Ok(memories(&answer?["memories"], who)),
        }
    }

    /// The newest memories.
    pub(crate) fn list(&self, who: &Audience, call: &Call<'_>) -> Result<Vec<Memory>, Failed> {
        let ask = self.client.get("/v1/memories", &[], call).query("project", &who.project);
        Ok(memories(&ask.query("user_id", &who.user).query("limit", "200").send()?["memories"], who))
    }

    /// Stores a memory and answers with its id.
    pub(crate) fn add(&self, who: &Audience, new: &New<'_>, call: &Call<'_>) -> Result<String, Failed> {
        let New { text, kind, importance, key } = *new;
        let length = hermes_text::char_count(text);
        if text.trim().is_empty() || length > CONTENT {
            let what = format!("a memory of {length} characters: RetainDB takes 1 to {CONTENT}");
            return Err(ProviderError::invalid(what).into());
        }
        let mut body = who.body(json!({"content": text, "memory_type": kind, "importance": importance}));
        let send = |route, body: &Value, key: Option<&str>| {
            let ask = self.client.post(route, &[], call).json(body.clone()).within(5);
            if let Some(key) = key { ask.idempotent(key) } else { ask }.send()
        };
        let mut answer = None;
        if !self.only_async.load(Ordering::Relaxed) {
            body["write_mode"] = "sync".into();
            answer = Some(send("/v1/memory", &body, key)).filter(|answer| !is_restricted(answer));
            self.only_async.store(answer.is_none(), Ordering::Relaxed);
            body.as_object_mut().and_then(|body| body.remove("write_mode"));
        }
        let answer = match answer.unwrap_or_else(|| send("/v1/memory", &body, key)) {
            Err(failed) if failed.no_such_route => failed.or_older(send("/v1/memories", &body, None))?,
            answer => answer?,
        };
        let ids = [&answer["memory_id"], &answer["memory"]["id"], &answer["id"], &answer["job_id"]];
        Ok(ids.into_iter().find_map(Value::as_str).unwrap_or_default().to_owned())
    }

    pub(crate) fn delete(&self, id: &str, call: &Call<'_>) -> Result<(), Failed> {
        let send = |route| self.client.delete(route, &[id], call).within(5).send();
        let answer = match send("/v1/memory/{}") {
            Err(failed) if failed.no_such_route => failed.or_older(send("/v1/memories/{}")),
            answer => answer,
        };
        match answer {
            Ok(answer) if answer["deleted"].is_null() && answer.get("deleted").is_some() => Err(no_memory(id).into()),
            Err(Failed { error: ProviderError { kind: ErrorKind::NotFound, .. }, .. }) => Err(no_memory(id).into()),
            answer => answer.map(drop),
        }
    }

    /// Hands over what was said, for the server to learn from in its own time: a model reads it there, and who waits for that
    /// may leave before the end, and come again.
    pub(crate) fn ingest(&self, who: &Audience, messages: &Value, key: &str, call: &Call<'_>) -> Result<(), Failed> {
        let mut body = who.body(json!({"messages": messages, "write_mode": "async"}));
        if who.session.is_empty() {
            body["session_id"] = AGENT.into();
        }
        let ask = self.client.post("/v1/memory/ingest/session", &[], call).json(body).idempotent(key);
        let answer = ask.within(15).send()?;
        if let Some(job) = answer["job_id"].as_str() {
            return self.look_after(job, call);
        }
        let errors = answer["errors"].as_array().filter(|errors| !errors.is_empty());
        match errors {
            Some(errors) if answer["memories_created"].as_u64() == Some(0) => {
                let text = |error: &Value| error.as_str().map_or_else(|| error.to_string(), str::to_owned);
                let reason = errors.iter().map(text).collect::<Vec<_>>().join("; ");
                let message = format!("RetainDB took the turn and learnt nothing from it: {reason}");
                Err(ProviderError::new(ErrorKind::Internal, message).into())
            }
            Some(errors) => {
                // Another delivery would double what it did learn.
                tracing::warn!(errors = errors.len(), "a turn was learnt from in part");
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Waits a while for a job. One that goes on is the server's by now; one that failed is not stored.
    fn look_after(&self, job: &str, call: &Call<'_>) -> Result<(), Failed> {
        for look in 0..LOOKS {
            let answer = self.client.get("/v1/memory/jobs/{}", &[job], call).may_be_missing().send();
            let job = answer.map(|mut answer| answer["job"].take()).unwrap_or_default();
            match job["status"].as_str().unwrap_or_default() {
                "failed" | "error" | "dead" => {
                    let reason = job["error"].as_str().unwrap_or("it does not say why");
                    let message = format!("RetainDB took the turn and could not learn from it: {reason}");
                    return Err(ProviderError::new(ErrorKind::Internal, message).into());
                }
                "pending" | "queued" | "processing" | "running" if !call.is_cancelled() => {}
                _ => break,
            }
            std::thread::sleep(Duration::from_millis(100 << look));
        }
        Ok(())
    }

    /// What the service makes of a user, as an answer to a question; None where it does not do that.
    pub(crate) fn synthesis(&self, who: &Audience, query: &str, call: &Call<'_>) -> Result<Option<String>, Failed> {
        let level = match hermes_text::char_count(query) {
            0..120 => "low",
            120..400 => "medium",
            _ => "high",
        };
        let body = json!({"project": who.project, "query": hermes_text::truncate_chars(query, QUERY), "reasoning_level": level});
        let older = json!({"project": who.project, "user_id": who.user,
            "question": hermes_text::truncate_chars(query, QUESTION), "reasoning_level": level});
        let answer = optional(&self.no_synthesis, || {
            match self.client.post("/v1/memory/profile/{}/ask", &[&who.user], call).json(body).send() {
                Err(failed) if failed.no_such_route => {
                    failed.or_older(self.client.post("/v1/memory/dialectic", &[], call).json(older).send())
                }
                answer => answer,
            }
        })?;
        Ok(answer
            .and_then(|answer| answer["answer"].as_str().map(str::to_owned))
            .filter(|text| !text.trim().is_empty()))
    }

    /// What the service thinks the agent is.
    pub(crate) fn model(&self, who: &Audience, call: &Call<'_>) -> Result<Option<String>, Failed> {
        let answer = optional(&self.no_model, || {
            let ask = self.client.get("/v1/memory/agent/{}/model", &[AGENT], call);
            ask.query("project", &who.project).within(4).send()
        })?;
        let Some(model) = answer.filter(|model| model["memory_count"].as_u64() > Some(0)) else { return Ok(None) };
        let instructions = model["persistent_instructions"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let instructions = instructions.collect::<Vec<_>>().join("; ");
        let text = |field: &str| model[field].as_str().unwrap_or_default().to_owned();
        let parts =
            [("", text("persona")), ("Instructions: ", instructions), ("Working style: ", text("working_style"))];
        let parts = parts.iter().filter(|(_, text)| !text.trim().is_empty());
        let text = parts.map(|(name, text)| format!("{name}{text}")).collect::<Vec<_>>().join(". ");
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    pub(crate) fn seed(&self, project: &str, text: &str, call: &Call<'_>) -> Result<(), Failed> {
        let body = json!({"project": project, "content": text, "source": "soul_md"});
        self.client.post("/v1/memory/agent/{}/seed", &[AGENT], call).json(body).within(20).send().map(drop)
    }
}

/// Some tenants may not wait for a memory to be stored.
fn is_restricted(answer: &Result<Value, Failed>) -> bool {
    answer.as_ref().is_err_and(|failed| failed.code == "SYNC_WRITE_RESTRICTED")
}

fn no_memory(id: &str) -> ProviderError {
    ProviderError::not_found(format!("there is no memory `{id}`")).hint("`retaindb_search` shows the ids")
}

/// Asks for what not every server has, until one has said so.
fn optional(absent: &AtomicBool, ask: impl FnOnce() -> Result<Value, Failed>) -> Result<Option<Value>, Failed> {
    if absent.load(Ordering::Relaxed) {
        return Ok(None);
    }
    match ask() {
        Err(failed) if failed.no_such_route => {
            absent.store(true, Ordering::Relaxed);
            Ok(None)
        }
        answer => answer.map(Some),
    }
}

/// The rows of an answer. What the server says is another user's is left out.
fn memories(rows: &Value, who: &Audience) -> Vec<Memory> {
    let read = |row: &Value| {
        let inner = Some(&row["memory"]).filter(|inner| inner.is_object()).unwrap_or(row);
        let field = |names: &[&str]| names.iter().find_map(|name| inner[name].as_str().or_else(|| row[name].as_str()));
        if field(&["user_id", "userId"]).is_some_and(|user| user != who.user) {
            return None;
        }
        let (id, text) = (field(&["id"])?.to_owned(), field(&["content"])?.to_owned());
        let kind = field(&["memory_type", "memoryType", "type"]).unwrap_or_default().to_owned();
        let score = ["score", "similarity"].iter().find_map(|name| row[name].as_f64()).unwrap_or_default();
        Some(Memory { id, text, kind, score }).filter(|memory| !memory.text.trim().is_empty())
    };
    rows.as_array().into_iter().flatten().filter_map(read).collect()
}
