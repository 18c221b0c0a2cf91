//! What the user can set under `[providers.holographic]`.

use hermes_provider_api::{Host, ProviderError, Result};
use serde::Deserialize;
use serde_json::Value;

/// The settings, checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Settings {
    /// Facts with less trust are not recalled, 0 to 1.
    pub min_trust: f64,
    /// How many facts are recalled for a message at the most.
    pub prefetch_limit: usize,
    /// What a new fact is trusted with, 0 to 1.
    pub default_trust: f64,
    /// What a fact that helped gains.
    pub helpful: f64,
    /// What one that did not loses.
    pub unhelpful: f64,
    /// After so many days the trust in a fact counts half in a ranking; 0 for never.
    pub half_life_days: f64,
    /// What becomes of the curated memory.
    pub mirror: Mirror,
    /// When facts are read out of conversations.
    pub extract: Extract,
    /// Facts are found by meaning too: their texts go to the user's embedding model.
    pub semantic: bool,
    /// A chat model puts the best facts in order: their texts go to it.
    pub rerank: bool,
}

/// What becomes of a write to the curated memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mirror {
    /// Nothing.
    Off,
    /// A fact of the same text.
    #[default]
    Facts,
    /// Words on the facts that it is about.
    Tags,
}

/// When statements of the user about themselves become facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Extract {
    /// Never.
    #[default]
    Off,
    /// When a session ends.
    SessionEnd,
    /// Also after a pause.
    Idle,
}

/// Values may come as text, as setup stores them, or as numbers.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Raw {
    min_trust: Value,
    prefetch_limit: Value,
    default_trust: Value,
    helpful: Value,
    unhelpful: Value,
    half_life_days: Value,
    mirror: Value,
    extract: Value,
    semantic: Value,
    rerank: Value,
}

impl Settings {
    /// Reads the settings from the host.
    pub(crate) fn read(host: &Host) -> Result<Self> {
        let raw: Raw = host.config()?;
        let limit = number("prefetch_limit", &raw.prefetch_limit, 5.0, 5.0)?;
        Ok(Self {
            min_trust: number("min_trust", &raw.min_trust, 0.3, 1.0)?,
            prefetch_limit: (0..=5_u8).rev().find(|count| f64::from(*count) <= limit).map_or(5, usize::from),
            default_trust: number("default_trust", &raw.default_trust, crate::facts::FIRST_TRUST, 1.0)?,
            helpful: number("helpful", &raw.helpful, 0.05, 1.0)?,
            unhelpful: number("unhelpful", &raw.unhelpful, 0.1, 1.0)?,
            half_life_days: number("half_life_days", &raw.half_life_days, 0.0, 36_500.0)?,
            mirror: mirror(&raw.mirror)?,
            extract: extract(&raw.extract)?,
            semantic: switch("semantic", &raw.semantic)?,
            rerank: switch("rerank", &raw.rerank)?,
        })
    }
}

fn number(key: &str, value: &Value, default: f64, max: f64) -> Result<f64> {
    let number = match value {
        Value::Null => Some(default),
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    };
    number.filter(|number| (0.0..=max).contains(number)).ok_or_else(|| {
        ProviderError::invalid(format!("`{key}` must be a number from 0 to {max}"))
            .hint(format!("run `hermes config set providers.holographic.{key} {default}`"))
    })
}

fn mirror(value: &Value) -> Result<Mirror> {
    match value.as_str().map(str::trim) {
        None if value.is_null() => Ok(Mirror::default()),
        Some("off") => Ok(Mirror::Off),
        Some("facts") => Ok(Mirror::Facts),
        Some("tags") => Ok(Mirror::Tags),
        _ => Err(ProviderError::invalid("`mirror` must be `off`, `facts` or `tags`")
            .hint("run `hermes config set providers.holographic.mirror facts`")),
    }
}

fn switch(key: &str, value: &Value) -> Result<bool> {
    match value.as_str().map(str::trim) {
        None if value.is_null() => Ok(false),
        Some("off") => Ok(false),
        Some("on") => Ok(true),
        _ => Err(ProviderError::invalid(format!("`{key}` must be `off` or `on`"))
            .hint(format!("run `hermes config set providers.holographic.{key} off`"))),
    }
}

fn extract(value: &Value) -> Result<Extract> {
    match value.as_str().map(str::trim) {
        None if value.is_null() => Ok(Extract::default()),
        Some("off") => Ok(Extract::Off),
        Some("session_end") => Ok(Extract::SessionEnd),
        Some("idle") => Ok(Extract::Idle),
        _ => Err(ProviderError::invalid("`extract` must be `off`, `session_end` or `idle`")
            .hint("run `hermes config set providers.holographic.extract off`")),
    }
}
