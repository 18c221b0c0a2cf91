//! A session in the user's pager, at what was found.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Command;
use std::sync::Arc;

use crate::cli::{Context, Exit};
use crate::clock::utc;
use crate::db::Db;
use crate::error::Failure;
use crate::layers::episodic::search::SessionFound;
use crate::layers::episodic::{Archive, Message};

/// What is used where no variable names a pager.
const USUAL: &str = "less";
/// Pagers that begin at a line with `+<line>`.
const WITH_LINES: [&str; 3] = ["less", "more", "most"];
/// So many messages are read at a time.
const AT_ONCE: usize = 500;

/// Shows a whole session, beginning at the best of what was found in it.
pub(super) fn open(found: &SessionFound, db: Arc<Db>, context: &Context) -> Result<Exit, Failure> {
    let name = &found.session.name;
    if !context.ui.is_interactive() {
        let failure = Failure::usage("nobody can use a pager here");
        return Err(failure.hint(format!("run `hermes sessions show {name}`")));
    }
    let (text, line) = render(found, db)?;
    // What is shown must not show a secret that was said before it was one.
    let text = context.secrets()?.mask([]).apply(&text).into_owned();
    let failed = |error: std::io::Error| Failure::new(format!("the session cannot be shown: {error}"));
    let mut file = tempfile::Builder::new().prefix("hermes-session-").suffix(".txt").tempfile().map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    let pager = context.env.get("PAGER").filter(|pager| !pager.is_empty());
    let pager = pager.and_then(|pager| pager.into_string().ok()).unwrap_or_else(|| USUAL.to_owned());
    let program = pager.split_whitespace().next().unwrap_or_default();
    let knows_lines = WITH_LINES.iter().any(|known| program.rsplit('/').next() == Some(known));
    let at = if knows_lines { format!(" +{line}") } else { String::new() };
    #[expect(clippy::disallowed_methods, reason = "the user's own pager")]
    let mut shell = Command::new("/bin/sh");
    let status = shell.arg("-c").arg(format!("{pager}{at} \"$@\"")).arg(program).arg(file.path()).status();
    match status.map_err(failed)? {
        status if status.success() => Ok(Exit::Success),
        status => Err(Failure::new(format!("`{pager}` {}", crate::cli::editor::ended(status)))
            .hint(format!("run `hermes sessions show {name}`"))),
    }
}

/// The text of a session, and the line of the best passage.
fn render(found: &SessionFound, db: Arc<Db>) -> Result<(String, usize), Failure> {
    let archive = Archive::new(db);
    let session = archive.find(&found.session.name)?;
    let wanted = found.passages.first().map(|passage| passage.message);
    let (mut text, mut lines, mut line, mut after) = (String::new(), 1, 1, 0);
    loop {
        let messages = archive.messages(&session, after, AT_ONCE)?;
        let Some(last) = messages.last() else { break };
        after = last.id;
        for message in &messages {
            if Some(message.id) == wanted {
                line = lines;
            }
            let told = told(message);
            lines += told.matches('\n').count();
            text.push_str(&told);
        }
    }
    Ok((text, line))
}

fn told(message: &Message) -> String {
    let said = &message.said;
    let role = serde_json::to_value(said.role).ok().and_then(|role| role.as_str().map(str::to_owned));
    let mut told = format!("── {} · {} · {} ──\n", role.unwrap_or_default(), utc(said.at_ms), message.id);
    // A pager obeys what a terminal obeys.
    let clean: String = said.content.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    if !clean.is_empty() {
        let _ = writeln!(told, "{}", clean.trim_end());
    }
    for call in &said.tool_calls {
        let clean: String = call.arguments.chars().filter(|c| !c.is_control()).collect();
        let _ = writeln!(told, "→ {}({clean})", call.name);
    }
    told.push('\n');
    told
}
