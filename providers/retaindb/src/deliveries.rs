//! What hermes delivers: turns, notes of the agent, and with the first of them who the agent is.
//!
//! Hermes delivers at least once. The service takes a repetition for what it is where it knows the key, and not where a
//! server is older. So a key is written down here as soon as the service has answered: what comes again then is not sent.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use hermes_provider_api::records::{MemoryTarget, MemoryWrite, Turn, UnixMillis, WriteAction};
use hermes_provider_api::rest::rfc3339;
use hermes_provider_api::{Call, ErrorKind, Host, ProviderError, Result};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::api::{Api, Memory, New};
use crate::audience::Audience;

/// How many keys are kept at the least.
const KEYS: usize = 5000;
/// The longest SOUL.md that the service takes, in characters.
const SOUL: usize = 32_000;
/// How much a note of the agent counts, from 0 to 1.
pub(crate) const IMPORTANCE: f64 = 0.7;

pub(crate) fn turn(api: &Api, who: &Audience, turn: &Turn, at: UnixMillis, call: &Call<'_>) -> Result<()> {
    let (user, answer) = (turn.user_text(), turn.assistant_text());
    let is_blank = |text: &str| text.trim_matches(|c: char| c.is_whitespace() || c == '\0').is_empty();
    if is_blank(user) {
        return Ok(());
    }
    let message = |role: &str, text: &str| json!({"role": role, "content": text, "timestamp": rfc3339(at)});
    let mut messages = vec![message("user", user)];
    // An answer that was broken off is nobody's word.
    if !turn.interrupted && !is_blank(answer) {
        messages.push(message("assistant", answer));
    }
    once(api.client.host(), &turn.idempotency_key, |key| Ok(api.ingest(who, &messages.into(), key, call)?))
}

pub(crate) fn note(api: &Api, who: &Audience, write: &MemoryWrite, call: &Call<'_>) -> Result<()> {
    let kind = if write.target == MemoryTarget::User { "preference" } else { "factual" };
    once(api.client.host(), &write.idempotency_key, |key| {
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
            api.add(who, &New { text: &write.content, kind, importance: IMPORTANCE, key: Some(key) }, call)?;
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
    let host = api.client.host();
    let text = match host.read_file("soul", "SOUL.md") {
        Err(error) if error.kind == ErrorKind::NotFound => return Ok(()),
        text => text?,
    };
    let text = hermes_text::truncate_chars(text.trim(), SOUL);
    if text.is_empty() {
        return Ok(());
    }
    let key = format!("soul {}", hash(&format!("{}\n{text}", who.project)));
    once(host, &key, |_| Ok(api.seed(&who.project, text, call)?))
}

/// Does what this key stands for, unless it was done.
fn once(host: &Host, key: &str, deliver: impl FnOnce(&str) -> Result<()>) -> Result<()> {
    // Short, and without a line break.
    let key = hash(key);
    let file = host.data_dir()?.join("delivered");
    let storage = |error: io::Error| ProviderError::storage(format!("`{}`: {error}", file.display()));
    if read(&file).map_err(storage)?.lines().any(|line| line == key) {
        return Ok(());
    }
    deliver(&key)?;
    // It arrived. That this could not be written down is no reason to deliver it again.
    if let Err(error) = write_down(&file, &key) {
        tracing::warn!(%error, "what has arrived could not be written down");
    }
    Ok(())
}

fn read(file: &Path) -> io::Result<String> {
    match fs::read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        bytes => Ok(String::from_utf8_lossy(&bytes?).into_owned()),
    }
}

/// Adds a line, or begins anew with the newest. Two processes may do so at once; what is lost here comes twice at the worst.
fn write_down(file: &Path, key: &str) -> io::Result<()> {
    let lock = File::create(file.with_extension("lock"))?;
    lock.lock()?;
    let known = read(file)?;
    if known.lines().count() >= 2 * KEYS {
        let newest: Vec<_> = known.lines().skip(KEYS).chain([key]).collect();
        return fs::write(file, newest.join("\n") + "\n");
    }
    let line = if known.is_empty() || known.ends_with('\n') { format!("{key}\n") } else { format!("\n{key}\n") };
    File::options().create(true).append(true).open(file)?.write_all(line.as_bytes())
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_keys_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("delivered");
        let many: String = (0..2 * KEYS).map(|number| format!("{number}\n")).collect();
        fs::write(&file, many).unwrap();
        write_down(&file, "last").unwrap();
        let kept = read(&file).unwrap();
        assert_eq!((kept.lines().count(), kept.lines().last()), (KEYS + 1, Some("last")));
        // A write that was cut off spoils its own line alone.
        fs::write(&file, "one\ntw").unwrap();
        write_down(&file, "three").unwrap();
        assert_eq!(read(&file).unwrap(), "one\ntw\nthree\n");
    }
}
