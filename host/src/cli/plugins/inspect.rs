//! `hermes plugins inspect`: what a file says about itself. None of its code runs.

use std::fs::{self, File};
use std::path::Path;

use hermes_provider_api::metadata::Metadata;
use semver::Version;
use serde_json::json;

use crate::cli::{Context, Exit};
use crate::error::Failure;
use crate::home::files::At as _;
use crate::plugins::catalog::is_plugin_id;
use crate::plugins::inspect::inspect;
use crate::plugins::package::{Limits, is_archive, unpack};
use crate::plugins::resolve::Platform;
use crate::plugins::verify::{Check, sha256_of};

pub(super) fn run(file: &Path, context: &Context) -> Result<Exit, Failure> {
    must_be_file(file)?;
    let is_archive = is_archive(file)?;
    let folder = tempfile::tempdir().map_err(|error| Failure::new(format!("no temporary folder: {error}")))?;
    let (library, files) = match is_archive {
        true => {
            let archive = File::open(file).at("read", file)?;
            let unpacked = unpack(archive, folder.path(), Limits::default()).map_err(|error| {
                let failure = Failure::from(error);
                Failure { message: format!("`{}`: {}", file.display(), failure.message), ..failure }
            })?;
            let names = unpacked.files.iter().filter_map(|path| path.file_name());
            let names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
            (unpacked.library, names)
        }
        false => (file.to_owned(), Vec::new()),
    };
    let metadata = inspect(&library).map_err(|mut error| {
        // The folder that it was unpacked to means nothing to anybody.
        file.clone_into(error.path_mut());
        error
    })?;
    let refused = refused(file, &library, &metadata, context)?;
    let (sha256, size) = (sha256_of(file)?, fs::metadata(file).at("read", file)?.len());
    if context.json {
        context.ui.json(&json!({
            "file": file,
            "kind": if is_archive { "archive" } else { "library" },
            "sha256": sha256.to_string(),
            "size": size,
            "files": files,
            "metadata": metadata,
            "refused": refused,
        }));
        return Ok(Exit::Success);
    }
    let kind = if is_archive { format!("archive of {}", files.join(", ")) } else { "library".to_owned() };
    context.ui.out(format!("file          {} ({kind}, {})", file.display(), indicatif::HumanBytes(size)));
    context.ui.out(format!("sha256        {sha256}"));
    rows(&metadata).into_iter().for_each(|(name, value)| context.ui.out(format!("{name:<13} {value}")));
    match refused.as_slice() {
        [] => context.ui.out("this hermes   would load it"),
        reasons => reasons.iter().for_each(|reason| context.ui.out(format!("refused here  {reason}"))),
    }
    Ok(Exit::Success)
}

/// Refuses what is neither a library nor an archive.
fn must_be_file(file: &Path) -> Result<(), Failure> {
    let metadata = fs::metadata(file).at("read", file)?;
    if metadata.is_file() {
        return Ok(());
    }
    let what = if metadata.is_dir() { "a folder" } else { "no plain file" };
    Err(Failure::new(format!("`{}` is {what}", file.display())).hint("name a library or an archive"))
}

/// What the host would say against it, were it installed from here.
fn refused(file: &Path, library: &Path, metadata: &Metadata, context: &Context) -> Result<Vec<String>, Failure> {
    let mut refused = Vec::new();
    if !is_plugin_id(&metadata.id) {
        refused.push(format!("id: `{}` is no name of a plugin", metadata.id.escape_debug()));
    }
    let version = Version::parse(&metadata.version).unwrap_or_else(|error| {
        refused.push(format!("version: `{}` is none: {error}", metadata.version.escape_debug()));
        Version::new(0, 0, 0)
    });
    let surroundings = context.surroundings()?;
    let catalogs = surroundings.readable_catalogs();
    let check = Check {
        home: &context.home,
        library,
        sha256: &sha256_of(library)?,
        archive_sha256: &sha256_of(file)?,
        source: &file.to_string_lossy(),
        id: &metadata.id,
        version: &version,
        granted: None,
        isolation: surroundings.isolation(),
        platform: &Platform::current(),
        catalogs: Some(&catalogs),
        admitted: false,
    };
    refused.extend(check.judge(metadata).iter().map(ToString::to_string));
    Ok(refused)
}

/// Foreign text, so each value stays on its line.
fn rows(metadata: &Metadata) -> Vec<(&'static str, String)> {
    let Metadata { id, title, version, target, interfaces, capabilities, config, .. } = metadata;
    let capabilities = match capabilities.lines() {
        lines if lines.is_empty() => vec!["nothing beyond its data folder".to_owned()],
        lines => lines,
    };
    let mut rows = vec![
        ("plugin", format!("{id} {version}: {title}")),
        ("target", target.clone()),
        ("ABI", format!("{}.{}", metadata.abi_major, metadata.abi_minor)),
        ("provider-api", metadata.api_version.clone()),
        ("needs hermes", metadata.requires_host.clone()),
        ("compiler", format!("{}, panic = {}", metadata.rustc, metadata.panic)),
        ("interfaces", interfaces.join(", ")),
    ];
    rows.extend(capabilities.into_iter().map(|line| ("may use", line)));
    rows.extend(config.iter().map(|field| {
        let kind = match (field.secret, field.required) {
            (true, true) => " (secret, required)",
            (true, false) => " (secret)",
            (false, true) => " (required)",
            (false, false) => "",
        };
        ("setting", format!("{}{kind}: {}", field.key, field.description))
    }));
    rows.into_iter().map(|(name, value)| (name, value.replace(char::is_control, " "))).collect()
}
