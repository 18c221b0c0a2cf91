//! Puts `hermes`, the catalog, the manual and the completions of shells below a prefix.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cargo::{self, Profile};
use crate::{Result, dist, say};

/// Where each shell looks for the completions of a program, below `share`.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/hermes"),
    ("zsh", "zsh/site-functions/_hermes"),
    ("fish", "fish/vendor_completions.d/hermes.fish"),
];

pub(crate) fn run(prefix: &Path, profile: Profile) -> Result<()> {
    let prefix = expand(prefix);
    let built = cargo::build("hermes-host", "bin", profile)?.remove(0);
    let catalog = prefix.join("share/hermes/catalog");
    dist::run(&catalog, profile)?;

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
    let share = prefix.join("share");
    hermes(&target, &["man".as_ref(), "--out".as_ref(), share.join("man/man1").as_ref()])?;
    for (shell, place) in COMPLETIONS {
        let script = hermes(&target, &["completions".as_ref(), shell.as_ref()])?;
        let place = share.join(place);
        fs::create_dir_all(place.parent().unwrap_or(&share))
            .and_then(|()| fs::write(&place, script))
            .map_err(|error| format!("`{}`: {error}", place.display()))?;
    }
    say(&format!("its manual and completions are below {}", share.display()));
    let on_path =
        std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|entry| entry == folder));
    if !on_path {
        say(&format!("hint: put {} on your PATH", folder.display()));
    }
    say("next: hermes memory setup holographic");
    Ok(())
}

/// Runs what was installed, and answers with what it prints.
fn hermes(program: &Path, arguments: &[&OsStr]) -> Result<Vec<u8>> {
    let output = cargo::command(program).args(arguments).output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(output.stdout) } else { Err(format!("`{}`: {said}", program.display())) }
}

/// The shell expands `~/` only at the beginning of a word, not in `--prefix=~/.local`.
fn expand(prefix: &Path) -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match (prefix.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => std::path::absolute(prefix).unwrap_or_else(|_| prefix.to_owned()),
    }
}
