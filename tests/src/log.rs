//! What the host logs while a test runs.

use std::fmt::Write as _;
use std::sync::{Mutex, Once, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Begins to keep the lines of this process. All tests of a binary share them.
pub fn keep() {
    static BEGUN: Once = Once::new();
    // Fails only when a test has a subscriber of its own, and then `contains` never finds anything.
    BEGUN.call_once(|| drop(tracing::subscriber::set_global_default(Keep)));
}

/// Whether a line with this text was logged.
#[must_use]
pub fn contains(text: &str) -> bool {
    LINES.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|line| line.contains(text))
}

struct Keep;

impl Subscriber for Keep {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        LINES.lock().unwrap_or_else(PoisonError::into_inner).push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = write!(self.0, " {}={value:?}", field.name());
    }
}
