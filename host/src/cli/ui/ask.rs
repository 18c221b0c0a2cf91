//! Questions to the user. None as an answer: Esc or Ctrl-C was pressed, and nothing is to be changed.

use hermes_provider_api::records::Choice;
use inquire::ui::RenderConfig;
use inquire::validator::{ErrorMessage, StringValidator, Validation};
use inquire::{Confirm, InquireError, Password, PasswordDisplayMode, Select, Text};

use super::Ui;
use crate::error::Failure;

/// `instead` is what makes the question needless, as it completes "give …": a flag, or words.
impl Ui {
    /// Yes or no; no is what Enter means.
    ///
    /// # Errors
    /// When nobody can be asked.
    pub fn confirm(&self, question: &str, instead: &str) -> Result<Option<bool>, Failure> {
        self.must_be_interactive(question, instead)?;
        answer(Confirm::new(question).with_default(false).with_render_config(self.look()).prompt())
    }

    /// One of some options, by its index; `preselected` is where the cursor stands at first.
    ///
    /// # Errors
    /// When nobody can be asked.
    pub fn select(
        &self,
        question: &str,
        options: &[Choice],
        preselected: usize,
        instead: &str,
    ) -> Result<Option<usize>, Failure> {
        self.must_be_interactive(question, instead)?;
        let label = |choice: &Choice| match choice.description.as_str() {
            "" => choice.value.clone(),
            description => format!("{} — {description}", choice.value),
        };
        let select = Select::new(question, options.iter().map(label).collect())
            .with_starting_cursor(preselected.min(options.len().saturating_sub(1)))
            .with_render_config(self.look());
        Ok(answer(select.raw_prompt())?.map(|option| option.index))
    }

    /// A text that `check` accepts, or says why not; `default` is what Enter means.
    ///
    /// # Errors
    /// When nobody can be asked.
    pub fn text(
        &self,
        question: &str,
        default: Option<&str>,
        check: impl Fn(&str) -> Result<(), String> + Clone + 'static,
        instead: &str,
    ) -> Result<Option<String>, Failure> {
        self.must_be_interactive(question, instead)?;
        let mut text = Text::new(question).with_validator(validator(check)).with_render_config(self.look());
        text.default = default;
        answer(text.prompt())
    }

    /// A text that is not shown while it is typed.
    ///
    /// # Errors
    /// When nobody can be asked.
    pub fn secret(
        &self,
        question: &str,
        check: impl Fn(&str) -> Result<(), String> + Clone + 'static,
        instead: &str,
    ) -> Result<Option<String>, Failure> {
        self.must_be_interactive(question, instead)?;
        let password = Password::new(question)
            .with_display_mode(PasswordDisplayMode::Masked)
            .without_confirmation()
            .with_validator(validator(check))
            .with_render_config(self.look());
        answer(password.prompt())
    }

    /// Asks whether to go on with what cannot be taken back easily.
    ///
    /// # Errors
    /// When the answer is no, or nobody can be asked: `not_done` is then said, and `command` is what to type instead.
    pub fn agree(&self, question: &str, not_done: &str, command: &str) -> Result<(), Failure> {
        if !self.is_interactive() {
            let failure = Failure::usage(format!("{not_done}: nobody can be asked here"));
            return Err(failure.hint(format!("run {command}")));
        }
        match self.confirm(question, "--yes")? {
            Some(true) => Ok(()),
            _ => Err(Failure::new(format!("{not_done}, as you chose"))),
        }
    }

    fn must_be_interactive(&self, question: &str, instead: &str) -> Result<(), Failure> {
        if self.is_interactive() {
            return Ok(());
        }
        let instead = if instead.starts_with('-') { format!("`{instead}`") } else { instead.to_owned() };
        Err(Failure::usage(format!("nobody can be asked here: {question}")).hint(format!(
            "give {instead}, or run it in a terminal{}",
            if self.0.options.json { " and without `--json`" } else { "" }
        )))
    }

    fn look(&self) -> RenderConfig<'static> {
        if self.0.options.no_color { RenderConfig::empty() } else { RenderConfig::default_colored() }
    }
}

fn validator(check: impl Fn(&str) -> Result<(), String> + Clone + 'static) -> impl StringValidator + 'static {
    move |text: &str| {
        Ok(match check(text) {
            Ok(()) => Validation::Valid,
            Err(reason) => Validation::Invalid(ErrorMessage::Custom(reason)),
        })
    }
}

fn answer<T>(answer: Result<T, InquireError>) -> Result<Option<T>, Failure> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(InquireError::OperationCanceled | InquireError::OperationInterrupted) => Ok(None),
        Err(error) => Err(Failure::new(format!("the question could not be asked: {error}"))),
    }
}
