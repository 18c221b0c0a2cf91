//! Who else can reach what the home holds, and closing it to them.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;

use super::{Facts, Finding};
use crate::home::Home;

/// What is open to others.
struct Open {
    path: PathBuf,
    /// What it should be.
    mode: u32,
}

/// The home and `.env` are looked at by checks of their own. Behind a home that is closed, nothing else is reached.
pub(super) fn permissions(facts: &Facts<'_>) -> Vec<Finding> {
    let home = &facts.context.home;
    let open = open(home);
    if !open.iter().any(|open| open.path == home.root()) {
        return Vec::new();
    }
    let inside = open.into_iter().filter(|open| open.path != home.root() && open.path != home.env_file());
    inside
        .map(|Open { path, mode }| {
            let shown = path.display();
            Finding::warning(format!("`{shown}` is open to other users"))
                .hint(format!("run `chmod {mode:o} '{shown}'`, or `hermes doctor --fix`"))
        })
        .collect()
}

/// Takes away what others may; says what was done, and what could not be.
pub(super) fn fix(home: &Home) -> Vec<Result<String, String>> {
    let close = |Open { path, mode }: Open| {
        let shown = path.display();
        match fs::set_permissions(&path, fs::Permissions::from_mode(mode)) {
            Ok(()) => Ok(format!("closed `{shown}` to other users (mode {mode:o})")),
            Err(error) => Err(format!("cannot close `{shown}` to other users: {error}")),
        }
    };
    open(home).into_iter().map(close).collect()
}

/// Through a link nothing is changed, nor what belongs to somebody else.
fn open(home: &Home) -> Vec<Open> {
    let root = home.root();
    let database = home.database();
    let mut paths = vec![root.to_owned(), home.env_file(), database.clone()];
    paths.extend(["-wal", "-shm"].map(|end| {
        let mut path = database.clone().into_os_string();
        path.push(end);
        PathBuf::from(path)
    }));
    paths.extend(["memories", "plugins"].map(|name| root.join(name)));
    paths.push(home.logs());
    let user = rustix::process::geteuid().as_raw();
    let looked_at = paths.into_iter().filter_map(|path| {
        let found = fs::symlink_metadata(&path).ok()?;
        let others = found.permissions().mode() & 0o077 != 0;
        let mode = if found.is_dir() { 0o700 } else { 0o600 };
        (others && !found.is_symlink() && found.uid() == user).then_some(Open { path, mode })
    });
    looked_at.collect()
}
