//! What every provider owes its users.

use hermes_provider_api::testkit::conformance;
use hermes_provider_holographic::Holographic;
use serde_json::json;

#[test]
fn it_passes_the_kit() {
    conformance::check::<Holographic>(json!({})).assert();
}
