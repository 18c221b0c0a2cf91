//! `hermes config edit`: the file in the user's editor, checked before it counts.
//!
//! The editor works on a copy in the same folder, and the file is replaced only by what the next command can read.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::cli::{Context, Exit, editor};
use crate::config::{Config, ConfigEdit};
use crate::error::Failure;
use crate::home::files::{self, At as _};

/// How copies begin that are being edited, or could not be used.
pub(in crate::cli) const COPY: &str = "config-edit-";
const FIRST_LINE: &str = "# The settings of hermes; `hermes config list` shows what can be set.\n";

pub(super) fn run(context: &Context) -> Result<Exit, Failure> {
    let editor = editor::find(context, "name an editor in the variable `EDITOR`, or use `hermes config set`")?;
    let path = context.home.config_file();
    let old = files::read_text(&path)?;
    let begun = old.clone().unwrap_or_else(|| FIRST_LINE.to_owned());
    let copy = write_copy(context, &begun)?;
    let (text, config) = loop {
        let status = editor::start(&editor, &copy).map_err(|error| {
            discard(&copy);
            Failure::new(format!("cannot start the editor `{editor}`: {error}"))
                .hint("name another in the variable `EDITOR`, or use `hermes config set`")
        })?;
        if !status.success() {
            let failure = Failure::new(format!("the editor `{editor}` {}; nothing was changed", editor::ended(status)));
            return Err(kept(failure, &copy, &begun));
        }
        let Some(text) = files::read_text(&copy)? else {
            return Err(Failure::new(format!("the editor `{editor}` left no file; nothing was changed")));
        };
        match Config::parse(&text, if text == begun { &path } else { &copy }) {
            Ok(config) => break (text, config),
            Err(error) => {
                // Its hints would repair the original.
                let failure = Failure::new(error.to_string());
                if !again(&failure, context)? {
                    return Err(kept(failure, &copy, &begun));
                }
            }
        }
    };
    if text == begun {
        discard(&copy);
        report(false, &path, context);
        return Ok(Exit::Success);
    }
    let replaced = ConfigEdit::replace(&context.home, old.as_deref(), &text);
    if !replaced.map_err(|error| kept(error.into(), &copy, &begun))? {
        let failure = Failure::new(format!("`{}` was changed by somebody else meanwhile", path.display()));
        return Err(kept(failure, &copy, &begun));
    }
    discard(&copy);
    // They name the copy, which is gone.
    let warnings =
        config.warnings().iter().map(|warning| crate::config::Warning { path: path.clone(), ..warning.clone() });
    warnings.for_each(|warning| context.ui.warn(warning));
    report(true, &path, context);
    Ok(Exit::Success)
}

fn write_copy(context: &Context, text: &str) -> Result<PathBuf, Failure> {
    context.home.create()?;
    let root = context.home.root();
    let copy = tempfile::Builder::new().prefix(COPY).suffix(".toml").tempfile_in(root);
    let copy = copy.and_then(|copy| copy.keep().map_err(io::Error::from)).at("create a file in", root)?.1;
    files::replace(&copy, text.as_bytes())?;
    Ok(copy)
}

/// Whether the user wants to put right what is wrong.
fn again(failure: &Failure, context: &Context) -> Result<bool, Failure> {
    if !context.ui.is_interactive() {
        return Ok(false);
    }
    context.ui.failure(failure);
    Ok(context.ui.confirm("Edit it again?", "a right file")? == Some(true))
}

/// A copy that nobody wrote to is not worth keeping.
fn kept(failure: Failure, copy: &Path, begun: &str) -> Failure {
    if files::read_text(copy).is_ok_and(|text| text.is_none_or(|text| text == begun)) {
        discard(copy);
        return failure;
    }
    failure.hint(format!("it does not count; what you wrote is kept in `{}`", copy.display()))
}

/// A copy that stays is in nobody's way, and `hermes doctor` names it.
fn discard(copy: &Path) {
    let _ = std::fs::remove_file(copy);
}

fn report(changed: bool, path: &Path, context: &Context) {
    let path = path.display();
    match (context.json, changed) {
        (true, _) => context.ui.json(&json!({ "path": path.to_string(), "changed": changed })),
        (false, true) => context.ui.note(format!("changed `{path}`")),
        (false, false) => context.ui.note(format!("nothing was changed in `{path}`")),
    }
}
