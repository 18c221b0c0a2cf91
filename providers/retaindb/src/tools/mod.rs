//! What the model calls.

mod files;
mod schema;

pub(crate) use schema::{effect, guidance, schemas};

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use hermes_provider_api::records::ToolRequest;
use hermes_provider_api::{Call, ProviderError, Result};
use serde_json::{Value, json};

use crate::api::{Api, Memory, New};
use crate::audience::{Audience, Settings};
use crate::deliveries::IMPORTANCE;
use crate::recall::Overlay;
use schema::KINDS;

/// One call.
pub(crate) struct Tools<'a> {
    pub(crate) api: &'a Api,
    pub(crate) settings: &'a Settings,
    pub(crate) seen: &'a Seen,
    pub(crate) who: Audience,
    pub(crate) call: &'a Call<'a>,
}

impl Tools<'_> {
    pub(crate) fn run(&self, request: &ToolRequest) -> Result<Value> {
        let args = &request.args;
        let (api, who, call) = (self.api, &self.who, self.call);
        match request.tool.strip_prefix("retaindb_").unwrap_or_default() {
            "profile" => Ok(self.shown(&api.profile(who, 8, call)?)),
            "search" => {
                let (query, top) = (required(args, "query")?, count(args, "top_k", 8, 20));
                Ok(self.shown(&api.search(who, query, top, call)?))
            }
            "context" => {
                let overlay = Overlay::ask(api, who, required(args, "query")?, call)?;
                self.shown(&overlay.profile);
                Ok(json!({"context": overlay.to_text(), "raw": self.shown(&overlay.fits)}))
            }
            "remember" => self.remember(args),
            "forget" => self.forget(required(args, "memory_id")?),
            "upload_file" => self.upload(args),
            "list_files" => self.list(args),
            "read_file" => self.read(required(args, "file_id")?),
            "ingest_file" => self.ingest(required(args, "file_id")?),
            "delete_file" => self.delete(required(args, "file_id")?),
            _ => Err(ProviderError::unsupported(&format!("tool `{}`", request.tool))),
        }
    }

    fn shown(&self, memories: &[Memory]) -> Value {
        self.seen.note(&self.who, memories);
        let rows: Vec<_> = memories.iter().map(Memory::to_json).collect();
        json!({"count": rows.len(), "memories": rows})
    }

    fn remember(&self, args: &Value) -> Result<Value> {
        let text = required(args, "content")?;
        let kind = args["memory_type"].as_str().unwrap_or("factual");
        if !KINDS.contains(&kind) {
            return Err(ProviderError::invalid(format!("`memory_type` must be one of {}", KINDS.join(", "))));
        }
        let importance = number(args, "importance").unwrap_or(IMPORTANCE).clamp(0.0, 1.0);
        let id = self.api.add(&self.who, &New { text, kind, importance, key: None }, self.call)?;
        self.seen.add(&self.who, &id);
        Ok(json!({"remembered": true, "memory_id": id}))
    }

    /// Deletes only what this audience was shown or has in its list: the service itself would delete anybody's.
    fn forget(&self, id: &str) -> Result<Value> {
        if !self.seen.has(&self.who, id) && !self.api.list(&self.who, self.call)?.iter().any(|memory| memory.id == id) {
            return Err(ProviderError::not_found(format!("there is no memory `{id}`"))
                .hint("look for it with `retaindb_search`, and take the id from there"));
        }
        self.api.delete(id, self.call)?;
        Ok(json!({"forgotten": id}))
    }
}

/// An argument that must be there.
fn required<'a>(args: &'a Value, name: &str) -> Result<&'a str> {
    let text = args[name].as_str().filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| ProviderError::invalid(format!("{name} is required")))
}

/// A number, also as models write it: in quotes.
fn number(args: &Value, name: &str) -> Option<f64> {
    let number = args[name].as_f64().or_else(|| args[name].as_str()?.trim().parse().ok())?;
    number.is_finite().then_some(number)
}

/// A count from 1 to a most.
fn count(args: &Value, name: &str, usual: u32, most: u32) -> u64 {
    let count = number(args, name).unwrap_or(usual.into()).clamp(1.0, most.into());
    #[expect(clippy::cast_possible_truncation, reason = "it lies within its bounds")]
    let count = count as u64;
    count
}

/// The ids that each audience was shown.
#[derive(Default)]
pub(crate) struct Seen(Mutex<HashMap<(String, String), HashSet<String>>>);

/// Beyond so many the ids of an audience are looked up instead.
const IDS: usize = 10_000;

impl Seen {
    pub(crate) fn note<'a>(&self, who: &Audience, memories: impl IntoIterator<Item = &'a Memory>) {
        memories.into_iter().for_each(|memory| self.add(who, &memory.id));
    }

    fn add(&self, who: &Audience, id: &str) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ids = seen.entry((who.project.clone(), who.user.clone())).or_default();
        if ids.len() < IDS {
            ids.insert(id.to_owned());
        }
    }

    fn has(&self, who: &Audience, id: &str) -> bool {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get(&(who.project.clone(), who.user.clone())).is_some_and(|ids| ids.contains(id))
    }
}
