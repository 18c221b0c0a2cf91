//! Programs that no plugin may ask for by the capability `command`.
//!
//! A grant names one program, and the user judges that one. A program that runs whatever its arguments say makes the
//! grant mean every program, so the question to the user would be a false one. The list goes by names and stops
//! carelessness, not malice: a program that is not in it may do the same. That is why the user is also told that any such
//! program runs with full authority.

use hermes_provider_api::Capabilities;

/// Each reason, and the names that it holds for, in lower case and without their version.
const REFUSED: [(&str, &[&str]); 6] = [
    (
        "it is a shell, which runs any command",
        &[
            "ash",
            "bash",
            "busybox",
            "cmd",
            "csh",
            "dash",
            "elvish",
            "fish",
            "ksh",
            "mksh",
            "nu",
            "oksh",
            "osascript",
            "pdksh",
            "powershell",
            "pwsh",
            "rbash",
            "rc",
            "sh",
            "tcsh",
            "toybox",
            "xonsh",
            "yash",
            "zsh",
        ],
    ),
    (
        "it is an interpreter, which runs any code that it is given",
        &[
            "awk",
            "bun",
            "clj",
            "clojure",
            "deno",
            "dotnet",
            "elixir",
            "erl",
            "escript",
            "expect",
            "gawk",
            "ghci",
            "groovy",
            "guile",
            "iex",
            "ipython",
            "irb",
            "java",
            "jrunscript",
            "jshell",
            "julia",
            "kotlin",
            "lua",
            "luajit",
            "mawk",
            "mono",
            "nawk",
            "node",
            "nodejs",
            "ocaml",
            "octave",
            "perl",
            "php",
            "pypy",
            "python",
            "pythonw",
            "qjs",
            "r",
            "racket",
            "raku",
            "rscript",
            "ruby",
            "runghc",
            "sbcl",
            "scala",
            "swift",
            "tclsh",
            "ts-node",
            "tsx",
            "wasmer",
            "wasmtime",
            "wish",
            // GNU sed runs a line with its command `e`.
            "gsed",
            "sed",
        ],
    ),
    (
        "it runs the program that its arguments name",
        &[
            "at",
            "batch",
            "catchsegv",
            "chpst",
            "chronic",
            "chroot",
            "chrt",
            "crontab",
            "daemonize",
            "dbus-run-session",
            "doas",
            "env",
            "fakeroot",
            "find",
            "firejail",
            "flock",
            "gdb",
            "gosu",
            "ionice",
            "launchctl",
            "ld.so",
            "linux",
            "lldb",
            "ltrace",
            "make",
            "gmake",
            "nice",
            "ninja",
            "nohup",
            "nsenter",
            "open",
            "parallel",
            "pkexec",
            "prlimit",
            "rlwrap",
            "run-parts",
            "runuser",
            "schtasks",
            "screen",
            "script",
            "setarch",
            "setpriv",
            "setsid",
            "start-stop-daemon",
            "stdbuf",
            "strace",
            "su",
            "sudo",
            "systemctl",
            "systemd-run",
            "taskset",
            "time",
            "timeout",
            "tmux",
            "unbuffer",
            "unshare",
            "valgrind",
            "watch",
            "xargs",
            "xdg-open",
            "xvfb-run",
        ],
    ),
    (
        "it runs what it fetches or what stands in a project's files",
        &[
            "ant",
            "brew",
            "bundle",
            "bunx",
            "bwrap",
            "cargo",
            "cmake",
            "composer",
            "conda",
            "corepack",
            "docker",
            "docker-compose",
            "gem",
            "go",
            "gradle",
            "helm",
            "just",
            "kubectl",
            "mvn",
            "nerdctl",
            "nix",
            "nix-shell",
            "npm",
            "npx",
            "pip",
            "pipx",
            "pnpm",
            "pnpx",
            "podman",
            "poetry",
            "rake",
            "rustup",
            "snap",
            "uv",
            "uvx",
            "vagrant",
            "yarn",
        ],
    ),
    (
        "its options or commands name programs that it runs",
        &[
            // Pagers, editors, aliases and hooks of a configuration that an option can replace.
            "ed", "emacs", "ex", "git", "hg", "less", "man", "more", "nano", "nvim", "svn", "vi", "view", "vim",
            // A shell command in the statement, or a helper by an option.
            "cpio", "mariadb", "mysql", "psql", "rsync", "sqlite3", "tar", "zip",
        ],
    ),
    (
        "it reaches any host, which is what the capability http is for",
        &[
            "aria2c", "curl", "ftp", "http", "https", "mosh", "nc", "ncat", "netcat", "openssl", "scp", "sftp",
            "socat", "ssh", "sshpass", "telnet", "tftp", "wget", "xh",
        ],
    ),
];

/// What is wrong with the programs that a plugin asks for; None when nothing is.
#[must_use]
pub fn refused_program(capabilities: &Capabilities) -> Option<String> {
    capabilities.command.iter().find_map(|name| {
        let reason = reason(name)?;
        Some(format!("capability command `{name}` is refused: {reason}"))
    })
}

/// `python3.11`, `bash-5.2` and `Node.exe` are known by the name without all that.
fn reason(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '_' | '+'));
    let is_known = |names: &[&str]| names.contains(&name) || names.contains(&bare);
    REFUSED.iter().find(|(_, names)| is_known(names)).map(|(reason, _)| *reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_anything_is_refused_by_any_of_its_names() {
        for name in
            ["sh", "BASH", "bash-5.2", "python", "python3.11", "Node.exe", "perl5.36.0", "lua5.4", "php8", "awk"]
        {
            assert!(reason(name).is_some(), "{name}");
        }
        for name in ["env", "xargs", "find", "sudo", "ssh", "docker", "timeout", "npx", "uvx", "git", "curl", "sqlite3"]
        {
            assert!(reason(name).is_some(), "{name}");
        }
        for name in ["brv", "notes", "shx", "pythonista", "mem0", "finder", "envoy", "rg", "jq", "7z", "honcho"] {
            assert_eq!(reason(name), None, "{name}");
        }
        let asks = Capabilities { command: vec!["brv".into(), "zsh".into()], ..Capabilities::default() };
        let said = "capability command `zsh` is refused: it is a shell, which runs any command";
        assert_eq!(refused_program(&asks).as_deref(), Some(said));
    }
}
