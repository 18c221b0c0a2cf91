//! Hands the target triple and the compiler's version to the metadata of a plugin: only a build script is told them.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    println!("cargo::rustc-env=HERMES_TARGET={}", variable("TARGET"));
    #[expect(clippy::disallowed_methods, reason = "a build script asks the compiler that cargo names")]
    let output = Command::new(variable("RUSTC")).arg("--version").output();
    let version = output.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    println!("cargo::rustc-env=HERMES_RUSTC={}", version.trim());
}
