//! A folder for each audience, for a store that knows no audiences of its own.
//!
//! A provider that keeps files, or leaves them to a program, cannot put a [`Scope`] into each. It keeps one folder for
//! each audience instead, and looks only into those that the caller may see.
//!
//! ```
//! use hermes_provider_api::folders::{AudienceFolder, write_whole};
//! use hermes_provider_api::{ChatKind, ProviderError, Scope};
//!
//! # fn main() -> Result<(), ProviderError> {
//! # let data = std::env::temp_dir().join(format!("hermes-doc-{}", std::process::id()));
//! let private = Scope { profile: "default".into(), platform: "cli".into(), ..Scope::default() };
//! let group = Scope { chat: "team".into(), chat_kind: ChatKind::Group, ..private.clone() };
//!
//! let folder = AudienceFolder::for_writing(&data, &private)?;
//! write_whole(&folder.path().join("tea.md"), b"Ann drinks tea")?;
//!
//! assert_eq!(folder.name(), "private");
//! assert_eq!(AudienceFolder::visible(&data, &private).len(), 1);
//! assert!(AudienceFolder::visible(&data, &group).is_empty());
//! # std::fs::remove_dir_all(&data).unwrap();
//! # Ok(())
//! # }
//! ```
//!
//! Nothing here asks the host for anything: the folders lie in [`Host::data_dir`](crate::Host::data_dir).

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{Call, ChatKind, ErrorKind, ProviderError, Scope};

/// Whose folder it is.
const SCOPE: &str = "scope.json";
/// The keys of what was delivered, a line each.
const DELIVERED: &str = "delivered";
/// So many bytes of them are kept; then the older half goes.
const MOST_DELIVERED: usize = 1 << 20;
/// A name is no longer, in characters, but for its hash.
const LONGEST_NAME: usize = 48;

/// The folder of one audience.
#[derive(Clone, Debug)]
pub struct AudienceFolder {
    name: String,
    scope: Scope,
    path: PathBuf,
}

impl AudienceFolder {
    /// The folder that a scope belongs to, whether it is there or not.
    ///
    /// Its name is `private`, `private-telegram-ann` or `group-telegram-team`, with a hash where a name is long or has other
    /// characters than letters and digits.
    #[must_use]
    pub fn of(data_dir: &Path, scope: &Scope) -> Self {
        let Scope { profile, platform, chat, user, .. } = scope.clone();
        let scope = match scope.chat_kind {
            ChatKind::Private if user.is_empty() => Scope { profile, ..Scope::default() },
            ChatKind::Private => Scope { profile, platform, user, ..Scope::default() },
            // A group, or a kind that is to be treated as one.
            _ => Scope { profile, platform, chat, chat_kind: ChatKind::Group, ..Scope::default() },
        };
        let name = name_of(&scope);
        Self { path: data_dir.join(&name), name, scope }
    }

    /// The same, made where it is not there.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] for a group without an id: what is stored there could never be shown again.
    /// [`ErrorKind::Storage`] when the folder cannot be made, or belongs to somebody else.
    pub fn for_writing(data_dir: &Path, scope: &Scope) -> Result<Self, ProviderError> {
        if !scope.visible_to(scope) {
            return Err(ProviderError::invalid("this group chat has no id, so nothing can be remembered for it")
                .hint("store it in a private chat"));
        }
        let folder = Self::of(data_dir, scope);
        match read_scope(&folder.path) {
            Some(whose) if whose == folder.scope => Ok(folder),
            Some(_) => Err(ProviderError::storage(format!("`{}` belongs to another audience", folder.path.display()))),
            None => {
                let whose =
                    serde_json::to_vec(&folder.scope).map_err(|error| ProviderError::storage(error.to_string()))?;
                write_whole(&folder.path.join(SCOPE), &whose)?;
                Ok(folder)
            }
        }
    }

    /// All folders that are there, by name.
    #[must_use]
    pub fn all(data_dir: &Path) -> Vec<Self> {
        let read = |path: PathBuf| {
            Some(Self { scope: read_scope(&path)?, name: path.file_name()?.to_str()?.to_owned(), path })
        };
        let entries = fs::read_dir(data_dir).into_iter().flatten().flatten();
        let mut folders: Vec<_> = entries.filter_map(|entry| read(entry.path())).collect();
        folders.sort_by(|a, b| a.name.cmp(&b.name));
        folders
    }

    /// Those that an audience may see, by [`Scope::visible_to`].
    #[must_use]
    pub fn visible(data_dir: &Path, audience: &Scope) -> Vec<Self> {
        let mut folders = Self::all(data_dir);
        folders.retain(|folder| folder.scope.visible_to(audience));
        folders
    }

    /// Its name in the data folder, for [`CommandRequest::folder`](crate::host::CommandRequest::folder) for instance.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whose it is: what is common to all scopes that share the folder.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until nobody else works in the folder, in this process or another, as long as more than `needed` is left of the
    /// call. The folder is given free when the answer is dropped.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] when there is not so much time any more, so that a delivery comes again.
    pub fn lock(&self, needed: Duration, call: &Call<'_>) -> Result<File, ProviderError> {
        let path = self.path.join("lock");
        let file = File::create(&path).map_err(|error| failed(&path, &error))?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(failed(&path, &error)),
            }
            if call.is_cancelled() || call.remaining().is_some_and(|left| left <= needed) {
                let busy = format!("something is still at work in `{}`", self.path.display());
                return Err(ProviderError::new(ErrorKind::Unavailable, busy).hint("try again in a minute"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Whether a delivery with this idempotency key was noted. The last ten thousand or so are known, and no empty one.
    #[must_use]
    pub fn is_delivered(&self, key: &str) -> bool {
        let known = fs::read(self.path.join(DELIVERED)).unwrap_or_default();
        let line = in_one_line(key);
        !key.is_empty() && known.split(|byte| *byte == b'\n').any(|known| known == line.as_bytes())
    }

    /// Notes a delivery, once all that it brought is stored. Only with the [`lock`](Self::lock).
    ///
    /// # Errors
    /// [`ErrorKind::Storage`].
    pub fn note_delivered(&self, key: &str) -> Result<(), ProviderError> {
        let path = self.path.join(DELIVERED);
        let known = fs::read(&path).unwrap_or_default();
        if known.len() > MOST_DELIVERED {
            let half = known.len() / 2;
            let line = known[half..].iter().position(|byte| *byte == b'\n').map_or(known.len(), |at| half + at + 1);
            write_whole(&path, &known[line..])?;
        }
        // A write that was cut off spoils its own line alone.
        let cut = if known.is_empty() || known.ends_with(b"\n") { "" } else { "\n" };
        let mut file = File::options().append(true).create(true).open(&path).map_err(|error| failed(&path, &error))?;
        file.write_all(format!("{cut}{}\n", in_one_line(key)).as_bytes()).map_err(|error| failed(&path, &error))
    }
}

/// Writes a file, with the folders above it, so that a reader and a crash leave the old one or the new one.
///
/// # Errors
/// [`ErrorKind::Storage`].
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), ProviderError> {
    // Two threads or processes may write the same at once.
    let new = path.with_extension(format!("{}-{:?}.new", std::process::id(), std::thread::current().id()));
    let write = || {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let mut file = File::create(&new)?;
        file.write_all(content)?;
        file.sync_all()?;
        #[expect(
            clippy::disallowed_methods,
            reason = "the file was synced; a delivery whose file was not renamed comes again"
        )]
        fs::rename(&new, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&new);
        failed(path, &error)
    })
}

/// The error for a file that the system refuses, with what to do.
#[must_use]
pub fn failed(path: &Path, error: &io::Error) -> ProviderError {
    ProviderError::storage(format!("`{}`: {error}", path.display()))
        .hint("see that the provider's data folder can be written and its disk has room")
}

fn read_scope(folder: &Path) -> Option<Scope> {
    serde_json::from_slice(&fs::read(folder.join(SCOPE)).ok()?).ok()
}

/// A key is the host's own text, and may hold anything.
fn in_one_line(key: &str) -> String {
    key.escape_debug().to_string()
}

/// What separates, joined by `-`.
fn name_of(scope: &Scope) -> String {
    let kind = if scope.chat_kind == ChatKind::Private { "private" } else { "group" };
    let profile = if scope.profile == "default" { "" } else { &scope.profile };
    let parts = [profile, &scope.platform, &scope.chat, &scope.user];
    let plain: String = parts.iter().filter(|part| !part.is_empty()).flat_map(|part| ["-", part]).collect();
    let simple: String =
        plain.chars().map(|c| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' }).collect();
    let is_clear = simple == plain && parts.iter().all(|part| !part.contains('-')) && (scope.profile == "default");
    if is_clear && simple.len() <= LONGEST_NAME {
        return format!("{kind}{simple}");
    }
    // FNV-1a; should two names meet in it, the scope in the folder tells them apart.
    let bytes = serde_json::to_vec(scope).unwrap_or_default();
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    format!("{kind}{}-{hash:016x}", &simple[..simple.len().min(LONGEST_NAME)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(profile: &str, platform: &str, user: &str) -> Scope {
        Scope { profile: profile.into(), platform: platform.into(), user: user.into(), ..Scope::default() }
    }

    #[test]
    fn names_are_clear_and_lead_nowhere_else() {
        let data = Path::new("/data");
        let name = |scope: &Scope| AudienceFolder::of(data, scope).name().to_owned();
        assert_eq!(name(&scope("default", "cli", "")), "private");
        assert_eq!(name(&scope("default", "telegram", "ann")), "private-telegram-ann");
        let group = |platform: &str, chat: &str| {
            let user = "ann".to_owned();
            Scope { chat: chat.into(), chat_kind: ChatKind::Group, user, ..scope("default", platform, "") }
        };
        assert_eq!(name(&group("telegram", "team")), "group-telegram-team");
        let odd = [
            scope("default", "a", "b-c"),
            scope("default", "a-b", "c"),
            scope("default", "a", "../../etc"),
            scope("default", "a", "Ann"),
            scope("default", "a", "Анна"),
            scope("default", "a", &"x".repeat(4000)),
            scope("", "a", "b"),
            scope("a", "", "b"),
            group("a", "b"),
            group("", "a/b"),
        ];
        let names: std::collections::BTreeSet<_> = odd.iter().map(name).collect();
        assert_eq!(names.len(), odd.len(), "{names:?}");
        assert!(names.iter().all(|name| name.len() < 100 && !name.contains(['/', '.', '\0'])), "{names:?}");
    }

    #[test]
    fn a_folder_of_another_is_not_written_to() {
        let data = tempfile::tempdir().unwrap();
        let (ann, bob) = (scope("default", "telegram", "ann"), scope("default", "telegram", "bob"));
        let folder = AudienceFolder::for_writing(data.path(), &ann).unwrap();
        assert_eq!(AudienceFolder::for_writing(data.path(), &ann).unwrap().scope(), &ann);
        fs::write(folder.path().join(SCOPE), serde_json::to_vec(&bob).unwrap()).unwrap();
        assert_eq!(AudienceFolder::for_writing(data.path(), &ann).unwrap_err().kind, ErrorKind::Storage);
        assert!(AudienceFolder::visible(data.path(), &ann).is_empty());
        // What a crash left behind is written anew.
        fs::write(folder.path().join(SCOPE), "{\"prof").unwrap();
        assert!(AudienceFolder::all(data.path()).is_empty());
        AudienceFolder::for_writing(data.path(), &ann).unwrap();
        assert_eq!(AudienceFolder::visible(data.path(), &ann).len(), 1);
    }

    #[test]
    fn keys_are_known_as_a_whole_and_the_oldest_are_forgotten() {
        let data = tempfile::tempdir().unwrap();
        let folder = AudienceFolder::for_writing(data.path(), &scope("default", "", "")).unwrap();
        for key in ["s:1", "two\nlines", ""] {
            assert!(!folder.is_delivered(key), "{key}");
            folder.note_delivered(key).unwrap();
            assert_eq!(folder.is_delivered(key), !key.is_empty(), "{key}");
        }
        assert!(!folder.is_delivered("two") && !folder.is_delivered("s:"));
        let many: String = (0..80_000).map(|n| format!("session:{n:06}\n")).collect();
        fs::write(folder.path().join(DELIVERED), many).unwrap();
        folder.note_delivered("last").unwrap();
        assert!(!folder.is_delivered("session:000000"));
        assert!(folder.is_delivered("session:079999") && folder.is_delivered("last"));
        fs::write(folder.path().join(DELIVERED), "one\ntw").unwrap();
        folder.note_delivered("three").unwrap();
        assert!(folder.is_delivered("one") && folder.is_delivered("three"), "a write that was cut off");
    }

    #[test]
    fn who_comes_second_waits_and_goes_when_time_is_short() {
        let data = tempfile::tempdir().unwrap();
        let folder = AudienceFolder::for_writing(data.path(), &scope("default", "", "")).unwrap();
        let held = folder.lock(Duration::ZERO, &Call::default()).unwrap();
        let short = Call::new(Some(Duration::from_secs(5)), 0, || false);
        let error = folder.lock(Duration::from_secs(10), &short).unwrap_err();
        assert_eq!((error.kind, error.retryable), (ErrorKind::Unavailable, true));
        std::thread::scope(|scope| {
            let second = scope.spawn(|| folder.lock(Duration::ZERO, &Call::default()).map(drop));
            drop(held);
            second.join().unwrap().unwrap();
        });
    }
}
