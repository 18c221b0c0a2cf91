//! A turn as a person sees it: the line of the recall, the answer as it comes, the tools, what became of the files.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hermes_provider_api::records::ToolCall;
use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::cli::{Context, open};
use crate::error::Failure;
use crate::surfaces::chat::Watch;
use crate::turn::{News, TurnHandle};

/// Shows turns.
pub(super) struct Show<'a> {
    context: &'a Context,
    /// Ctrl-C was pressed while a turn went on.
    stopped: Arc<AtomicBool>,
    recalled: Option<String>,
    /// The cursor is behind a piece of the answer.
    in_line: bool,
    /// What waits for the user's decision since it was last asked for.
    waiting: Vec<News>,
}

impl<'a> Show<'a> {
    /// From now on Ctrl-C stops an answer instead of the program.
    pub(super) fn new(context: &'a Context) -> Result<Self, Failure> {
        let stopped = Arc::new(AtomicBool::new(false));
        flag::register(SIGINT, Arc::clone(&stopped))
            .map_err(|error| Failure::new(format!("signals cannot be received: {error}")))?;
        Ok(Self { context, stopped, recalled: None, in_line: false, waiting: Vec::new() })
    }

    /// What the last turn recalled, in a line.
    pub(super) fn recalled(&self) -> Option<&str> {
        self.recalled.as_deref()
    }

    pub(super) fn take_waiting(&mut self) -> Vec<News> {
        std::mem::take(&mut self.waiting)
    }

    /// Ends the line that a piece of the answer left open.
    pub(super) fn end(&mut self) {
        if std::mem::take(&mut self.in_line) {
            self.context.ui.piece("\n");
        }
    }
}

impl Watch for Show<'_> {
    fn began(&mut self, turn: &TurnHandle) {
        self.stopped.store(false, Ordering::Relaxed);
        self.recalled.clone_from(&turn.line);
        if let Some(line) = &turn.line {
            self.context.ui.note(line);
        }
    }

    fn piece(&mut self, text: &str) {
        if !self.context.json {
            self.context.ui.piece(text);
            self.in_line = !text.ends_with('\n');
        }
    }

    fn called(&mut self, calls: &[ToolCall]) {
        self.end();
        for call in calls {
            self.context.ui.note(format!("🔧 {}", call.name.escape_debug()));
        }
    }

    fn news(&mut self, news: Vec<News>) {
        if !news.is_empty() {
            self.end();
            open::say_news(&news, &self.context.ui);
            self.waiting.extend(news);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
