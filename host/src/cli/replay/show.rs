//! How a replayed turn is shown: for people as it goes, or as one JSON object when it is over.

use hermes_provider_api::records::ToolCall;
use serde_json::{Value, json};

use super::input::Line;
use super::watch::Watch;
use crate::cli::Ui;
use crate::cli::open::say_lost;
use crate::clock::UnixMillis;
use crate::error::Failure;
use crate::outbox::Lost;
use crate::turn::{Ending, News, Problem, RecallOutcome, Session, Skip, ToolOutcome, TurnHandle};

/// What is shown of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// What was said.
    Said,
    /// And exactly what the model would have been given.
    Prompt,
}

/// How it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// For people.
    Text,
    /// One object per turn.
    Json,
}

/// Shows turns.
pub(super) struct Show<'a> {
    pub(super) ui: &'a Ui,
    pub(super) form: Form,
    pub(super) detail: Detail,
}

/// The JSON of a turn, as it grows.
#[derive(Debug, Default)]
pub(super) struct Record(Value);

impl Watch for Show<'_> {
    type Record = Record;

    fn goes_on(&self) -> bool {
        !self.ui.is_closed()
    }

    fn session(&mut self, session: &Session) -> Record {
        if self.form == Form::Json {
            return match self.detail {
                Detail::Said => Record::default(),
                Detail::Prompt => {
                    let (prompt, tools) = (session.system_prompt(), &session.tools().offered);
                    Record(json!({"system_prompt": prompt, "offered_tools": tools}))
                }
            };
        }
        self.ui.out(format!("== session {}", session.id()));
        if self.detail == Detail::Prompt {
            let tools: Vec<&str> = session.tools().offered.iter().map(|tool| tool.name.as_str()).collect();
            self.block("system", session.system_prompt());
            self.block("tools", &if tools.is_empty() { "none".to_owned() } else { tools.join(", ") });
        }
        Record::default()
    }

    fn back(&mut self, session: &Session) {
        if self.form == Form::Text {
            self.ui.out(format!("== back to session {}", session.id()));
        }
    }

    fn begin(&mut self, head: Record, session: &Session, handle: &TurnHandle, line: &Line, at: UnixMillis) -> Record {
        let message = &line.message.content;
        if self.form == Form::Text {
            let title = format!("user · session {} · turn {}", session.id(), handle.number);
            self.block(&title, if self.detail == Detail::Prompt { &handle.prompt } else { message });
            if let Some(line) = &handle.line {
                self.ui.out(self.ui.for_this_home(line));
            }
            return Record::default();
        }
        let mut record = json!({
            "session_id": session.id(), "turn": handle.number, "at": at, "user": message, "line": handle.line,
            "recall": recall(&handle.recall), "tools": [], "answer": "",
        });
        if self.detail == Detail::Prompt {
            record["prompt"] = handle.prompt.as_str().into();
        }
        if let (Value::Object(record), Value::Object(head)) = (&mut record, head.0) {
            record.extend(head);
        }
        Record(record)
    }

    fn tool(&mut self, record: &mut Record, call: &ToolCall, outcome: Option<&ToolOutcome>) {
        if self.form == Form::Text {
            self.block(&format!("calls {}", call.name.escape_debug()), &call.arguments);
            match outcome {
                Some(outcome) => self.block(&format!("result of {}", outcome.tool.escape_debug()), &outcome.content()),
                None => self.ui.out("(not a tool of this memory: its result is taken from the recording)"),
            }
            return;
        }
        let mut shown = outcome.map_or_else(|| json!({"tool": call.name, "recorded": true}), ToolOutcome::to_json);
        shown["arguments"] = call.arguments.as_str().into();
        if let Some(tools) = record.0["tools"].as_array_mut() {
            tools.push(shown);
        }
    }

    fn news(&mut self, record: &mut Record, news: &[News]) {
        for line in news.iter().filter_map(|news| news.line.as_ref()) {
            if self.form == Form::Text {
                self.ui.out(self.ui.for_this_home(line));
            } else {
                let notices =
                    record.0.as_object_mut().map(|record| record.entry("notices").or_insert_with(|| json!([])));
                if let Some(Value::Array(notices)) = notices {
                    notices.push(line.as_str().into());
                }
            }
        }
    }

    fn finish(&mut self, mut record: Record, answer: &str, ending: Ending) {
        if self.form == Form::Json {
            record.0["answer"] = answer.into();
            record.0["interrupted"] = (ending == Ending::Interrupted).into();
            self.ui.out(record.0);
        } else if ending == Ending::Interrupted {
            self.ui.out("(no answer)");
        } else {
            self.block("assistant", answer);
        }
    }

    fn warn(&mut self, what: &Failure) {
        self.ui.warn_of(what);
    }

    fn lost(&mut self, lost: &Lost) {
        say_lost(lost, self.ui);
    }
}

impl Show<'_> {
    fn block(&self, title: &str, text: &str) {
        self.ui.out(format!("-- {title}\n{text}"));
    }
}

fn recall(outcome: &RecallOutcome) -> Value {
    match outcome {
        RecallOutcome::Skipped(skip) => json!({"skipped": match skip {
            Skip::NoRecall => "no_recall",
            Skip::Trivial => "trivial",
            Skip::Command => "command",
            Skip::Again => "again",
        }}),
        RecallOutcome::Asked(recalled) => json!({
            "memories": recalled.memories, "late": recalled.late, "known": recalled.known, "withheld": recalled.withheld,
            "blocked": recalled.blocked,
            "ms": recalled.elapsed.as_secs_f64() * 1000.0,
            "problem": recalled.problem.as_ref().map(|problem| match problem {
                Problem::TimedOut { limit } => format!("timed out after {} ms", limit.as_millis()),
                Problem::Failed { reason } => reason.clone(),
            }),
        }),
    }
}
