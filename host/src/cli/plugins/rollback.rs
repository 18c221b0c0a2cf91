//! `hermes plugins rollback`.

use super::Agreement;
use super::switched::{Switch, changes};
use crate::cli::Context;
use crate::error::Failure;
use crate::open::not_asked;
use crate::plugins::install::{RollbackContext, rollback};
use crate::plugins::lock::{Installed, Lock};
use crate::plugins::resolve::Platform;

pub(super) fn run(name: &str, agreement: Agreement, context: &Context) -> Result<(), Failure> {
    let surroundings = context.surroundings()?;
    // A way back is needed most when something is broken; the user should know which catalog was not asked.
    let catalogs = surroundings.readable_catalogs();
    catalogs.unread().iter().for_each(|error| context.ui.warn(not_asked(error)));
    if let Some(Installed { current, previous: Some(before) }) = Lock::read(&context.home)?.plugins.get(name) {
        context.ui.note(format!("{name} {} → {}", current.version, before.version));
        let (gained, dropped) = before.changes_from(current);
        changes(&gained, &dropped).for_each(|line| context.ui.note(line));
        if agreement == Agreement::Asked {
            let command = context.with_catalogs(&format!("`hermes plugins rollback {name} --yes`"));
            context.ui.agree(&format!("Roll {name} back?"), &format!("`{name}` was not rolled back"), &command)?;
        }
    }
    let switched = rollback(
        name,
        &RollbackContext {
            home: &context.home,
            catalogs: &catalogs,
            platform: &Platform::current(),
            isolation: surroundings.isolation(),
            load_test: &|verified| surroundings.load_test(verified),
        },
    )
    .map_err(|error| context.failure_with_catalogs(error.into()))?;
    let Installed { current, previous } = &switched;
    let from = previous.as_ref().unwrap_or(current);
    let switch = Switch::new(name, from, current, context);
    let has_data = context.home.provider_data(name).exists();
    if context.json {
        let mut value = switch.json();
        value["data_rolled_back"] = false.into();
        context.ui.json(&value);
        return Ok(());
    }
    let back = context.with_catalogs(&format!("`hermes plugins rollback {name}`"));
    context.ui.note(format!("{name} is at {} again; {back} goes back", current.version));
    if has_data {
        context.ui.note(format!("its data is not rolled back: it stays as {} wrote it", from.version));
    }
    switch.tell(context);
    Ok(())
}
