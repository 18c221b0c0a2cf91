//! `hermes plugins mirror`.

use std::path::PathBuf;

use serde_json::json;

use super::install::request;
use super::progress::Downloads;
use crate::cli::{Context, Exit};
use crate::error::{Failure, quoted};
use crate::plugins::fetch::Step;
use crate::plugins::fetch::mirror::{Choice, MirrorContext, Mirrored, mirror};
use crate::plugins::install::Request;
use crate::plugins::lock::Lock;
use crate::plugins::resolve::Platform;

/// What to put where.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder; what is in it already is kept where it fits
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Only these, perhaps of a version or range; otherwise all that the catalogs have
    #[arg(value_name = "NAME[@VERSION]")]
    plugins: Vec<String>,
    /// For this target, such as `aarch64-unknown-linux-gnu`; may be given several times; otherwise for this machine
    #[arg(long = "target", value_name = "TARGET")]
    targets: Vec<String>,
    /// For all targets
    #[arg(long, conflicts_with = "targets")]
    all_targets: bool,
    /// All versions, and not only the newest that fits and those that are installed
    #[arg(long)]
    all_versions: bool,
}

/// Fills the folder, and says what is in it.
pub(super) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let names = args.plugins.iter().map(|plugin| request(plugin).map(|Request { name, want, .. }| (name, want)));
    let choice = Choice {
        names: names.collect::<Result<_, _>>()?,
        targets: args.targets.clone(),
        all_targets: args.all_targets,
        all_versions: args.all_versions,
    };
    let surroundings = context.surroundings()?;
    let (ui, downloads) = (&context.ui, Downloads::new(&context.ui));
    let step = |step: Step<'_>| downloads.show(step);
    let cx = MirrorContext {
        catalogs: &surroundings.catalogs()?,
        lock: &Lock::read(&context.home)?,
        platform: &Platform::current(),
        fetch: surroundings.fetcher(&step),
        done: &|mirrored| {
            if !context.json {
                let Mirrored { id, version, target, size, kept, .. } = mirrored;
                let kept = if *kept { ", was there" } else { "" };
                ui.out(format!("{id} {version}  {target}, {} KiB{kept}", size.div_ceil(1024)));
            }
        },
    };
    let folder = std::path::absolute(&args.folder).unwrap_or_else(|_| args.folder.clone());
    let report = mirror(&folder, &choice, &cx).map_err(|error| context.failure_with_catalogs(error.into()))?;
    report.passed_over.iter().for_each(|(what, reason)| ui.note(format!("passed over: {what}: {reason}")));
    for (what, failure) in &report.failed {
        ui.warn(format!("{what}: {}", failure.message));
        failure.hints.iter().for_each(|hint| ui.note(format!("hint: {}", context.with_catalogs(hint))));
    }
    if context.json {
        let archives = report.archives.iter().map(|mirrored| {
            let Mirrored { id, version, target, file, sha256, size, kept } = mirrored;
            json!({
                "id": id, "version": version, "target": target, "file": file, "sha256": sha256, "size": size, "kept": kept,
            })
        });
        ui.json(&json!({
            "folder": folder,
            "archives": archives.collect::<Vec<_>>(),
            "passed_over": report.passed_over.iter().map(|(id, why)| json!({"id": id, "reason": why})).collect::<Vec<_>>(),
            "failed": report.failed.iter().map(|(what, why)| json!({"what": what, "reason": why.message})).collect::<Vec<_>>(),
        }));
    } else {
        let folder = quoted(&folder.to_string_lossy());
        ui.note(format!("another machine uses it with `hermes plugins install <name> --offline --catalog {folder}`"));
    }
    Ok(if report.failed.is_empty() { Exit::Success } else { Exit::Failed })
}
