//! `hermes logs`: what the log of the home says; as JSON one object a line.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use super::log::{FILES, NAME, to_json};
use super::{Context, Exit};
use crate::error::Failure;
use crate::home::files::{At as _, FileError};

/// How often `--follow` looks.
const PAUSE: Duration = Duration::from_millis(200);

/// How much to print.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hermes logs
  hermes logs -n 200
  hermes logs -f")]
pub struct Args {
    /// The last so many lines
    #[arg(short = 'n', long, value_name = "LINES", default_value_t = 50)]
    lines: usize,
    /// Go on with what is written from now on, until it is interrupted
    #[arg(short, long)]
    follow: bool,
}

/// Prints the log.
pub(super) fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let folder = context.home.logs();
    let mut last = VecDeque::new();
    let mut current = None;
    for number in (0..FILES).rev() {
        let path = if number == 0 { folder.join(NAME) } else { folder.join(format!("{NAME}.{number}")) };
        current = open(&path)?;
        let Some(reader) = &mut current else { continue };
        each_line(reader, &path, |line| {
            last.push_back(line);
            if last.len() > args.lines {
                last.pop_front();
            }
        })?;
    }
    let print = |line: &str| match context.json {
        true => context.ui.out(to_json(line)),
        false => context.ui.out(line),
    };
    last.iter().for_each(|line| print(line));
    if !args.follow {
        return Ok(Exit::Success);
    }
    let path = folder.join(NAME);
    while context.ui.output_error().is_none() {
        std::thread::sleep(PAUSE);
        if let Some(reader) = &mut current {
            each_line(reader, &path, |line| print(&line))?;
        }
        // Another may have the name by now.
        let inode = |reader: &BufReader<File>| reader.get_ref().metadata().map(|file| file.ino()).ok();
        let there = std::fs::metadata(&path).map(|file| file.ino()).ok();
        if there.is_some() && current.as_ref().and_then(inode) != there {
            current = open(&path)?;
        }
    }
    Ok(Exit::Success)
}

fn open(path: &Path) -> Result<Option<BufReader<File>>, FileError> {
    match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        file => file.at("read", path).map(|file| Some(BufReader::new(file))),
    }
}

fn each_line(reader: &mut BufReader<File>, path: &Path, mut take: impl FnMut(String)) -> Result<(), FileError> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line).at("read", path)? == 0 {
            return Ok(());
        }
        take(String::from_utf8_lossy(&line).trim_end().to_owned());
    }
}
