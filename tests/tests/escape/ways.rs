//! The ways out, what each tries, what holds it, and whether it would be open otherwise. `SECURITY.md` shows this table.

use Holder::{Capabilities, Host, Landlock, Limits, Seccomp, Worker};
use Outside::{Ends, Open, Rights, Untried};

/// What refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    Landlock,
    Seccomp,
    /// That root has none, for those who are root.
    Capabilities,
    Limits,
    /// The worker, before it loads anything.
    Worker,
    /// The host's check of what was granted.
    Host,
}

/// What happens where nothing holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    /// The way is open.
    Open,
    /// It is open to root, or on machines that are set up so.
    Rights,
    /// It is open, and takes the place of the worker.
    Ends,
    /// It is not tried, because of this.
    Untried(&'static str),
}

pub(crate) struct Way {
    pub(crate) name: &'static str,
    pub(crate) tries: &'static str,
    pub(crate) held_by: &'static [Holder],
    pub(crate) outside: Outside,
}

const fn way(name: &'static str, tries: &'static str, held_by: &'static [Holder], outside: Outside) -> Way {
    Way { name, tries, held_by, outside }
}

const HARMFUL: Outside = Untried("it would do harm to the machine");
const NOT_HERE: Outside = Untried("few machines have it");

pub(crate) const FILES: &[Way] = &[
    way("read-env", "reads `.env` by its path", &[Landlock], Open),
    way("read-env-by-own-link", "makes a link to `.env` in its data folder", &[Seccomp, Landlock], Open),
    way("read-env-by-found-link", "follows a link to `.env` that it finds there", &[Landlock], Open),
    way("read-env-by-proc-root", "reads `.env` below `/proc/self/root`", &[Landlock], Open),
    way("read-env-by-parent-folders", "reads `../../../.env` of its data folder", &[Landlock], Open),
    way("read-env-by-hard-link", "makes a hard link of `.env` in its data folder", &[Landlock], Open),
    way(
        "read-env-by-handle",
        "opens `.env` by its number in the file system",
        &[Seccomp, Landlock, Capabilities],
        Rights,
    ),
    way("move-file-in", "renames a file of the home into its data folder", &[Landlock], Open),
    way("move-file-out", "renames a file of its own into `memories/`", &[Landlock], Open),
    way("read-host-environment", "reads `/proc/<host>/environ`", &[Landlock], Open),
    way("read-host-memory-map", "reads `/proc/<host>/maps`", &[Landlock], Open),
    way("open-host-memory", "opens `/proc/<host>/mem`", &[Landlock], Rights),
    way("list-host-descriptors", "lists `/proc/<host>/fd`", &[Landlock], Open),
    way("read-own-process", "reads `/proc/self/maps`", &[Landlock], Rights),
    way("read-other-provider", "reads the data of another provider", &[Landlock], Open),
    way("list-other-providers", "lists the data folders", &[Landlock], Open),
    way("read-memories", "reads `memories/MEMORY.md`", &[Landlock], Open),
    way("read-database", "reads `hermes.db`", &[Landlock], Open),
    way("read-logs", "reads `logs/hermes.log`", &[Landlock], Open),
    way("read-system-settings", "reads `/etc/passwd`", &[Landlock], Open),
    way("list-root", "lists `/`", &[Landlock], Open),
    way("write-memories", "appends to `memories/MEMORY.md`", &[Landlock], Open),
    way("write-settings", "writes `config.toml`", &[Landlock], Open),
    way("write-own-library", "appends to its own library", &[Landlock], Open),
    way("write-into-own-package", "writes a file beside its library", &[Landlock], Open),
    way("write-temporary-file", "writes a file below the temporary folder", &[Landlock], Open),
    way("make-folder", "makes a folder in the home", &[Landlock], Open),
    way("remove-file", "removes a file of the home", &[Landlock], Open),
    way("truncate", "cuts a file of the home short", &[Seccomp, Landlock], Open),
    way("change-mode", "lets everybody read a file of the home", &[Seccomp], Open),
    way("change-mode-of-open-file", "changes the mode of its library, through a descriptor", &[Seccomp], Open),
    way("change-owner", "sets the owner of a file of the home", &[Seccomp], Open),
    way("change-times", "sets the times of a file of the home", &[Seccomp], Open),
    way("set-attribute", "sets an extended attribute of a file of the home", &[Seccomp], Open),
    way("list-attributes", "lists the extended attributes of a file of the home", &[Seccomp], Open),
    way("watch-home", "watches the home with inotify", &[Seccomp], Open),
    way("watch-everything", "watches the machine with fanotify", &[Seccomp, Capabilities], Rights),
    way("make-device", "makes a device in its data folder", &[Seccomp, Landlock, Capabilities], Rights),
    way("make-pipe-file", "makes a named pipe in its data folder", &[Seccomp, Landlock], Open),
    way("make-socket-file", "makes a socket in its data folder", &[Seccomp, Landlock], Open),
    way("read-memory-device", "opens `/dev/mem`", &[Landlock], NOT_HERE),
    way("read-kernel-log", "opens `/dev/kmsg`", &[Landlock], Rights),
    way("open-terminal", "opens a terminal of its own", &[Landlock], Open),
    way("huge-file", "makes a file of 20 GiB in its data folder", &[Limits], Open),
    way(
        "inherited-descriptor",
        "reads `.env` from a descriptor that the host left open",
        &[Worker],
        Untried("always closed"),
    ),
    way("load-foreign-library", "maps code from a library outside of its package", &[Landlock, Seccomp], Open),
    way("load-library-of-data-folder", "maps code from a library that it wrote", &[Seccomp], Open),
];

pub(crate) const PROCESSES: &[Way] = &[
    way("start-program", "starts `/bin/true`", &[Seccomp, Landlock], Open),
    way("start-program-with-more-rights", "starts a program that runs as root", &[Seccomp, Landlock], Rights),
    way("become-program", "becomes `/bin/true`", &[Seccomp, Landlock], Ends),
    way("become-program-in-memory", "becomes a program that lies in memory alone", &[Seccomp], Ends),
    way("fork", "divides itself with `clone`", &[Seccomp], Open),
    way("fork-as-before", "divides itself with `fork`", &[Seccomp], Open),
    way("fork-as-later", "divides itself with `clone3`", &[Seccomp], Open),
    way("fork-bomb", "divides itself 10,000 times", &[Seccomp], HARMFUL),
    way("signal-host", "sends the host a signal", &[Seccomp, Landlock], Open),
    way("signal-everybody", "sends all processes a signal", &[Seccomp], Open),
    way("signal-host-thread", "sends a thread of the host a signal, with `tgkill`", &[Seccomp, Landlock], Open),
    way("signal-host-by-older-call", "the same with `tkill`", &[Seccomp, Landlock], Open),
    way("signal-host-by-descriptor", "the same through a descriptor of the process", &[Seccomp, Landlock], Open),
    way("signal-host-about-a-pipe", "lets the kernel send the host a signal", &[Seccomp], Open),
    way("trace-host", "traces the host", &[Seccomp, Landlock], Rights),
    way("read-host-memory", "reads the host's memory", &[Seccomp, Landlock], Rights),
    way("write-host-memory", "writes to the host's memory", &[Seccomp, Landlock], Rights),
    way("take-host-descriptor", "copies a descriptor of the host", &[Seccomp, Landlock], Rights),
    way("read-host-limits", "reads the host's limits", &[Seccomp], Rights),
    way("raise-own-limits", "sets a limit of its own", &[Seccomp], Open),
    way("slow-host-down", "sets the priority of the host", &[Seccomp], Rights),
    way("bind-host-to-a-processor", "chooses the processors of the host", &[Seccomp], Rights),
    way("ask-for-other-user", "sets its user", &[Seccomp], Open),
    way("be-looked-into", "lets other processes look into it", &[Seccomp], Open),
    way("read-environment", "reads its environment", &[Worker], Untried("always empty")),
    way("share-memory", "makes memory that others can attach", &[Seccomp], Open),
];

pub(crate) const NETWORK: &[Way] = &[
    way("connect", "connects to a TCP port of the machine", &[Seccomp, Landlock], Open),
    way("listen", "listens on a TCP port", &[Seccomp, Landlock], Open),
    way("send-datagram", "sends an UDP datagram", &[Seccomp], Open),
    way("look-up-name", "looks up the name of a host", &[Landlock], Open),
    way("connect-to-unix-socket", "connects to a Unix socket", &[Seccomp], Open),
    way("connect-to-abstract-socket", "connects to an abstract Unix socket", &[Seccomp, Landlock], Open),
    way("send-from-pair-of-sockets", "sends to a Unix socket from one end of a pair of its own", &[Seccomp], Open),
    way("raw-socket", "opens a raw socket", &[Seccomp, Capabilities], Rights),
    way("packet-socket", "opens a packet socket", &[Seccomp, Capabilities], Rights),
    way("netlink-socket", "opens a netlink socket", &[Seccomp], Open),
    way("virtual-machine-socket", "opens a socket to the hypervisor", &[Seccomp], NOT_HERE),
    way("kernel-crypto-socket", "opens a socket to the kernel's ciphers", &[Seccomp], NOT_HERE),
    way("pair-of-other-sockets", "makes a pair of sockets of another family", &[Seccomp], NOT_HERE),
];

pub(crate) const KERNEL: &[Way] = &[
    way("ten-gigabytes", "reserves 10 GiB of memory", &[Limits], Open),
    way("ten-shared-gigabytes", "reserves 10 GiB of shared memory", &[Limits], Open),
    way("many-files", "opens 5,000 files", &[Limits], Rights),
    way("new-code-in-memory", "asks for memory that can be run", &[Seccomp], Open),
    way("memory-made-code", "makes memory that it wrote to run", &[Seccomp], Open),
    way("mount", "mounts a file system on its data folder", &[Seccomp], HARMFUL),
    way("new-mount", "begins to make a mount, the newer way", &[Seccomp, Capabilities], Rights),
    way("change-root", "changes its root", &[Seccomp, Capabilities], Rights),
    way("swap-root", "swaps the root of the machine", &[Seccomp], HARMFUL),
    way("new-user-namespace", "becomes root of a namespace", &[Seccomp], Untried("a process with threads cannot")),
    way("new-file-table", "leaves the file table of its threads", &[Seccomp], Open),
    way("other-namespace", "enters another namespace", &[Seccomp], Untried("there is none to enter")),
    way("read-keys", "asks for the keys of the session", &[Seccomp], Rights),
    way("add-key", "adds a key", &[Seccomp], Rights),
    way("ask-for-key", "asks for a key by its name", &[Seccomp], Untried("there is no such key")),
    way("ring-of-calls", "makes calls through `io_uring`", &[Seccomp], Rights),
    way("kernel-program", "makes a map for programs in the kernel", &[Seccomp, Capabilities], Rights),
    way("count-events", "counts events of the processor", &[Seccomp], Rights),
    way("handle-faults", "handles faults of memory itself", &[Seccomp], Rights),
    way("other-personality", "asks for its personality", &[Seccomp], Rights),
    way("load-module", "loads a module into the kernel", &[Seccomp], HARMFUL),
    way("other-kernel", "starts another kernel", &[Seccomp], HARMFUL),
    way("name-of-machine", "changes the name of the machine", &[Seccomp], HARMFUL),
    way("type-into-terminal", "types into the user's terminal", &[Seccomp], Untried("a worker has no terminal")),
    way("paste-into-terminal", "pastes into the user's terminal", &[Seccomp], Untried("a worker has no terminal")),
    way("older-numbers", "makes a call by its x32 number", &[Seccomp], NOT_HERE),
    way("calls-of-32-bits", "makes a call as a program of 32 bits", &[Seccomp], Rights),
    way("another-filter", "goes on to change its filter", &[Seccomp], Open),
    way("call-of-the-future", "makes a call that no list knows", &[Seccomp], Untried("no kernel has it")),
];

pub(crate) const SERVICES: &[Way] = &[
    way("http-to-host-not-granted", "calls a host that was not granted", &[Host], BY_HOST),
    way("http-to-port-not-granted", "calls another port of a granted host", &[Host], BY_HOST),
    way("http-to-file", "calls a `file://` address", &[Host], BY_HOST),
    way("http-redirected", "lets a granted host redirect it to one that was not", &[Host], BY_HOST),
    way("command-not-granted", "runs a program that was not granted", &[Host], BY_HOST),
    way("command-by-path", "runs a program by its path", &[Host], BY_HOST),
    way("command-beside-the-granted", "runs `../bin/sh`", &[Host], BY_HOST),
    way("secret-not-granted", "reads a secret that was not granted", &[Host], BY_HOST),
    way("file-not-granted", "reads a folder that was not granted", &[Host], BY_HOST),
    way("file-above-the-granted", "reads `../.env` of a granted folder", &[Host], BY_HOST),
    way("file-by-full-path", "reads `.env` by its full path", &[Host], BY_HOST),
    way("file-by-link-in-the-granted", "follows a link out of a granted folder", &[Host], BY_HOST),
];

const BY_HOST: Outside = Untried("the host checks it in every mode");

/// All of them under the headings of the documentation.
pub(crate) const GROUPS: [(&str, &[Way]); 5] = [
    ("Files", FILES),
    ("Programs and processes", PROCESSES),
    ("Network", NETWORK),
    ("The kernel and the machine", KERNEL),
    ("The host's services", SERVICES),
];

pub(crate) fn all() -> impl Iterator<Item = &'static Way> {
    GROUPS.into_iter().flat_map(|(_, ways)| ways)
}

impl Holder {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Landlock => "Landlock",
            Seccomp => "seccomp",
            Capabilities => "no capabilities",
            Limits => "limits",
            Worker => "the worker",
            Host => "the host",
        }
    }

    /// The pieces to be missing so that this one is alone; None for what is no piece of the kernel.
    pub(crate) fn alone(self) -> Option<&'static str> {
        match self {
            Landlock => Some("seccomp,capabilities,limits"),
            Seccomp => Some("landlock,capabilities,limits"),
            Capabilities => Some("landlock,seccomp,limits"),
            Limits => Some("landlock,seccomp,capabilities"),
            Worker | Host => None,
        }
    }

    /// What it answers, so that an attempt that fails for another reason is no proof.
    pub(crate) fn answers(self) -> &'static [&'static str] {
        match self {
            Landlock => &["(os error 13)", "(os error 18)", "failed to lookup address", "(os error 1)", "(os error 2)"],
            // The signal is for calls of another architecture; the mode of an open file stays without an error.
            Seccomp => &["(os error 1)", "(os error 38)", "signal 31", "it is as it was"],
            Capabilities => &["(os error 1)", "(os error 13)"],
            Limits => &["(os error 12)", "(os error 24)", "signal 25"],
            Worker => &["(os error 9)", "the environment is empty"],
            Host => {
                &["was not granted the capability", "is not a path below", "the address of the request is not valid"]
            }
        }
    }
}
