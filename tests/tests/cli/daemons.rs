//! What a provider's programs leave running is stopped as it declared, whenever it is given up.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::package::Package;
use crate::scene::Scene;

const CALLS: &str = "home/plugins/data/faulty/calls";

/// A scene with a provider that may run `noted` and declares how to stop it. The program writes down what it is told,
/// where it is run: in the provider's data folder.
fn with_noted(script: &str) -> Scene {
    let scene = Scene::new();
    scene.publish(
        "bin/catalog",
        &Package::faulty().harmless().with(|metadata| {
            metadata.capabilities.command = vec!["noted".to_owned()];
            metadata.capabilities.stop = vec!["noted stop --now".to_owned()];
        }),
    );
    let program = "user/.local/bin/noted";
    scene.write(program, format!("#!/bin/sh\necho \"$@\" >> calls\n{script}\n"));
    fs::set_permissions(scene.path(program), fs::Permissions::from_mode(0o755)).unwrap();
    set_up(&scene);
    scene
}

fn set_up(scene: &Scene) {
    scene.does("memory setup faulty --yes");
    // What the setup itself left behind, since it called the provider, is of no interest.
    scene.write(CALLS, "");
}

/// Runs a command, and says how often the daemon was told to stop by it.
#[track_caller]
fn stops(scene: &Scene, line: &str) -> usize {
    scene.does(line);
    let calls = scene.read(CALLS);
    assert!(calls.lines().all(|call| call == "stop --now"), "{calls}");
    calls.lines().count()
}

#[test]
fn a_provider_that_is_given_up_leaves_nothing_running() {
    for line in ["memory off", "plugins remove faulty --yes", "memory setup holographic"] {
        let scene = with_noted("");
        assert_eq!(stops(&scene, line), 1, "{line}");
    }
}

#[test]
fn what_was_off_before_it_was_removed_is_stopped_all_the_same() {
    let scene = with_noted("");
    assert_eq!(stops(&scene, "memory off"), 1);
    assert_eq!(stops(&scene, "memory off"), 1, "it is in use no more");
    assert_eq!(stops(&scene, "plugins remove faulty --yes"), 2);
}

#[test]
fn a_question_that_nobody_answers_stops_nothing() {
    let scene = with_noted("");
    assert_eq!(scene.run("plugins remove faulty").status, 2);
    assert_eq!(scene.read(CALLS), "");
    set_up(&scene);
    assert_eq!(stops(&scene, "memory recall 'What is new in Riga?'"), 1, "each use ends with it");
}

#[test]
fn a_stop_that_fails_is_said_and_keeps_nobody() {
    for line in ["memory off", "plugins remove faulty --yes"] {
        let scene = with_noted("exit 3");
        let ran = scene.run(line);
        let told = "warning: what `faulty` started may still run: `noted stop --now` ended with status 3";
        assert!(ran.status == 0 && ran.err.lines().any(|line| line == told), "{line}: {}", ran.shown());
        assert!(scene.json("memory status")["provider"].is_null() || line.starts_with("plugins"));
        assert_eq!(scene.read(CALLS), "stop --now\n", "{line}");
    }
}
