//! Stopping the daemons that a provider's programs leave.

use std::path::PathBuf;
use std::time::Duration;

use hermes_provider_api::host::CommandRequest;
use hermes_provider_api::{Capabilities, ErrorKind};

use super::run;
use crate::home::Home;

/// How long one stop command may take; the host waits for it when it closes.
const LIMIT: Duration = Duration::from_secs(5);

/// The stop commands of one provider, as declared and granted.
#[derive(Clone, Debug)]
pub struct Stops {
    commands: Vec<String>,
    home: PathBuf,
    data_dir: PathBuf,
}

impl Stops {
    /// Those of a provider with these grants. None when there is nothing to stop, or nothing was ever started: a program
    /// runs in the data folder, which is then there.
    #[must_use]
    pub fn of(home: &Home, id: &str, granted: &Capabilities) -> Option<Self> {
        let data_dir = home.provider_data(id);
        let allowed = |line: &&String| {
            let program = line.split(' ').next().unwrap_or_default();
            granted.command.iter().any(|known| known == program)
        };
        let commands: Vec<_> = granted.stop.iter().filter(allowed).cloned().collect();
        (!commands.is_empty() && data_dir.is_dir()).then(|| Self {
            commands,
            home: home.base().root().to_owned(),
            data_dir,
        })
    }

    /// Runs them, in order, and answers what went wrong. A program that is not there has left nothing.
    #[must_use]
    pub fn run(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for line in &self.commands {
            let mut words = line.split(' ').map(str::to_owned);
            let program = words.next().unwrap_or_default();
            let request = CommandRequest { program, args: words.collect(), ..CommandRequest::default() };
            match run(&request, &self.home, &self.data_dir, LIMIT) {
                Ok(output) if output.status == 0 => {}
                Ok(output) => problems.push(format!("`{line}` ended with status {}", output.status)),
                Err(error) if error.kind == ErrorKind::NotFound => {}
                Err(error) => problems.push(format!("`{line}`: {}", error.message)),
            }
        }
        problems
    }
}
