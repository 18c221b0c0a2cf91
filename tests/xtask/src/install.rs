//! Puts the release build of `hermes` and the catalog below a prefix.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cargo::{self, Profile};
use crate::{Result, dist, say};

pub(crate) fn run(prefix: &Path) -> Result<()> {
    let prefix = expand(prefix);
    let built = cargo::build("hermes-host", "bin", Profile::Release)?.remove(0);
    let catalog = prefix.join("share/hermes/catalog");
    dist::run(&catalog, Profile::Release)?;

    let folder = prefix.join("bin");
    let target = folder.join("hermes");
    // Beside the target and renamed: a `hermes` that runs keeps its old file.
    let fresh = folder.join(".hermes.new");
    fs::create_dir_all(&folder)
        .and_then(|()| fs::copy(&built, &fresh))
        .map_err(|error| format!("`{}`: {error}", folder.display()))?;
    #[expect(clippy::disallowed_methods, reason = "an install that can be repeated")]
    fs::rename(&fresh, &target).map_err(|error| format!("`{}`: {error}", target.display()))?;
    say(&format!("installed {}", target.display()));
    let on_path =
        std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|entry| entry == folder));
    if !on_path {
        say(&format!("hint: put {} on your PATH", folder.display()));
    }
    say("next: hermes memory setup holographic");
    Ok(())
}

/// The shell expands `~/` only at the beginning of a word, not in `--prefix=~/.local`.
fn expand(prefix: &Path) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match (prefix.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => std::path::absolute(prefix).unwrap_or_else(|_| prefix.to_owned()),
    }
}
