//! What is known for a message: what fits it and the user's profile, each thing once.

use std::collections::HashSet;

use hermes_provider_api::records::{Recall, RecallItem, Scope};
use hermes_provider_api::rest::Failed;
use hermes_provider_api::{Call, ErrorKind, ProviderError};

use crate::api::{Api, Memory};
use crate::audience::Audience;
use crate::prepared::Ahead;

/// How much of either is taken, where a host does not want less.
const EACH: usize = 5;
/// How long the profile is waited for, in seconds: the lesser half.
const PROFILE: u64 = 4;

pub(crate) struct Overlay {
    pub(crate) fits: Vec<Memory>,
    pub(crate) profile: Vec<Memory>,
}

impl Overlay {
    /// Asks for both at the same time. One of them is better than nothing.
    pub(crate) fn ask(api: &Api, who: &Audience, query: &str, call: &Call<'_>) -> Result<Self, ProviderError> {
        let (fits, profile) = std::thread::scope(|scope| {
            let profile = scope.spawn(|| api.profile(who, PROFILE, call));
            let fits = api.context(who, query, call);
            (fits, profile.join())
        });
        let profile = profile.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match (fits, profile) {
            (Err(failed), Err(_)) => Err(failed.error),
            // Whoever answers too late is left alone after a while, instead of holding up each turn.
            (Err(failed), _) if failed.error.kind == ErrorKind::Timeout => Err(failed.error),
            (fits, profile) => Ok(Self { fits: or_none(fits), profile: or_none(profile) }.distinct()),
        }
    }

    /// Leaves out of the profile what is among what fits, and what either says twice. Texts are compared in any script.
    fn distinct(mut self) -> Self {
        let mut seen = HashSet::new();
        for list in [&mut self.fits, &mut self.profile] {
            list.retain(|memory| seen.insert(hermes_text::normalize(&memory.text)));
            list.truncate(EACH);
        }
        self
    }

    /// What fits and the profile in turns, and after the first what was asked ahead.
    pub(crate) fn into_recall(self, ahead: Ahead, scope: &Scope, limit: usize) -> Recall {
        let item = |memory: Memory| RecallItem {
            id: memory.id,
            text: memory.text,
            score: memory.score,
            scope: Some(scope.clone()),
            ..RecallItem::default()
        };
        let (mut fits, mut profile) = (self.fits.into_iter(), self.profile.into_iter());
        let mut items: Vec<_> = std::iter::from_fn(|| Some([fits.next(), profile.next()]))
            .take(EACH)
            .flatten()
            .flatten()
            .map(item)
            .collect();
        let synthesis = ahead.synthesis.map(|text| RecallItem {
            id: "synthesis".to_owned(),
            text: format!("About the user: {text}"),
            scope: Some(scope.clone()),
            ..RecallItem::default()
        });
        // It is of no audience, so that hermes keeps it out of groups.
        let model = ahead.model.map(|text| RecallItem {
            id: "self-model".to_owned(),
            text: format!("About you, the agent: {text}"),
            ..RecallItem::default()
        });
        let first = items.len().min(1);
        items.splice(first..first, synthesis.into_iter().chain(model));
        items.truncate(limit);
        Recall { items, ..Recall::default() }
    }

    /// As a text, for the model that asks by a tool.
    pub(crate) fn to_text(&self) -> String {
        let lines = |list: &[Memory]| match list {
            [] => "- None".to_owned(),
            list => list.iter().map(|memory| format!("- {}", memory.text)).collect::<Vec<_>>().join("\n"),
        };
        format!("[RetainDB Context]\nProfile:\n{}\nRelevant memories:\n{}", lines(&self.profile), lines(&self.fits))
    }
}

fn or_none(list: Result<Vec<Memory>, Failed>) -> Vec<Memory> {
    list.unwrap_or_else(|failed| {
        tracing::warn!(error = %failed.error, "half a recall");
        Vec::new()
    })
}
