//! A provider that answers every query with the query's own text and keeps nothing: what a call of it takes is what the
//! host and the boundary take.

use hermes_provider_api::records::{Health, OpenRequest, PrefetchQuery, Recall, RecallItem, Turn};
use hermes_provider_api::{Call, Host, Interface, Manifest, MemoryProvider, ProviderError, export_provider};

struct Echo;

impl MemoryProvider for Echo {
    fn open(_host: Host, _request: OpenRequest) -> Result<Self, ProviderError> {
        Ok(Self)
    }

    fn health(&self, _call: &Call<'_>) -> Result<Health, ProviderError> {
        Ok(Health::ok("it repeats what it hears"))
    }

    fn prefetch(&self, query: &PrefetchQuery, _call: &Call<'_>) -> Result<Recall, ProviderError> {
        // Not the very text of the message, which the host would not give to a model twice.
        let item = RecallItem { text: format!("heard {}", query.query), ..RecallItem::default() };
        Ok(Recall { items: vec![item], ..Recall::default() })
    }

    fn sync_turn(&self, _turn: &Turn, _call: &Call<'_>) -> Result<(), ProviderError> {
        Ok(())
    }
}

const MANIFEST: Manifest = Manifest::new("echo").title("Echo").interfaces(&[Interface::Prefetch, Interface::Sync]);

export_provider!(Echo, MANIFEST);
