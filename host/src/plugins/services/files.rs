//! Files below folders that the user granted.
//!
//! `read:notes_dir` and `write:notes_dir` name the setting `notes_dir`, which holds the folder.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use hermes_provider_api::host::FileRequest;
use hermes_provider_api::{ErrorKind, ProviderError};
use serde_json::Value;

use super::HostServices;
use super::beneath::{Access, open_beneath, own_path};
use crate::home::files;

/// The most that is read at once.
const MAX_FILE: u64 = 16 << 20;
/// The most that is copied.
const MAX_COPY: u64 = 1 << 30;

impl HostServices {
    pub(super) fn read_file(&self, request: &FileRequest) -> Result<String, ProviderError> {
        let granted = self.granted_path("read", request)?;
        let read = || {
            let mut bytes = Vec::new();
            let file = open_beneath(&granted.root, &granted.relative, Access::Read)?;
            file.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().map_err(|error| failed(&granted.path(), &error))?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(ProviderError::invalid(format!("`{}` has more than {} MiB", request.path, MAX_FILE >> 20)));
        }
        String::from_utf8(bytes).map_err(|_| ProviderError::invalid(format!("`{}` is not UTF-8", request.path)))
    }

    /// Copies a file of the user into the data folder, and answers with its size in bytes.
    pub(super) fn copy_file(&self, request: &FileRequest) -> Result<u64, ProviderError> {
        let granted = self.granted_path("read", request)?;
        let to = own_path(request.to.as_deref().unwrap_or_default())?;
        let from = open_beneath(&granted.root, &granted.relative, Access::Read);
        let from = from.map_err(|error| failed(&granted.path(), &error))?;
        files::create_dir(&self.data_dir).map_err(|error| ProviderError::storage(error.to_string()))?;
        let copy = || {
            let mut copy = open_beneath(&self.data_dir, to, Access::Replace)?;
            let size = io::copy(&mut from.take(MAX_COPY + 1), &mut copy)?;
            if size > MAX_COPY {
                copy.set_len(0)?;
            }
            Ok(size)
        };
        match copy().map_err(|error| failed(&self.data_dir.join(to), &error))? {
            size if size > MAX_COPY => {
                Err(ProviderError::invalid(format!("`{}` has more than {} GiB", request.path, MAX_COPY >> 30)))
            }
            size => Ok(size),
        }
    }

    pub(super) fn write_file(&self, request: &FileRequest) -> Result<(), ProviderError> {
        let path = self.granted_path("write", request)?.path();
        let content = request.content.as_deref().unwrap_or_default();
        let mode = fs::metadata(&path).map(|file| file.permissions());
        files::replace(&path, content.as_bytes()).map_err(|error| ProviderError::storage(error.to_string()))?;
        // It is the user's file: who may read it is for the user to say.
        mode.map_or(Ok(()), |mode| fs::set_permissions(&path, mode)).map_err(|error| failed(&path, &error))
    }

    pub(super) fn list_files(&self, request: &FileRequest) -> Result<Vec<String>, ProviderError> {
        let path = self.granted_path("read", request)?.path();
        let mut names = Vec::new();
        for entry in fs::read_dir(&path).map_err(|error| failed(&path, &error))? {
            let entry = entry.map_err(|error| failed(&path, &error))?;
            // A name that is not UTF-8 cannot be asked for either.
            let Ok(mut name) = entry.file_name().into_string() else { continue };
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                name.push('/');
            }
            names.push(name);
        }
        names.sort();
        Ok(names)
    }

    /// The path of a request, which must lie below the granted folder also after links are followed.
    fn granted_path(&self, mode: &str, request: &FileRequest) -> Result<Granted, ProviderError> {
        let wanted = format!("{mode}:{}", request.grant);
        // Writing includes reading back.
        let writing = format!("write:{}", request.grant);
        if !self.granted.file.iter().any(|entry| *entry == wanted || *entry == writing) {
            return Err(self.denied("file", &wanted));
        }
        let Some(root) = self.settings.get(&request.grant).and_then(Value::as_str) else {
            return Err(ProviderError::invalid(format!("no folder is set for `{}`", request.grant))
                .hint(format!("run `hermes memory setup {}`", self.provider)));
        };
        let relative = Path::new(&request.path);
        if relative.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err(ProviderError::invalid(format!("`{}` is not a path below the folder", request.path)));
        }
        let root = fs::canonicalize(root).map_err(|error| failed(Path::new(root), &error))?;
        let path = root.join(relative);
        let mut existing = path.as_path();
        while fs::symlink_metadata(existing).is_err() {
            existing = existing.parent().unwrap_or(&root);
        }
        let real = fs::canonicalize(existing).map_err(|error| failed(existing, &error))?;
        let missing = path.strip_prefix(existing).unwrap_or(Path::new(""));
        match real.strip_prefix(&root) {
            Ok(inner) => Ok(Granted { relative: inner.components().chain(missing.components()).collect(), root }),
            Err(_) => Err(self.denied("file", &format!("{mode}:{}", real.display()))),
        }
    }
}

/// A path that may be used, its links followed.
struct Granted {
    root: PathBuf,
    relative: PathBuf,
}

impl Granted {
    fn path(&self) -> PathBuf {
        self.root.components().chain(self.relative.components()).collect()
    }
}

fn failed(path: &Path, error: &io::Error) -> ProviderError {
    let kind = match error.kind() {
        io::ErrorKind::NotFound => ErrorKind::NotFound,
        _ => ErrorKind::Storage,
    };
    ProviderError::new(kind, format!("`{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use hermes_provider_api::Capabilities;

    use super::super::tests::host;
    use super::*;

    #[test]
    fn only_below_the_granted_folder() {
        let folder = tempfile::tempdir().unwrap();
        let notes = folder.path().join("notes");
        fs::create_dir(&notes).unwrap();
        fs::write(folder.path().join("secret"), "s").unwrap();
        fs::write(notes.join("a.md"), "заметка").unwrap();
        std::os::unix::fs::symlink(folder.path(), notes.join("up")).unwrap();
        std::os::unix::fs::symlink("a.md", notes.join("inner")).unwrap();
        let user_alone = rustix::fs::Mode::RWXU;
        rustix::fs::mkfifoat(rustix::fs::CWD, notes.join("pipe"), user_alone).unwrap();
        let granted = Capabilities { file: vec!["read:notes_dir".into()], ..Capabilities::default() };
        let host = host(&serde_json::json!({"notes_dir": notes}), granted, folder.path());
        assert_eq!(host.read_file("notes_dir", "a.md").unwrap(), "заметка");
        assert_eq!(host.read_file("notes_dir", "inner").unwrap(), "заметка");
        assert_eq!(host.list_files("notes_dir", "").unwrap(), ["a.md", "inner", "pipe", "up"]);
        let kind = |path: &str| host.read_file("notes_dir", path).unwrap_err().kind;
        assert_eq!(kind("../secret"), ErrorKind::InvalidInput);
        assert_eq!(kind("/etc/passwd"), ErrorKind::InvalidInput);
        assert_eq!(kind("up/secret"), ErrorKind::Denied);
        assert_eq!(kind("b.md"), ErrorKind::NotFound);
        assert_eq!(kind("pipe"), ErrorKind::Storage);
        assert_eq!(kind(""), ErrorKind::Storage);
        assert_eq!(host.write_file("notes_dir", "a.md", "x").unwrap_err().kind, ErrorKind::Denied);
    }
    #[test]
    fn a_file_that_is_written_stays_the_users() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.md");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let granted = Capabilities { file: vec!["write:notes_dir".into()], ..Capabilities::default() };
        let host = host(&serde_json::json!({"notes_dir": folder.path()}), granted, folder.path());
        host.write_file("notes_dir", "a.md", "новое").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "новое");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);
        host.write_file("notes_dir", "new/b.md", "b").unwrap();
        assert_eq!(host.read_file("notes_dir", "new/b.md").unwrap(), "b");
    }
    #[test]
    fn a_copy_is_taken_byte_for_byte_and_leads_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let (notes, data) = (folder.path().join("notes"), folder.path().join("data"));
        fs::create_dir(&notes).unwrap();
        let bytes = [0, 159, 146, 150, b'\n'];
        fs::write(notes.join("a.bin"), bytes).unwrap();
        fs::write(folder.path().join("secret"), "s").unwrap();
        std::os::unix::fs::symlink("../secret", notes.join("up")).unwrap();
        let granted = Capabilities { file: vec!["read:notes_dir".into()], ..Capabilities::default() };
        let host = host(&serde_json::json!({"notes_dir": notes}), granted, &data);
        assert_eq!(host.copy_file("notes_dir", "a.bin", "in/copy").unwrap(), 5);
        assert_eq!(fs::read(data.join("in/copy")).unwrap(), bytes);
        let kind = |path: &str, to: &str| host.copy_file("notes_dir", path, to).unwrap_err().kind;
        assert_eq!(kind("b.bin", "copy"), ErrorKind::NotFound);
        assert_eq!(kind("up", "copy"), ErrorKind::Denied);
        assert_eq!(kind("../secret", "copy"), ErrorKind::InvalidInput);
        for to in ["", "../copy", "/tmp/copy", "."] {
            assert_eq!(kind("a.bin", to), ErrorKind::InvalidInput, "{to}");
        }
        assert!(!data.join("copy").exists());
    }
}
