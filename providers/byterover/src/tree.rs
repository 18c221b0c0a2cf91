//! The folders of the data folder: one with a tree for each audience, since `brv` knows no audiences.

use std::fs::{self, File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_provider_api::{Call, ChatKind, ErrorKind, ProviderError, Result, Scope};
use sha2::{Digest as _, Sha256};

/// Where `brv` keeps the Markdown files of a folder.
pub(crate) const CONTEXT: &str = ".brv/context-tree";
/// Whose folder it is.
const SCOPE: &str = "scope.json";
/// The keys of what was handed over, a line each.
const DELIVERED: &str = "delivered";
/// So many of them are kept, in bytes; the older half goes.
const MOST_DELIVERED: usize = 1 << 20;

/// The folder of one audience.
pub(crate) struct Tree {
    /// Its name in the data folder.
    pub name: String,
    /// Whose it is.
    pub scope: Scope,
    root: PathBuf,
}

impl Tree {
    /// The folder that a scope belongs to, whether it is there or not.
    pub(crate) fn of(data: &Path, scope: &Scope) -> Self {
        let Scope { profile, platform, chat, user, .. } = scope.clone();
        let scope = match scope.chat_kind {
            ChatKind::Private if user.is_empty() => Scope { profile, ..Scope::default() },
            ChatKind::Private => Scope { profile, platform, user, ..Scope::default() },
            // A group, or a kind that is to be treated as one.
            _ => Scope { profile, platform, chat, chat_kind: ChatKind::Group, ..Scope::default() },
        };
        let name = match (scope.chat_kind, scope.user.as_str(), scope.profile.as_str()) {
            (ChatKind::Private, "", "default") => "private".to_owned(),
            (ChatKind::Private, ..) => format!("private-{}", digest(&format!("{scope:?}"))),
            _ => format!("group-{}", digest(&format!("{scope:?}"))),
        };
        Self { root: data.join(&name), name, scope }
    }

    /// The same, made where it is not there.
    ///
    /// # Errors
    /// For a group without an id: what is stored there could never be shown again.
    pub(crate) fn for_writing(data: &Path, scope: &Scope) -> Result<Self> {
        if !scope.visible_to(scope) {
            return Err(ProviderError::invalid("this group chat has no id, so nothing can be remembered for it"));
        }
        let tree = Self::of(data, scope);
        let whose = serde_json::to_vec(&tree.scope).map_err(|error| ProviderError::storage(error.to_string()))?;
        // With the folder there, `brv` looks for no project above this one.
        fs::create_dir_all(tree.root.join(CONTEXT)).map_err(|error| failed(&tree.root, &error))?;
        if fs::read(tree.root.join(SCOPE)).ok().as_ref() != Some(&whose) {
            put(&tree.root.join(SCOPE), &whose)?;
        }
        Ok(tree)
    }

    /// All that are there and that an audience may see.
    pub(crate) fn visible(data: &Path, audience: &Scope) -> Vec<Self> {
        let mut trees = Self::all(data);
        trees.retain(|tree| tree.scope.visible_to(audience));
        trees
    }

    /// All that are there.
    pub(crate) fn all(data: &Path) -> Vec<Self> {
        let folders = fs::read_dir(data).into_iter().flatten().flatten();
        let read = |root: PathBuf| {
            let scope = serde_json::from_slice(&fs::read(root.join(SCOPE)).ok()?).ok()?;
            Some(Self { name: root.file_name()?.to_str()?.to_owned(), scope, root })
        };
        let mut trees: Vec<_> = folders.filter_map(|entry| read(entry.path())).collect();
        trees.sort_by(|a, b| a.name.cmp(&b.name));
        trees
    }

    /// A file or folder in it.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    /// Waits until no other `brv` is at work here, in this process or another, for as long as `needed` is left of the call.
    ///
    /// # Errors
    /// When there is not so much time any more. It may pass.
    pub(crate) fn lock(&self, needed: Duration, call: &Call<'_>) -> Result<File> {
        let path = self.path("lock");
        let file = File::create(&path).map_err(|error| failed(&path, &error))?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(failed(&path, &error)),
            }
            if call.is_cancelled() || call.remaining().is_some_and(|left| left <= needed) {
                let busy = "`brv` is still at work on what came before";
                return Err(ProviderError::new(ErrorKind::Unavailable, busy).hint("try again in a minute"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Whether a delivery was handed over before.
    pub(crate) fn is_delivered(&self, key: &str) -> bool {
        let known = fs::read_to_string(self.path(DELIVERED)).unwrap_or_default();
        known.lines().any(|line| line == digest(key))
    }

    /// Notes that it was. Only with the lock.
    pub(crate) fn note_delivered(&self, key: &str) -> Result<()> {
        let path = self.path(DELIVERED);
        let known = fs::read(&path).unwrap_or_default();
        if known.len() > MOST_DELIVERED {
            let half = known.len() / 2;
            let line = known[half..].iter().position(|byte| *byte == b'\n').map_or(known.len(), |at| half + at + 1);
            put(&path, &known[line..])?;
        }
        let mut file = File::options().append(true).create(true).open(&path).map_err(|error| failed(&path, &error))?;
        file.write_all(format!("{}\n", digest(key)).as_bytes()).map_err(|error| failed(&path, &error))
    }
}

/// Eight bytes of a hash, for names and keys.
pub(crate) fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a file: as a whole, or not at all.
pub(crate) fn put(path: &Path, content: &[u8]) -> Result<()> {
    // Two threads or processes may write the same at once.
    let new = path.with_extension(format!("{}-{:?}.new", std::process::id(), std::thread::current().id()));
    let write = || {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let mut file = File::create(&new)?;
        file.write_all(content)?;
        file.sync_all()?;
        #[expect(clippy::disallowed_methods, reason = "the file was synced, and what was not renamed comes again")]
        fs::rename(&new, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&new);
        failed(path, &error)
    })
}

/// What the host is told of a file.
pub(crate) fn failed(path: &Path, error: &std::io::Error) -> ProviderError {
    ProviderError::storage(format!("`{}`: {error}", path.display()))
        .hint("see that the provider's data folder can be written and its disk has room")
}
