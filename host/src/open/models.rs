//! What of a provider goes to the user's model: for a status that says where facts go before anybody wonders.

use hermes_provider_api::metadata::Metadata;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Surroundings;
use crate::error::Failure;
use crate::model::{Models, Use};
use crate::plugins::services::Authority;

/// One thing that a provider may ask a model for.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct ModelUse {
    /// `embed` or `chat`.
    pub kind: &'static str,
    /// Whether texts are sent. Not before its setting is on.
    pub on: bool,
    /// The setting that turns it on; None when the grant alone does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setting: Option<String>,
    /// The model, if one is set up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where texts go, if a model is set up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The setting that names the model.
    #[serde(skip)]
    needs: &'static str,
}

impl ModelUse {
    /// What is sent where, for a person; None while it is off.
    #[must_use]
    pub fn sent(&self) -> Option<String> {
        let (place, model) = (self.place.as_ref()?, self.model.as_ref()?);
        let why = self.setting.as_ref().map_or_else(String::new, |key| format!(", since `{key}` is on"));
        self.on.then(|| format!("sends what it stores and is asked, without secrets, to {place} ({model}){why}"))
    }

    /// That it is on and no model is set up.
    #[must_use]
    pub fn problem(&self) -> Option<Failure> {
        if !self.on || self.model.is_some() {
            return None;
        }
        let on = self.setting.as_ref().map_or_else(|| "a model is used".to_owned(), |key| format!("`{key}` is on"));
        let hint = format!("`hermes config set model.base_url URL` and `hermes config set {} NAME`", self.needs);
        Some(Failure::new(format!("{on}, and no model is set up for it")).hint(hint))
    }
}

/// One line on what is off; None when nothing is.
#[must_use]
pub fn off_line(uses: &[ModelUse]) -> Option<String> {
    let off: Vec<_> = uses.iter().filter(|used| !used.on).filter_map(|used| used.setting.as_ref()).collect();
    let names: Vec<_> = off.iter().map(|key| format!("`{key}`")).collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    match uses.iter().any(|used| used.on) {
        _ if names.is_empty() => None,
        true => Some(format!("sends a model nothing else: {} {verb} off", names.join(" and "))),
        false => Some(format!("sends nothing to a model: {} {verb} off", names.join(" and "))),
    }
}

impl Surroundings {
    /// What a plugin may ask a model for, and whether it does, with these settings of its own.
    #[must_use]
    pub fn model_uses(&self, metadata: &Metadata, settings: &Map<String, Value>) -> Vec<ModelUse> {
        let models = Models::of(&self.config, &self.secrets);
        let defaults = super::own_choices(metadata);
        let kinds = [("embed", Use::Embed), ("chat", Use::Chat)];
        let used = |(kind, of): (&'static str, Use)| {
            let (on, setting) = match Authority::of(&metadata.capabilities.model, of, settings, &defaults) {
                Authority::None => return None,
                Authority::Dormant(key) => (false, Some(key)),
                Authority::Armed(key) => (true, key),
            };
            let target = models.target(of);
            let (model, place) = (target.map(|target| target.name.clone()), target.map(|target| target.place()));
            Some(ModelUse { kind, on, setting, model, place, needs: of.setting() })
        };
        kinds.into_iter().filter_map(used).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(setting: &str, on: bool, model: Option<&str>) -> ModelUse {
        let place = model.map(|_| "http://localhost:1/v1".to_owned());
        let (setting, model) = (Some(setting.to_owned()), model.map(str::to_owned));
        ModelUse { kind: "embed", on, setting, model, place, needs: "model.embedding" }
    }

    #[test]
    fn what_is_sent_is_said_and_what_is_not_too() {
        let off = [used("semantic", false, Some("m")), used("rerank", false, None)];
        assert_eq!(off_line(&off).unwrap(), "sends nothing to a model: `semantic` and `rerank` are off");
        assert!(off.iter().all(|used| used.sent().is_none() && used.problem().is_none()));
        let half = [used("semantic", true, Some("m")), used("rerank", false, None)];
        assert_eq!(off_line(&half).unwrap(), "sends a model nothing else: `rerank` is off");
        let sent =
            "sends what it stores and is asked, without secrets, to http://localhost:1/v1 (m), since `semantic` is on";
        assert_eq!(half[0].sent().unwrap(), sent);
        let nowhere = used("semantic", true, None);
        assert_eq!(nowhere.problem().unwrap().message, "`semantic` is on, and no model is set up for it");
        assert_eq!((nowhere.sent(), off_line(&[nowhere])), (None, None));
    }
}
