//! Secrets: read from `.env` and the environment, written to `.env` alone, masked wherever text leaves the host.

mod dotenv;
mod json;
mod mask;

pub use dotenv::is_name;
pub(crate) use json::{Place, change_texts};
pub use mask::Mask;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use hermes_provider_api::Secret;

use crate::error::Hint;
use crate::home::Home;
use crate::home::files::{self, FileError, FileLock};

/// Asks the environment of the process for a variable.
type Env = Box<dyn Fn(&str) -> Option<OsString> + Send + Sync>;

/// The secrets of a home.
pub struct Secrets {
    path: PathBuf,
    values: BTreeMap<String, Secret>,
    warnings: Vec<Warning>,
    env: Env,
}

/// Something about `.env` that should be put right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// Its mode lets other users read it.
    #[error("`{}` can be read by other users; run `chmod 600 {}`", path.display(), path.display())]
    Readable {
        /// The file.
        path: PathBuf,
    },
    /// A line that is neither `NAME=value` nor a comment.
    #[error("{}:{line}: not understood and left out: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// Secrets could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// This cannot be the name of a variable.
    #[error("`{name}` cannot be the name of an environment variable")]
    Name {
        /// The name.
        name: String,
    },
    /// The value has a zero byte, which no variable can hold.
    #[error("the value of `{name}` has a zero byte")]
    Value {
        /// The name.
        name: String,
    },
}

impl Hint for SecretError {
    fn hints(&self) -> Vec<String> {
        match self {
            Self::File(error) => error.hints(),
            Self::Name { .. } => vec!["use letters, digits and `_`, beginning with a letter or `_`".to_owned()],
            Self::Value { .. } => Vec::new(),
        }
    }
}

impl Secrets {
    /// Reads the home's `.env`; one that is not there is an empty one. `env` asks the process's environment.
    ///
    /// # Errors
    /// When the file cannot be read or is not UTF-8.
    pub fn load(
        home: &Home,
        env: impl Fn(&str) -> Option<OsString> + Send + Sync + 'static,
    ) -> Result<Self, SecretError> {
        let path = home.env_file();
        let text = files::read_text(&path)?.unwrap_or_default();
        let mut warnings = Vec::new();
        if fs::metadata(&path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0) {
            warnings.push(Warning::Readable { path: path.clone() });
        }
        let (values, odd) = values(&text);
        warnings.extend(odd.into_iter().map(|(line, reason)| Warning::Line { path: path.clone(), line, reason }));
        Ok(Self { path, values, warnings, env: Box::new(env) })
    }

    /// What should be put right about the file.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// A secret: the process's environment first, where it is set there and not empty, else `.env`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Secret> {
        let from_env = (self.env)(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty());
        from_env.map(Secret::new).or_else(|| self.values.get(name).cloned())
    }

    /// The names in `.env` that have a value.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// Writes secrets to `.env`, all in one go, for the user alone; everything else in the file stays as it is.
    ///
    /// # Errors
    /// When a name or value is impossible or the file cannot be written; nothing is then changed.
    pub fn set(&mut self, secrets: &[(&str, &str)]) -> Result<(), SecretError> {
        for (name, value) in secrets {
            if !is_name(name) {
                return Err(SecretError::Name { name: (*name).to_owned() });
            }
            if value.contains('\0') {
                return Err(SecretError::Value { name: (*name).to_owned() });
            }
        }
        let _lock = FileLock::acquire(&lock_path(&self.path))?;
        let text = files::read_text(&self.path)?.unwrap_or_default();
        self.write(secrets.iter().fold(text, |text, (name, value)| dotenv::set(&text, name, value)))
    }

    /// A secret, made now where there is none and written down before anybody has it. Processes that do this at the same
    /// moment get the same one.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn get_or_make(&mut self, name: &str, make: impl FnOnce() -> String) -> Result<Secret, SecretError> {
        let _lock = FileLock::acquire(&lock_path(&self.path))?;
        let text = files::read_text(&self.path)?.unwrap_or_default();
        self.values = values(&text).0;
        if let Some(secret) = self.get(name) {
            return Ok(secret);
        }
        let made = make();
        self.write(dotenv::set(&text, name, &made))?;
        Ok(Secret::new(made))
    }

    /// Under the lock.
    fn write(&mut self, text: String) -> Result<(), SecretError> {
        files::replace(&self.path, text.as_bytes())?;
        self.values = values(&text).0;
        self.warnings.retain(|warning| !matches!(warning, Warning::Readable { .. }));
        Ok(())
    }

    /// Masks the secrets of `.env`, and those of `also` that the environment has.
    #[must_use]
    pub fn mask<'a>(&'a self, also: impl IntoIterator<Item = &'a str>) -> Mask {
        let also: Vec<_> = also.into_iter().filter_map(|name| Some((name, self.get(name)?))).collect();
        // One that the environment overrides still stands in `.env`.
        let kept = self.values.iter().map(|(name, secret)| (name.as_str(), secret.clone()));
        let in_force: Vec<_> = self.names().filter_map(|name| Some((name, self.get(name)?))).collect();
        Mask::new(kept.chain(in_force).chain(also))
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").field("path", &self.path).field("values", &self.values).finish_non_exhaustive()
    }
}

fn lock_path(path: &Path) -> PathBuf {
    path.with_file_name(".env.lock")
}

/// The values that are not empty, and the lines that are not understood.
fn values(text: &str) -> (BTreeMap<String, Secret>, Vec<(usize, &'static str)>) {
    let mut values = BTreeMap::new();
    let mut odd = Vec::new();
    for line in dotenv::parse(text) {
        match line {
            Ok(entry) if entry.value.is_empty() => {
                values.remove(entry.name);
            }
            Ok(entry) => {
                values.insert(entry.name.to_owned(), Secret::new(entry.value));
            }
            Err(line) => odd.push(line),
        }
    }
    (values, odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(text: &str) -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        files::replace(&home.env_file(), text.as_bytes()).unwrap();
        (folder, home)
    }

    fn get(secrets: &Secrets, name: &str) -> Option<String> {
        secrets.get(name).map(|secret| secret.expose().to_owned())
    }

    #[test]
    fn the_environment_wins_unless_it_is_empty() {
        let (_folder, home) = home("A=file\nB=file\nC=\nD=old\nD=\n");
        let secrets = Secrets::load(&home, |name| match name {
            "A" => Some("process".into()),
            "B" => Some("".into()),
            _ => None,
        })
        .unwrap();
        assert_eq!(get(&secrets, "A").as_deref(), Some("process"));
        assert_eq!(get(&secrets, "B").as_deref(), Some("file"));
        assert_eq!((get(&secrets, "C"), get(&secrets, "D"), get(&secrets, "E")), (None, None, None));
        assert_eq!(secrets.names().collect::<Vec<_>>(), ["A", "B"]);
        let mask = secrets.mask([]);
        assert_eq!(mask.apply("a process is no file"), "a [A] is no file");
    }

    #[test]
    fn a_file_that_others_can_read_is_warned_about_and_closed() {
        let (_folder, home) = home("A=1\nwhat is this\n");
        fs::set_permissions(home.env_file(), fs::Permissions::from_mode(0o644)).unwrap();
        let mut secrets = Secrets::load(&home, |_| None).unwrap();
        let warnings: Vec<_> = secrets.warnings().iter().map(ToString::to_string).collect();
        assert!(warnings[0].contains("chmod 600"), "{warnings:?}");
        assert!(warnings[1].contains(".env:2: not understood"), "{warnings:?}");
        secrets.set(&[("B", "two words"), ("A", "")]).unwrap();
        assert_eq!(fs::metadata(home.env_file()).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(home.env_file()).unwrap(), "A=\nwhat is this\nB='two words'\n");
        assert_eq!((get(&secrets, "A"), get(&secrets, "B").as_deref()), (None, Some("two words")));
    }

    #[test]
    fn values_are_not_shown() {
        let (_folder, home) = home("A=hush-hush\n");
        let mut secrets = Secrets::load(&home, |_| None).unwrap();
        assert!(!format!("{secrets:?}").contains("hush-hush"));
        for (name, value) in [("1A", "hush-hush"), ("", "hush-hush"), ("A B", "hush-hush"), ("A", "hush-hush\0")] {
            let error = secrets.set(&[("OK", "1"), (name, value)]).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("hush-hush"));
        }
        assert_eq!(fs::read_to_string(home.env_file()).unwrap(), "A=hush-hush\n");
    }

    #[test]
    fn two_writers_lose_nothing() {
        let (_folder, home) = home("");
        std::thread::scope(|scope| {
            for name in ["A", "B", "C", "D"] {
                let mut secrets = Secrets::load(&home, |_| None).unwrap();
                scope.spawn(move || secrets.set(&[(name, "1")]).unwrap());
            }
        });
        let secrets = Secrets::load(&home, |_| None).unwrap();
        assert_eq!(secrets.names().collect::<Vec<_>>(), ["A", "B", "C", "D"]);
    }

    #[test]
    fn a_secret_is_made_once() {
        let (_folder, home) = home("B=1\n");
        let mut made: Vec<String> = std::thread::scope(|scope| {
            let makers = ["one", "two", "three"].map(|value| {
                let mut secrets = Secrets::load(&home, |_| None).unwrap();
                scope.spawn(move || secrets.get_or_make("A", || value.to_owned()).unwrap().expose().to_owned())
            });
            makers.into_iter().map(|maker| maker.join().unwrap()).collect()
        });
        made.dedup();
        assert_eq!(fs::read_to_string(home.env_file()).unwrap(), format!("B=1\nA={}\n", made[0]));
        assert_eq!((made.len(), fs::metadata(home.env_file()).unwrap().permissions().mode() & 0o777), (1, 0o600));
        let mut set = Secrets::load(&home, |_| Some("environment".into())).unwrap();
        assert_eq!(set.get_or_make("C", || unreachable!("there is one")).unwrap().expose(), "environment");
    }

    #[test]
    fn bytes_that_are_no_text_name_the_line() {
        let (_folder, home) = home("");
        fs::write(home.env_file(), b"A=1\nB=\xff\n").unwrap();
        let failure = crate::error::Failure::from(Secrets::load(&home, |_| None).unwrap_err());
        assert!(failure.message.contains(".env") && failure.message.contains("line 2"), "{}", failure.message);
    }
}
