//! Real programs and scripts, found, run and ended.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use hermes_provider_api::{Capabilities, Host};
use rustix::process::{Pid, Signal};

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
    assert!(error.message.starts_with(said) && error.message.contains(", /opt/homebrew/bin, "), "{}", error.message);
    assert_eq!(error.hint.as_deref(), Some("install `no-such-program`, or put its folder on PATH"));
}

#[test]
fn a_program_is_found_without_being_run() {
    let folder = tempfile::tempdir().unwrap();
    let found = with("false", folder.path()).find_program("false").unwrap();
    assert!(found.is_absolute() && found.ends_with("false"), "{found:?}");
    let missing = with("no-such-program", folder.path()).find_program("no-such-program").unwrap_err();
    assert_eq!(missing.kind, ErrorKind::NotFound);
    assert_eq!(with("false", folder.path()).find_program("true").unwrap_err().kind, ErrorKind::Denied);
}

#[test]
fn a_program_starts_in_a_folder_of_the_data_folder_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir_all(data.join("a/б")).unwrap();
    std::os::unix::fs::symlink(folder.path(), data.join("out")).unwrap();
    let pwd = |start: &str| {
        let request = CommandRequest { folder: start.to_owned(), ..request("pwd", &["-P"]) };
        with("pwd", &data).command(&request).map(|output| output.stdout.trim().to_owned())
    };
    let real = data.canonicalize().unwrap();
    assert_eq!(pwd("").unwrap(), real.to_str().unwrap());
    assert_eq!(pwd("a/б").unwrap(), real.join("a/б").to_str().unwrap());
    for start in ["..", "a/../..", "/", "out", "out/data", "missing", "a/./../../x"] {
        assert_eq!(pwd(start).unwrap_err().kind, ErrorKind::InvalidInput, "{start}");
    }
}

#[test]
fn a_short_path_hides_no_program() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    let searched = |path: &str| {
        let path = path.to_owned();
        let variable = |name: &str| match name {
            "PATH" => Some(path.clone().into()),
            "HOME" => Some(home.into()),
            _ => None,
        };
        folders(variable, &home.join(".hermes"))
    };
    for place in [".local/bin", ".cargo/bin", ".npm-global/bin", ".brv-cli/bin"] {
        let file = home.join(place).join(format!("found-in{}", place.replace(['.', '/'], "-")));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "").unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        assert_eq!(find(name, &searched("/usr/bin:/bin"), Path::new("/nowhere")), None, "it cannot be run");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find(name, &searched("/usr/bin:/bin"), Path::new("/nowhere")), Some(file));
    }
    let folders = searched("/sbin:relative:.::/bin");
    assert_eq!(folders[..2], ["/sbin", "/bin"].map(PathBuf::from), "the user's order, and nothing relative");
    assert_eq!(folders.iter().filter(|folder| *folder == Path::new("/bin")).count(), 1);
    assert!(folders.contains(&PathBuf::from("/usr/local/bin")));
}

/// A script in a folder of its own that stands for a granted program.
fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(&file, format!("#!/bin/sh\n{text}")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file
}

#[test]
fn nothing_in_the_home_of_hermes_is_run_whatever_leads_there() {
    let folder = tempfile::tempdir().unwrap();
    let (hermes, other) = (folder.path().join("hermes"), folder.path().join("other"));
    let planted = script(&hermes.join("plugins/data/notes"), "planted", "echo planted");
    std::fs::create_dir(&other).unwrap();
    std::os::unix::fs::symlink(&planted, other.join("linked")).unwrap();
    std::os::unix::fs::symlink(planted.parent().unwrap(), folder.path().join("detour")).unwrap();
    script(&other, "honest", "echo honest");
    let path = std::env::join_paths([planted.parent().unwrap(), &folder.path().join("detour"), &other]).unwrap();
    let folders = folders(|name| (name == "PATH").then(|| path.clone()), &hermes);
    assert_eq!(folders[0], other, "{folders:?}");
    let found = |name: &str| find(name, &folders, &hermes);
    assert_eq!(found("honest"), Some(other.join("honest")));
    for name in ["planted", "linked", "", ".", "..", "../other/honest", "/bin/sh", "a\0b"] {
        assert_eq!(found(name), None, "{name:?}");
    }
    // What the folder itself would name, were it searched.
    assert_eq!(find("planted", &[planted.parent().unwrap().to_owned()], &hermes), None);
}

#[test]
fn more_output_than_is_kept_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let much = request("head", &["-c", "5000000", "/dev/zero"]);
    let output = with("head", folder.path()).command(&much).unwrap();
    assert_eq!((output.status, output.stdout.len(), output.cut), (0, 4 << 20, true));
    let little = with("head", folder.path()).command(&request("head", &["-c", "4194304", "/dev/zero"])).unwrap();
    assert_eq!((little.stdout.len(), little.cut), (4 << 20, false));
}

#[cfg(target_os = "linux")]
#[test]
fn at_its_limit_a_program_takes_along_what_left_its_group() {
    let folder = tempfile::tempdir().unwrap();
    let script = "setsid sh -c 'echo $$ > pid; sleep 600; true' & sleep 600";
    let slow = CommandRequest { timeout_ms: Some(1500), ..request("sh", &["-c", script]) };
    let error = with("sh", folder.path()).command(&slow).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Timeout);
    let pid = std::fs::read_to_string(folder.path().join("pid")).unwrap();
    let stat = Path::new("/proc").join(pid.trim()).join("stat");
    let is_gone = || std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while !is_gone() && std::time::Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(is_gone(), "{pid} goes on");
}

#[cfg(target_os = "linux")]
#[test]
fn a_daemon_is_ended_by_what_was_declared() {
    let folder = tempfile::tempdir().unwrap();
    let home = crate::home::Home::at(folder.path().join("home"));
    let data = home.provider_data("notes");
    std::fs::create_dir_all(&data).unwrap();
    // The stop command runs in the data folder, where the daemon left its number.
    let daemon = "setsid sh -c 'echo $$ > 1.pid; mv 1.pid pid; exec sleep 600' & while [ ! -s pid ]; do :; done";
    with("sh", &data).command(&request("sh", &["-c", daemon])).unwrap();
    let pid = std::fs::read_to_string(data.join("pid")).unwrap().trim().to_owned();
    let alive = || std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    assert!(alive());
    let granted = |stop: &str| Capabilities {
        command: vec!["sh".into(), "false".into(), "not-there".into()],
        stop: vec![stop.to_owned()],
        ..Capabilities::default()
    };
    let stop = |line: &str| Stops::of(&home, "notes", &granted(line)).map(|stops| stops.run());
    assert_eq!(stop("false now"), Some(vec!["`false now` ended with status 1".to_owned()]));
    assert_eq!(stop("not-there stop"), Some(vec![]), "what is not installed has left nothing");
    assert_eq!(stop("kill 1"), None, "not a granted program");
    std::fs::write(data.join("stop.sh"), "kill -KILL $(cat pid)").unwrap();
    assert_eq!(stop("sh stop.sh"), Some(vec![]));
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while alive() && std::time::Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!alive());
    assert!(Stops::of(&home, "other", &granted("false")).is_none(), "it never ran anything");
}
