//! A plugin that is not packed: a folder with what an archive would hold, or the library alone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::unpack::{Contents, Unpacked};
use super::{Limits, PackageError, is_library};
use crate::home::files::At as _;

/// Copies a plugin that is not packed into `dest`, an empty folder that only this process knows: all files of a
/// folder, or one library. The rules are those of an archive, but links are followed: they are the user's own.
///
/// # Errors
/// When it breaks a rule of archives or cannot be read. What was written until then stays in `dest`.
pub fn collect(source: &Path, dest: &Path, limits: Limits) -> Result<Unpacked, PackageError> {
    let mut paths = Vec::new();
    if source.is_dir() {
        for item in fs::read_dir(source).at("read", source)? {
            paths.push(item.at("read", source)?.path());
        }
        paths.sort();
    } else {
        let lone = |reason| Err(PackageError::Lone { reason });
        if !fs::metadata(source).at("read", source)?.is_file() {
            return lone("is no plain file");
        }
        if !source.file_name().and_then(|name| name.to_str()).is_some_and(is_library) {
            return lone(
                "is neither an archive (`.tar.gz`, `.tar.zst`) nor a library `lib….so`, `lib….dylib` or `….dll`",
            );
        }
        paths.push(source.to_owned());
    }
    let mut contents = Contents::new(limits);
    for path in paths {
        let name = path.file_name().unwrap_or_default();
        let shown = name.to_string_lossy().into_owned();
        let refuse = |reason| PackageError::Entry { name: shown.clone(), reason };
        // A pipe would be waited for without end.
        let metadata = fs::metadata(&path).at("read", &path)?;
        if !metadata.is_file() {
            return Err(refuse("is no plain file"));
        }
        let name = name.to_str().ok_or_else(|| refuse("has a name that is not UTF-8"))?;
        let target = contents.admit(name, metadata.len(), dest)?;
        let mut from = File::open(&path).at("read", &path)?.take(metadata.len());
        let mut to = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&target).at("create", &target)?;
        io::copy(&mut from, &mut to).at("copy", &path)?;
    }
    contents.finish()
}
