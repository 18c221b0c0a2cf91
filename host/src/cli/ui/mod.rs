//! Talking to the user: data on stdout, everything else on stderr, secrets masked, colours on a terminal only.

mod ask;

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anstream::AutoStream;
use clap::builder::styling::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::Global;
use crate::error::Failure;
use crate::error::quoted;
use crate::secrets::Mask;

/// How a command to type begins in a remark.
const COMMAND: &str = "`hermes ";

type Stream = Box<dyn Write + Send>;

/// Where output goes. Cheap to clone, and may be used from any thread.
///
/// Printing never fails: the first error is kept for the end of the program, and what follows it is dropped.
#[derive(Clone)]
pub struct Ui(Arc<Inner>);

struct Inner {
    out: Mutex<Output>,
    err: Mutex<Stream>,
    mask: Mutex<Mask>,
    flags: Flags,
    options: Options,
}

/// What a command to type needs so that it is for the same home, each with a blank before it.
#[derive(Default)]
struct Flags {
    home: String,
    profile: String,
}

struct Output {
    stream: Stream,
    error: Option<io::Error>,
}

/// What the streams are.
#[derive(Clone, Copy, Default)]
struct Options {
    verbose: bool,
    /// Stdin and stderr are terminals, and JSON was not asked for.
    interactive: bool,
    /// Stdout is a terminal: control characters of foreign text would act on it.
    out_is_terminal: bool,
    /// Stderr is a terminal.
    err_is_terminal: bool,
    no_color: bool,
    json: bool,
}

impl std::fmt::Debug for Ui {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ui")
    }
}

impl Ui {
    /// The streams of this process.
    pub(super) fn new(global: &Global) -> Self {
        let color = match global.color {
            clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
            clap::ColorChoice::Always => anstream::ColorChoice::Always,
            clap::ColorChoice::Never => anstream::ColorChoice::Never,
        };
        let err_is_terminal = io::stderr().is_terminal();
        let options = Options {
            verbose: global.verbose,
            interactive: err_is_terminal && io::stdin().is_terminal() && !global.json,
            out_is_terminal: io::stdout().is_terminal(),
            err_is_terminal,
            no_color: AutoStream::choice(&io::stderr()) == anstream::ColorChoice::Never
                && global.color != clap::ColorChoice::Always
                || global.color == clap::ColorChoice::Never,
            json: global.json,
        };
        let out = AutoStream::new(io::stdout(), color);
        let err = AutoStream::new(io::stderr(), color);
        let home = global.home.as_ref().map(|home| format!(" --home {}", quoted(&home.to_string_lossy())));
        let profile = global.profile.as_ref().map(|name| format!(" --profile {}", quoted(name)));
        let flags = Flags { home: home.unwrap_or_default(), profile: profile.unwrap_or_default() };
        Self::of(Box::new(out), Box::new(err), flags, options)
    }

    fn of(out: Stream, err: Stream, flags: Flags, options: Options) -> Self {
        Self(Arc::new(Inner {
            out: Mutex::new(Output { stream: out, error: None }),
            err: Mutex::new(err),
            mask: Mutex::default(),
            flags,
            options,
        }))
    }

    /// Data, as one or more lines on stdout.
    pub fn out(&self, lines: impl Display) {
        let lines = self.masked(lines.to_string());
        let lines = if self.0.options.out_is_terminal { harmless(&lines) } else { Cow::Borrowed(lines.as_str()) };
        self.write(&lines);
    }

    /// A piece of data as it comes, without an end of line.
    pub(super) fn piece(&self, text: &str) {
        let text = self.masked(text.to_owned());
        let text = if self.0.options.out_is_terminal { harmless(&text) } else { Cow::Borrowed(text.as_str()) };
        let mut out = lock(&self.0.out);
        if out.error.is_none() {
            out.error = out.stream.write_all(text.as_bytes()).and_then(|()| out.stream.flush()).err();
        }
    }

    /// A line of data with one word in a colour, where stdout has colours.
    pub fn out_marked(&self, before: &str, colour: AnsiColor, word: &str, after: &str) {
        let style = colour.on_default().bold();
        let [before, word, after] = [before, word, after].map(|text| {
            let text = self.masked(text.to_owned());
            if self.0.options.out_is_terminal { harmless(&text).into_owned() } else { text }
        });
        self.write(&format!("{before}{style}{word}{style:#}{after}"));
    }

    /// A line of data in pieces, those that are marked in a colour, where stdout has colours. One that holds a secret has
    /// none: the secret may lie in several pieces.
    pub fn out_pieces(&self, colour: AnsiColor, pieces: &[(&str, bool)]) {
        let plain: String = pieces.iter().map(|(text, _)| *text).collect();
        if self.masked(plain.clone()) != plain {
            return self.out(plain);
        }
        let style = colour.on_default().bold();
        let piece = |(text, is_marked): &(&str, bool)| {
            let text = if self.0.options.out_is_terminal { harmless(text) } else { Cow::Borrowed(*text) };
            if *is_marked { format!("{style}{text}{style:#}") } else { text.into_owned() }
        };
        self.write(&pieces.iter().map(piece).collect::<String>());
    }

    /// Data as JSON on stdout, indented.
    pub fn json(&self, value: &impl Serialize) {
        match serde_json::to_string_pretty(value) {
            Ok(text) => self.write(&self.masked(text)),
            Err(error) => lock(&self.0.out).error = Some(error.into()),
        }
    }

    /// A remark on stderr.
    pub fn note(&self, line: impl Display) {
        self.say(Style::new(), "", line);
    }

    /// Whether the user asked for more.
    pub(super) fn is_verbose(&self) -> bool {
        self.0.options.verbose
    }

    /// A remark for those who asked for more with `--verbose`.
    pub fn detail(&self, line: impl Display) {
        if self.0.options.verbose {
            self.note(line);
        }
    }

    /// Something that the user should look at.
    pub fn warn(&self, line: impl Display) {
        self.say(AnsiColor::Yellow.on_default().bold(), "warning", line);
    }

    /// The same with what to type.
    pub fn warn_of(&self, failure: &Failure) {
        self.warn(&failure.message);
        failure.hints.iter().for_each(|hint| self.note(format!("hint: {hint}")));
    }

    /// What could not be done, and what to do next.
    pub fn failure(&self, failure: &Failure) {
        self.say(AnsiColor::Red.on_default().bold(), "error", &failure.message);
        for hint in &failure.hints {
            self.say(AnsiColor::Cyan.on_default().bold(), "hint", hint);
        }
    }

    /// A text whose commands to type, in backticks, are for the home that the flags of this command name. Remarks need
    /// not be handed over: all of them come through here.
    pub(super) fn for_this_home<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Flags { home, profile } = &self.0.flags;
        let mut parts = text.split(COMMAND);
        let mut done = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            // One that says by itself where it belongs is left alone, and `profiles` is for all of them.
            let says = |flag: &str| part.starts_with(flag);
            let home = if says("--home ") { "" } else { home };
            let profile = if says("--home ") || says("--profile ") || says("profiles ") { "" } else { profile };
            done.extend(["`hermes", home, profile, " ", part]);
        }
        if done == text { Cow::Borrowed(text) } else { Cow::Owned(done) }
    }

    /// Masks these secrets, and no longer those before, in all that is printed.
    pub fn mask(&self, mask: Mask) {
        *lock(&self.0.mask) = mask;
    }

    /// Whether somebody is there to answer: stdin and stderr are terminals, and JSON was not asked for.
    #[must_use]
    pub fn is_interactive(&self) -> bool {
        self.0.options.interactive
    }

    /// Whether nobody reads stdout any more, so that a long listing can stop.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        lock(&self.0.out).error.is_some()
    }

    /// A progress bar for so many bytes, or a spinner; nothing where stderr is no terminal or JSON was asked for.
    #[must_use]
    pub fn progress(&self, message: impl Into<Cow<'static, str>>, bytes: Option<u64>) -> ProgressBar {
        if !self.0.options.err_is_terminal || self.0.options.json {
            return ProgressBar::hidden();
        }
        let bar = bytes.map_or_else(ProgressBar::new_spinner, ProgressBar::new).with_message(message);
        if bytes.is_some() {
            bar.set_style(style("{msg} {wide_bar} {bytes}/{total_bytes}"));
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        bar
    }

    /// The same for so many steps.
    #[must_use]
    pub fn progress_of_steps(&self, message: impl Into<Cow<'static, str>>, steps: usize) -> ProgressBar {
        let bar = self.progress(message, u64::try_from(steps).ok());
        bar.set_style(style("{msg} {wide_bar} {pos}/{len}"));
        bar
    }

    /// Why stdout could not be written, unless its reader went away.
    pub(super) fn output_error(&self) -> Option<io::Error> {
        let mut out = lock(&self.0.out);
        if out.error.is_none() {
            out.error = out.stream.flush().err();
        }
        out.error.take_if(|error| error.kind() != io::ErrorKind::BrokenPipe)
    }

    fn write(&self, lines: &str) {
        let mut out = lock(&self.0.out);
        if out.error.is_none() {
            out.error = writeln!(out.stream, "{lines}").err();
        }
    }

    fn say(&self, style: Style, label: &str, line: impl Display) {
        let line = self.masked(line.to_string());
        let line = self.for_this_home(&line);
        let line = harmless(&line);
        let colon = if label.is_empty() { "" } else { ": " };
        // There is nowhere left to say that stderr is gone.
        let _ = writeln!(lock(&self.0.err), "{style}{label}{style:#}{colon}{line}");
    }

    /// The text without the secrets that are masked now.
    pub(super) fn masked(&self, text: String) -> String {
        match lock(&self.0.mask).apply(&text) {
            Cow::Owned(masked) => masked,
            Cow::Borrowed(_) => text,
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The text without what a terminal would obey: control characters but for line ends and tabs, and the marks that turn
/// the direction of what follows (Unicode Annex 9, 2.1 to 2.5). The marks that only hint at one are kept.
fn harmless(text: &str) -> Cow<'_, str> {
    let turns = |char: char| matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let acts = |char: char| (char.is_control() && char != '\n' && char != '\t') || turns(char);
    if text.contains(acts) { Cow::Owned(text.replace(acts, "\u{fffd}")) } else { Cow::Borrowed(text) }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
pub(crate) mod captured {
    //! A user interface whose output a test can read.

    use super::*;

    /// What was printed.
    #[derive(Clone, Default)]
    pub(crate) struct Printed(Arc<Mutex<Vec<u8>>>);

    impl Printed {
        /// So far.
        pub(crate) fn text(&self) -> String {
            String::from_utf8(lock(&self.0).clone()).unwrap()
        }
    }

    impl Write for Printed {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            lock(&self.0).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Without a terminal and without colours; stdout and stderr apart.
    pub(crate) fn ui() -> (Ui, Printed, Printed) {
        let (out, err) = (Printed::default(), Printed::default());
        let plain = anstream::StripStream::new(Box::new(err.clone()) as Stream);
        (Ui::of(Box::new(out.clone()), Box::new(plain), Flags::default(), Options::default()), out, err)
    }

    /// For a home that flags name.
    pub(crate) fn with_flags(home: &str, profile: &str) -> Ui {
        let flags = Flags { home: home.to_owned(), profile: profile.to_owned() };
        Ui::of(Box::new(io::sink()), Box::new(io::sink()), flags, Options::default())
    }

    /// With a stdout that fails in this way.
    pub(crate) fn failing(kind: io::ErrorKind) -> (Ui, Printed) {
        struct Failing(io::ErrorKind);
        impl Write for Failing {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let err = Printed::default();
        (Ui::of(Box::new(Failing(kind)), Box::new(err.clone()), Flags::default(), Options::default()), err)
    }
}

#[cfg(test)]
mod tests {
    use hermes_provider_api::Secret;

    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_that_is_printed() {
        assert_eq!(harmless("a\x1b[2Jb\u{202e}c\u{2066}d\r"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\u{fffd}");
        let kept = "ключ\tمی\u{200c}خواهم\u{200f}\n👩\u{200d}🚀";
        assert_eq!(harmless(kept), kept);
    }

    #[test]
    fn data_and_remarks_go_their_own_ways() {
        let (ui, out, err) = captured::ui();
        ui.out("data");
        ui.json(&serde_json::json!({"a": 1}));
        ui.note("so it is");
        ui.detail("and more");
        ui.warn("look");
        ui.failure(&Failure::new("no").hint("type `x`").hint("or `y`"));
        assert_eq!(out.text(), "data\n{\n  \"a\": 1\n}\n");
        assert_eq!(err.text(), "so it is\nwarning: look\nerror: no\nhint: type `x`\nhint: or `y`\n");
    }

    #[test]
    fn commands_to_type_are_for_the_same_home() {
        let ui = captured::with_flags(" --home /h", " --profile work");
        let shown =
            ui.for_this_home("no `hermes.db`: `hermes memory off`, `hermes --profile b x`, `hermes profiles list`");
        let expected = "no `hermes.db`: `hermes --home /h --profile work memory off`, `hermes --home /h --profile b x`, \
                        `hermes --home /h profiles list`";
        assert_eq!(shown, expected);
        assert_eq!(ui.for_this_home(expected), expected, "once is enough");
    }

    #[test]
    fn secrets_and_control_characters_do_not_come_through() {
        let (ui, out, err) = captured::ui();
        ui.mask(Mask::new([("KEY", Secret::new("sk-123456"))]));
        ui.out("key=sk-123456");
        ui.json(&"sk-123456");
        ui.failure(&Failure::new("bad sk-123456 \u{1b}]0;x\u{7}\r\n\tend"));
        assert_eq!(out.text(), "key=[KEY]\n\"[KEY]\"\n");
        assert_eq!(err.text(), "error: bad [KEY] \u{fffd}]0;x\u{fffd}\u{fffd}\n\tend\n");
    }

    #[test]
    fn output_stops_after_the_first_error() {
        let (ui, _) = captured::failing(io::ErrorKind::BrokenPipe);
        assert!(!ui.is_closed());
        ui.out("x");
        assert!(ui.is_closed() && ui.output_error().is_none());
        let (ui, _) = captured::failing(io::ErrorKind::StorageFull);
        ui.out("x");
        assert!(ui.output_error().is_some());
    }

    #[test]
    fn nothing_is_asked_where_nobody_answers() {
        let (ui, _, err) = captured::ui();
        let failures = [
            ui.confirm("Sure?", "--yes").unwrap_err(),
            ui.select("Which?", &[], 0, "a provider").unwrap_err(),
            ui.text("Name?", None, |_| Ok(()), "--set name=…").unwrap_err(),
            ui.secret("Key?", |_| Ok(()), "the variable `KEY`").unwrap_err(),
        ];
        assert!(failures.iter().all(|failure| failure.usage));
        assert_eq!(failures[0].message, "nobody can be asked here: Sure?");
        assert_eq!(failures[0].hints, ["give `--yes`, or run it in a terminal"]);
        assert_eq!(failures[3].hints, ["give the variable `KEY`, or run it in a terminal"]);
        assert_eq!(err.text(), "");
    }
}
