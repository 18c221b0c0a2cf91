//! Through programs and other processes.

use std::io::Write as _;
use std::os::fd::FromRawFd as _;
use std::process::Command;

use libc::{SIGCHLD, c_long};

use super::{Way, got, text};
use crate::Prisoner;
use crate::sys::{at, call, divide, int};

pub(super) const WAYS: &[(&str, Way)] = &[
    ("start-program", |_| program("/bin/true")),
    ("start-program-with-more-rights", |_| program("/bin/su")),
    ("become-program", |_| {
        let (path, arguments) = (c"/bin/true", [at(c"true"), 0]);
        got(call(libc::SYS_execve, &[at(path), at(&arguments), at(&arguments[1])]))
    }),
    ("become-program-in-memory", |_| {
        let memory = call(libc::SYS_memfd_create, &[at(c"program"), 0]).map_err(text)?;
        let mut file = file_of(memory);
        file.write_all(&std::fs::read("/bin/true").map_err(text)?).map_err(text)?;
        let (path, arguments) = (c"", [at(c"true"), 0]);
        let by_descriptor = int(libc::AT_EMPTY_PATH);
        got(call(libc::SYS_execveat, &[memory, at(path), at(&arguments), at(&arguments[1]), by_descriptor]))
    }),
    ("fork", |_| got(divide(libc::SYS_clone, &[int(SIGCHLD)]))),
    ("fork-as-before", |_| got(older_fork())),
    ("fork-as-later", |_| {
        // `struct clone_args`: only the signal at the end is set.
        let mut arguments = [0_u64; 11];
        arguments[4] = SIGCHLD.unsigned_abs().into();
        got(divide(libc::SYS_clone3, &[at(&arguments), size_of_val(&arguments)]))
    }),
    ("fork-bomb", |_| {
        let made = (0..10_000).take_while(|_| divide(libc::SYS_clone, &[int(SIGCHLD)]).is_ok()).count();
        if made == 0 { got(divide(libc::SYS_clone, &[int(SIGCHLD)])) } else { Ok(made.to_string()) }
    }),
    ("signal-host", |p| got(call(libc::SYS_kill, &[host(p), 0]))),
    ("signal-everybody", |_| got(call(libc::SYS_kill, &[int(-1), 0]))),
    ("signal-host-thread", |p| got(call(libc::SYS_tgkill, &[host(p), host(p), 0]))),
    ("signal-host-by-older-call", |p| got(call(libc::SYS_tkill, &[host(p), 0]))),
    ("signal-host-by-descriptor", |p| {
        let process = call(libc::SYS_pidfd_open, &[host(p), 0]).map_err(text)?;
        got(call(libc::SYS_pidfd_send_signal, &[process, 0, 0, 0]))
    }),
    ("signal-host-about-a-pipe", |p| {
        let (reader, _writer) = std::io::pipe().map_err(text)?;
        let pipe = int(std::os::fd::AsRawFd::as_raw_fd(&reader));
        got(call(libc::SYS_fcntl, &[pipe, int(libc::F_SETOWN), host(p)]))
    }),
    ("trace-host", |p| got(call(libc::SYS_ptrace, &[libc::PTRACE_SEIZE as usize, host(p), 0, 0]))),
    ("read-host-memory", |p| of_memory(p, libc::SYS_process_vm_readv)),
    ("write-host-memory", |p| of_memory(p, libc::SYS_process_vm_writev)),
    ("take-host-descriptor", |p| {
        let process = call(libc::SYS_pidfd_open, &[host(p), 0]).map_err(text)?;
        got(call(libc::SYS_pidfd_getfd, &[process, 0, 0]))
    }),
    ("read-host-limits", |p| {
        let room = [0_u64; 2];
        got(call(libc::SYS_prlimit64, &[host(p), libc::RLIMIT_NOFILE as usize, 0, at(&room)]))
    }),
    ("raise-own-limits", |_| {
        let wanted = [512_u64; 2];
        got(call(libc::SYS_prlimit64, &[0, libc::RLIMIT_NOFILE as usize, at(&wanted), 0]))
    }),
    ("slow-host-down", |p| got(call(libc::SYS_setpriority, &[libc::PRIO_PROCESS as usize, host(p), 0]))),
    ("bind-host-to-a-processor", |p| {
        let everywhere = [usize::MAX; 16];
        got(call(libc::SYS_sched_setaffinity, &[host(p), size_of_val(&everywhere), at(&everywhere)]))
    }),
    ("ask-for-other-user", |_| got(call(libc::SYS_setresuid, &[int(-1), int(-1), int(-1)]))),
    ("be-looked-into", |_| got(call(libc::SYS_prctl, &[libc::PR_SET_DUMPABLE as usize, 1, 0, 0, 0]))),
    ("read-environment", |_| match std::env::vars_os().count() {
        0 => Err("the environment is empty".to_owned()),
        variables => Ok(variables.to_string()),
    }),
    ("share-memory", |_| got(call(libc::SYS_shmget, &[0, 4096, 0o1600]))),
];

fn host(p: &Prisoner<'_>) -> usize {
    int(p.scene.host)
}

#[expect(clippy::disallowed_methods, reason = "the provider is meant to try")]
fn program(path: &str) -> Result<String, String> {
    let output = Command::new(path).arg("--version").output().map_err(text)?;
    Ok(output.status.to_string())
}

/// No such memory is there to be read, but who may look is told so and not refused.
fn of_memory(p: &Prisoner<'_>, number: c_long) -> Result<String, String> {
    let room = [0_u8; 8];
    let (own, foreign) = ([at(&room), room.len()], [8_usize, 8]);
    match call(number, &[host(p), at(&own), 1, at(&foreign), 1, 0]) {
        Err(error) if error.raw_os_error() != Some(libc::EFAULT) => Err(text(error)),
        _ => Ok("the memory is open".to_owned()),
    }
}

#[cfg(target_arch = "x86_64")]
fn older_fork() -> std::io::Result<usize> {
    divide(libc::SYS_fork, &[])
}

#[cfg(not(target_arch = "x86_64"))]
fn older_fork() -> std::io::Result<usize> {
    divide(libc::SYS_clone, &[int(SIGCHLD)])
}

#[expect(unsafe_code, reason = "the call made it, and nobody else has it")]
fn file_of(descriptor: usize) -> std::fs::File {
    // SAFETY: it was made for this alone.
    unsafe { std::fs::File::from_raw_fd(i32::try_from(descriptor).unwrap_or(-1)) }
}
