//! A provider without a fault, for the cases whose fault is elsewhere.

pub use hermes_provider_api::records::*;
pub use hermes_provider_api::*;

pub struct Notes;

impl MemoryProvider for Notes {
    fn open(_: Host, _: OpenRequest) -> Result<Self> {
        Ok(Self)
    }
    fn health(&self, _: &Call<'_>) -> Result<Health> {
        Ok(Health::ok("here"))
    }
}
