//! A complete catalog from the repository's own: every provider built, packed, and pinned by its hash.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_host::plugins::inspect::inspect;
use hermes_host::plugins::package;
use hermes_host::plugins::verify::sha256_of;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use crate::cargo::{self, Profile};
use crate::{Result, say};

/// Writes the catalog to `out`, in place of what was there.
pub(crate) fn run(out: &Path, profile: Profile) -> Result<()> {
    let source = cargo::root().join("catalog");
    let staging = out.with_extension("new");
    let _ = fs::remove_dir_all(&staging);
    fs::create_dir_all(staging.join("artifacts")).map_err(|error| format!("`{}`: {error}", staging.display()))?;
    for file in sorted(&source)? {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let text = fs::read_to_string(&file).map_err(|error| format!("`{}`: {error}", file.display()))?;
        let text = match (file.extension().and_then(|extension| extension.to_str()), name) {
            (Some("toml"), "removed.toml") | (Some("md"), _) => text,
            (Some("toml"), _) => release(&file, &text, &staging, profile)?,
            _ => continue,
        };
        fs::write(staging.join(name), text).map_err(|error| format!("`{name}`: {error}"))?;
    }
    let _ = fs::remove_dir_all(out);
    #[expect(clippy::disallowed_methods, reason = "a build output, made again at any time")]
    fs::rename(&staging, out).map_err(|error| format!("`{}`: {error}", out.display()))?;
    say(&format!("catalog written to {}", out.display()));
    Ok(())
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
    let mut files: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.sort();
    Ok(files)
}

/// The entry with its release in place of the crate's name.
fn release(file: &Path, text: &str, staging: &Path, profile: Profile) -> Result<String> {
    let mut entry: DocumentMut = text.parse().map_err(|error| format!("`{}`: {error}", file.display()))?;
    let Some(package) = entry.get("crate").and_then(Item::as_str).map(str::to_owned) else {
        return Err(format!("`{}` names no `crate` to build", file.display()));
    };
    entry.remove("crate");
    let library = cargo::build(&package, "cdylib", profile)?.remove(0);
    let metadata = inspect(&library).map_err(|error| error.to_string())?;

    let archive = format!("artifacts/{}-{}-{}.tar.gz", metadata.id, metadata.version, metadata.target);
    let path = staging.join(&archive);
    let out = fs::File::create(&path).map_err(|error| format!("`{archive}`: {error}"))?;
    let licences = ["LICENSE-APACHE", "LICENSE-MIT"].map(|name| cargo::root().join(name));
    let files: Vec<_> = std::iter::once(library).chain(licences).collect();
    package::pack(&files, out).map_err(|error| error.to_string())?;
    let size = fs::metadata(&path).map_err(|error| format!("`{archive}`: {error}"))?.len();
    let sha256 = sha256_of(&path).map_err(|error| error.to_string())?;

    let mut artifact = Table::new();
    artifact["target"] = value(&metadata.target);
    artifact["path"] = value(archive);
    artifact["sha256"] = value(sha256.to_string());
    artifact["size"] = value(i64::try_from(size).map_err(|_| "an archive too large".to_owned())?);

    let needs = &metadata.capabilities;
    let mut capabilities = Table::new();
    for (kind, entries) in
        [("http", &needs.http), ("secret", &needs.secret), ("command", &needs.command), ("file", &needs.file)]
    {
        if !entries.is_empty() {
            capabilities[kind] = value(entries.iter().collect::<Array>());
        }
    }
    if !needs.network.is_empty() {
        capabilities["network"] = value(&needs.network);
    }

    let mut release = Table::new();
    release["version"] = value(&metadata.version);
    release["requires_host"] = value(&metadata.requires_host);
    release["abi"] = value(format!("{}.{}", metadata.abi_major, metadata.abi_minor));
    release["capabilities"] = Item::Table(capabilities);
    release["artifacts"] = Item::ArrayOfTables(ArrayOfTables::from_iter([artifact]));
    entry["releases"] = Item::ArrayOfTables(ArrayOfTables::from_iter([release]));
    say(&format!("packed {} {} ({} KiB)", metadata.id, metadata.version, size >> 10));
    Ok(entry.to_string())
}
