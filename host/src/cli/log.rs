//! `--verbose`: the log of the host and of its providers, on stderr and with secrets masked.

use std::io;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::writer::OptionalWriter;

use super::Ui;

/// Shows events from now on.
pub(super) fn to_terminal(ui: &Ui) {
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(Level::DEBUG)
        .without_time()
        .with_ansi(false)
        .with_writer(Notes(ui.clone()))
        .finish();
    // Fails when a test, or an application around this, has one already.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Writes each event as a note, which masks it.
struct Notes(Ui);

impl<'a> MakeWriter<'a> for Notes {
    type Writer = OptionalWriter<&'a Ui>;

    fn make_writer(&'a self) -> Self::Writer {
        OptionalWriter::some(&self.0)
    }

    /// The protocol's library would show every message of a client, with all that the user said.
    fn make_writer_for(&'a self, about: &Metadata<'_>) -> Self::Writer {
        if about.target().starts_with("rmcp") && *about.level() > Level::INFO {
            return OptionalWriter::none();
        }
        self.make_writer()
    }
}

impl io::Write for &Ui {
    /// The formatter hands over one whole event at a time.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        self.note(String::from_utf8_lossy(event).trim_end());
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
