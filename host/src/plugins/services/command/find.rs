//! Where a granted program lies.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Where programs usually are.
const USUAL: [&str; 6] =
    ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/snap/bin"];
/// The same below the user's own folder.
const USUAL_IN_HOME: [&str; 7] =
    [".local/bin", "bin", ".cargo/bin", ".npm-global/bin", ".bun/bin", ".local/share/pnpm", ".brv-cli/bin"];

/// Where a program is searched, in this order: on `PATH`, which a service manager may have set to a short one, and then
/// in the usual places. Nothing relative, which would mean the data folder, and nothing in the home of hermes, where
/// providers write and their packages lie, whatever links lead there.
pub(super) fn folders(variable: impl Fn(&str) -> Option<OsString>, hermes: &Path) -> Vec<PathBuf> {
    let path = variable("PATH").unwrap_or_default();
    let home = variable("HOME").map(PathBuf::from);
    let mut folders: Vec<PathBuf> = Vec::new();
    let in_home = home.iter().flat_map(|home| USUAL_IN_HOME.map(|place| home.join(place)));
    for folder in std::env::split_paths(&path).chain(USUAL.map(PathBuf::from)).chain(in_home) {
        if folder.is_absolute() && !folders.contains(&folder) && !lies_in(&folder, hermes) {
            folders.push(folder);
        }
    }
    folders
}

/// The program's absolute path. `program` is one name; anything that is a path finds nothing.
pub(super) fn find(program: &str, folders: &[PathBuf], hermes: &Path) -> Option<PathBuf> {
    if program.is_empty() || program == "." || program == ".." || program.contains(['/', '\0']) {
        return None;
    }
    let mut files = folders.iter().map(|folder| folder.join(program));
    files.find(|file| is_program(file) && !lies_in(file, hermes))
}

fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Whether a path leads into a folder, by its name or through links.
fn lies_in(path: &Path, folder: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    path.starts_with(folder) || real(path).starts_with(real(folder))
}
