//! The `hermes` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    // the worker role branches here, before anything else
    hermes_host::cli::run(std::env::args_os())
}
