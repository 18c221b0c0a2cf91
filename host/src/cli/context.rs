//! What every command is handed.

use std::ffi::OsString;
use std::fmt;
use std::fs::OpenOptions;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use super::profiles::{self, Missing};
use super::{Global, Ui};
use crate::clock::Clock;
use crate::config::Config;
use crate::error::{Failure, quoted};
use crate::home::{self, Home, Located};
use crate::plugins::lock::Lock;
use crate::plugins::services::Stops;
use crate::secrets::{Mask, Secrets};

/// In the home, once the Python agent's files were mentioned.
const PYTHON_NOTED: &str = ".python-noted";

/// The environment variables of the process, or of a test. Cheap to clone.
#[derive(Clone)]
pub struct Env(Arc<Lookup>);

type Lookup = dyn Fn(&str) -> Option<OsString> + Send + Sync;

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Env")
    }
}

impl Env {
    /// An environment that answers like this.
    #[must_use]
    pub fn new(get: impl Fn(&str) -> Option<OsString> + Send + Sync + 'static) -> Self {
        Self(Arc::new(get))
    }

    /// That of this process.
    #[must_use]
    pub fn process() -> Self {
        Self::new(|name| std::env::var_os(name))
    }

    /// A variable, where it is set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<OsString> {
        (self.0)(name)
    }
}

/// What every command is handed.
#[derive(Debug)]
pub struct Context {
    /// The home; it need not exist yet.
    pub home: Home,
    /// The folder of the Python agent that was passed over.
    pub python_home: Option<PathBuf>,
    /// Its settings.
    pub config: Config,
    /// How to talk to the user.
    pub ui: Ui,
    /// The time.
    pub clock: Clock,
    /// The environment.
    pub env: Env,
    /// The catalogs that the flags name; they replace all others.
    pub catalogs: Vec<PathBuf>,
    /// Nothing is fetched from the network.
    pub offline: bool,
    /// Data is printed as JSON, and nothing is asked.
    pub json: bool,
    /// The user wants to be told more.
    pub verbose: bool,
    pub(super) secrets: OnceLock<Secrets>,
}

impl Context {
    /// Finds the home and reads its settings; what is odd in them is said on stderr.
    pub(super) fn open(global: Global, env: Env, ui: &Ui) -> Result<Self, Failure> {
        let mut context = Self::located(global, env, ui, Missing::Fails)?;
        context.config = Config::load(&context.home)?;
        super::log::start(&context, context.config.log_level());
        context.config.warnings().iter().for_each(|warning| ui.warn(warning));
        context.offline |= context.config.offline();
        Ok(context)
    }

    /// The same with the default settings.
    pub(super) fn without_config(global: Global, env: Env, ui: &Ui) -> Result<Self, Failure> {
        let context = Self::located(global, env, ui, Missing::Fails)?;
        super::log::start(&context, tracing::Level::INFO);
        Ok(context)
    }

    /// The same where the profile need not be there.
    pub(super) fn of_any_profile(global: Global, env: Env, ui: &Ui) -> Result<Self, Failure> {
        let context = Self::located(global, env, ui, Missing::IsAllowed)?;
        super::log::start(&context, tracing::Level::INFO);
        Ok(context)
    }

    fn located(global: Global, env: Env, ui: &Ui, missing: Missing) -> Result<Self, Failure> {
        let mut located = home::locate(global.home.as_deref(), |name| env.get(name))?;
        let base = located.home.base();
        let root = base.root();
        if root.exists() && !root.is_dir() {
            let failure = Failure::new(format!("the home `{}` is not a folder", root.display()));
            return Err(failure.hint("name a folder with `--home` or `HERMES_HOME`"));
        }
        let (named, flag) = (global.home.is_some(), global.profile.as_deref());
        located.home = profiles::choose(located.home, named, flag, env.get(profiles::VARIABLE), missing)?;
        if missing == Missing::Fails {
            mention_python(&located, ui);
        }
        let absolute = |path: PathBuf| {
            let path = home::expand(path, |name| env.get(name));
            std::path::absolute(&path).unwrap_or(path)
        };
        let catalogs = global.catalogs.into_iter().map(absolute).collect();
        Ok(Self {
            home: located.home,
            python_home: located.python_home,
            config: Config::default(),
            ui: ui.clone(),
            clock: Clock::default(),
            env,
            catalogs,
            offline: global.offline,
            json: global.json,
            verbose: global.verbose,
            secrets: OnceLock::new(),
        })
    }

    /// The secrets, read when they are first asked for. From then on they are masked in all that is printed.
    ///
    /// # Errors
    /// When `.env` cannot be read.
    pub fn secrets(&self) -> Result<&Secrets, Failure> {
        if let Some(secrets) = self.secrets.get() {
            return Ok(secrets);
        }
        let secrets = self.load_masked_secrets()?;
        secrets.warnings().iter().for_each(|warning| self.ui.warn(warning));
        Ok(self.secrets.get_or_init(|| secrets))
    }

    /// The secrets as they are now, from now on masked in all that is printed.
    pub(super) fn load_masked_secrets(&self) -> Result<Secrets, Failure> {
        let secrets = self.load_secrets()?;
        self.ui.mask(mask_of(&self.home, &secrets));
        Ok(secrets)
    }

    /// Ends what the programs of a provider left running, as it said beforehand and the user agreed to. For when it is no
    /// longer used; one that is not installed has left nothing.
    pub(super) fn stop_programs(&self, id: &str) {
        let Ok(lock) = Lock::read(&self.home) else { return };
        let Some(installed) = lock.plugins.get(id) else { return };
        let stops = Stops::of(&self.home, id, &installed.current.grant.capabilities);
        for problem in stops.iter().flat_map(Stops::run) {
            self.ui.warn(format!("what `{id}` started may still run: {problem}"));
        }
    }

    /// A text in which the commands to type name the home, profile and catalogs that this one was given.
    #[must_use]
    pub fn with_catalogs(&self, text: &str) -> String {
        self.ui.for_this_home(&with_catalogs(text, &self.catalogs)).into_owned()
    }

    /// The same for those who outlive this.
    pub(super) fn hints(&self) -> impl Fn(&str) -> String + Send + Sync + use<> {
        let (ui, catalogs) = (self.ui.clone(), self.catalogs.clone());
        move |hint| ui.for_this_home(&with_catalogs(hint, &catalogs)).into_owned()
    }

    /// The same for the hints of a failure.
    #[must_use]
    pub fn failure_with_catalogs(&self, failure: Failure) -> Failure {
        let hints = failure.hints.iter().map(|hint| self.with_catalogs(hint)).collect();
        Failure { hints, ..failure }
    }

    /// The secrets as they are now, for those who keep or change them.
    ///
    /// # Errors
    /// When `.env` cannot be read.
    pub fn load_secrets(&self) -> Result<Secrets, Failure> {
        let env = self.env.clone();
        Ok(Secrets::load(&self.home, move |name| env.get(name))?)
    }
}

/// A mask for the secrets of a home, and for those that plugins may read where only the environment has them.
pub(super) fn mask_of(home: &Home, secrets: &Secrets) -> Mask {
    // A lockfile that cannot be read is told by whoever needs it.
    let lock = Lock::read(home).unwrap_or_default();
    let granted = lock.plugins.values().flat_map(|plugin| &plugin.current.grant.capabilities.secret);
    secrets.mask(granted.map(String::as_str).chain(crate::model::KEYS))
}

/// The commands that look into catalogs.
const WITH_CATALOGS: [&str; 7] = [
    "plugins install",
    "plugins update",
    "plugins rollback",
    "plugins info",
    "plugins list",
    "plugins search",
    "memory setup",
];

/// Adds these catalogs to every command in a text that has to find a plugin in one.
fn with_catalogs(text: &str, catalogs: &[PathBuf]) -> String {
    let flags: String = catalogs.iter().map(|path| format!(" --catalog {}", quoted(&path.to_string_lossy()))).collect();
    let (mut done, mut rest) = (String::new(), text);
    let starts = |text: &str| {
        let found = WITH_CATALOGS.iter().flat_map(|verb| [format!("`hermes {verb} "), format!("`hermes {verb}`")]);
        found.filter_map(|start| text.find(&start)).min()
    };
    while let Some(start) = starts(rest)
        && let Some(length) = rest[start + 1..].find('`')
    {
        let end = start + 1 + length;
        done.push_str(&rest[..end]);
        done.push_str(&flags);
        done.push('`');
        rest = &rest[end + 1..];
    }
    done + rest
}

/// Says once for a home that the Python agent's files are not used.
fn mention_python(located: &Located, ui: &Ui) {
    let root = located.home.root();
    let note = match &located.python_home {
        Some(python) => format!(
            "`{}` belongs to the Python agent and is left alone; the home of this hermes is `{}`",
            python.display(),
            root.display()
        ),
        None if root.join("config.yaml").exists() => format!(
            "`{}` is the Python agent's and is not read; the settings of this hermes are in `{}`",
            root.join("config.yaml").display(),
            located.home.config_file().display()
        ),
        None => return,
    };
    let marker = root.join(PYTHON_NOTED);
    // Where no marker can be left, the note comes again: better than never.
    let first = located.home.create().is_err()
        || match OpenOptions::new().write(true).create_new(true).open(marker) {
            Ok(_) => true,
            Err(error) => error.kind() != io::ErrorKind::AlreadyExists,
        };
    if first {
        ui.note(note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(catalogs: &[&str], text: &str, expected: &str) {
        let catalogs: Vec<_> = catalogs.iter().map(PathBuf::from).collect();
        assert_eq!(with_catalogs(text, &catalogs), expected);
    }

    #[test]
    fn commands_to_type_name_the_same_catalogs() {
        let text =
            "run `hermes plugins install 'notes@^1' --yes` or `hermes memory setup notes`, not `hermes memory off`";
        check(&[], text, text);
        check(
            &["/a/b", "/my plugins/it's"],
            text,
            r"run `hermes plugins install 'notes@^1' --yes --catalog /a/b --catalog '/my plugins/it'\''s'` or `hermes memory setup notes --catalog /a/b --catalog '/my plugins/it'\''s'`, not `hermes memory off`",
        );
        check(&["чай`"], "`hermes memory setup x`", "`hermes memory setup x --catalog 'чай`'`");
        check(&["/a"], "`hermes memory setup x", "`hermes memory setup x");
        check(&["/a"], "", "");
    }
}
