//! The user's editor, for what is text.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use super::Context;
use crate::error::Failure;

/// What is looked for where no variable names an editor.
const USUAL: [&str; 7] = ["sensible-editor", "editor", "nano", "vim", "vi", "emacs", "micro"];

/// The user's own editor, or one that is there; a script has no use for the latter. `instead` is what to do without any.
pub(super) fn find(context: &Context, instead: &str) -> Result<String, Failure> {
    let set = ["VISUAL", "EDITOR"].iter().find_map(|name| context.env.get(name).filter(|value| !value.is_empty()));
    if let Some(set) = set {
        return set.into_string().map_err(|_| Failure::new("the variable that names the editor is not UTF-8 text"));
    }
    if !context.ui.is_interactive() {
        return Err(Failure::usage("no editor is set, and nobody can use one here").hint(instead));
    }
    let path = context.env.get("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let found = USUAL.iter().find(|name| folders.iter().any(|folder| folder.join(name).is_file()));
    found.map(|name| (*name).to_owned()).ok_or_else(|| Failure::new("there is no editor").hint(instead))
}

/// The variable may hold flags and quotes, as for every program that starts an editor: a shell takes it apart.
pub(super) fn start(editor: &str, file: &Path) -> io::Result<ExitStatus> {
    #[expect(clippy::disallowed_methods, reason = "the user's own editor")]
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(format!("{editor} \"$@\"")).arg(editor).arg(file).status()
}

/// How it ended, where it did not end well.
pub(super) fn ended(status: ExitStatus) -> String {
    status.code().map_or_else(|| "was killed".to_owned(), |code| format!("ended with status {code}"))
}
