//! Who else can reach what the home holds, and what in it hermes itself cannot.

use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::files::items;
use super::repair::Repair;
use super::{Facts, Finding};

/// What of a home is private by itself, where the home is open.
const PRIVATE: [&str; 7] = ["hermes.db", "hermes.db-wal", "hermes.db-shm", "logs", "memories", "plugins", "profiles"];

/// What others may do with the home itself, and with `.env`, is looked at by checks of their own. Behind a home that is
/// closed nothing else is reached.
pub(super) fn permissions(facts: &Facts<'_>) -> Vec<Finding> {
    let home = &facts.context.home;
    let Ok(root) = fs::metadata(home.root()) else { return Vec::new() };
    let inside = inside(home.root());
    let mut findings = Vec::new();
    let foreign = inside.iter().filter(|(_, found)| found.uid() != root.uid()).collect::<Vec<_>>();
    if let Some((first, found)) = foreign.first() {
        let others = match foreign.len() {
            1 => String::new(),
            number => format!(" and {} more", number - 1),
        };
        let (owner, expected) = (found.uid(), root.uid());
        let message = format!("user {owner} owns `{}`{others}, and user {expected} the home", first.display());
        findings.push(Finding::warning(message).hint(format!(
            "run `sudo chown -R {} '{}'`",
            root.uid(),
            home.root().display()
        )));
    }
    if root.permissions().mode() & 0o077 != 0 {
        let is_private = |path: &Path| PRIVATE.iter().any(|name| path.ends_with(name));
        let open = inside.into_iter().filter(|(path, found)| is_private(path) && is_open(found));
        findings.extend(open.map(|(path, found)| {
            let mode = if found.is_dir() { 0o700 } else { 0o600 };
            closable(path, mode, "is open to other users")
        }));
    }
    findings
}

/// A finding that a change of mode repairs.
pub(super) fn closable(path: PathBuf, mode: u32, what: &str) -> Finding {
    let shown = path.display();
    let finding = Finding::warning(format!("`{shown}` {what}")).hint(format!("run `chmod {mode:o} '{shown}'`"));
    finding.repaired_by(Repair::Close { path, mode })
}

/// Through a link nothing is changed, nor what belongs to somebody else.
fn is_open(found: &Metadata) -> bool {
    found.permissions().mode() & 0o077 != 0 && !found.is_symlink() && found.uid() == rustix::process::geteuid().as_raw()
}

/// What lies in the home.
fn inside(root: &Path) -> Vec<(PathBuf, Metadata)> {
    let paths = items(root).into_iter().map(|(path, _)| path);
    paths.filter_map(|path| Some((path.clone(), fs::symlink_metadata(&path).ok()?))).collect()
}
