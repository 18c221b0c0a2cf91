//! What every provider owes its users.

use hermes_provider_api::ProviderError;
use hermes_provider_api::testkit::conformance::{self, Kit};
use hermes_provider_byterover::ByteRover;
use serde_json::json;

use crate::support::brv;

#[test]
fn it_passes_the_kit() {
    Kit::new(json!({})).with_command(brv).run(&conformance::Direct::<ByteRover>::new()).assert();
}

#[test]
fn it_passes_the_kit_without_brv() {
    let missing = |_: &_, _: &_| Err(ProviderError::not_found("`brv` is not installed"));
    Kit::new(json!({})).with_command(missing).run(&conformance::Direct::<ByteRover>::new()).assert();
}
