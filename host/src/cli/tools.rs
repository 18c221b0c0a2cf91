//! `hermes tools`: what a model would see, and calls of it.

use std::io::{self, BufRead};

use hermes_provider_api::records::ToolCall;
use serde_json::{Value, json};

use super::{Context, Exit, Ui, in_one_line, memory, open};
use crate::error::Failure;
use crate::guard::fence;
use crate::open::DegradedKind;
use crate::turn::{Session, ToolFailure, ToolOutcome, Tools};

/// The longest description in a listing, in characters.
const DESCRIPTION_CHARS: usize = 100;

/// What to do with the tools.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hermes tools list
  hermes tools call fact_store '{\"action\": \"search\", \"query\": \"Biscuit\"}'
  hermes tools call --stdin < calls.jsonl")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the tools exactly as a model would see them, and those that are hidden from it
    List,
    /// Call a tool and print its answer as one line of JSON
    Call {
        /// The tool
        #[arg(required_unless_present = "stdin")]
        tool: Option<String>,
        /// Its arguments, a JSON object
        #[arg(value_name = "JSON")]
        args: Option<String>,
        /// Read calls from stdin, one {"tool", "args"} per line, and print one answer per line
        #[arg(long, conflicts_with_all = ["tool", "args"])]
        stdin: bool,
    },
}

/// Lists or calls.
///
/// # Errors
/// When the memory cannot be opened or stdin cannot be read.
pub fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let (opened, degraded) = open::memory_told(context)?;
    open::say_remarks(&opened, context);
    let id = format!("tools-{}", context.clock.now());
    let session = opened.memory.session(id, open::scope(&context.home), hermes_provider_api::Context::Primary);
    let ui = &context.ui;
    let mut failed = false;
    match args.command {
        Command::List if context.json => ui.json(&listing(session.tools(), opened.degraded.as_ref())),
        Command::List => {
            // Why nothing is known of its tools was said when it could not be opened.
            let is_said = degraded.is_some_and(|degraded| degraded.kind == DegradedKind::Unloadable);
            list(session.tools(), session.tools().problem.as_ref().filter(|_| !is_said), ui);
        }
        Command::Call { tool: None, .. } => call_lines(&session, io::stdin().lock(), ui)?,
        Command::Call { tool: Some(tool), args, .. } => {
            let call = ToolCall { id: String::new(), name: tool, arguments: args.unwrap_or_default() };
            let outcome = session.tool(&call);
            ui.out(outcome.to_json());
            failed = outcome.result.is_err();
            let news = session.take_news();
            open::say_news(&news, ui);
            memory::ask_now(&opened, &news, context);
        }
    }
    open::say_news(&session.take_news(), ui);
    drop(session);
    let closed = open::close(opened, ui);
    Ok(if failed { Exit::Failed } else { closed })
}

fn list(tools: &Tools, problem: Option<&String>, ui: &Ui) {
    for tool in &tools.offered {
        let first = tool.description.lines().next().unwrap_or_default();
        ui.out(format!("{}  {}", tool.name, fence::shorten(first, DESCRIPTION_CHARS)));
    }
    for hidden in &tools.hidden {
        ui.out(format!("hidden: {} of {}: {}", hidden.tool.escape_debug(), hidden.owner, hidden.why));
    }
    match problem {
        Some(problem) => ui.warn(format!("the provider's tools are not known: {problem}")),
        None if tools.offered.is_empty() && tools.hidden.is_empty() && tools.problem.is_none() => {
            ui.note("a model sees no tools")
        }
        None => {}
    }
}

/// The problem is why the tools of the provider are not known, or why there is no provider.
fn listing(tools: &Tools, degraded: Option<&Failure>) -> Value {
    let hidden = tools.hidden.iter();
    let hidden: Vec<Value> = hidden
        .map(|hidden| json!({"tool": hidden.tool, "owner": hidden.owner, "why": hidden.why.to_string()}))
        .collect();
    let problem = tools.problem.as_ref().or(degraded.map(|failure| &failure.message));
    json!({"tools": tools.offered, "hidden": hidden, "problem": problem})
}

/// One call per line in, one answer per line out. A line that is no call is answered with an error.
fn call_lines(session: &Session, mut input: impl BufRead, ui: &Ui) -> Result<(), Failure> {
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = input.read_until(b'\n', &mut line);
        let read = read.map_err(|error| Failure::new(format!("cannot read line {number} of stdin: {error}")))?;
        if read == 0 || ui.is_closed() {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        ui.out(match read_call(&line) {
            Ok(call) => session.tool(&call).to_json(),
            Err((tool, message)) => {
                let failure = ToolFailure::invalid(format!("line {number}: {message}"));
                let outcome = ToolOutcome { tool: tool.unwrap_or_default(), result: Err(failure) };
                outcome.to_json()
            }
        });
    }
    Ok(())
}

/// Reads `{"tool", "args"}`. An error names the tool where that much could be read.
fn read_call(line: &[u8]) -> Result<ToolCall, (Option<String>, String)> {
    let text = std::str::from_utf8(line).map_err(|error| (None, format!("not UTF-8: {error}")))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value =
        serde_json::from_str(text).map_err(|error| (None, format!("not JSON: {}", in_one_line(&error))))?;
    let Some(tool) = value.get("tool").and_then(Value::as_str) else {
        return Err((None, "no `tool`: a call is {\"tool\": \"name\", \"args\": {…}}".to_owned()));
    };
    let arguments = match value.get("args") {
        None | Some(Value::Null) => String::new(),
        Some(args @ Value::Object(_)) => args.to_string(),
        Some(_) => return Err((Some(tool.to_owned()), "`args` is not an object".to_owned())),
    };
    Ok(ToolCall { id: String::new(), name: tool.to_owned(), arguments })
}

#[cfg(test)]
mod tests {
    use hermes_provider_api::Scope;

    use super::*;
    use crate::cli::ui::captured;
    use crate::clock::Clock;
    use crate::guard::Redactor;
    use crate::layers::external::testing::{InProcess, schema};
    use crate::turn::{Memory, TurnSettings};

    fn session() -> (Session, std::sync::Arc<crate::layers::external::testing::Shared>) {
        let (hooks, shared) = InProcess::new();
        let memory = Memory::open(
            crate::turn::Provider::Ready(hooks),
            None,
            TurnSettings::default(),
            Clock::default(),
            Redactor::default(),
        )
        .unwrap();
        (memory.session("s", Scope::default(), hermes_provider_api::Context::Primary), shared)
    }

    #[track_caller]
    fn check(input: &[u8], expected: &[Value]) {
        let (ui, out, err) = captured::ui();
        call_lines(&session().0, input, &ui).unwrap();
        let lines: Vec<Value> = out.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((lines.as_slice(), err.text().as_str()), (expected, ""));
    }

    fn invalid(tool: &str, message: &str) -> Value {
        json!({"tool": tool, "ok": false, "error": {"kind": "invalid_input", "message": message}})
    }

    #[test]
    fn each_line_has_one_answer() {
        let ok = |args: Value| json!({"tool": "note", "ok": true, "result": {"got": args}});
        check(
            "{\"tool\": \"note\", \"args\": {\"a\": \"чай\"}}\r\n\n{\"tool\": \"note\"}".as_bytes(),
            &[ok(json!({"a": "чай"})), ok(json!({}))],
        );
        check(
            b"\xff\n{\"tool\": 1}\n{\"tool\": \"note\", \"args\": [1]}\n{\"tool\": \"note\"}\n",
            &[
                invalid("", "line 1: not UTF-8: invalid utf-8 sequence of 1 bytes from index 0"),
                invalid("", "line 2: no `tool`: a call is {\"tool\": \"name\", \"args\": {…}}"),
                invalid("note", "line 3: `args` is not an object"),
                ok(json!({})),
            ],
        );
        check(b"", &[]);
    }

    #[test]
    fn a_long_line_is_one_call() {
        let long = "ч".repeat(5_000_000);
        let line = json!({"tool": "note", "args": {"a": long}}).to_string();
        check(line.as_bytes(), &[json!({"tool": "note", "ok": true, "result": {"got": {"a": long}}})]);
    }

    #[test]
    fn a_call_is_given_once() {
        use clap::Parser as _;
        let parses = |args: &[&str]| crate::cli::Cli::try_parse_from(["hermes", "tools"].iter().chain(args)).is_ok();
        assert!(parses(&["list", "--json"]) && parses(&["call", "note", "{}"]) && parses(&["call", "--stdin"]));
        assert!(!parses(&["call"]) && !parses(&["call", "note", "--stdin"]));
    }

    #[test]
    fn a_listing_is_what_a_model_sees() {
        let (session, shared) = session();
        *shared.schemas.lock().unwrap() = vec![schema("note"), schema("memory")];
        let why = "the name belongs to hermes itself";
        assert_eq!(
            listing(session.tools(), None),
            json!({
                "tools": [{"type": "function", "function": {"name": "note", "description": "Notes", "parameters": {"type": "object"}}}],
                "hidden": [{"tool": "memory", "owner": "notes", "why": why}],
                "problem": null,
            })
        );
        let gone = Failure::new("`notes` is not installed");
        assert_eq!(listing(session.tools(), Some(&gone))["problem"], "`notes` is not installed");
        let (ui, out, _) = captured::ui();
        list(session.tools(), session.tools().problem.as_ref(), &ui);
        assert_eq!(out.text(), format!("note  Notes\nhidden: memory of notes: {why}\n"));
    }
}
