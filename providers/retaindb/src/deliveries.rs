//! What hermes delivers: turns, notes of the agent, and with the first of them who the agent is.
//!
//! Hermes delivers at least once. The service takes a repetition for what it is where it knows the key, and not where a
//! server is older; what has arrived is therefore written down here as well.

use hermes_provider_api::records::{MemoryTarget, MemoryWrite, Turn, UnixMillis, WriteAction};
use hermes_provider_api::rest::rfc3339;
use hermes_provider_api::{Call, ErrorKind, ProviderError, Result};
use serde_json::json;

use crate::api::{Api, Memory, New};
use crate::audience::Audience;

/// The longest SOUL.md that the service takes, in characters.
const SOUL: usize = 32_000;
/// How much a note of the agent counts, from 0 to 1.
pub(crate) const IMPORTANCE: f64 = 0.7;

/// Whether a text says nothing. The service takes NULs out.
pub(crate) fn is_blank(text: &str) -> bool {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\0').is_empty()
}

pub(crate) fn turn(api: &Api, who: &Audience, turn: &Turn, at: UnixMillis, call: &Call<'_>) -> Result<()> {
    let (user, answer) = (turn.user_text(), turn.assistant_text());
    if is_blank(user) {
        return Ok(());
    }
    let message = |role: &str, text: &str| json!({"role": role, "content": text, "timestamp": rfc3339(at)});
    let mut messages = vec![message("user", user)];
    // An answer that was broken off is nobody's word.
    if !turn.interrupted && !is_blank(answer) {
        messages.push(message("assistant", answer));
    }
    let key = &turn.idempotency_key;
    api.client.once(key, || Ok(api.ingest(who, &messages.into(), key, call)?))
}

pub(crate) fn note(api: &Api, who: &Audience, write: &MemoryWrite, call: &Call<'_>) -> Result<()> {
    let kind = if write.target == MemoryTarget::User { "preference" } else { "factual" };
    api.client.once(&write.idempotency_key, || {
        if matches!(write.action, WriteAction::Replace | WriteAction::Remove) {
            // Gone already: it was delivered before, or the service has put it in its own words.
            if let Some(old) = known(api, who, &write.previous, call)? {
                match api.delete(&old.id, call).map_err(ProviderError::from) {
                    Err(error) if error.kind != ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
        }
        if matches!(write.action, WriteAction::Add | WriteAction::Replace) && !write.content.trim().is_empty() {
            api.add(
                who,
                &New { text: &write.content, kind, importance: IMPORTANCE, key: Some(&write.idempotency_key) },
                call,
            )?;
        }
        Ok(())
    })
}

/// The memory that says this, in whatever case and form of letters.
pub(crate) fn known(api: &Api, who: &Audience, text: &str, call: &Call<'_>) -> Result<Option<Memory>> {
    let same = |memory: &Memory| hermes_text::normalize(&memory.text) == hermes_text::normalize(text);
    Ok(api.search(who, text, 20, call)?.into_iter().find(same))
}

/// Tells the service who the agent is, once for each text that the user's SOUL.md has had.
pub(crate) fn soul(api: &Api, who: &Audience, call: &Call<'_>) -> Result<()> {
    let text = match api.client.host().read_file("soul", "SOUL.md") {
        Err(error) if error.kind == ErrorKind::NotFound => return Ok(()),
        text => text?,
    };
    let text = hermes_text::truncate_chars(text.trim(), SOUL);
    if text.is_empty() {
        return Ok(());
    }
    api.client.once(&format!("soul {}\n{text}", who.project), || Ok(api.seed(&who.project, text, call)?))
}
