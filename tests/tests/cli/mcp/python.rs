//! The official Python client, where it is installed.

use std::path::Path;
use std::process::{Command, Stdio};

use hermes_tests::workspace;

use super::web::Web;
use crate::scene::Scene;

/// Names the Python that has the package `mcp`.
const PYTHON: &str = "HERMES_TEST_PYTHON";

#[test]
fn the_official_python_client_is_served() {
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    let scene = Scene::with_memory();
    #[expect(clippy::disallowed_methods, reason = "the client is a program")]
    let run = |args: &[&Path]| {
        let mut command = Command::new(&python);
        command.args(args).env("HERMES_HOME", scene.path("home")).env("HOME", scene.path("user"));
        command.current_dir(scene.path("user")).stdin(Stdio::null()).output()
    };
    let found = run(&[Path::new("-c"), Path::new("import mcp")]);
    if !found.is_ok_and(|found| found.status.success()) {
        eprintln!("skipped: {} has no package `mcp`; {PYTHON} names a Python that has it", python.display());
        return;
    }
    let web = Web::serve(&scene, "");
    let url = format!("http://{}/mcp", web.address);
    let client = workspace().join("tests/mcp/client.py");
    let ran = run(&[&client, &scene.path("bin/hermes"), Path::new(&url), Path::new(&web.token)]).unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && out.ends_with("all is well\n"), "{out}\n{err}");
}
