//! What of the conversations is in the archive: each turn that was told, once, whole and in order.

use std::collections::BTreeSet;
use std::sync::Arc;

use hermes_host::db::Db;
use hermes_host::layers::episodic::{Archive, Filter};
use hermes_provider_api::records::Role;

use super::{Accepted, Arrived};

/// In the names of sessions that are pruned while others are killed.
const PRUNED: &str = "-pruned-";

/// What is not as it should be, once all that was accepted has arrived.
pub(super) fn check(db: Arc<Db>, accepted: &[Accepted], arrived: &[Arrived]) -> Result<Vec<String>, String> {
    let archive = Archive::new(db);
    let told = |error: &dyn std::fmt::Display| error.to_string();
    let (mut broken, mut there) = (Vec::new(), BTreeSet::new());
    for session in archive.list(&Filter::default()).map_err(|error| told(&error))? {
        let name = &session.head.name;
        let messages = archive.messages(&session, 0, usize::MAX).map_err(|error| told(&error))?;
        if messages.len() as u64 != session.messages {
            broken.push(format!("{name} counts {} messages and has {}", session.messages, messages.len()));
        }
        let mut last = 0;
        for message in messages.iter().filter(|message| message.said.role == Role::User) {
            if message.said.turn <= last {
                broken.push(format!("{name}: turn {} is archived after {last}", message.said.turn));
            }
            last = message.said.turn;
            let turn = (name.clone(), message.said.content.clone());
            if !name.contains(PRUNED) && !there.insert(turn) {
                broken.push(format!("archived twice: {name} {}", message.said.content));
            }
        }
    }
    let turn = |of: &Accepted| (of.what == "turn").then(|| (of.session.clone(), of.text.clone()));
    let arrived: BTreeSet<_> = arrived.iter().filter_map(|arrived| turn(&arrived.of)).collect();
    let lost = accepted.iter().filter_map(turn).filter(|turn| !there.contains(turn));
    broken.extend(lost.map(|turn| format!("lost: not archived: {turn:?}")));
    // They are written with one sync, so there cannot be one without the other.
    broken.extend(arrived.symmetric_difference(&there).map(|turn| format!("only archived, or only told: {turn:?}")));
    Ok(broken)
}
