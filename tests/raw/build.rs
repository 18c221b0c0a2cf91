//! Hands the target triple to the metadata section: only a build script is told it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=RAW_TARGET={}", std::env::var("TARGET").unwrap_or_default());
}
