//! Providers opened as the host opens them, without a home.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_host::clock::Clock;
use hermes_host::config::Isolation;
use hermes_host::plugins::health::Health;
use hermes_host::plugins::inspect::inspect;
use hermes_host::plugins::load::{Confine, Limits, Loaded, Loading, Plugin};
use hermes_host::plugins::services::{HostServices, ModelAccess};
use hermes_host::plugins::verify::sha256_of;
use hermes_provider_api::Capabilities;
use hermes_provider_api::records::OpenRequest;

use crate::Result;

/// Every way of loading, with the word for it.
pub(crate) const LOADERS: [(&str, Isolation); 2] =
    [("in_process", Isolation::InProcess), ("process", Isolation::Process)];

/// Opens a library with this folder for its data.
pub(crate) fn open(library: &Path, hermes: &Path, isolation: Isolation, data_dir: PathBuf) -> Result<Arc<Loaded>> {
    let metadata = inspect(library).map_err(|error| error.to_string())?;
    let clock = Clock::default();
    let services = HostServices {
        provider: metadata.id.clone(),
        home: data_dir.clone(),
        data_dir,
        settings: serde_json::Map::new(),
        defaults: BTreeMap::new(),
        granted: Capabilities::default(),
        secrets: Arc::new(|_| None),
        clock: clock.clone(),
        log: Arc::new(|_, _| {}),
        model: ModelAccess::default(),
    };
    let loading = Loading {
        isolation,
        executable: hermes.to_owned(),
        limits: Limits::default(),
        health: Arc::new(Health::new(&metadata.id, clock.clone(), None)),
        clock,
        reports: None,
    };
    let plugin = Plugin {
        library: library.to_owned(),
        sha256: sha256_of(library).map_err(|error| error.to_string())?.to_string(),
        metadata,
        services: Arc::new(services),
        open: OpenRequest { host_version: "0.1.0".into(), log_level: "warn".into(), ..OpenRequest::default() },
        confine: Confine::default(),
    };
    let loaded = Loaded::new(plugin, loading);
    loaded.open().map_err(|error| error.to_string())?;
    Ok(Arc::new(loaded))
}
