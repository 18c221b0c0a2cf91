//! Installing what the user names by its path: an archive, a folder, or a library alone. For authors, and for machines
//! without a network.
//!
//! No catalog vouches for it, so the user is always asked; all other checks are the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use semver::Version;

use super::{InstallContext, InstallError, Offer, Origin, Outcome, is_whole, take};
use crate::home::files::At as _;
use crate::plugins::catalog::is_plugin_id;
use crate::plugins::fetch::unnamed_copy;
use crate::plugins::inspect::inspect;
use crate::plugins::lock::Editor;
use crate::plugins::package::{Limits, PackageError, collect, is_archive, unpack};
use crate::plugins::store::{Staging, version_folder};
use crate::plugins::verify::sha256_of;

/// Installs the plugin of an archive, a folder or a library, and answers its id, too. Without `force` a version that is
/// installed is not replaced by another of the same number.
///
/// # Errors
/// Why not. The lockfile and what it names are then as before.
pub fn install_file(path: &Path, force: bool, cx: &InstallContext<'_>) -> Result<(String, Outcome), InstallError> {
    let path = &fs::canonicalize(path).at("read", path)?;
    let editor = Editor::open(cx.home)?;
    let lock = editor.lock.clone();
    let staging = Staging::new(cx.home, &editor)?;
    drop(editor);

    let no_package = |source: PackageError| InstallError::NoPackage { path: path.clone(), source };
    let unpacked = match is_archive(path)? {
        true => {
            // What was hashed is what is unpacked, also if the file changes meanwhile.
            let most = Limits::default().total_bytes;
            let (archive, sha256, copied) = unnamed_copy(path, most + 1, &cx.home.store())?;
            if copied > most {
                return Err(no_package(PackageError::Content(format!("it has more than {most} bytes"))));
            }
            unpack(archive, staging.path(), Limits::default()).map(|unpacked| (unpacked, Some(sha256)))
        }
        false => collect(path, staging.path(), Limits::default()).map(|unpacked| (unpacked, None)),
    };
    let (unpacked, archive_sha256) = unpacked.map_err(no_package)?;
    let library_sha256 = sha256_of(&unpacked.library)?;
    let metadata = inspect(&unpacked.library)
        .map_err(|source| InstallError::NoPlugin { path: path.clone(), source: source.without_folders() })?;

    // Both become parts of a path.
    let version = Version::parse(&metadata.version).ok().filter(|_| is_plugin_id(&metadata.id));
    let (id, Some(version)) = (metadata.id.clone(), version) else {
        let (id, version) = (metadata.id, metadata.version);
        return Err(InstallError::BadName { path: path.clone(), id, version });
    };
    if let Some(blocked) = cx.catalogs.blocklist().name(&id) {
        return Err(blocked.clone().into());
    }
    let current = lock.plugins.get(&id).map(|installed| &installed.current);
    if let Some(record) = current.filter(|record| record.version == version && !force) {
        let same = record.library_sha256 == library_sha256;
        let place = version_folder(cx.home, &id, &version, &library_sha256).join(&record.library);
        if !same {
            return Err(InstallError::SameVersion { id, version, path: path.clone() });
        }
        if is_whole(&place, &library_sha256) {
            return Ok((id, Outcome::AlreadyInstalled { record: record.clone(), passed_over: Vec::new() }));
        }
    }
    let offer = Offer {
        id: &id,
        version: &version,
        from: Origin::File(path),
        source: format!("file:{}", path.display()),
        archive_sha256: archive_sha256.unwrap_or_else(|| library_sha256.clone()),
        library_sha256,
        artifacts: BTreeMap::new(),
        named: path.display().to_string(),
    };
    let (record, replaced) = take(cx, offer, &unpacked.library, staging, None)?;
    Ok((id, Outcome::Installed { record, replaced, passed_over: Vec::new() }))
}
