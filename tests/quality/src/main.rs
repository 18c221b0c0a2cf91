//! Measures whether `holographic` finds the right fact, and `session_search` the right message, with data that lies beside
//! the repository. `cargo xtask quality` builds it optimised and runs it.
//!
//! The provider runs in this process and is asked through its tools, as a model asks it. The tables go to standard
//! output as Markdown; data that is not there is named as skipped.

mod conversations;
mod facts;
mod memory;
mod paragraphs;
mod score;
mod sessions;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use hermes_host::config::Config;
use hermes_host::home::Home;
use hermes_host::model::Models;
use hermes_host::secrets::Secrets;
use serde::de::DeserializeOwned;

/// What this stops with: one sentence.
type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

#[derive(Parser)]
struct Options {
    /// The folder with `facts.jsonl` and `queries.jsonl`
    #[arg(long)]
    data: PathBuf,
    /// The folder with `locomo` and `xquad`
    #[arg(long)]
    bench: PathBuf,
    /// Only the part of this name: facts, locomo, xquad or sessions
    #[arg(long)]
    only: Option<String>,
    /// Tell each question whose answer was not found
    #[arg(long)]
    misses: bool,
    /// Find by meaning too, with the model that answers at this address, such as http://127.0.0.1:8901/v1
    #[arg(long, value_name = "URL")]
    embeddings: Option<String>,
    /// The name of that model
    #[arg(long, value_name = "NAME", default_value = "default")]
    embedding_model: String,
}

/// How everything is measured.
struct Way {
    misses: bool,
    /// What facts are embedded with, if they are.
    models: Option<Models>,
}

fn main() -> ExitCode {
    match measure(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

type Measure = fn(&Path, &Way) -> Result<String>;

fn measure(options: &Options) -> Result<()> {
    let models = options.embeddings.as_ref().map(|base| models(base, &options.embedding_model)).transpose()?;
    let way = Way { misses: options.misses, models };
    let parts: [(&str, PathBuf, Measure); 4] = [
        ("facts", options.data.clone(), facts::measure),
        ("locomo", options.bench.join("locomo"), conversations::measure),
        ("xquad", options.bench.join("xquad"), paragraphs::measure),
        ("sessions", options.bench.clone(), sessions::measure),
    ];
    for (name, folder, measure) in parts {
        if options.only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        if !folder.is_dir() {
            say(&format!("{name} is skipped: there is no `{}`", folder.display()));
            continue;
        }
        print(&measure(&folder, &way)?);
    }
    Ok(())
}

/// A model at this address.
fn models(base: &str, name: &str) -> Result<Models> {
    let mut document = toml_edit::DocumentMut::new();
    document["model"]["base_url"] = toml_edit::value(base);
    document["model"]["embedding"] = toml_edit::value(name);
    let config = Config::parse(&document.to_string(), Path::new("--embeddings"))?;
    let secrets = Secrets::load(&Home::at("/nowhere"), |name| std::env::var_os(name))?;
    Ok(Models::of(&config, &secrets))
}

/// The lines of a file, each a value in JSON.
fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    Ok(read(path)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| format!("`{}`: {error}", path.display()).into())
}

/// Tells the person at the terminal.
fn say(line: &str) {
    #[expect(clippy::print_stderr, reason = "a program that measures talks to a person")]
    {
        eprintln!("{line}");
    }
}

fn print(text: &str) {
    #[expect(clippy::print_stdout, reason = "the tables are what this is for")]
    {
        println!("{text}");
    }
}
