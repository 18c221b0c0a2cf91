//! Programs that the user granted. They run with the user's full authority: a worker's confinement ends here.
//!
//! What a program leaves behind in its process group is ended with it. One that is killed at its limit takes along
//! whatever descends from it at that moment. What has left the group of a program that ended by itself is a daemon, and
//! goes on until one of the declared stop commands; so does a process that is started while its ancestors are killed,
//! and one whose own parent had ended before. To find those, the host would have to adopt the orphans of the whole
//! application, which is not for a library to do.

mod find;
mod process;
mod stop;

pub use stop::Stops;

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::spawn;
use std::time::Duration;

use hermes_provider_api::host::{CommandOutput, CommandRequest};
use hermes_provider_api::{ErrorKind, ProviderError};

use super::HostServices;
use crate::home::files;

use find::{find, folders};
use process::{Output, wait};

const DEFAULT_LIMIT: Duration = Duration::from_secs(30);
const LONGEST_LIMIT: Duration = Duration::from_secs(120);

/// What a program needs to find its files and print text; nothing that holds secrets.
const ENVIRONMENT: [&str; 9] = [
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
];

impl HostServices {
    pub(super) fn run(&self, request: &CommandRequest) -> Result<CommandOutput, ProviderError> {
        self.require("command", &self.granted.command, &request.program)?;
        let limit = request.timeout_ms.map_or(DEFAULT_LIMIT, Duration::from_millis).min(LONGEST_LIMIT);
        run(request, &self.home, &self.data_dir, limit)
    }

    pub(super) fn find_program(&self, request: &CommandRequest) -> Result<PathBuf, ProviderError> {
        self.require("command", &self.granted.command, &request.program)?;
        located(&request.program, &folders(|name| std::env::var_os(name), &self.home), &self.home)
    }
}

fn located(program: &str, folders: &[PathBuf], home: &Path) -> Result<PathBuf, ProviderError> {
    find(program, folders, home).ok_or_else(|| {
        let searched: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
        ProviderError::not_found(format!(
            "the program `{}` is not installed: it is not in {}",
            program.escape_debug(),
            searched.join(", ")
        ))
        .hint(format!("install `{}`, or put its folder on PATH", program.escape_debug()))
    })
}

/// The folder below `data_dir` that a program starts in. It is told by names alone, and no link leads to it.
fn working_folder(data_dir: &Path, folder: &str) -> Result<PathBuf, ProviderError> {
    files::create_dir(data_dir).map_err(|error| ProviderError::storage(error.to_string()))?;
    if folder.is_empty() {
        return Ok(data_dir.to_owned());
    }
    let refused = |why: String| ProviderError::invalid(format!("a program cannot start in `{folder}`: {why}"));
    let relative = Path::new(folder);
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(refused("it is no folder below the data folder".to_owned()));
    }
    let real = |path: &Path| path.canonicalize().map_err(|error| refused(error.to_string()));
    let (asked, found) = (real(data_dir)?.join(relative), real(&data_dir.join(relative))?);
    if asked != found {
        return Err(refused("a link leads there".to_owned()));
    }
    Ok(found)
}

/// Runs a program that does not lie in `home`, in the folder `data_dir` or one below it.
fn run(
    request: &CommandRequest,
    home: &Path,
    data_dir: &Path,
    limit: Duration,
) -> Result<CommandOutput, ProviderError> {
    let folders = folders(|name| std::env::var_os(name), home);
    let program = located(&request.program, &folders, home)?;
    // A script finds its interpreter where the script was found. No folder was on PATH whose name has a `:` in it.
    let path = std::env::join_paths(&folders).ok();
    let folder = working_folder(data_dir, &request.folder)?;
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
        .current_dir(folder)
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
    let status = wait(&mut child, limit).map_err(failed)?;
    let ((stdout, more_out), (stderr, more_err)) = (stdout.text(), stderr.text());
    let Some(status) = status else {
        return Err(ProviderError::new(
            ErrorKind::Timeout,
            format!("`{}` did not end within {} s", request.program, limit.as_secs_f32()),
        ));
    };
    Ok(CommandOutput { status: status.code().unwrap_or(-1), stdout, stderr, cut: more_out || more_err })
}

#[cfg(test)]
mod tests;
