//! Which system calls a worker may make: seccomp.
//!
//! A list of what is allowed, not of what is refused: kernels grow a few calls each year, and a new way out would be open
//! until somebody noticed it. What is on no list answers `ENOSYS`, so that a library takes the older way that it
//! has anyway (as the C library does for `clone3`). What is known and refused answers `EPERM`, which an author
//! understands. No call but one of a foreign architecture ends the worker: a library that only asks must live on.
//!
//! The kernel decides by number alone for the calls that are always allowed, without running the filter; `read`,
//! `write` and `futex` cost what they cost without it.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
mod filter;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
mod lists;

use super::{Confine, ConfineError, Kernel, Piece};

/// Before the library is loaded.
pub(super) fn restrict(confine: &Confine, kernel: &Kernel) -> Result<(), ConfineError> {
    if !kernel.has(Piece::Seccomp) {
        return Ok(());
    }
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
    filter::restrict(confine.direct_network)?;
    Ok(())
}

/// Once it is loaded.
pub(super) fn seal(confine: &Confine, kernel: &Kernel) -> Result<(), ConfineError> {
    if !kernel.has(Piece::Seccomp) {
        return Ok(());
    }
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
    filter::seal(confine.direct_network)?;
    Ok(())
}
