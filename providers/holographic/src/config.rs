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
}

/// Values may come as text, as setup stores them, or as numbers.
#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    min_trust: Value,
    #[serde(default)]
    prefetch_limit: Value,
}

impl Settings {
    /// Reads the settings from the host.
    pub(crate) fn read(host: &Host) -> Result<Self> {
        let raw: Raw = host.config()?;
        let min_trust = number("min_trust", &raw.min_trust, 0.3, 1.0)?;
        let limit = number("prefetch_limit", &raw.prefetch_limit, 5.0, 5.0)?;
        let prefetch_limit = (0..=5_u8).rev().find(|count| f64::from(*count) <= limit).map_or(5, usize::from);
        Ok(Self { min_trust, prefetch_limit })
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
