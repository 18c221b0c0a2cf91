//! The lists as programs for the kernel. Where several of them refuse a call, the one installed last chooses the error.

use std::collections::BTreeMap;

use libc::{ENOSYS, EPERM, c_int, c_long};
use seccompiler::SeccompAction::{self, Allow, Errno};
use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{Eq, MaskedEq};
use seccompiler::{BpfProgram, SeccompCondition, SeccompFilter, SeccompRule, TargetArch};

use super::super::ConfineError;
use super::lists;

#[cfg(target_arch = "x86_64")]
const MACHINE: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const MACHINE: TargetArch = TargetArch::aarch64;
#[cfg(target_arch = "riscv64")]
const MACHINE: TargetArch = TargetArch::riscv64;

/// Calls, each with the rules of which one has to fit; always when there are none.
type Calls = BTreeMap<c_long, Vec<SeccompRule>>;

pub(super) fn restrict(direct_network: bool) -> Result<(), ConfineError> {
    let mut allowed = always(lists::ALLOWED);
    allowed.extend(always(lists::OLDER));
    allowed.extend(with_some_arguments()?);
    if direct_network {
        allowed.extend(always(lists::NETWORK));
        allowed.insert(libc::SYS_socket, internet_sockets()?);
    }
    let mut known: Calls = allowed.keys().map(|&call| (call, Vec::new())).collect();
    known.extend(always(lists::REFUSED));
    known.extend(always(lists::NETWORK));
    let programs = [
        compile(allowed, errno(EPERM), Allow)?,
        compile(known, errno(ENOSYS), Allow)?,
        // Said to be done, and not done: copying a file sets the mode of the copy, and what is in the data folder is for
        // the user alone already. An error would stop programs that mean no harm.
        compile(always(&[libc::SYS_fchmod]), Allow, Errno(0))?,
        compile(Calls::from([(libc::SYS_fcntl, one_of(1, lists::FCNTL_REFUSED)?)]), Allow, errno(EPERM))?,
    ];
    programs.iter().try_for_each(|program| seccompiler::apply_filter(program).map_err(failed))
}

/// No memory becomes executable any more: what was checked is all the code that there is. With `direct_network` the C
/// library may still load its resolvers. Nothing needs a further filter.
pub(super) fn seal(direct_network: bool) -> Result<(), ConfineError> {
    let mut refused = always(&[libc::SYS_seccomp]);
    if !direct_network {
        for call in [libc::SYS_mmap, libc::SYS_mprotect, libc::SYS_pkey_mprotect] {
            refused.insert(call, vec![all([flags(2, libc::PROT_EXEC, libc::PROT_EXEC)?])?]);
        }
    }
    // The library may have started threads.
    seccompiler::apply_filter_all_threads(&compile(refused, Allow, errno(EPERM))?).map_err(failed)
}

fn always(calls: &[c_long]) -> Calls {
    calls.iter().map(|&call| (call, Vec::new())).collect()
}

/// Calls that are allowed with certain arguments alone.
fn with_some_arguments() -> Result<Calls, ConfineError> {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let spaces = lists::NAMESPACES.iter().fold(0, |all, flag| all | flag);
    Ok(Calls::from([
        // A thread of this process, in its namespaces.
        (libc::SYS_clone, vec![all([flags(0, libc::CLONE_THREAD | spaces, libc::CLONE_THREAD)?])?]),
        // `abort` sends a signal to its own thread, and a worker ends with its group, in which nobody else is.
        (libc::SYS_tgkill, one_of(0, &[own])?),
        (libc::SYS_kill, one_of(0, &[own, -own])?),
        (libc::SYS_prctl, one_of(0, lists::PRCTL)?),
        (libc::SYS_ioctl, one_of(1, lists::IOCTL)?),
        // Its own limits, to be read: root could raise them.
        (libc::SYS_prlimit64, vec![all([is(0, 0)?, condition(2, Qword, Eq, 0)?])?]),
        (libc::SYS_sched_setaffinity, one_of(0, &[0])?),
        // With a pair of datagram sockets one can send to any other socket of the machine.
        (libc::SYS_socketpair, vec![all([is(0, libc::AF_UNIX)?, flags(1, lists::SOCKET_KIND, libc::SOCK_STREAM)?])?]),
    ]))
}

fn internet_sockets() -> Result<Vec<SeccompRule>, ConfineError> {
    let mut rules = Vec::new();
    for family in [libc::AF_INET, libc::AF_INET6] {
        for kind in [libc::SOCK_STREAM, libc::SOCK_DGRAM] {
            rules.push(all([is(0, family)?, flags(1, lists::SOCKET_KIND, kind)?])?);
        }
    }
    Ok(rules)
}

fn one_of(index: u8, values: &[c_int]) -> Result<Vec<SeccompRule>, ConfineError> {
    values.iter().map(|&value| all([is(index, value)?])).collect()
}

/// An argument that is a number of 32 bits, which may be negative.
fn is(index: u8, value: c_int) -> Result<SeccompCondition, ConfineError> {
    condition(index, Dword, Eq, bits(value))
}

/// These flags of an argument are set like this, whatever the others are.
fn flags(index: u8, mask: c_int, value: c_int) -> Result<SeccompCondition, ConfineError> {
    condition(index, Dword, MaskedEq(bits(mask)), bits(value))
}

fn condition(
    index: u8,
    width: seccompiler::SeccompCmpArgLen,
    compare: seccompiler::SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, ConfineError> {
    SeccompCondition::new(index, width, compare, value).map_err(failed)
}

fn all<const N: usize>(conditions: [SeccompCondition; N]) -> Result<SeccompRule, ConfineError> {
    SeccompRule::new(conditions.into()).map_err(failed)
}

fn bits(value: c_int) -> u64 {
    value.cast_unsigned().into()
}

fn errno(number: c_int) -> SeccompAction {
    Errno(number.unsigned_abs())
}

fn compile(calls: Calls, otherwise: SeccompAction, listed: SeccompAction) -> Result<BpfProgram, ConfineError> {
    SeccompFilter::new(calls, otherwise, listed, MACHINE).and_then(BpfProgram::try_from).map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> ConfineError {
    ConfineError::step("seccomp", error)
}
