//! `hermes profiles`: homes below the home, and which of them a command uses.

use std::ffi::OsString;

use serde_json::json;

use super::{Context, Exit};
use crate::config::{suggest, template};
use crate::error::Failure;
use crate::home::profiles::{self, DEFAULT_PROFILE, ProfileName};
use crate::home::{Home, files};

/// The variable that chooses a profile where no flag does.
pub(super) const VARIABLE: &str = "HERMES_PROFILE";

/// What to do with profiles.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Names have lower-case letters of any script, digits, `-` and `_`.
The home itself is the profile `default`.
A profile has its own settings, secrets, plugins and memories, and looks nothing up in the home.
Variables of the environment hold for every profile.

Examples:
  hermes profiles list
  hermes profiles create work --from default
  hermes --profile work memory setup holographic
  hermes profiles remove work --yes")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the profiles; a star marks the one in use
    List,
    /// Make a profile
    Create {
        /// Its name
        name: String,
        /// Begin with the settings of this profile; secrets, plugins and memories are not copied
        #[arg(long, value_name = "PROFILE")]
        from: Option<String>,
    },
    /// Delete a profile with its settings, secrets, plugins and memories
    Remove {
        /// Its name
        name: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Print where the home of a profile is
    Path {
        /// Its name
        name: String,
    },
}

/// Does what was asked. The home of the context is that of the profile in use, which need not be there.
///
/// # Errors
/// A name that cannot be or is taken, a profile that is not there or in use, a file that cannot be used.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let base = context.home.base();
    match args.action {
        Action::List => list(&base, context)?,
        Action::Create { name, from } => create(&base, &name, from.as_deref(), context)?,
        Action::Remove { name, yes } => remove(&base, &name, yes, context)?,
        Action::Path { name } => {
            let home = existing(&base, &name)?;
            match context.json {
                true => context.ui.json(&json!({ "name": home.profile(), "path": home.root() })),
                false => context.ui.out(home.root().display()),
            }
        }
    }
    Ok(Exit::Success)
}

/// The home that the flags and variables choose. `named` is whether `--home` names `home`, which then may be a profile
/// itself: it wins over the variable, and must not contradict the flag.
pub(super) fn choose(
    home: Home,
    named: bool,
    flag: Option<&str>,
    variable: Option<OsString>,
    missing: Missing,
) -> Result<Home, Failure> {
    let variable = match variable.filter(|value| !value.is_empty()) {
        // The folder of a profile says enough.
        Some(_) if named && home.profile() != DEFAULT_PROFILE => None,
        Some(value) => Some(value.to_string_lossy().into_owned()),
        None => None,
    };
    let Some(wanted) = flag.or(variable.as_deref()) else { return Ok(home) };
    let base = home.base();
    let chosen = named_home(&base, wanted).and_then(|chosen| match missing {
        Missing::Fails => existing(&base, wanted)
            .map_err(|failure| failure.hint(format!("to make it, run `hermes profiles create {}`", chosen.profile()))),
        Missing::IsAllowed => Ok(chosen),
    });
    let chosen = chosen.map_err(|failure| match flag {
        Some(_) => failure,
        None => failure.hint(format!("the variable `{VARIABLE}` names it")),
    })?;
    if named && home.profile() != DEFAULT_PROFILE && home != chosen {
        let (folder, flag) = (home.profile(), chosen.profile());
        return Err(Failure::usage(format!("`--home` is the profile `{folder}`, and `--profile` names `{flag}`"))
            .hint("give one of the two"));
    }
    Ok(chosen)
}

/// What holds of a profile that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// It cannot be used.
    Fails,
    /// It may be about to be made.
    IsAllowed,
}

fn named_home(base: &Home, name: &str) -> Result<Home, Failure> {
    Ok(match parse(name)? {
        Some(name) => base.of_profile(&name),
        None => base.clone(),
    })
}

fn parse(name: &str) -> Result<Option<ProfileName>, Failure> {
    ProfileName::parse(name).map_err(|error| {
        Failure::usage(error.to_string())
            .hint("use 1 to 64 lower-case letters, digits, `-` and `_`, beginning with a letter or digit")
    })
}

/// The home of a profile that is there.
fn existing(base: &Home, name: &str) -> Result<Home, Failure> {
    let home = named_home(base, name)?;
    if home == *base || home.root().is_dir() {
        return Ok(home);
    }
    let name = home.profile();
    let known = profiles::list(base).unwrap_or_default();
    let known = known.iter().map(ProfileName::as_str).chain([DEFAULT_PROFILE]);
    let failure = Failure::usage(format!("there is no profile `{name}`"));
    Err(match suggest(name, known) {
        Some(closest) => failure.hint(format!("did you mean `{closest}`?")),
        None => failure.hint("`hermes profiles list` shows what there is"),
    })
}

fn list(base: &Home, context: &Context) -> Result<(), Failure> {
    let named = profiles::list(base)?;
    let homes = std::iter::once(base.clone()).chain(named.iter().map(|name| base.of_profile(name)));
    let in_use = |home: &Home| *home == context.home;
    if context.json {
        let list = homes.map(|home| json!({"name": home.profile(), "path": home.root(), "in_use": in_use(&home)}));
        context.ui.json(&list.collect::<Vec<_>>());
        return Ok(());
    }
    for home in homes {
        let star = if in_use(&home) { '*' } else { ' ' };
        context.ui.out(format!("{star} {}  {}", home.profile(), home.root().display()));
    }
    Ok(())
}

fn create(base: &Home, name: &str, from: Option<&str>, context: &Context) -> Result<(), Failure> {
    let Some(name) = parse(name)? else {
        return Err(Failure::usage(format!("`{DEFAULT_PROFILE}` is the home itself, and always there")));
    };
    let source = from.map(|from| existing(base, from)).transpose()?;
    let settings = match &source {
        Some(source) => {
            let path = source.config_file();
            Some(template(&files::read_text(&path)?.unwrap_or_default(), &path)?)
        }
        None => None,
    };
    let home = profiles::create(base, &name, settings.as_ref().map(|settings| settings.text.as_str()))?;
    let (left_out, shared) = settings.map(|settings| (settings.left_out, settings.shared)).unwrap_or_default();
    if context.json {
        let from = source.as_ref().map(Home::profile);
        let made = json!({
            "name": name.as_str(), "path": home.root(), "from": from, "left_out": left_out, "shared": shared,
        });
        context.ui.json(&made);
        return Ok(());
    }
    context.ui.note(format!("made the profile `{name}` in `{}`", home.root().display()));
    if let Some(source) = source {
        let source = source.profile();
        context.ui.note(format!("it has the settings of `{source}`, and none of its secrets, plugins and memories"));
    }
    for key in left_out {
        context.ui.note(format!("{key} looks like a secret and was left out"));
    }
    for key in shared {
        context.ui.warn(format!("{key} names a path, which both profiles now use"));
    }
    context.ui.note(format!("next: `hermes --profile {name} memory setup`"));
    Ok(())
}

fn remove(base: &Home, name: &str, yes: bool, context: &Context) -> Result<(), Failure> {
    let Some(name) = parse(name)? else {
        return Err(Failure::usage(format!("`{DEFAULT_PROFILE}` is the home itself, and is not removed")));
    };
    let home = match base.of_profile(&name) {
        // A link that leads nowhere can be removed too.
        home if home.root().is_symlink() => home,
        _ => existing(base, name.as_str())?,
    };
    if !yes {
        let question = format!("Delete the profile {name} with its settings, secrets, plugins and memories?");
        let command = format!("`hermes profiles remove {name} --yes`");
        context.ui.agree(&question, &format!("`{name}` was not removed"), &command)?;
    }
    let link = std::fs::read_link(home.root()).ok();
    profiles::remove(base, &name)?;
    if context.json {
        context.ui.json(&json!({ "name": name.as_str(), "path": home.root(), "kept": link }));
        return Ok(());
    }
    context.ui.note(format!("removed the profile `{name}`"));
    if let Some(link) = link {
        context.ui.note(format!("its folder was a link; what it leads to is kept in `{}`", link.display()));
    }
    Ok(())
}
