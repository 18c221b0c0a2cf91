//! Catalogs with archives that can be installed, for tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hermes_provider_api::metadata::Metadata;
use semver::VersionReq;
use sha2::{Digest as _, Sha256};

use crate::plugins::catalog::{AbiVersion, Artifact, Location, Release, Sha256Hex};
use crate::plugins::inspect::fixture::{elf, section};
use crate::plugins::package::pack;

/// Adds a release with its archive to a catalog, and its entry if it is the first.
pub(crate) fn publish(catalog: &Path, metadata: &Metadata) {
    let (id, version) = (&metadata.id, &metadata.version);
    let build = tempfile::tempdir().unwrap();
    let library = build.path().join(format!("lib{id}.so"));
    fs::write(&library, elf(".memprov", &section(metadata))).unwrap();
    let mut archive = Vec::new();
    pack(&[library], &mut archive).unwrap();
    let name = format!("{id}-{version}.tar.gz");
    fs::write(catalog.join(&name), &archive).unwrap();

    let artifact = Artifact {
        target: metadata.target.clone(),
        location: Location::Path(name),
        sha256: Sha256Hex::from_digest(&Sha256::digest(&archive)),
        size: archive.len() as u64,
    };
    let release = Release {
        version: version.parse().unwrap(),
        requires_host: VersionReq::STAR,
        abi: AbiVersion::HOST,
        capabilities: metadata.capabilities.clone(),
        artifacts: vec![artifact],
    };
    let release = toml::to_string(&BTreeMap::from([("releases", [release])])).unwrap();
    let entry = catalog.join(format!("{id}.toml"));
    let head = "description = 'Keeps notes'\nmaintainer = 'someone'\ncategory = 'memory'\nlicence = 'MIT'\n";
    let before = fs::read_to_string(&entry).unwrap_or(format!("name = '{id}'\ntitle = 'Notes'\n{head}"));
    fs::write(entry, format!("{before}\n{release}")).unwrap();
}
