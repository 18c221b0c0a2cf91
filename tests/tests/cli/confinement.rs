//! What is told of a provider's confinement: by a kernel that has all of it, and by one that seems to lack pieces.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::scene::Scene;

fn lacking(pieces: &str) -> Scene {
    Scene::with_memory().variable("HERMES_PRETEND_NO", pieces)
}

/// The lines of a command's output that are about it.
fn told(scene: &Scene, line: &str) -> String {
    let said = scene.says(line);
    let about = |line: &&str| line.contains("confined") || line.contains("enforced");
    said.lines().filter(about).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_kernel_that_has_all_of_it_is_told_in_a_line() {
    let scene = Scene::with_memory();
    let status = scene.says("memory status --check");
    assert!(!status.contains("confined") && !status.contains("enforced"), "{status}");
    let told = scene.json("memory status");
    assert_eq!(told["confinement"]["worker"], true);
    let parts = told["confinement"]["parts"].as_array().unwrap();
    assert!(
        parts.iter().all(|part| part["held"] == if part["what"] == "services" { "host" } else { "kernel" }),
        "{told}"
    );
    assert_eq!(scene.json("plugins info holographic")["confinement"], told["confinement"]);
}

#[test]
fn without_landlock_files_are_open_and_that_is_said() {
    let scene = lacking("landlock");
    assert_snapshot!(told(&scene, "memory status --check"), @"
    confined in part by the kernel (seccomp)
      files: declared, not enforced: this system has no Landlock
      processes: enforced in part: this system has no Landlock
      code: enforced in part: this system has no Landlock
    ");
    let doctor = scene.run("doctor");
    assert_eq!(doctor.status, 0, "{}", doctor.shown());
    assert!(
        doctor.out.contains("warning  confinement  a provider is confined in part by the kernel (seccomp); files:")
    );
    scene.does("memory remember 'Biscuit likes fish'");
    assert!(scene.does("memory recall 'what does Biscuit like?'").contains("fish"));
}

#[test]
fn without_seccomp_calls_are_open_and_that_is_said() {
    let scene = lacking("seccomp");
    assert_snapshot!(told(&scene, "plugins info holographic"), @"
    confined in part by the kernel (Landlock [version])
      attributes: changes no owner, mode, time or extended attribute of a file (declared, not enforced: this system has no seccomp filter)
      network: none of its own (enforced in part: this system has no seccomp filter)
      programs: starts none by itself, makes no process (enforced in part: this system has no seccomp filter)
      processes: looks into no other and sends it no signal (enforced in part: this system has no seccomp filter)
      code: runs what was checked and nothing that came later (declared, not enforced: this system has no seccomp filter)
    ");
    scene.does("memory remember 'Biscuit likes fish'");
}

#[test]
fn without_anything_nothing_is_claimed() {
    let scene = lacking("landlock, seccomp");
    assert_snapshot!(told(&scene, "memory status"), @"
    not confined: this system has neither Landlock nor seccomp
      files: declared, not enforced: this system has no Landlock
      attributes: declared, not enforced: this system has no seccomp filter
      network: declared, not enforced: this system has no seccomp filter
      programs: declared, not enforced: this system has no seccomp filter
      processes: declared, not enforced: this system has no seccomp filter
      code: declared, not enforced: this system has no seccomp filter
    ");
    let told = scene.json("doctor");
    let findings = told["checks"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["check"] == "confinement").unwrap();
    assert_eq!(finding["severity"], "warning");
    let hint = "what is not enforced is what its author promises: install only what you trust";
    assert_eq!(finding["hints"], json!([hint]));
    scene.does("memory remember 'Biscuit likes fish'");
    assert!(scene.does("memory recall 'what does Biscuit like?'").contains("fish"));
}

#[test]
fn in_process_nothing_holds_a_provider() {
    let scene = Scene::with_memory();
    scene.does("config set plugins.isolation in-process");
    for line in ["memory status", "plugins info holographic", "doctor --quick"] {
        let said = scene.says(line);
        assert!(said.contains("not confined: runs with your rights"), "{said}");
    }
    let told = scene.json("memory status");
    assert_eq!(told["confinement"]["worker"], false);
    assert_eq!(told["confinement"]["parts"], Value::Array(Vec::new()));
}
