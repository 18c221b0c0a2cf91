//! What holds the provider to what it declares, on this machine.

use hermes_provider_api::Capabilities;

use super::{Facts, Finding};
use crate::config::Isolation;
use crate::plugins::load::sandbox::{Confinement, Part, Pretended};

/// Nobody should think that the kernel enforces what it does not.
pub(super) fn confinement(facts: &Facts<'_>) -> Vec<Finding> {
    let granted = facts.context.config.provider().and_then(|id| facts.lock.as_ref().ok()?.plugins.get(id));
    let granted = granted.map_or_else(Capabilities::default, |plugin| plugin.current.grant.capabilities.clone());
    // What runs it where the settings cannot be read is what does so without settings.
    let confinement = facts.surroundings.as_ref().map_or_else(
        || Confinement::of(Isolation::Process, &granted, &Pretended::default()),
        |surroundings| surroundings.confinement(&granted),
    );
    if !confinement.worker {
        let finding = Finding::warning(format!("a provider is {}", confinement.sentence()));
        return vec![finding.hint("`hermes config unset plugins.isolation` puts it into a process of its own")];
    }
    vec![finding(&confinement)]
}

fn finding(confinement: &Confinement) -> Finding {
    let gaps: Vec<_> = confinement.gaps().filter_map(Part::gap).collect();
    let message = format!("a provider is {}", confinement.sentence());
    match gaps.is_empty() {
        true => Finding::ok(message),
        false => {
            let hint = "what is not enforced is what its author promises: install only what you trust";
            Finding::warning(format!("{message}; {}", gaps.join("; "))).hint(hint)
        }
    }
}
