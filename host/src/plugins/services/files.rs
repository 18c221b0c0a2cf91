//! Files below folders that the user granted.
//!
//! `read:notes_dir` and `write:notes_dir` name the setting `notes_dir`, which holds the folder.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use hermes_provider_api::host::FileRequest;
use hermes_provider_api::{ErrorKind, ProviderError};
use serde_json::Value;

use super::HostServices;
use crate::home::files;

/// The most that is read at once.
const MAX_FILE: u64 = 16 << 20;

impl HostServices {
    pub(super) fn read_file(&self, request: &FileRequest) -> Result<String, ProviderError> {
        let path = self.granted_path("read", request)?;
        let size = fs::metadata(&path).map_err(|error| failed(&path, &error))?.len();
        if size > MAX_FILE {
            return Err(ProviderError::invalid(format!("`{}` has more than {} MiB", request.path, MAX_FILE >> 20)));
        }
        fs::read_to_string(&path).map_err(|error| failed(&path, &error))
    }

    pub(super) fn write_file(&self, request: &FileRequest) -> Result<(), ProviderError> {
        let path = self.granted_path("write", request)?;
        let content = request.content.as_deref().unwrap_or_default();
        files::replace(&path, content.as_bytes()).map_err(|error| ProviderError::storage(error.to_string()))
    }

    pub(super) fn list_files(&self, request: &FileRequest) -> Result<Vec<String>, ProviderError> {
        let path = self.granted_path("read", request)?;
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
    fn granted_path(&self, mode: &str, request: &FileRequest) -> Result<PathBuf, ProviderError> {
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
        if !real.starts_with(&root) {
            return Err(self.denied("file", &format!("{mode}:{}", real.display())));
        }
        Ok(path)
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
        let granted = Capabilities { file: vec!["read:notes_dir".into()], ..Capabilities::default() };
        let host = host(&serde_json::json!({"notes_dir": notes}), granted, folder.path());
        assert_eq!(host.read_file("notes_dir", "a.md").unwrap(), "заметка");
        assert_eq!(host.list_files("notes_dir", "").unwrap(), ["a.md", "up"]);
        let kind = |path: &str| host.read_file("notes_dir", path).unwrap_err().kind;
        assert_eq!(kind("../secret"), ErrorKind::InvalidInput);
        assert_eq!(kind("/etc/passwd"), ErrorKind::InvalidInput);
        assert_eq!(kind("up/secret"), ErrorKind::Denied);
        assert_eq!(kind("b.md"), ErrorKind::NotFound);
        assert_eq!(host.write_file("notes_dir", "a.md", "x").unwrap_err().kind, ErrorKind::Denied);
    }
}
