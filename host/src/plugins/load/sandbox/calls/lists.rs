//! The calls by name. What they may be used for is decided elsewhere: which files by Landlock, which arguments by
//! `filter`.

use libc::*;

/// What the standard library, the C library, threads, SQLite and an event loop need.
#[rustfmt::skip]
pub(super) const ALLOWED: &[c_long] = &[
    // Files that are open.
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev, SYS_preadv2,
    SYS_pwritev2, SYS_lseek, SYS_close, SYS_close_range, SYS_fstat, SYS_fstatfs, SYS_ftruncate, SYS_fallocate,
    SYS_fsync, SYS_fdatasync, SYS_fadvise64, SYS_readahead, SYS_copy_file_range, SYS_sendfile, SYS_splice,
    SYS_fcntl, SYS_flock, SYS_dup, SYS_dup3, SYS_pipe2, SYS_getdents64,
    // Paths.
    SYS_openat, SYS_openat2, SYS_statx, SYS_newfstatat, SYS_faccessat, SYS_faccessat2, SYS_readlinkat, SYS_mkdirat,
    SYS_unlinkat, SYS_renameat2, SYS_linkat, SYS_getcwd, SYS_chdir, SYS_fchdir, SYS_umask,
    // Memory.
    SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_msync, SYS_mlock, SYS_mlock2, SYS_munlock,
    SYS_membarrier,
    // Threads, time and signals to itself.
    SYS_futex, SYS_futex_waitv, SYS_set_robust_list, SYS_get_robust_list, SYS_rseq, SYS_set_tid_address, SYS_gettid,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_getcpu, SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime,
    SYS_clock_getres, SYS_gettimeofday, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending,
    SYS_rt_sigtimedwait, SYS_rt_sigsuspend, SYS_sigaltstack, SYS_restart_syscall, SYS_exit, SYS_exit_group,
    // What it is.
    SYS_getpid, SYS_getppid, SYS_getpgid, SYS_getsid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getresuid,
    SYS_getresgid, SYS_getgroups, SYS_uname, SYS_sysinfo, SYS_getrusage, SYS_times, SYS_getrandom,
    // An event loop, and the pair of sockets that it wakes itself with.
    SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_ppoll, SYS_pselect6, SYS_eventfd2,
    SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg,
    SYS_shutdown, SYS_getsockopt, SYS_setsockopt, SYS_getsockname, SYS_getpeername,
    // The filters that follow the first one, and none after them.
    SYS_seccomp,
];

/// Older forms of the above, and what only this architecture needs.
#[rustfmt::skip]
#[cfg(target_arch = "x86_64")]
pub(super) const OLDER: &[c_long] = &[
    SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_rename, SYS_renameat,
    SYS_link, SYS_getdents, SYS_dup2, SYS_pipe, SYS_poll, SYS_select, SYS_epoll_create, SYS_epoll_wait, SYS_eventfd,
    SYS_time, SYS_getpgrp, SYS_pause, SYS_getrlimit, SYS_sync_file_range,
];
#[cfg(target_arch = "aarch64")]
// `renameat`, `sync_file_range` and `getrlimit`, which not every C library names here.
pub(super) const OLDER: &[c_long] = &[38, 84, 163];
#[cfg(target_arch = "riscv64")]
// `riscv_hwprobe` and `riscv_flush_icache`, which not every C library names.
pub(super) const OLDER: &[c_long] = &[258, 259, SYS_sync_file_range];

/// For who was granted the network. `socket` itself is allowed for two families.
pub(super) const NETWORK: &[c_long] =
    &[SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendmmsg, SYS_recvmmsg];

/// Known and refused: they get the error that says so. The list makes nothing safer, only clearer.
#[rustfmt::skip]
pub(super) const REFUSED: &[c_long] = &[
    SYS_clone, SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_open,
    SYS_pidfd_getfd, SYS_pidfd_send_signal, SYS_kcmp, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo,
    SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
    SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr, SYS_llistxattr, SYS_flistxattr, SYS_removexattr,
    SYS_lremovexattr, SYS_fremovexattr, SYS_truncate, SYS_symlinkat, SYS_mknodat, SYS_memfd_create, SYS_memfd_secret,
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_move_mount, SYS_open_tree, SYS_fsopen, SYS_fsconfig,
    SYS_fsmount, SYS_fspick, SYS_mount_setattr, SYS_unshare, SYS_setns, SYS_swapon, SYS_swapoff, SYS_quotactl,
    SYS_name_to_handle_at, SYS_open_by_handle_at, SYS_inotify_init1, SYS_inotify_add_watch, SYS_fanotify_init,
    SYS_fanotify_mark, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_io_uring_setup, SYS_io_uring_enter,
    SYS_io_uring_register, SYS_io_setup, SYS_io_submit, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_init_module,
    SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_syslog, SYS_acct, SYS_personality,
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups, SYS_setfsuid,
    SYS_setfsgid, SYS_capset, SYS_setpgid, SYS_setsid, SYS_setpriority, SYS_sched_setscheduler,
    SYS_sched_setparam, SYS_sched_setattr, SYS_ioprio_set, SYS_migrate_pages, SYS_move_pages, SYS_process_madvise,
    SYS_process_mrelease, SYS_sethostname, SYS_setdomainname, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex,
    SYS_clock_adjtime, SYS_vhangup, SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_semget,
    SYS_semop, SYS_mq_open, SYS_mq_unlink, SYS_lookup_dcookie,
    #[cfg(target_arch = "x86_64")] SYS_setrlimit,
    #[cfg(target_arch = "x86_64")] SYS_fork,
    #[cfg(target_arch = "x86_64")] SYS_vfork,
    #[cfg(target_arch = "x86_64")] SYS_chmod,
    #[cfg(target_arch = "x86_64")] SYS_chown,
    #[cfg(target_arch = "x86_64")] SYS_lchown,
    #[cfg(target_arch = "x86_64")] SYS_utime,
    #[cfg(target_arch = "x86_64")] SYS_utimes,
    #[cfg(target_arch = "x86_64")] SYS_futimesat,
    #[cfg(target_arch = "x86_64")] SYS_symlink,
    #[cfg(target_arch = "x86_64")] SYS_mknod,
    #[cfg(target_arch = "x86_64")] SYS_creat,
    #[cfg(target_arch = "x86_64")] SYS_inotify_init,
    #[cfg(target_arch = "x86_64")] SYS_iopl,
    #[cfg(target_arch = "x86_64")] SYS_ioperm,
    #[cfg(target_arch = "x86_64")] SYS_modify_ldt,
];

/// What a process may ask and set of itself.
pub(super) const PRCTL: &[c_int] = &[
    PR_SET_NAME,
    PR_GET_NAME,
    PR_SET_NO_NEW_PRIVS,
    PR_GET_NO_NEW_PRIVS,
    PR_GET_DUMPABLE,
    PR_GET_SECCOMP,
    PR_CAPBSET_READ,
    // The C library names what it reserves.
    PR_SET_VMA,
];

/// What is asked of pipes, pairs of sockets and files: how much there is, whether it blocks, whether it is a terminal.
/// Nothing that types into a terminal.
#[allow(
    clippy::cast_possible_truncation,
    clippy::unnecessary_cast,
    reason = "32 bits, of a type that differs by C library"
)]
pub(super) const IOCTL: &[c_int] =
    &[FIONREAD as c_int, FIONBIO as c_int, FIOCLEX as c_int, FIONCLEX as c_int, TCGETS as c_int];

/// What is not asked of an open file: signals about it, which may go to other processes, and to be told before
/// somebody else uses it.
pub(super) const FCNTL_REFUSED: &[c_int] = &[F_SETOWN, F_SETOWN_EX, F_SETSIG, F_SETLEASE, F_NOTIFY];

/// `F_SETSIG` and `F_SETOWN_EX`, which not every C library names.
const F_SETSIG: c_int = 10;
const F_SETOWN_EX: c_int = 15;

/// What `clone` must not make anew.
pub(super) const NAMESPACES: &[c_int] =
    &[CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET];

/// The bits of a socket's type that are its kind, not its flags.
pub(super) const SOCKET_KIND: c_int = 0xf;
