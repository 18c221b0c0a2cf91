//! The official Python client of OpenAI's API, where it is installed.

use std::path::Path;
use std::process::{Command, Stdio};

use hermes_tests::workspace;

use super::running::Proxy;
use super::with_fact;

/// Names the Python that has the package `openai`.
const PYTHON: &str = "HERMES_TEST_PYTHON";

/// Runs a client of ours; None where the package is missing.
fn serves(proxy: &Proxy<'_>, client: &str) -> Option<()> {
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    #[expect(clippy::disallowed_methods, reason = "the client is a program")]
    let run = |args: &[&Path]| Command::new(&python).args(args).stdin(Stdio::null()).output();
    let found = run(&[Path::new("-c"), Path::new("import openai")]);
    if !found.is_ok_and(|found| found.status.success()) {
        #[expect(clippy::print_stderr, reason = "a test that did not run should be seen")]
        let () =
            eprintln!("skipped: {} has no package `openai`; {PYTHON} names a Python that has it", python.display());
        return None;
    }
    let base = format!("http://{}/v1", proxy.address);
    let ran = run(&[&workspace().join("tests/proxy").join(client), Path::new(&base), Path::new(&proxy.token)]).unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && out.ends_with("all is well\n"), "{out}\n{err}");
    Some(())
}

#[test]
fn the_official_python_client_is_served() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    let Some(()) = serves(&proxy, "client.py") else { return };
    // Each conversation as the model was given it begins as it did the turn before.
    for name in ["first", "second"] {
        let mut before = Vec::new();
        for given in proxy.model.conversations().into_iter().filter(|given| given[1].contains(name)) {
            assert_eq!(given[..before.len()], before);
            before = given;
        }
        assert!(before.len() > 100, "50 turns of `{name}`, some with tools: {}", before.len());
    }
    assert_eq!(proxy.count("hermes_proxy_turns_total{ending=\"interrupted\"}"), 0);
    assert_eq!(proxy.end().status, 0);
}

#[test]
fn the_official_python_client_is_served_items() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    let Some(()) = serves(&proxy, "responses.py") else { return };
    let mut before = Vec::new();
    for given in proxy.model.inputs().into_iter().filter(|given| given[0].contains("second 0")) {
        assert_eq!(given[..before.len()], before);
        before = given;
    }
    assert!(before.len() > 80, "20 turns, some with tools: {}", before.len());
    assert_eq!(proxy.count("hermes_proxy_turns_total{ending=\"complete\"}"), 40);
    assert_eq!(proxy.count("hermes_proxy_turns_total{ending=\"interrupted\"}"), 0);
    assert_eq!(proxy.end().status, 0);
}
