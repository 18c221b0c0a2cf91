//! What leaves for one provider, and what it has to take it.

use std::sync::Arc;

use hermes_provider_api::Interface;

use super::Cleaner;
use crate::guard::Redactor;
use crate::plugins::hooks::Hooks;

/// What cleans and checks whatever leaves for one provider.
#[derive(Clone, Debug)]
pub struct Outgoing {
    pub(super) provider: String,
    /// What the provider has. None when that is not known, because it is not there: then it is taken to have all.
    interfaces: Option<Vec<Interface>>,
    pub(super) cleaner: Cleaner,
}

impl Outgoing {
    /// For a provider that is not there now: what is made for it waits.
    #[must_use]
    pub fn to_absent(provider: &str, redactor: Arc<Redactor>) -> Self {
        Self { provider: provider.to_owned(), interfaces: None, cleaner: Cleaner::new(redactor) }
    }

    pub(super) fn to(hooks: &(dyn Hooks + 'static), redactor: Arc<Redactor>) -> Self {
        let interfaces = Interface::ALL.iter().copied().filter(|interface| hooks.has(*interface)).collect();
        Self { interfaces: Some(interfaces), ..Self::to_absent(hooks.id(), redactor) }
    }

    /// The provider's id.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// Whether the provider has an interface, as far as is known.
    pub(super) fn has(&self, interface: Interface) -> bool {
        self.interfaces.as_ref().is_none_or(|known| known.contains(&interface))
    }
}
