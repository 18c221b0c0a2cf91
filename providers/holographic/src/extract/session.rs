//! When facts are read out of a conversation, and what is stored of them.
//!
//! The end of a session hands over its messages. Where the user wants it, what was said before a pause is stored when the
//! conversation goes on after it. Nothing is lost with what waits for that in memory: the end of the session has it too.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use hermes_provider_api::records::{Caller, Message, Role, SessionEnd, ToolCall, ToolRequest, TurnStart, UnixMillis};
use hermes_provider_api::{Call, ChatKind, Scope};
use rusqlite::Connection;
use serde_json::Value;

use super::{Said, said};
use crate::attributes::{self, STATEMENT};
use crate::audience::{Audience, VISIBLE};
use crate::config::Settings;
use crate::error::Result;
use crate::facts::{self, NewFact, Source};
use crate::store::Store;
use crate::tools::FACT_STORE;

/// Nobody asked to keep it, so it is trusted less than what somebody did; recalls still admit it.
const TRUST: f64 = 0.4;
/// What tells such facts from others, for readers of a list.
const TAG: &str = "extracted";
/// A pause after which a conversation counts as interrupted.
const PAUSE_MS: u64 = 10 * 60 * 1000;
/// What waits is bounded.
const MAX_SESSIONS: usize = 64;
const MAX_WAITING: usize = 50;
/// Actions of the tool by which the model corrects what is stored.
const CORRECTIONS: [&str; 5] = ["update", "forget", "remove", "merge", "unmerge"];

/// Stores what the user said of themselves in a session that has ended.
pub(crate) fn at_end(
    store: &Store,
    settings: &Settings,
    end: &SessionEnd,
    now: UnixMillis,
    call: &Call<'_>,
) -> Result<()> {
    let mut found: Vec<Said> = Vec::new();
    for message in unsettled(&end.messages).iter().filter(|message| message.role == Role::User) {
        call.check()?;
        found.extend(said(&message.content));
    }
    keep(store, settings, &found, &end.caller, now)
}

/// What was said since the model last corrected a fact: it knew what was said before, and may have been told to forget it.
fn unsettled(messages: &[Message]) -> &[Message] {
    let settles = |tool: &ToolCall| corrects(&tool.name, &serde_json::from_str(&tool.arguments).unwrap_or_default());
    let settled = messages.iter().rposition(|message| message.tool_calls.iter().any(settles));
    messages.get(settled.map_or(0, |at| at + 1)..).unwrap_or_default()
}

fn corrects(tool: &str, args: &Value) -> bool {
    let action = args.get("action").and_then(Value::as_str).map(str::to_lowercase);
    tool == FACT_STORE && action.is_some_and(|action| CORRECTIONS.contains(&action.as_str()))
}

/// Stores what is not known yet. In a group many say "I", and a fact would not tell which of them it was.
fn keep(store: &Store, settings: &Settings, said: &[Said], caller: &Caller, now: UnixMillis) -> Result<()> {
    if said.is_empty() || !caller.context.may_write() || caller.scope.chat_kind != ChatKind::Private {
        return Ok(());
    }
    let audience = Audience::for_writing(&caller.scope)?;
    store.write(|db| {
        for said in said {
            if is_claimed(db, &audience, &said.text)? {
                continue;
            }
            let new = NewFact {
                category: said.category.to_owned(),
                tags: vec![TAG.to_owned()],
                ..NewFact::new(facts::clean(&said.text)?, Source::Extraction, TRUST.min(settings.default_trust))
            };
            facts::add(db, &new, caller, now)?;
        }
        Ok(())
    })
}

/// Whether all that a text claims is known in other words: "The user lives in Lisbon".
fn is_claimed(db: &Connection, audience: &Audience<'_>, text: &str) -> Result<bool> {
    let mut known = db.prepare_cached(&format!(
        "SELECT 1 FROM claims c JOIN facts f USING (fact_id)
         WHERE {VISIBLE} AND c.subject = ?3 AND c.attribute = ?4 AND c.value = ?5 AND c.negated = ?6"
    ))?;
    let mut claims = attributes::claims(text);
    claims.retain(|claim| !claim.attribute.starts_with(STATEMENT));
    for claim in &claims {
        let key = (&audience.key, audience.platform, &claim.subject, &claim.attribute, &claim.value, claim.negated);
        if !known.exists(key)? {
            return Ok(false);
        }
    }
    Ok(!claims.is_empty())
}

/// What was said in sessions that go on.
#[derive(Default)]
pub(crate) struct Idle {
    sessions: Mutex<HashMap<(String, Scope), Waiting>>,
}

#[derive(Default)]
struct Waiting {
    last: UnixMillis,
    said: Vec<Said>,
}

impl Idle {
    /// Notes a message, and stores what was said before it when a pause lies between.
    pub(crate) fn note(&self, store: &Store, settings: &Settings, start: &TurnStart, now: UnixMillis) -> Result<()> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let session = key(&start.caller);
        if !sessions.contains_key(&session) && sessions.len() >= MAX_SESSIONS {
            let oldest = sessions.iter().min_by_key(|(_, waiting)| waiting.last).map(|(id, _)| id.clone());
            oldest.and_then(|id| sessions.remove(&id));
        }
        let waiting = sessions.entry(session).or_default();
        let paused = now.saturating_sub(waiting.last) >= PAUSE_MS;
        let before = if paused { std::mem::take(&mut waiting.said) } else { Vec::new() };
        waiting.last = now;
        waiting.said.extend(said(&start.message));
        waiting.said.truncate(MAX_WAITING);
        drop(sessions);
        keep(store, settings, &before, &start.caller, now)
    }

    /// Forgets what waits of a session: it has ended.
    pub(crate) fn end(&self, caller: &Caller) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&key(caller));
    }

    /// The same once the model has corrected what is stored.
    pub(crate) fn settle(&self, request: &ToolRequest) {
        if corrects(&request.tool, &request.args) {
            self.end(&request.caller);
        }
    }
}

/// A session may be called as that of somebody else.
fn key(caller: &Caller) -> (String, Scope) {
    (caller.origin.session.clone(), caller.scope.clone())
}
