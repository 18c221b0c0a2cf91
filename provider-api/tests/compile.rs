//! What an author reads when a provider does not compile: the typical mistakes, each with the compiler's words.
//!
//! The words around ours change from one release of Rust to the next. The snapshots are those of [`RUST`]; another
//! compiler skips the test and says so. To write them anew, with that release:
//!
//! ```sh
//! TRYBUILD=overwrite cargo test -p hermes-provider-api --test compile
//! ```
//!
//! Read the difference as somebody who sees Rust for the first time: the first line says what is wrong, and the arrow
//! points into the author's own file.

use std::process::Command;

/// The release that wrote the snapshots.
const RUST: &str = "1.95";

#[test]
fn mistakes_are_told_in_plain_words() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    #[expect(clippy::disallowed_methods, reason = "asks the compiler that is about to be used")]
    let output = Command::new(rustc).arg("--version").output().expect("cargo has found a compiler");
    let version = String::from_utf8_lossy(&output.stdout);
    if !version.starts_with(&format!("rustc {RUST}.")) {
        println!("skipped: the words are those of rustc {RUST}, and this is {}", version.trim());
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.pass("tests/compile/pass/*.rs");
    cases.compile_fail("tests/compile/*.rs");
}
