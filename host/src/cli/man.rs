//! `hermes man`: the manual, made of what `--help` says.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Command;
use clap_mangen::Man;
use serde_json::json;

use super::{Exit, Ui};
use crate::config::suggest;
use crate::error::Failure;
use crate::home::files;

/// What to print or write.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A pipe shows a page: `hermes man memory setup | man -l -`.

Examples:
  hermes man
  hermes man memory setup
  hermes man --out ~/.local/share/man/man1")]
pub struct Args {
    /// The command, such as `memory setup`; without it, the page of hermes itself
    #[arg(conflicts_with = "out")]
    command: Vec<String>,
    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Does what was asked with the pages of `program`.
///
/// # Errors
/// A command that does not exist, or a folder that cannot be written.
pub(super) fn run(args: &Args, program: Command, ui: &Ui, as_json: bool) -> Result<Exit, Failure> {
    let mut program = program.disable_help_subcommand(true);
    // Afterwards each command knows its full name, and has the flags that all take.
    program.build();
    match &args.out {
        Some(folder) => write(&program, folder, ui, as_json)?,
        None => {
            let page = page(find(&program, &args.command)?);
            match as_json {
                true => ui.json(&json!({ "page": page })),
                false => ui.out(page.trim_end()),
            }
        }
    }
    Ok(Exit::Success)
}

fn find<'a>(program: &'a Command, words: &[String]) -> Result<&'a Command, Failure> {
    let mut command = program;
    for word in words {
        command = command.find_subcommand(word).ok_or_else(|| {
            let known = command.get_subcommands().map(Command::get_name);
            let failure = Failure::usage(format!("`{}` has no command `{}`", full_name(command), word.escape_debug()));
            match suggest(word, known) {
                Some(closest) => failure.hint(format!("did you mean `{closest}`?")),
                None => failure.hint(format!("`{} --help` lists what it has", full_name(command))),
            }
        })?;
    }
    Ok(command)
}

fn full_name(command: &Command) -> String {
    command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn page(command: &Command) -> String {
    let name = full_name(command);
    let source = format!("hermes {}", env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    let man = Man::new(command.clone()).title(name.replace(' ', "-")).source(source).manual("Hermes manual");
    // A vector takes all that is written.
    let _ = man.render(&mut page);
    String::from_utf8_lossy(&page).into_owned()
}

fn write(program: &Command, folder: &Path, ui: &Ui, as_json: bool) -> Result<(), Failure> {
    let mut files = Vec::new();
    let mut left = vec![program];
    while let Some(command) = left.pop() {
        let file = folder.join(format!("{}.1", full_name(command).replace(' ', "-")));
        files::publish(&file, |to| to.write_all(page(command).as_bytes()))?;
        files.push(file);
        left.extend(command.get_subcommands());
    }
    files.sort();
    match as_json {
        true => ui.json(&files),
        false => ui.note(format!("wrote {} pages into `{}`", files.len(), folder.display())),
    }
    Ok(())
}
