//! Which pieces of confinement this machine has.

use std::collections::BTreeSet;
use std::ffi::OsStr;

use serde::{Deserialize, Serialize};

/// A piece that a kernel may lack.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// Paths, signals, sockets.
    Landlock,
    /// System calls.
    Seccomp,
    /// The parts of root's power.
    Capabilities,
    /// Memory, files and file size.
    Limits,
}

impl Piece {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Landlock, "landlock"),
        (Self::Seccomp, "seccomp"),
        (Self::Capabilities, "capabilities"),
        (Self::Limits, "limits"),
    ];
}

/// Pieces that are treated as if the kernel lacked them. For tests: to see what is said then, and that an attempt that
/// is refused would otherwise succeed.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct Pretended(BTreeSet<Piece>);

impl Pretended {
    /// The variable in the environment of the host: names of pieces with commas between them.
    pub const VARIABLE: &str = "HERMES_PRETEND_NO";

    /// Reads the variable's value. What is no piece is no piece.
    #[must_use]
    pub fn read(value: Option<&OsStr>) -> Self {
        let value = value.unwrap_or_default().to_string_lossy();
        let named = |name: &str| Piece::ALL.into_iter().find(|(_, known)| *known == name.trim());
        Self(value.split(',').filter_map(|name| Some(named(name)?.0)).collect())
    }
}

/// What the kernel has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The version of Landlock's interface; 0 without.
    pub landlock: u32,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
    pretended: Pretended,
}

impl Kernel {
    /// Asks the kernel, which takes microseconds.
    #[must_use]
    pub fn with(pretended: &Pretended) -> Self {
        let lacks = |piece| pretended.0.contains(&piece);
        Self {
            landlock: if lacks(Piece::Landlock) { 0 } else { landlock_version() },
            seccomp: !lacks(Piece::Seccomp) && has_seccomp(),
            pretended: pretended.clone(),
        }
    }

    /// Whether a piece is there.
    #[must_use]
    pub fn has(&self, piece: Piece) -> bool {
        match piece {
            Piece::Landlock => self.landlock > 0,
            Piece::Seccomp => self.seccomp,
            Piece::Capabilities | Piece::Limits => cfg!(target_os = "linux") && !self.pretended.0.contains(&piece),
        }
    }
}

/// The newest version of which the kernel knows something that the one before does not have.
#[cfg(target_os = "linux")]
fn landlock_version() -> u32 {
    use landlock::{ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, Ruleset, Scope};
    use landlock::{RulesetAttr as _, RulesetCreatedAttr as _};

    let strict = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let files = |access: BitFlags<AccessFs>| strict().handle_access(access).and_then(Ruleset::create);
    let known = [
        files(AccessFs::from_all(ABI::V1)).is_ok(),
        files(AccessFs::Refer.into()).is_ok(),
        files(AccessFs::Truncate.into()).is_ok(),
        strict().handle_access(AccessNet::from_all(ABI::V4)).and_then(Ruleset::create).is_ok(),
        files(AccessFs::IoctlDev.into()).is_ok(),
        strict().scope(Scope::from_all(ABI::V6)).and_then(Ruleset::create).is_ok(),
        files(AccessFs::Execute.into()).and_then(|rules| rules.log_new_exec(true)).is_ok(),
    ];
    u32::try_from(known.iter().take_while(|known| **known).count()).unwrap_or(0)
}

#[cfg(not(target_os = "linux"))]
fn landlock_version() -> u32 {
    0
}

/// Filters are compiled for some architectures only.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
fn has_seccomp() -> bool {
    // The file is there when filters are; where `/proc/sys` is hidden, the kernel is asked for seccomp alone.
    std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail")
        .map_or_else(|_| rustix::thread::secure_computing_mode().is_ok(), |actions| actions.contains("errno"))
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))))]
fn has_seccomp() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pretended_is_lacking() {
        let pretended = Pretended::read(Some(OsStr::new("seccomp, landlock,nothing")));
        let kernel = Kernel::with(&pretended);
        assert_eq!((kernel.landlock, kernel.seccomp), (0, false));
        assert!(!kernel.has(Piece::Landlock) && !kernel.has(Piece::Seccomp));
        assert_eq!(kernel.has(Piece::Limits), cfg!(target_os = "linux"));
        assert_eq!(Pretended::read(None), Pretended::default());
    }
}
