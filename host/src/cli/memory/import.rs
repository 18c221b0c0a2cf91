//! `hermes memory import`: what another memory knows, given to the provider.
//!
//! The file is handed over as it is: it is the user's own, and the provider alone can read it. What is recalled from it
//! later loses its secrets like any other recall.

use std::path::{Path, PathBuf};

use hermes_provider_api::Context as Role;
use hermes_provider_api::records::{Caller, ImportBatch, ImportReport, Origin};
use serde_json::json;

use super::say::usable;
use crate::cli::open;
use crate::cli::{Context, Exit};
use crate::clock::nonce;
use crate::error::Failure;
use crate::home::files::create_dir;
use crate::home::snapshot;
use crate::layers::external::External;

/// So many of the refused are shown one by one.
const SHOWN: usize = 10;

/// What to take from where.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The provider that takes it: the one that is set up
    provider: String,
    /// The file, such as `memory_store.db` of the Python plugin; it is only read
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
}

/// Copies the file into the provider's data folder, and has the provider read the copy.
pub(super) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let Args { provider, from } = args;
    if context.config.provider().is_some_and(|current| current != provider) {
        let failure = Failure::usage(format!("`{provider}` is not the provider that is set up"));
        return Err(failure.hint(format!("run `hermes memory setup {provider}` first")));
    }
    let opened = usable(context)?;
    let done = match opened.memory.external() {
        Some(external) => import(external, from, context),
        None => Err(super::say::no_provider()),
    };
    let closed = open::close(opened, &context.ui);
    let report = done?;
    say(provider, from, &report, context);
    Ok(if report.refused.is_empty() { closed } else { Exit::Failed })
}

fn import(external: &External, from: &Path, context: &Context) -> Result<ImportReport, Failure> {
    let folder = context.home.provider_data(external.id());
    create_dir(&folder)?;
    let copy = Copy(folder.join(format!("import-{:016x}.db", nonce())));
    snapshot::snapshot(from, &copy.0)?;
    let origin = Origin { session: "import".to_owned(), at: context.clock.now(), ..Origin::default() };
    let caller = Caller { scope: open::scope(&context.home), origin, context: Role::Primary };
    let file = copy.0.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut batch = ImportBatch { caller, file, ..ImportBatch::default() };
    let bar = context.ui.progress("importing", None);
    let mut sum = ImportReport::default();
    loop {
        let report = external.import(&batch)?;
        // One that knows nothing of files has read an empty batch.
        let Some(total) = report.total.or(sum.total) else {
            return Err(Failure::new(format!("`{}` reads no files of other memories", external.id()))
                .hint(format!("run `hermes plugins update {}`", external.id())));
        };
        sum.total = Some(total);
        sum.added += report.added;
        sum.skipped += report.skipped;
        sum.refused.extend(report.refused);
        let done = sum.added + sum.skipped + u64::try_from(sum.refused.len()).unwrap_or(u64::MAX);
        bar.set_message(format!("importing: {done} of {total}"));
        // The same place again would never end.
        if report.next.is_empty() || report.next == batch.cursor {
            bar.finish_and_clear();
            return Ok(sum);
        }
        batch.cursor = report.next;
    }
}

fn say(provider: &str, from: &Path, report: &ImportReport, context: &Context) {
    let ImportReport { added, skipped, refused, .. } = report;
    if context.json {
        let from = from.display().to_string();
        let answer =
            json!({ "provider": provider, "from": from, "added": added, "skipped": skipped, "refused": refused });
        return context.ui.json(&answer);
    }
    let known = if *skipped > 0 { format!(", knew {skipped} already") } else { String::new() };
    context.ui.note(format!("{provider} took {added} from `{}`{known}", from.display()));
    refused.iter().take(SHOWN).for_each(|reason| context.ui.warn(format!("not taken: {reason}")));
    if refused.len() > SHOWN {
        context.ui.note(format!("{} more were not taken; `--json` names them all", refused.len() - SHOWN));
    }
}

/// The copy in the provider's folder, which goes when this is dropped.
struct Copy(PathBuf);

impl Drop for Copy {
    fn drop(&mut self) {
        snapshot::remove(&self.0);
    }
}
