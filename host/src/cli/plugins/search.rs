//! `hermes plugins search`.

use std::collections::HashSet;

use serde_json::json;

use crate::cli::Context;
use crate::config::suggest;
use crate::error::Failure;
use crate::plugins::lock::Lock;
use crate::plugins::resolve::{Platform, Want, resolve};

/// A plugin that all words were found in.
struct Hit<'a> {
    id: &'a str,
    title: &'a str,
    description: &'a str,
    tier: &'static str,
    installed: Option<String>,
    /// The newest release that fits, if there is one that may be installed.
    version: Option<String>,
}

/// Case, accents written apart, letters of another width and the form of a word make no difference.
pub(super) fn run(words: &[String], context: &Context) -> Result<(), Failure> {
    let lock = Lock::read(&context.home)?;
    let catalogs = context.surroundings()?.catalogs()?;
    catalogs.problems().for_each(|problem| context.ui.warn(problem));
    let words: Vec<_> = words.iter().map(|word| hermes_text::normalize(word)).collect();
    let words: Vec<_> = words.iter().flat_map(|word| word.split_whitespace()).collect();
    let has_all = |texts: &[&str]| {
        let text = hermes_text::normalize(&texts.join("\n"));
        let terms = hermes_text::index_terms(&text);
        let terms: HashSet<_> = terms.split(' ').collect();
        let has_form = |word: &str| hermes_text::query_terms(word).iter().any(|term| terms.contains(term.as_str()));
        words.iter().all(|word| text.contains(word) || has_form(word))
    };
    let installed = |id: &str| lock.plugins.get(id).map(|plugin| plugin.current.version.to_string());
    let mut hits = Vec::new();
    for listing in catalogs.listings() {
        let entry = &listing.entry;
        if !has_all(&[&entry.name, &entry.title, &entry.description]) {
            continue;
        }
        let blocklist = catalogs.blocklist();
        let newest = resolve(entry, &Platform::current(), blocklist, &Want::Newest).ok();
        let newest = newest.filter(|_| blocklist.name(&entry.name).is_none());
        hits.push(Hit {
            id: &entry.name,
            title: &entry.title,
            description: &entry.description,
            tier: listing.root.tier.name(),
            installed: installed(&entry.name),
            version: newest.map(|selected| selected.release.version.to_string()),
        });
    }
    let is_listed = |id: &str| catalogs.listings().any(|listing| listing.entry.name == id);
    for (id, plugin) in lock.plugins.iter().filter(|(id, _)| has_all(&[id.as_str()]) && !is_listed(id)) {
        let tier = plugin.current.vouched_by();
        hits.push(Hit { id, title: "", description: "", tier, installed: installed(id), version: None });
    }
    hits.sort_by_key(|hit| hit.id);

    if context.json {
        let found = hits.iter().map(|hit| {
            json!({
                "id": hit.id,
                "title": hit.title,
                "description": hit.description,
                "tier": hit.tier,
                "installed": hit.installed,
                "version": hit.version,
            })
        });
        context.ui.json(&json!({ "found": found.collect::<Vec<_>>() }));
        return Ok(());
    }
    for Hit { id, description, tier, installed, version, .. } in &hits {
        let state = match (installed, version) {
            (Some(installed), _) => format!("{installed}  installed, {tier}"),
            (None, Some(version)) => format!("{version}  {tier}"),
            (None, None) => format!(" cannot be installed here, {tier}"),
        };
        let description = if description.is_empty() { "in no catalog" } else { description };
        context.ui.out(format!("{id} {state}: {description}"));
    }
    if hits.is_empty() {
        context.ui.note(format!("no plugin has all of: {}", words.join(" ")));
        let names = || catalogs.listings().map(|listing| listing.entry.name.as_str());
        let names = || names().chain(lock.plugins.keys().map(String::as_str));
        if let Some(closest) = words.iter().find_map(|word| suggest(word, names())) {
            context.ui.note(format!("did you mean `{closest}`?"));
        }
    }
    Ok(())
}
