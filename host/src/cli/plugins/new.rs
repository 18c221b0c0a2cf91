//! `hermes plugins new`.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::cli::Context;
use crate::error::Failure;
use crate::plugins::scaffold::{ApiSource, ScaffoldError, check_name, create};

/// What to call it, and where it goes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Its name in a catalog: lower-case letters, digits and `-`
    name: String,
    /// The folder to make [default: ./<NAME>]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The folder `provider-api` of a checkout of hermes, which the crate is to depend on
    #[arg(long, value_name = "DIR")]
    provider_api: Option<PathBuf>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    let Args { name, dir, provider_api } = args;
    let folder = dir.clone().unwrap_or_else(|| PathBuf::from(name));
    let created = check_name(name).and_then(|()| {
        let executable = std::env::current_exe().unwrap_or_default();
        // Of an installed program the checkout that it was built from is often still there.
        let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(""));
        let api = ApiSource::find(provider_api.as_deref(), &executable, built_in, env!("CARGO_PKG_REPOSITORY"))?;
        create(name, &folder, &api)
    });
    let created = created.map_err(|error| Failure { usage: is_usage(&error), ..error.into() })?;
    if context.json {
        context.ui.json(&json!({ "id": name, "folder": folder, "files": created }));
        return Ok(());
    }
    created.iter().for_each(|file| context.ui.out(folder.join(file).display()));
    let enter = format!("cd {}", quoted(&folder));
    let next = [&*enter, "cargo test", "cargo build --release", "hermes plugins validate .", "hermes plugins pack ."];
    let next = next.map(|command| format!("`{command}`")).join(", ");
    context.ui.note(format!("next: {next}"));
    Ok(())
}

fn is_usage(error: &ScaffoldError) -> bool {
    matches!(error, ScaffoldError::Name { .. } | ScaffoldError::NoApi | ScaffoldError::NotTheApi { .. })
}

fn quoted(folder: &Path) -> String {
    crate::error::quoted(&folder.to_string_lossy())
}
