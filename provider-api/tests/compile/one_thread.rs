//! The type cannot be used from several threads.

use std::cell::RefCell;

use hermes_provider_api::records::{Health, OpenRequest};
use hermes_provider_api::{Call, Host, Manifest, MemoryProvider, ProviderError, export_provider};

struct Notes(RefCell<Vec<String>>);

impl MemoryProvider for Notes {
    fn open(_: Host, _: OpenRequest) -> Result<Self, ProviderError> {
        Ok(Self(RefCell::default()))
    }
    fn health(&self, _: &Call<'_>) -> Result<Health, ProviderError> {
        Ok(Health::ok(format!("{} notes", self.0.borrow().len())))
    }
}

export_provider!(Notes, Manifest::new("notes"));

fn main() {}
