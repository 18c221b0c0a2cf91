//! Replacing a file that people and other programs write too, without losing what they wrote at that very moment.

use std::fs::{self, Metadata, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::files::{At as _, FileError, behind_links, create_dir, sync_dir, temporary};

/// Replaces a file as a whole, and moves what stood there when that happened to `kept`. Mode and owner stay, as far as
/// the system allows; a symbolic link is followed. A file that is not there is made, for the user alone.
///
/// The two files change places in one step, so that nothing that was ever in the file is lost: what a program that knows
/// no lock wrote a moment before is in `kept`, for the caller to look at.
///
/// # Errors
/// When any step fails. Until the exchange the old file is untouched.
pub fn exchange(path: &Path, content: &[u8], kept: &Path) -> Result<(), FileError> {
    let real = behind_links(path);
    let folder = real.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    create_dir(folder)?;
    let old = fs::metadata(&real).ok();
    let mode = old.as_ref().map_or_else(|| Permissions::from_mode(0o600), Metadata::permissions);
    let mut new = temporary(folder, mode.clone()).at("write", path)?;
    let file = new.as_file_mut();
    // The mode again: the umask has narrowed it.
    let written = file.write_all(content).and_then(|()| file.set_permissions(mode));
    written.and_then(|()| keep_owner(file, old.as_ref())).and_then(|()| file.sync_all()).at("write", path)?;
    if old.is_none() {
        return match new.persist_noclobber(&real) {
            Ok(_) => sync_dir(folder),
            // Somebody made it meanwhile.
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => exchange(path, content, kept),
            Err(error) => Err(error.error).at("replace", path),
        };
    }
    match renameat_with(CWD, new.path(), CWD, &real, RenameFlags::EXCHANGE) {
        Ok(()) => {
            sync_dir(folder)?;
            // From here on the temporary file is the old one, and must not go.
            let (_, old) = new.keep().map_err(|error| error.error).at("keep", path)?;
            keep(&old, kept)
        }
        // Not every file system can do that.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::OPNOTSUPP) => {
            fs::copy(&real, kept).at("keep", path)?;
            new.persist(&real).map_err(|error| error.error).at("replace", path)?;
            sync_dir(folder)
        }
        Err(rustix::io::Errno::NOENT) => exchange(path, content, kept),
        Err(error) => Err(io::Error::from(error)).at("replace", path),
    }
}

/// Another owner than this process has can be kept by root alone; a file that others could read is then this user's.
fn keep_owner(file: &fs::File, old: Option<&Metadata>) -> io::Result<()> {
    let Some(old) = old else { return Ok(()) };
    let new = file.metadata()?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    match fchown(file, Some(old.uid()), Some(old.gid())) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => other,
    }
}

/// Moves a file, also to another file system.
fn keep(old: &Path, kept: &Path) -> Result<(), FileError> {
    #[expect(
        clippy::disallowed_methods,
        reason = "an earlier version need not outlive a power loss: no sync is waited for"
    )]
    if fs::rename(old, kept).is_ok() {
        return Ok(());
    }
    fs::copy(old, kept).at("keep", kept)?;
    fs::remove_file(old).at("remove", old)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A replacement that makes a new file would take the mode, and a link away.
    #[test]
    fn mode_link_and_old_content_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("elsewhere")).unwrap();
        fs::write(path("elsewhere/notes"), "old").unwrap();
        fs::set_permissions(path("elsewhere/notes"), Permissions::from_mode(0o660)).unwrap();
        symlink("elsewhere/notes", path("notes")).unwrap();
        exchange(&path("notes"), b"new", &path("kept")).unwrap();
        assert!(path("notes").is_symlink());
        assert_eq!(fs::read_to_string(path("elsewhere/notes")).unwrap(), "new");
        assert_eq!(fs::metadata(path("elsewhere/notes")).unwrap().mode() & 0o777, 0o660);
        assert_eq!(fs::read_to_string(path("kept")).unwrap(), "old");
        assert_eq!(fs::read_dir(path("elsewhere")).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn what_is_not_there_is_made_for_the_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        exchange(&path, b"new", &folder.path().join("kept")).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert!(!folder.path().join("kept").exists());
    }
}
