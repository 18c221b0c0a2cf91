//! Opening a file below a folder without following a link.
//!
//! Whoever may write to the folder, a provider to its own for instance, could otherwise lead the host out of it, and
//! the host has more rights than they have. Checking the path first would leave time to change it.

use std::fs::File;
use std::io;
use std::path::{Component, Path};

use hermes_provider_api::ProviderError;
use rustix::fs::{Mode, OFlags, mkdirat, open, openat};
use rustix::io::Errno;

/// What for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// The file is there.
    Read,
    /// The file and the folders above it are made, for the user alone; what was in it is gone.
    Replace,
}

/// Opens the plain file at `relative`, a path of names alone, below the folder `root`.
pub(super) fn open_beneath(root: &Path, relative: &Path, access: Access) -> io::Result<File> {
    let names: Vec<_> = relative
        .components()
        .map(|part| match part {
            Component::Normal(name) => Ok(name),
            _ => Err(io::ErrorKind::InvalidInput),
        })
        .collect::<Result<_, _>>()?;
    let Some((name, parents)) = names.split_last() else { return Err(io::ErrorKind::IsADirectory.into()) };
    let mut folder = open(root, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    for parent in parents {
        if access == Access::Replace
            && let Err(error) = mkdirat(&folder, *parent, Mode::RWXU)
            && error != Errno::EXIST
        {
            return Err(error.into());
        }
        folder = openat(&folder, *parent, OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    }
    let mode = match access {
        Access::Read => OFlags::RDONLY,
        Access::Replace => OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC,
    };
    // A pipe would be waited for.
    let flags = mode | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(&folder, *name, flags, Mode::RUSR | Mode::WUSR)?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
    }
    Ok(file)
}

/// A path below the data folder, as a provider names it.
pub(super) fn own_path(name: &str) -> Result<&Path, ProviderError> {
    let relative = Path::new(name);
    if name.is_empty() || relative.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(ProviderError::invalid(format!("`{name}` is not a path in the data folder")));
    }
    Ok(relative)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_link_and_no_pipe_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
        fs::create_dir(&root).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("key"), "secret").unwrap();
        symlink(&outside, root.join("folder")).unwrap();
        symlink(outside.join("key"), root.join("file")).unwrap();
        symlink(outside.join("new"), root.join("dangling")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe"), Mode::RUSR | Mode::WUSR).unwrap();
        for access in [Access::Read, Access::Replace] {
            for name in ["folder/key", "file", "dangling", "pipe", "", ".", "../outside/key", "/etc/hostname"] {
                assert!(open_beneath(&root, Path::new(name), access).is_err(), "{name}");
            }
        }
        assert_eq!(fs::read_to_string(outside.join("key")).unwrap(), "secret");
        assert!(!outside.join("new").exists());
    }

    #[test]
    fn files_are_made_with_their_folders_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = Path::new("a/b/c.txt");
        for text in ["long text", "да"] {
            open_beneath(folder.path(), path, Access::Replace).unwrap().write_all(text.as_bytes()).unwrap();
            assert_eq!(io::read_to_string(open_beneath(folder.path(), path, Access::Read).unwrap()).unwrap(), text);
        }
    }
}
