//! What every process can give up: new privileges, capabilities, being looked into, and more of the machine than a
//! provider needs.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{ConfineError, Kernel, Piece};

/// The most memory of its own that a worker may write to: more than an index of a million memories needs, less than
/// what makes a small machine swap for long.
pub const MOST_DATA: u64 = 4 << 30;

/// The most addresses, which also bounds shared memory and mapped files. Wider, because reserving costs nothing.
pub const MOST_ADDRESSES: u64 = 8 << 30;

/// The largest file that it may write.
pub const LARGEST_FILE: u64 = 8 << 30;

/// The most files that it may hold open.
pub const MOST_FILES: u64 = 1024;

pub(super) fn give_up(kernel: &Kernel) -> Result<(), ConfineError> {
    let limits = [
        // No core files with memories in them.
        (Resource::Core, 0),
        (Resource::Data, MOST_DATA),
        (Resource::As, MOST_ADDRESSES),
        (Resource::Fsize, LARGEST_FILE),
        (Resource::Nofile, MOST_FILES),
    ];
    for (resource, most) in limits {
        if resource == Resource::Core || kernel.has(Piece::Limits) {
            limit(resource, most)?;
        }
    }
    // The number of processes is not bounded here: that limit counts all processes of the user and binds no root. A worker
    // cannot make any, see `calls`.
    #[cfg(target_os = "linux")]
    give_up_privileges(kernel)?;
    Ok(())
}

/// Both the limit that holds and the one up to which it could be raised. What is lower already stays.
fn limit(resource: Resource, most: u64) -> Result<(), ConfineError> {
    let known = getrlimit(resource);
    let lower = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
    let wanted = Rlimit { current: lower(known.current), maximum: lower(known.maximum) };
    match setrlimit(resource, wanted) {
        // macOS has no limit of data and addresses that can be set.
        Err(error) if cfg!(target_os = "linux") => Err(ConfineError::step("limits", error)),
        _ => Ok(()),
    }
}

#[cfg(target_os = "linux")]
fn give_up_privileges(kernel: &Kernel) -> Result<(), ConfineError> {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_no_new_privs};

    let step = |error| ConfineError::step("privileges", error);
    set_no_new_privs(true).map_err(step)?;
    if kernel.has(Piece::Capabilities) {
        let had = capabilities(None).map_err(step)?;
        // Root stays able to use the folders of the user that it runs for; Landlock says which. Nobody else has it.
        let kept = had.permitted & CapabilitySet::DAC_OVERRIDE;
        let none = CapabilitySet::empty();
        set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable: none }).map_err(step)?;
    }
    // Other processes of the user, other workers among them, cannot look into its memory.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(step)
}
