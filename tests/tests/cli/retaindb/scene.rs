//! A user with a home, `retaindb` in the catalog, and the service on a port of this machine.

use hermes_tests::fixtures;
use hermes_tests_retaindb::{Cloud, KEY, Kind, Server};
use serde_json::json;

use crate::package::Package;
use crate::scene::Scene;

/// With `retaindb` in the catalog, and nothing in the home.
pub(super) fn fresh() -> (Scene, Server) {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &Package::as_built(fixtures().artifact("hermes_provider_retaindb")));
    (scene, Server::start(Cloud::new(Kind::Hosted)))
}

/// The same, set up.
pub(super) fn ready() -> (Scene, Server) {
    let (scene, server) = fresh();
    scene.does(&setup(&server, KEY));
    (scene, server)
}

pub(super) fn setup(server: &Server, key: &str) -> String {
    format!("memory setup retaindb --yes --set api_key={key} --set base_url={}", server.url)
}

/// A recording: in a session the user says each of these.
pub(super) fn talk(session: &str, texts: &[&str]) -> String {
    let line = |role: &str, text: &str| format!("{}\n", json!({"session_id": session, "role": role, "content": text}));
    texts.iter().map(|text| line("user", text) + &line("assistant", "I see.")).collect()
}
