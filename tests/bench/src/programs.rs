//! Whole processes: commands as a user types them, and a plugin's way from the store to its first answer.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_host::home::Home;
use hermes_host::open::{Strictness, Surroundings};
use hermes_host::plugins::hooks::Hooks;
use hermes_host::plugins::inspect::inspect;
use hermes_host::plugins::package::pack;
use hermes_host::plugins::verify::sha256_of;
use hermes_provider_api::Hook;
use hermes_provider_api::records::RecallStatus;

use crate::loading::LOADERS;
use crate::samples::{Measured, Samples};
use crate::{Options, Result};

/// The argument that makes this program load the home's provider once and print how long that took.
pub(crate) const LOAD_ARGUMENT: &str = "__load";
/// The folder of the catalog that the home is set up from.
const CATALOG: &str = "catalog";

/// Commands and loads take turns, so that a busy moment of the machine hits all of them.
pub(crate) fn measure(options: &Options, folder: &Path) -> Result<Vec<Measured>> {
    let home = set_up(options, folder)?;
    // Another one may lie beside the executable, with a plugin of the same name that was built at another time.
    let catalog = folder.join(CATALOG);
    // Not before it has settled is a file's hash remembered.
    std::thread::sleep(Duration::from_secs(4));
    let hermes = |arguments: &[&str]| {
        let mut command = program(&options.hermes);
        command.args(arguments).env("HERMES_HOME", home.root()).env("HERMES_CATALOG", &catalog);
        command
    };
    let mut commands = [
        ("start/nothing", program("true".as_ref())),
        ("start/version", hermes(&["--version"])),
        ("start/status", hermes(&["memory", "status"])),
    ]
    .map(|(what, command)| (what, command, Samples::default()));
    let myself = std::env::current_exe().map_err(|error| error.to_string())?;
    let hashes = home.store().with_file_name("hashes.toml");
    let mut loads = Vec::new();
    for (loader, _) in LOADERS {
        for hash in ["cold", "cached"] {
            let mut command = program(&myself);
            command.args([LOAD_ARGUMENT, loader]).arg(home.root()).arg(&options.hermes);
            command.env("HERMES_CATALOG", &catalog);
            loads.push((format!("load/{loader}/{hash}"), hash == "cold", command, Samples::default()));
        }
    }
    for round in 0..=if options.quick { 15 } else { 40 } {
        for (_, command, samples) in &mut commands {
            let mut time = Samples::default();
            if round > 0 { &mut *samples } else { &mut time }.time(|| run(command))?;
        }
        for (_, is_cold, command, samples) in &mut loads {
            if *is_cold {
                fs::remove_file(&hashes).map_err(|error| format!("`{}`: {error}", hashes.display()))?;
            }
            let told = run(command)?;
            let nanos = told.trim().parse().map_err(|_| format!("a load answered `{told}`"))?;
            if round > 0 {
                samples.push(Duration::from_nanos(nanos));
            }
        }
    }
    let commands = commands.into_iter().map(|(what, _, samples)| samples.measured(what));
    Ok(commands.chain(loads.into_iter().map(|(what, _, _, samples)| samples.measured(what))).collect())
}

/// A home with holographic, installed as a user installs it.
fn set_up(options: &Options, folder: &Path) -> Result<Home> {
    let catalog = folder.join(CATALOG);
    catalog_of(&options.holographic, &catalog)?;
    let home = Home::at(folder.join("home"));
    let mut setup = program(&options.hermes);
    setup.args(["memory", "setup", "holographic", "--yes", "--catalog"]).arg(&catalog);
    run(setup.env("HERMES_HOME", home.root()))?;
    // The load that remembers the hash comes later; the first cold one needs a file to remove.
    fs::write(home.store().with_file_name("hashes.toml"), "").map_err(|error| error.to_string())?;
    Ok(home)
}

/// A catalog with the one library that was built.
fn catalog_of(library: &Path, folder: &Path) -> Result<()> {
    fs::create_dir(folder).map_err(|error| error.to_string())?;
    let archive = folder.join("holographic.tar.gz");
    let file = fs::File::create(&archive).map_err(|error| error.to_string())?;
    pack(&[library.to_owned()], file).map_err(|error| error.to_string())?;
    let metadata = inspect(library).map_err(|error| error.to_string())?;
    let sha256 = sha256_of(&archive).map_err(|error| error.to_string())?;
    let size = fs::metadata(&archive).map_err(|error| error.to_string())?.len();
    let entry = format!(
        "name = \"holographic\"\ntitle = \"Holographic\"\ndescription = \"Facts in one file\"\nmaintainer = \"us\"\n\
         category = \"memory\"\nlicence = \"MIT\"\n[[releases]]\nversion = \"{}\"\nrequires_host = \"*\"\n\
         abi = \"{}.{}\"\ncapabilities = {{ model = {:?} }}\n[[releases.artifacts]]\ntarget = \"{}\"\npath = \"holographic.tar.gz\"\n\
         sha256 = \"{sha256}\"\nsize = {size}\n",
        metadata.version, metadata.abi_major, metadata.abi_minor, metadata.capabilities.model, metadata.target,
    );
    fs::write(folder.join("holographic.toml"), entry).map_err(|error| error.to_string())
}

pub(crate) fn program(path: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "programs are what is measured")]
    let mut command = Command::new(path);
    command.stdin(Stdio::null()).stderr(Stdio::piped()).env_remove("HERMES_CATALOG");
    command
}

pub(crate) fn run(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Loads the provider of a home, from the check of its file to the answer of its first call.
pub(crate) fn load(loader: &str, home: &Path, hermes: &Path) -> Result<Duration> {
    let (_, isolation) = LOADERS.into_iter().find(|(name, _)| *name == loader).ok_or("an unknown loader")?;
    let surroundings = Surroundings::of_home(Home::at(home)).map_err(|failure| failure.message)?;
    let surroundings = Surroundings { isolation, executable: Some(hermes.to_owned()), ..surroundings };
    let started = Instant::now();
    let catalogs = surroundings.readable_catalogs();
    let verified = surroundings.verified("holographic", &catalogs).map_err(|error| error.to_string())?;
    let prepared = surroundings.load(&verified, Strictness::WhatIsMissingStops).map_err(|error| error.to_string())?;
    let provider: Arc<dyn Hooks> = Arc::new(prepared.provider);
    provider.ask::<RecallStatus>(Hook::RecallStatus, &()).map_err(|error| error.to_string())?;
    Ok(started.elapsed())
}
