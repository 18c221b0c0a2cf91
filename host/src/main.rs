//! The `hermes` program.

use std::process::ExitCode;

use hermes_host::plugins::load::{WORKER_ARGUMENT, worker_main};

fn main() -> ExitCode {
    // The worker's role, before anything else: no thread may exist when it gives up its rights.
    if std::env::args_os().nth(1).is_some_and(|first| first == WORKER_ARGUMENT) {
        return worker_main();
    }
    hermes_host::cli::run(std::env::args_os())
}
