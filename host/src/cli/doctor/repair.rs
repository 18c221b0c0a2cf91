//! What `--fix` does: only what loses nothing and nobody can regret.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use crate::home::Home;
use crate::home::files;
use crate::plugins::lock::Editor;
use crate::plugins::store;

/// One safe change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    /// Takes away what other users may do.
    Close { path: PathBuf, mode: u32 },
    /// Deletes what a writer that was killed left.
    DeleteTemporary(PathBuf),
    /// Gives a file that cannot be read another name.
    SetAside(PathBuf),
    /// Deletes a folder of the store that no record names.
    DeleteFromStore(PathBuf),
}

impl Repair {
    /// Says what was done; None when there is nothing to do any more.
    pub(super) fn run(&self, home: &Home) -> Result<Option<String>, String> {
        match self {
            Self::Close { path, mode } => {
                let shown = path.display();
                fs::set_permissions(path, Permissions::from_mode(*mode))
                    .map_err(|error| format!("cannot close `{shown}` to other users: {error}"))?;
                Ok(Some(format!("closed `{shown}` to other users (mode {mode:o})")))
            }
            Self::DeleteTemporary(path) => {
                fs::remove_file(path).map_err(|error| format!("cannot delete `{}`: {error}", path.display()))?;
                Ok(Some(format!("deleted `{}`", path.display())))
            }
            Self::SetAside(path) => {
                let mut name = path.clone().into_os_string();
                name.push(".bad");
                let kept = PathBuf::from(name);
                files::rename(path, &kept).map_err(|error| error.to_string())?;
                Ok(Some(format!("`{}` is now `{}`", path.display(), kept.display())))
            }
            Self::DeleteFromStore(path) => {
                // Another process may just have installed it.
                let editor = Editor::open(home).map_err(|error| error.to_string())?;
                if !store::leftovers(home, &editor).contains(path) {
                    return Ok(None);
                }
                store::take_away(home, &editor, path).map_err(|error| error.to_string())?;
                Ok(Some(format!("deleted `{}`", path.display())))
            }
        }
    }
}

/// What writers that were killed left in the home.
pub(super) fn temporaries(home: &Home) -> impl Iterator<Item = PathBuf> + use<> {
    let memories = home.memories();
    [home.root().to_owned(), memories.join(".backups"), memories, home.pending()]
        .into_iter()
        .flat_map(|folder| files::abandoned(&folder))
}
