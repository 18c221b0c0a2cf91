//! How downloads are shown: a bar on a terminal, and a line for each wait.

use std::cell::RefCell;

use indicatif::ProgressBar;

use crate::cli::Ui;
use crate::plugins::fetch::Step;

/// Shows the downloads of one command.
pub(super) struct Downloads<'a> {
    ui: &'a Ui,
    bar: RefCell<Option<ProgressBar>>,
}

impl<'a> Downloads<'a> {
    pub(super) fn new(ui: &'a Ui) -> Self {
        Self { ui, bar: RefCell::default() }
    }

    pub(super) fn show(&self, step: Step<'_>) {
        let note = |line: String| match &*self.bar.borrow() {
            Some(bar) => bar.suspend(|| self.ui.note(&line)),
            None => self.ui.note(&line),
        };
        match step {
            Step::Begins { what, size } => {
                self.ui.detail(format!("downloading {what}, {} KiB", size.div_ceil(1024)));
                *self.bar.borrow_mut() = Some(self.ui.progress(what.to_owned(), Some(size)));
            }
            Step::At(bytes) => self.bar.borrow().iter().for_each(|bar| bar.set_position(bytes)),
            Step::Waits { host, reason, pause } => {
                note(format!("{host}: {reason}; trying again in {} s", pause.as_secs_f64()));
            }
            Step::Shared => self.ui.note("another hermes is downloading the same archive; waiting for it"),
            Step::Ends => self.bar.take().iter().for_each(ProgressBar::finish_and_clear),
        }
    }
}
