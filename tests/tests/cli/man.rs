//! The manual, and the completions of every shell.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use insta::assert_snapshot;

use crate::scene::{Scene, files};

/// Runs a program on a text; None where it is not there.
fn through(program: &str, args: &[&str], input: &str) -> Option<(bool, String)> {
    #[expect(clippy::disallowed_methods, reason = "the reader whose text it is")]
    let mut command = Command::new(program);
    command.args(args).env("LC_ALL", "C.UTF-8").env("MANWIDTH", "80");
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.ok()?;
    // A reader that stops early shows in its status.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    Some((output.status.success(), said))
}

#[test]
fn every_command_has_a_page() {
    let scene = Scene::without_plugins();
    let ran = scene.run("man --out pages/man1");
    assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{}", ran.shown());
    assert!(!scene.path("home").exists(), "a manual needs no home");
    let pages = files(&scene.path("pages/man1"));
    let names: Vec<_> = pages.iter().map(|page| page.file_name().unwrap().to_str().unwrap()).collect();
    for name in ["hermes.1", "hermes-memory.1", "hermes-memory-setup.1", "hermes-profiles-create.1", "hermes-man.1"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(!names.iter().any(|name| name.contains("help")), "{names:?}");
    for page in &pages {
        assert_eq!(page.metadata().unwrap().permissions().mode() & 0o777, 0o644, "a manual is for everybody");
        let text = std::fs::read_to_string(page).unwrap();
        assert!(text.contains(".SH SYNOPSIS") && text.contains("\\-\\-profile"), "{}", page.display());
        // What a page points to is there.
        for line in text.lines().filter_map(|line| line.strip_suffix("(1)")) {
            let other = format!("{}.1", line.replace('\\', ""));
            assert!(names.contains(&other.as_str()), "{}: {other}", page.display());
        }
        for (program, args) in [("mandoc", &["-Wwarning,stop", "-Tlint"][..]), ("man", &["--warnings", "-l", "-"][..])]
        {
            let Some((fine, said)) = through(program, args, &text) else { continue };
            if program == "man" {
                assert!(fine && !said.contains("warning:"), "{}: {said}", page.display());
            }
        }
    }
    assert_eq!(scene.does("man memory setup").trim_end(), scene.read("pages/man1/hermes-memory-setup.1").trim_end());
    assert_eq!(scene.json("man --out pages/man1").as_array().unwrap().len(), pages.len());
    assert!(scene.json("man")["page"].as_str().unwrap().contains(".TH hermes 1"));
}

#[test]
fn a_page_that_is_not_there() {
    let scene = Scene::without_plugins();
    assert_snapshot!(scene.says("man memory setp"), @"
    exit 2
    ---- err
    error: `hermes memory` has no command `setp`
    hint: did you mean `setup`?
    ");
    assert_snapshot!(scene.says("man cat"), @"
    exit 2
    ---- err
    error: `hermes` has no command `cat`
    hint: `hermes --help` lists what it has
    ");
    scene.write("file", "");
    assert_snapshot!(scene.says("man --out file"), @"
    exit 1
    ---- err
    error: cannot create `file`: File exists (os error 17)
    ");
}

#[test]
fn completions_are_scripts_of_their_shells() {
    let scene = Scene::without_plugins();
    let shells: [(&str, &[&str]); 5] = [
        ("bash", &["-n"]),
        ("zsh", &["-n"]),
        ("fish", &["--no-execute"]),
        ("elvish", &["-compileonly", "/dev/stdin"]),
        ("powershell", &[]),
    ];
    for (shell, check) in shells {
        let script = scene.does(&format!("completions {shell}"));
        for word in ["replay", "show-prompt", "profile", "doctor", "config", "edit"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        if check.is_empty() {
            continue;
        }
        // A shell that is not there has nobody who would use its script.
        let Some((fine, said)) = through(shell, check, &script) else { continue };
        assert!(fine, "{shell}: {said}");
    }
    assert_eq!(scene.run("completions tcsh").status, 2);
}
