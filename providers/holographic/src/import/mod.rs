//! Facts from other memories: as records, or out of a file that the host laid into the data folder.

mod python;

use std::path::Path;

use hermes_provider_api::records::{Caller, ImportBatch, ImportRecord, ImportReport, UnixMillis};
use hermes_provider_api::{Call, ProviderError};
use hermes_text::char_count;
use serde_json::Value;

use crate::error::Result;
use crate::facts::{self, NewFact, Past, Source, without_controls};
use crate::store::Store;

/// Another memory may have kept longer texts than are taken here.
const MAX_CONTENT: usize = 100_000;

/// A fact that another memory has, or why it cannot be taken.
struct Found {
    /// How the report names it.
    name: String,
    fact: Result<NewFact, String>,
}

/// Takes a batch; its file is one in `folder`.
pub(crate) fn import(
    store: &Store,
    folder: &Path,
    batch: &ImportBatch,
    trust: f64,
    now: UnixMillis,
    call: &Call<'_>,
) -> Result<ImportReport> {
    if batch.file.is_empty() {
        let found = batch.records.iter().enumerate().map(|(at, record)| of_record(at, record, trust)).collect();
        return take(store, found, &batch.caller, now, call);
    }
    let page = python::read(&folder.join(plain_name(&batch.file)?), &batch.cursor, trust)?;
    let report = take(store, page.facts, &batch.caller, now, call)?;
    Ok(ImportReport { next: page.next, total: page.total, ..report })
}

/// Stores what can be stored, in one transaction.
fn take(store: &Store, found: Vec<Found>, caller: &Caller, now: UnixMillis, call: &Call<'_>) -> Result<ImportReport> {
    store.write(|db| {
        let mut report = ImportReport::default();
        for Found { name, fact } in &found {
            call.check()?;
            match fact {
                Err(reason) => report.refused.push(format!("{name}: {reason}")),
                Ok(fact) if facts::add(db, fact, caller, now)?.existed => report.skipped += 1,
                Ok(_) => report.added += 1,
            }
        }
        Ok(report)
    })
}

fn of_record(at: usize, record: &ImportRecord, trust: f64) -> Found {
    let fact = content(&record.text).map(|content| NewFact {
        tags: record.tags.clone(),
        past: Some(Past {
            created: record.created,
            extra: Some(&record.extra).filter(|extra| !extra.is_null()).map(Value::to_string),
            ..Past::default()
        }),
        ..NewFact::new(content, Source::Import, trust)
    });
    Found { name: format!("record {}", at + 1), fact }
}

fn content(text: &str) -> Result<String, String> {
    let kept = without_controls(text);
    match char_count(&kept) {
        0 => Err("has no text".to_owned()),
        count if count > MAX_CONTENT => Err(format!("has {count} characters, at most {MAX_CONTENT} are taken")),
        _ => Ok(kept),
    }
}

/// A file of the folder itself, and none of the store.
fn plain_name(name: &str) -> Result<&str> {
    let plain = Path::new(name).file_name().is_some_and(|file| file == name) && !name.contains(['/', '\\', '\0']);
    if plain && !name.starts_with("facts.") {
        return Ok(name);
    }
    Err(ProviderError::invalid(format!("`{}` is no file that can be imported", name.escape_debug()))
        .hint("run `hermes memory import holographic --from <file>`")
        .into())
}
