//! What a trial left at a service, deleted entry by entry.

use hermes_provider_api::records::{Caller, Context, ListEntries, Origin};
use hermes_provider_api::{ErrorKind, Scope};

use crate::clock::UnixMillis;
use crate::layers::external::{External, ExternalError};

/// The most pages that are asked for, so that a provider which forgets nothing ends the trial all the same.
const PAGES: usize = 2000;

/// What became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cleanup {
    /// How many entries were deleted.
    pub(super) deleted: u64,
    /// Why something may be left.
    pub(super) problem: Option<String>,
}

/// Deletes what is stored for these audiences.
pub(super) fn delete_all(external: &External, audiences: &[Scope], at: UnixMillis) -> Cleanup {
    let mut done = Cleanup::default();
    for scope in audiences {
        let origin = Origin { session: "pilot".to_owned(), at, ..Origin::default() };
        let caller = Caller { scope: scope.clone(), origin, context: Context::Primary };
        if let Err(problem) = delete_of(external, &caller, &mut done.deleted) {
            done.problem = Some(problem);
        }
    }
    done
}

/// Always the first page: what was deleted is not on it any more.
fn delete_of(external: &External, caller: &Caller, deleted: &mut u64) -> Result<(), String> {
    let list = ListEntries { caller: caller.clone(), ..ListEntries::default() };
    for _ in 0..PAGES {
        let page = external.list_entries(&list).map_err(|error| error.to_string())?;
        if page.entries.is_empty() {
            return Ok(());
        }
        let before = *deleted;
        for entry in &page.entries {
            match external.delete_entry(&entry.id, caller) {
                Ok(()) => *deleted += 1,
                // Somebody was faster, perhaps the service itself.
                Err(error) if is_gone(&error) => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        if *deleted == before {
            break;
        }
    }
    Err(format!("`{}` still lists entries after they were deleted", external.id()))
}

fn is_gone(error: &ExternalError) -> bool {
    error.provider_error().is_some_and(|error| error.kind == ErrorKind::NotFound)
}
