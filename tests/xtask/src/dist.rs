//! A complete catalog from the repository's own: every provider built, packed, and pinned by its hash.

use std::fs;
use std::path::{Path, PathBuf};

use hermes_host::error::Failure;
use hermes_host::plugins::publish::{self, Pack, Texts};
use toml_edit::{DocumentMut, Item};

use crate::cargo::{self, Profile};
use crate::{Result, say};

/// Writes the catalog to `out`, in place of the catalog that was there.
pub(crate) fn run(out: &Path, profile: Profile) -> Result<()> {
    let is_empty = fs::read_dir(out).map_or(true, |mut items| items.next().is_none());
    if !is_empty && !out.join("removed.toml").is_file() {
        return Err(format!(
            "`{}` is no catalog, and is left as it is; name another folder with `--out`",
            out.display()
        ));
    }
    let source = cargo::root().join("catalog");
    let staging = out.with_extension("new");
    let _ = fs::remove_dir_all(&staging);
    fs::create_dir_all(&staging).map_err(|error| format!("`{}`: {error}", staging.display()))?;
    for file in sorted(&source)? {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let text = fs::read_to_string(&file).map_err(|error| format!("`{}`: {error}", file.display()))?;
        match (file.extension().and_then(|extension| extension.to_str()), name) {
            (Some("toml"), "removed.toml") | (Some("md"), _) => {
                fs::write(staging.join(name), text).map_err(|error| format!("`{name}`: {error}"))?;
            }
            (Some("toml"), _) => release(&file, &text, &staging, profile)?,
            _ => {}
        }
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

/// Puts the entry without the crate's name into the new catalog, and then its release.
fn release(file: &Path, text: &str, staging: &Path, profile: Profile) -> Result<()> {
    let mut entry: DocumentMut = text.parse().map_err(|error| format!("`{}`: {error}", file.display()))?;
    let Some(package) = entry.remove("crate").as_ref().and_then(Item::as_str).map(str::to_owned) else {
        return Err(format!("`{}` names no `crate` to build", file.display()));
    };
    let library = cargo::build(&package, "cdylib", profile)?.remove(0);
    let target = staging.join(file.file_name().unwrap_or_default());
    fs::write(&target, entry.to_string()).map_err(|error| format!("`{}`: {error}", target.display()))?;
    let packed = publish::pack(&Pack {
        library: &library,
        texts: &["LICENSE-APACHE", "LICENSE-MIT"].map(|name| cargo::root().join(name)),
        given: Texts::default(),
        found: Texts::default(),
        out: staging,
        base_url: None,
        force: false,
    });
    let packed = packed.map_err(|error| Failure::from(error).message)?;
    if packed.entry != target {
        return Err(format!("`{}` is not named after the plugin, `{}`", file.display(), packed.metadata.id));
    }
    say(&format!("packed {} {} ({} KiB)", packed.metadata.id, packed.metadata.version, packed.size >> 10));
    Ok(())
}
