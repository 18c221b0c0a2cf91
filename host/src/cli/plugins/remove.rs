//! `hermes plugins remove`.

use serde_json::json;

use super::Agreement;
use crate::cli::Context;
use crate::error::Failure;
use crate::plugins::install::remove;
use crate::plugins::lock::Lock;

pub(super) fn run(name: &str, agreement: Agreement, context: &Context) -> Result<(), Failure> {
    let active = context.config.provider() == Some(name);
    // A name that is not installed needs no question.
    if agreement == Agreement::Asked && Lock::read(&context.home)?.plugins.contains_key(name) {
        let question = match active {
            true => format!("Remove {name}, the active memory provider?"),
            false => format!("Remove {name}?"),
        };
        let command = format!("`hermes plugins remove {name} --yes`");
        context.ui.agree(&question, &format!("`{name}` was not removed"), &command)?;
    }
    context.stop_programs(name);
    let removed = remove(&context.home, name)?;
    if context.json {
        context.ui.json(&json!({"id": name, "version": removed.version, "active": active, "data": removed.data}));
        return Ok(());
    }
    context.ui.note(format!("removed {name} {}", removed.version));
    if let Some(data) = removed.data {
        context.ui.note(format!("what it stored is kept in `{}`", data.display()));
    }
    crate::cli::memory::say_kept(name, context);
    if active {
        context.ui.note(
            "`memory.provider` still names it, and its next use may install it again; `hermes memory off` ends that",
        );
    }
    Ok(())
}
