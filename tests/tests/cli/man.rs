//! The manual, and the completions of every shell.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use hermes_tests::workspace;
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

/// What a user may type, of a line of code: without what is no word of the command itself.
fn command(code: &str) -> Option<String> {
    let is_end = |word: &&str| word.starts_with(['|', '>', '&', '#', '<', '[', '…']);
    let words =
        code.trim_start_matches("$ ").strip_prefix("hermes ")?.split_whitespace().take_while(|word| !is_end(word));
    Some(words.collect::<Vec<_>>().join(" "))
}

#[test]
fn every_command_that_the_readme_names_is_there() {
    let scene = Scene::without_plugins();
    let readme = std::fs::read_to_string(workspace().join("README.md")).unwrap();
    let parts: Vec<&str> = readme.split("```").collect();
    let listed = parts.iter().skip(1).step_by(2).flat_map(|listing| listing.lines());
    let typed = parts.iter().step_by(2).flat_map(|text| text.split('`').skip(1).step_by(2));
    let commands: Vec<String> = listed.chain(typed).filter_map(command).collect();
    assert!(commands.len() > 40, "they are not found any more: {commands:?}");
    // With a wish for help nothing is done; every word up to it has to be known.
    let missing = commands.iter().filter(|command| scene.run(&format!("{command} --help")).status != 0);
    let missing: Vec<_> = missing.collect();
    assert!(missing.is_empty(), "{missing:?}");
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
    assert_snapshot!(scene.says("man quux"), @"
    exit 2
    ---- err
    error: `hermes` has no command `quux`
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
