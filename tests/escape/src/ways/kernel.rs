//! Through parts of the kernel that a provider has no business with, and more of the machine than it may take.

use libc::{MAP_ANONYMOUS, MAP_NORESERVE, MAP_PRIVATE, MAP_SHARED, PROT_EXEC, PROT_READ, PROT_WRITE};

use super::{Way, got, text};
use crate::sys::{at, c_path, call, int};

const TEN_GB: usize = 10 << 30;

pub(super) const WAYS: &[(&str, Way)] = &[
    ("ten-gigabytes", |_| reserve(MAP_PRIVATE)),
    ("ten-shared-gigabytes", |_| reserve(MAP_SHARED)),
    ("many-files", |_| {
        let mut held = Vec::new();
        while held.len() < 5000 {
            held.push(std::fs::File::open("/dev/null").map_err(text)?);
        }
        Ok(held.len().to_string())
    }),
    ("new-code-in-memory", |_| {
        got(call(libc::SYS_mmap, &[0, 4096, int(PROT_READ | PROT_EXEC), int(MAP_PRIVATE | MAP_ANONYMOUS), int(-1), 0]))
    }),
    ("memory-made-code", |_| {
        let flags = int(MAP_PRIVATE | MAP_ANONYMOUS);
        let page = call(libc::SYS_mmap, &[0, 4096, int(PROT_READ | PROT_WRITE), flags, int(-1), 0]).map_err(text)?;
        got(call(libc::SYS_mprotect, &[page, 4096, int(PROT_READ | PROT_EXEC)]))
    }),
    ("mount", |p| {
        let folder = c_path(p.data);
        got(call(libc::SYS_mount, &[at(c"none"), at(folder.as_c_str()), at(c"tmpfs"), 0, 0]))
    }),
    ("new-mount", |_| got(call(libc::SYS_fsopen, &[at(c"tmpfs"), 0]))),
    ("change-root", |p| {
        let folder = c_path(p.data);
        got(call(libc::SYS_chroot, &[at(folder.as_c_str())]))
    }),
    ("swap-root", |p| {
        let folder = c_path(p.data);
        got(call(libc::SYS_pivot_root, &[at(folder.as_c_str()), at(folder.as_c_str())]))
    }),
    ("new-user-namespace", |_| got(call(libc::SYS_unshare, &[int(libc::CLONE_NEWUSER)]))),
    ("new-file-table", |_| got(call(libc::SYS_unshare, &[int(libc::CLONE_FILES)]))),
    ("other-namespace", |_| got(call(libc::SYS_setns, &[int(-1), 0]))),
    ("read-keys", |_| got(call(libc::SYS_keyctl, &[0, int(-3), 1]))),
    ("add-key", |_| got(call(libc::SYS_add_key, &[at(c"user"), at(c"escaped"), at("yes"), 3, int(-2)]))),
    ("ask-for-key", |_| got(call(libc::SYS_request_key, &[at(c"user"), at(c"escaped"), 0, int(-2)]))),
    ("ring-of-calls", |_| {
        let parameters = [0_u64; 15];
        got(call(libc::SYS_io_uring_setup, &[1, at(&parameters)]))
    }),
    ("kernel-program", |_| {
        // A map of one entry: `BPF_MAP_CREATE` of an array.
        let attributes = [2_u32, 4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        got(call(libc::SYS_bpf, &[0, at(&attributes), size_of_val(&attributes)]))
    }),
    ("count-events", |_| {
        // A clock of this process: `PERF_TYPE_SOFTWARE`, `PERF_COUNT_SW_TASK_CLOCK`.
        let mut attributes = [0_u64; 16];
        attributes[0] = 1 | (128 << 32);
        attributes[1] = 1;
        got(call(libc::SYS_perf_event_open, &[at(&attributes), 0, int(-1), int(-1), 0]))
    }),
    ("handle-faults", |_| got(call(libc::SYS_userfaultfd, &[1]))),
    ("other-personality", |_| got(call(libc::SYS_personality, &[0xffff_ffff]))),
    ("load-module", |_| got(call(libc::SYS_init_module, &[at(""), 0, at(c"")]))),
    ("other-kernel", |_| got(call(libc::SYS_kexec_load, &[0, 0, 0, 0]))),
    ("name-of-machine", |_| got(call(libc::SYS_sethostname, &[at(""), 0]))),
    ("type-into-terminal", |_| got(call(libc::SYS_ioctl, &[2, 0x5412, at("x")]))),
    ("paste-into-terminal", |_| got(call(libc::SYS_ioctl, &[2, 0x541c, at("\u{3}")]))),
    ("older-numbers", older_numbers),
    ("calls-of-32-bits", calls_of_32_bits),
    ("another-filter", |_| {
        // Whether the kernel knows an action: changes nothing.
        let action = 0x7fff_0000_u32;
        got(call(libc::SYS_seccomp, &[2, 0, at(&action)]))
    }),
    ("call-of-the-future", |_| got(call(0xfff, &[]))),
];

fn reserve(kind: i32) -> Result<String, String> {
    let flags = int(kind | MAP_ANONYMOUS | MAP_NORESERVE);
    got(call(libc::SYS_mmap, &[0, TEN_GB, int(PROT_READ | PROT_WRITE), flags, int(-1), 0]))
}

/// The x32 interface: the same calls with a bit set.
fn older_numbers(_: &crate::Prisoner<'_>) -> Result<String, String> {
    got(call(0x4000_0000 | libc::SYS_getpid, &[]))
}

#[cfg(target_arch = "x86_64")]
fn calls_of_32_bits(_: &crate::Prisoner<'_>) -> Result<String, String> {
    let answer = crate::sys::foreign_getpid();
    if answer > 0 { Ok(answer.to_string()) } else { Err(answer.to_string()) }
}

#[cfg(not(target_arch = "x86_64"))]
fn calls_of_32_bits(_: &crate::Prisoner<'_>) -> Result<String, String> {
    Err("this machine has none".to_owned())
}
