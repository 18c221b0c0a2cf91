//! `memory_status` and the resource of the same: what `hermes memory status` says, and what this connection knows.

use serde_json::{Value, json};

use super::connection::{Connection, not_delivered, unknown_tools};
use super::reply::{Reply, with_hints};
use crate::clock::utc;
use crate::open::{FileStatus, Last, Problem, Status};
use crate::plugins::health::HookHealth;

impl Connection {
    /// How the memory is doing. Asks the record, not the provider: it answers at once whatever that one does.
    pub(super) fn status(&self) -> Reply {
        self.running.open.flush_health();
        let mut status = match self.running.surroundings.status(false) {
            Ok(status) => status,
            Err(failure) => return failure.into(),
        };
        for hint in status.problems.iter_mut().flat_map(|problem| &mut problem.hints) {
            *hint = (self.running.hints)(hint);
        }
        if let Some(unavailable) = self.unavailable() {
            // The same with what to do about this connection.
            status.problems.retain(|problem| problem.message != unavailable.message);
            status.problems.push(unavailable.into());
        }
        let mut hidden = Vec::new();
        if let Some(surface) = self.known_surface() {
            let tools = surface.session.tools();
            let unknown = tools.problem.as_ref().map(|problem| Problem {
                message: unknown_tools(problem),
                hints: vec!["list the tools again".to_owned()],
            });
            status.problems.extend(unknown);
            hidden
                .extend(tools.hidden.iter().map(|hidden| json!({"tool": hidden.tool, "why": hidden.why.to_string()})));
        }
        let lost = self.running.lost(Vec::new());
        status.problems.extend(lost.iter().map(|lost| Problem { message: not_delivered(lost), hints: Vec::new() }));
        if status.provider.is_some() && !status.problems.is_empty() {
            status.state = "degraded";
        }
        let mut value = match serde_json::to_value(&status) {
            Ok(value) => value,
            Err(error) => return Reply::failed(format!("the status cannot be written: {error}")),
        };
        let scope = self.session.scope();
        value["session"] = json!({
            "id": self.session.id(), "platform": scope.platform, "project": scope.project, "turns": self.turns(),
        });
        value["hidden_tools"] = hidden.into();
        Reply::said(text(&status, &value["hidden_tools"])).with(value)
    }

    /// The status as JSON.
    pub(super) fn status_json(&self) -> String {
        let Reply { text, structured, .. } = self.status();
        let mut value = structured.unwrap_or_else(|| json!({"problems": [{"message": text, "hints": []}]}));
        self.mask().apply_json(&mut value);
        format!("{value:#}")
    }
}

fn text(status: &Status, hidden: &Value) -> String {
    let version = status.version.as_deref().unwrap_or("(not installed)");
    let mut text = match &status.provider {
        Some(id) => format!("memory: {id} {version} · {} · {}", status.isolation, status.state),
        None => "memory: no external provider".to_owned(),
    };
    let files = status.curated.files.iter().filter(|file| !file.on || file.entries != Some(0));
    for line in files.map(FileStatus::line).chain(status.unconfined()) {
        text.push('\n');
        text.push_str(&line);
    }
    if status.curated.waiting > 0 {
        text.push_str(&format!("\nwaiting for the user's approval: {}", status.curated.waiting));
    }
    for problem in &status.problems {
        text.push_str(&with_hints(format!("\nproblem: {}", problem.message), &problem.hints));
    }
    for (what, last) in [("last success", &status.last_success), ("last failure", &status.last_failure)] {
        if let Some(Last { hook, at, cause }) = last {
            let cause = cause.as_deref().map(|cause| format!(": {cause}")).unwrap_or_default();
            text.push_str(&format!("\n{what}: {hook}, {}{cause}", utc(*at)));
        }
    }
    for hook in status.hooks.iter().filter(|hook| hook.calls + hook.refused > 0) {
        let failed = hook.errors + hook.timeouts;
        let time = |ms: Option<f64>| ms.map_or_else(|| "–".to_owned(), |ms| format!("{ms:.1} ms"));
        let (p50, p95) = (time(hook.p50_ms), time(hook.p95_ms));
        let HookHealth { hook, calls, refused, .. } = hook;
        text.push_str(&format!("\n{hook}: {calls} calls, {failed} failed, {refused} refused, p50 {p50}, p95 {p95}"));
    }
    for tool in hidden.as_array().into_iter().flatten() {
        let (name, why) = (tool["tool"].as_str().unwrap_or_default(), tool["why"].as_str().unwrap_or_default());
        text.push_str(&format!("\nnot offered: {}: {why}", name.escape_debug()));
    }
    text
}
