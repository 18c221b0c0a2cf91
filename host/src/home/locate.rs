//! Which folder is the home.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Home;
use crate::error::Hint;

/// The home, and what it was chosen over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The home to use.
    pub home: Home,
    /// The folder of the Python agent that was passed over, if there is one.
    pub python_home: Option<PathBuf>,
}

/// There is no place for a home.
#[derive(Debug, thiserror::Error)]
#[error("no home folder: neither `--home`, `HERMES_HOME` nor `HOME` is set")]
pub struct LocateError;

impl Hint for LocateError {
    fn hints(&self) -> Vec<String> {
        vec!["set `HERMES_HOME` to a folder that hermes may write to".to_owned()]
    }
}

/// Finds the home: `flag` as it is, else `HERMES_HOME`, else `~/.hermes`.
///
/// A folder that belongs to the Python agent is left to it, unless `flag` names it: the home is then the folder of
/// the same name with `-host` behind it, `~/.hermes-host`. An empty variable counts as unset.
///
/// # Errors
/// When none of the three is set.
pub fn locate(flag: Option<&Path>, env: impl Fn(&str) -> Option<OsString>) -> Result<Located, LocateError> {
    if let Some(flag) = flag {
        return Ok(Located { home: Home::at(absolute(flag)), python_home: None });
    }
    let set = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = match set("HERMES_HOME") {
        Some(folder) => folder,
        None => set("HOME").ok_or(LocateError)?.join(".hermes"),
    };
    let folder = absolute(&folder);
    if !belongs_to_python(&folder) {
        return Ok(Located { home: Home::at(folder), python_home: None });
    }
    let mut own = folder.clone().into_os_string();
    own.push("-host");
    Ok(Located { home: Home::at(own), python_home: Some(folder) })
}

/// A path with the user's folder in place of a `~` at its beginning: in a list, a setting or behind `=` no shell puts it
/// there.
#[must_use]
pub fn expand(path: PathBuf, env: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    match (path.strip_prefix("~"), env("HOME").filter(|home| !home.is_empty())) {
        (Ok(below), Some(home)) => Path::new(&home).join(below),
        _ => path,
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The Python agent keeps `config.yaml` and `state.db`; this host never writes either.
fn belongs_to_python(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).exists();
    (has("config.yaml") || has("state.db")) && !has("config.toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(flag: Option<&Path>, variables: &[(&str, &Path)], home: &Path, python: Option<&Path>) {
        let env =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_os_str().to_owned());
        let located = locate(flag, env).unwrap();
        assert_eq!((located.home.root(), located.python_home.as_deref()), (home, python));
    }

    #[test]
    fn flag_then_variable_then_home() {
        let (a, b, user) = (Path::new("/a"), Path::new("/b"), Path::new("/nobody"));
        check(Some(a), &[("HERMES_HOME", b), ("HOME", user)], a, None);
        check(None, &[("HERMES_HOME", b), ("HOME", user)], b, None);
        check(None, &[("HERMES_HOME", Path::new("")), ("HOME", user)], Path::new("/nobody/.hermes"), None);
        assert!(locate(None, |_| None).is_err());
    }

    #[test]
    fn a_tilde_is_the_users_folder() {
        let env = |name: &str| (name == "HOME").then(|| "/u".into());
        for (path, expected) in [("~/a", "/u/a"), ("~", "/u/"), ("~jo/a", "~jo/a"), ("a/~", "a/~"), ("/~", "/~")] {
            assert_eq!(expand(path.into(), env), Path::new(expected));
        }
        assert_eq!(expand("~/a".into(), |_| None), Path::new("~/a"));
    }

    #[test]
    fn the_python_agents_folder_is_left_to_it() {
        let user = tempfile::tempdir().unwrap();
        let python = user.path().join(".hermes");
        let own = user.path().join(".hermes-host");
        std::fs::create_dir(&python).unwrap();
        check(None, &[("HOME", user.path())], &python, None);
        std::fs::write(python.join("state.db"), b"").unwrap();
        check(None, &[("HOME", user.path())], &own, Some(&python));
        check(Some(&python), &[("HOME", user.path())], &python, None);
        std::fs::write(python.join("config.toml"), b"").unwrap();
        check(None, &[("HOME", user.path())], &python, None);
    }
}
