//! `--verbose`: the log of the host and of its providers, on stderr and with secrets masked.

use std::io;

use tracing_subscriber::fmt::MakeWriter;

use super::Ui;

/// Shows events from now on.
pub(super) fn to_terminal(ui: &Ui) {
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
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
    type Writer = &'a Ui;

    fn make_writer(&'a self) -> Self::Writer {
        &self.0
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
