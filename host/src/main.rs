//! The `hermes` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    // the worker role branches here, before anything else
    if std::env::args_os().nth(1).is_some_and(|first| first == hermes_host::plugins::load::WORKER_ARGUMENT) {
        return hermes_host::plugins::load::worker_main();
    }
    ExitCode::SUCCESS
}
