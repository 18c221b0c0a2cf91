//! Programs that the user granted. They run with the user's full authority: a worker's confinement ends here.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::spawn;
use std::time::{Duration, Instant};

use hermes_provider_api::host::{CommandOutput, CommandRequest};
use hermes_provider_api::{ErrorKind, ProviderError};
use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::HostServices;
use crate::home::files;

/// The most that is kept of each output stream.
const MAX_OUTPUT: usize = 4 << 20;
const DEFAULT_LIMIT: Duration = Duration::from_secs(30);
const LONGEST_LIMIT: Duration = Duration::from_secs(120);
/// How long after its end its output is waited for: a background process that it started may hold the pipes for ever.
const AFTER_END: Duration = Duration::from_millis(500);

/// What a program needs to find its files and print text; nothing that holds secrets.
const ENVIRONMENT: [&str; 6] = ["HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "XDG_CONFIG_HOME"];

impl HostServices {
    pub(super) fn run(&self, request: &CommandRequest) -> Result<CommandOutput, ProviderError> {
        self.require("command", &self.granted.command, &request.program)?;
        let folders = folders(|name| std::env::var_os(name));
        let program = find(&request.program, &folders).ok_or_else(|| {
            let searched: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
            ProviderError::not_found(format!(
                "the program `{}` is not installed: it is not in {}",
                request.program,
                searched.join(", ")
            ))
            .hint(format!("install `{}`, or put its folder on PATH", request.program))
        })?;
        // A script finds its interpreter where the script was found. No folder was on PATH whose name has a `:` in it.
        let path = std::env::join_paths(&folders).ok().or_else(|| std::env::var_os("PATH"));
        files::create_dir(&self.data_dir).map_err(|error| ProviderError::storage(error.to_string()))?;
        let failed = |error: std::io::Error| {
            ProviderError::new(ErrorKind::Unavailable, format!("`{}` cannot be run: {error}", request.program))
        };
        #[expect(clippy::disallowed_methods, reason = "this is the `command` service")]
        let mut command = Command::new(program);
        command
            .args(&request.args)
            .env_clear()
            .envs(ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
            .envs(path.map(|path| ("PATH", path)))
            .current_dir(&self.data_dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = command.spawn().map_err(failed)?;
        let (stdout, stderr) = (Output::of(child.stdout.take()), Output::of(child.stderr.take()));
        if let Some(mut stdin) = child.stdin.take() {
            let text = request.stdin.clone();
            // A thread, since a program may print before it reads; one that does not read at all is no error.
            spawn(move || drop(stdin.write_all(text.as_bytes())));
        }
        let limit = request.timeout_ms.map_or(DEFAULT_LIMIT, Duration::from_millis).min(LONGEST_LIMIT);
        let status = wait(&mut child, limit).map_err(failed)?;
        let (stdout, stderr) = (stdout.text(), stderr.text());
        let Some(status) = status else {
            return Err(ProviderError::new(
                ErrorKind::Timeout,
                format!("`{}` did not end within {} s", request.program, limit.as_secs_f32()),
            ));
        };
        Ok(CommandOutput { status: status.code().unwrap_or(-1), stdout, stderr })
    }
}

/// Where programs usually are.
const USUAL: [&str; 6] =
    ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/snap/bin"];
/// The same below the user's own folder.
const USUAL_IN_HOME: [&str; 6] =
    [".local/bin", "bin", ".cargo/bin", ".npm-global/bin", ".bun/bin", ".local/share/pnpm"];

/// Where a program is searched, in this order: on `PATH`, which a service manager may have set to a short one, and then
/// in the usual places.
fn folders(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let path = variable("PATH").unwrap_or_default();
    let home = variable("HOME").map(PathBuf::from);
    let mut folders: Vec<PathBuf> = Vec::new();
    let in_home = home.iter().flat_map(|home| USUAL_IN_HOME.map(|place| home.join(place)));
    for folder in std::env::split_paths(&path).chain(USUAL.map(PathBuf::from)).chain(in_home) {
        if folder.is_absolute() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// The program's absolute path.
fn find(program: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    folders.iter().map(|folder| folder.join(program)).find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// What a program prints to one stream.
struct Output {
    kept: Arc<Mutex<Vec<u8>>>,
    all: Receiver<()>,
}

impl Output {
    fn of(stream: Option<impl Read + Send + 'static>) -> Self {
        let kept = Arc::<Mutex<Vec<u8>>>::default();
        let (ended, all) = sync_channel(1);
        let keeper = Arc::clone(&kept);
        spawn(move || {
            let Some(mut stream) = stream else { return };
            let mut part = [0; 8192];
            loop {
                let read = match stream.read(&mut part) {
                    Ok(0) => break,
                    Ok(read) => read,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                    Err(_) => break,
                };
                let mut kept = keeper.lock().unwrap_or_else(PoisonError::into_inner);
                // The rest is read and dropped, so that the program does not stop at a full pipe.
                let room = MAX_OUTPUT.saturating_sub(kept.len()).min(read);
                kept.extend_from_slice(&part[..room]);
            }
            let _ = ended.send(());
        });
        Self { kept, all }
    }

    fn text(&self) -> String {
        let _ = self.all.recv_timeout(AFTER_END);
        String::from_utf8_lossy(&self.kept.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

/// Waits for the end of a program, then ends what it left behind. None when it was killed at its limit.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let pid = Pid::from_child(child);
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(1);
    // Not reaped before its group was killed: the number could be another process's by then.
    let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let mut ended = false;
    while !ended && Instant::now() < deadline {
        ended = retry_on_intr(|| waitid(WaitId::Pid(pid), peek))?.is_some();
        if !ended {
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
    let _ = kill_process_group(pid, Signal::KILL);
    let status = child.wait()?;
    Ok(ended.then_some(status))
}

#[cfg(test)]
mod tests {
    use hermes_provider_api::{Capabilities, Host};

    use super::super::tests::host;
    use super::*;

    fn with(program: &str, data: &Path) -> Host {
        host(&serde_json::Value::Null, Capabilities { command: vec![program.into()], ..Capabilities::default() }, data)
    }

    fn request(program: &str, args: &[&str]) -> CommandRequest {
        CommandRequest {
            program: program.to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            ..CommandRequest::default()
        }
    }

    #[test]
    fn a_program_reads_prints_and_ends() {
        let folder = tempfile::tempdir().unwrap();
        let cat = CommandRequest { stdin: "память".to_owned(), ..request("cat", &[]) };
        let output = with("cat", folder.path()).command(&cat).unwrap();
        assert_eq!((output.status, output.stdout.as_str()), (0, "память"));
        let output = with("false", folder.path()).command(&request("false", &[])).unwrap();
        assert_eq!(output.status, 1);
        let env = with("env", folder.path()).command(&request("env", &[])).unwrap();
        let known =
            |line: &str| line.split_once('=').is_some_and(|(name, _)| name == "PATH" || ENVIRONMENT.contains(&name));
        assert!(env.stdout.lines().all(known), "{}", env.stdout);
        let path = env.stdout.lines().find_map(|line| line.strip_prefix("PATH=")).unwrap();
        assert!(std::env::split_paths(path).any(|folder| folder == Path::new("/opt/homebrew/bin")), "{path}");
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let slow = CommandRequest { timeout_ms: Some(50), ..request("sh", &["-c", "sleep 600 & sleep 600"]) };
        let error = with("sh", folder.path()).command(&slow).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Timeout);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_background_process_that_keeps_the_pipes_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let script = "setsid sh -c 'echo $$ > pid; exec sleep 600' & while [ ! -s pid ]; do :; done; echo started";
        let output = with("sh", folder.path()).command(&request("sh", &["-c", script])).unwrap();
        assert_eq!((output.status, output.stdout.as_str()), (0, "started\n"));
        let pid = std::fs::read_to_string(folder.path().join("pid")).unwrap();
        rustix::process::kill_process(Pid::from_raw(pid.trim().parse().unwrap()).unwrap(), Signal::KILL).unwrap();
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = with("no-such-program", folder.path()).command(&request("no-such-program", &[])).unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotFound);
        let said = "the program `no-such-program` is not installed: it is not in /";
        assert!(
            error.message.starts_with(said) && error.message.contains(", /opt/homebrew/bin, "),
            "{}",
            error.message
        );
        assert_eq!(error.hint.as_deref(), Some("install `no-such-program`, or put its folder on PATH"));
    }

    #[test]
    fn a_short_path_hides_no_program() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let searched = |path: &str| {
            let path = path.to_owned();
            folders(|name| match name {
                "PATH" => Some(path.clone().into()),
                "HOME" => Some(home.into()),
                _ => None,
            })
        };
        for place in [".local/bin", ".cargo/bin", ".npm-global/bin"] {
            let file = home.join(place).join(format!("found-in{}", place.replace(['.', '/'], "-")));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, "").unwrap();
            let name = file.file_name().unwrap().to_str().unwrap();
            assert_eq!(find(name, &searched("/usr/bin:/bin")), None, "it cannot be run");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
            assert_eq!(find(name, &searched("/usr/bin:/bin")), Some(file));
        }
        let folders = searched("/sbin:relative:.::/bin");
        assert_eq!(folders[..2], ["/sbin", "/bin"].map(PathBuf::from), "the user's order, and nothing relative");
        assert_eq!(folders.iter().filter(|folder| *folder == Path::new("/bin")).count(), 1);
        assert!(folders.contains(&PathBuf::from("/usr/local/bin")));
    }
}
