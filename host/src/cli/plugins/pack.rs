//! `hermes plugins pack`.

use std::path::PathBuf;

use serde_json::json;

use crate::cli::Context;
use crate::error::Failure;
use crate::error::quoted;
use crate::net::shown;
use crate::plugins::publish::{Change, Pack, Packed, PublishError, Source, SourceError, Texts, pack};

/// What to pack, and what its entry says.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A text that is not given is taken from `Cargo.toml` when the folder is a crate.
In an entry that is there it stays.

Examples:
  hermes plugins pack .
  hermes plugins pack target/release/libnotes.so --description 'Keeps notes' --maintainer Jo --licence MIT
  hermes plugins pack . --out ../catalog --base-url https://notes.example/downloads")]
pub(super) struct Args {
    /// A built library, the folder of its crate, or a folder that holds a library and its licence
    path: PathBuf,
    /// The folder of the catalog, which is made or added to
    #[arg(long, value_name = "DIR", default_value = "dist")]
    out: PathBuf,
    /// The name that people read [default: the plugin's own word]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// What it is, in one sentence
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Who answers for it
    #[arg(long, value_name = "TEXT")]
    maintainer: Option<String>,
    /// Its licence, as an SPDX expression
    #[arg(long, value_name = "SPDX")]
    licence: Option<String>,
    /// What it is for [default: memory]
    #[arg(long, value_name = "WORD")]
    category: Option<String>,
    /// Where its documentation is
    #[arg(long, value_name = "URL")]
    docs_url: Option<String>,
    /// Where the folder will be served; without it the entry names the archive beside it
    #[arg(long, value_name = "URL", value_parser = base_url)]
    base_url: Option<String>,
    /// Replace an artifact of the same version and target
    #[arg(long)]
    force: bool,
}

fn base_url(url: &str) -> Result<String, String> {
    match url.starts_with("https://") || url.starts_with("file:/") {
        true => Ok(url.to_owned()),
        false => Err("it is neither `https://…` nor `file:/…`".to_owned()),
    }
}

pub(super) fn run(args: Args, context: &Context) -> Result<(), Failure> {
    let Args { path, out, title, description, maintainer, licence, category, docs_url, base_url, force } = args;
    if base_url.as_ref().is_some_and(|url| shown(url) != *url) {
        let failure = Failure::usage("the address in `--base-url` holds credentials or a query");
        return Err(failure.hint("everybody can read a catalog; give the address alone"));
    }
    let target_dir = context.env.get("CARGO_TARGET_DIR").map(PathBuf::from);
    let source = Source::find(&path, target_dir.as_deref())
        .map_err(|error| Failure { usage: matches!(error, SourceError::Missing { .. }), ..error.into() })?;
    let packed = pack(&Pack {
        library: &source.library,
        texts: &source.texts,
        given: Texts { title, description, maintainer, category, licence, docs_url },
        found: source.found,
        out: &out,
        base_url: base_url.as_deref(),
        force,
    });
    let packed =
        packed.map_err(|error| Failure { usage: matches!(error, PublishError::Missing { .. }), ..error.into() })?;
    if source.library.parent().is_some_and(|folder| folder.ends_with("debug")) {
        context.ui.warn(format!(
            "`{}` is not optimised: `cargo build --release` makes the one for users",
            source.library.display()
        ));
    }
    if packed.files.iter().all(|file| !file.to_ascii_uppercase().starts_with("LIC")) {
        context.ui.warn("no licence is packed: put `LICENSE` beside it");
    }
    report(&packed, &out, context);
    Ok(())
}

fn report(packed: &Packed, out: &std::path::Path, context: &Context) {
    let Packed { metadata, archive, files, sha256, size, entry, change, glibc } = packed;
    let (change, said) = match change {
        Change::Entry => ("entry", "is new"),
        Change::Release => ("release", "has a new release"),
        Change::Artifact => ("artifact", "has one more target"),
        Change::Replaced => ("replaced", "names it in place of another"),
        Change::Nothing => ("nothing", "had it already"),
    };
    if context.json {
        context.ui.json(&json!({
            "id": metadata.id,
            "version": metadata.version,
            "target": metadata.target,
            "abi": format!("{}.{}", metadata.abi_major, metadata.abi_minor),
            "requires_host": metadata.requires_host,
            "capabilities": metadata.capabilities,
            "glibc": glibc.as_ref().map(ToString::to_string),
            "archive": archive,
            "files": files,
            "sha256": sha256,
            "size": size,
            "entry": entry,
            "change": change,
        }));
        return;
    }
    context.ui.out(archive.display());
    context.ui.out(entry.display());
    let needs = glibc.iter().map(|version| format!(", needs glibc {version} or newer")).collect::<String>();
    let kib = size.div_ceil(1024);
    context.ui.note(format!(
        "packed {} {} for {} ({kib} KiB: {}){needs}",
        metadata.id,
        metadata.version,
        metadata.target,
        files.join(", ")
    ));
    context.ui.note(format!("`{}` {said}", entry.display()));
    let catalog = quoted(&out.to_string_lossy());
    context.ui.note(format!("next: `hermes plugins install {} --catalog {catalog}`", metadata.id));
}
