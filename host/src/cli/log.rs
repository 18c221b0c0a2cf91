//! The log of the host and of its providers: in the home's `logs/hermes.log`, and with `--verbose` on stderr.

mod file;
mod line;

use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::writer::OptionalWriter;
use tracing_subscriber::layer::{Context as Around, SubscriberExt as _};

use super::context::{Env, mask_of};
use super::{Context, Ui};
use crate::clock::Clock;
use crate::home::Home;
use crate::secrets::{Mask, Secrets};

pub(super) use file::{FILES, File, NAME};
pub(super) use line::to_json;

/// The level of the log, over `log.level`.
const LEVEL: &str = "HERMES_LOG";
/// The size at which a file of the log is put aside.
const LARGEST: u64 = 5 << 20;
/// How long nothing is logged after the log could not be written.
const PAUSE: Duration = Duration::from_secs(60);

/// Set where this process is the program: a test, or an application around this, has a log of its own.
static PROGRAM: OnceLock<Ui> = OnceLock::new();

/// The log of this process is the program's.
pub(super) fn allow(ui: &Ui) {
    let _ = PROGRAM.set(ui.clone());
}

/// Keeps events of this level or worse from now on.
pub(super) fn start(context: &Context, level: Level) {
    let Some(ui) = PROGRAM.get() else { return };
    let named = context.env.get(LEVEL).and_then(|level| level.to_str()?.parse::<LevelFilter>().ok());
    let keeper = Keeper {
        home: context.home.clone(),
        env: context.env.clone(),
        clock: context.clock.clone(),
        ui: ui.clone(),
        state: Mutex::default(),
    };
    let notes = ui.is_verbose().then(|| {
        let notes = tracing_subscriber::fmt::layer().without_time().with_ansi(false).with_writer(Notes(ui.clone()));
        notes.with_filter(LevelFilter::DEBUG)
    });
    let subscriber = tracing_subscriber::registry()
        .with(keeper.with_filter(named.unwrap_or_else(|| LevelFilter::from_level(level))))
        .with(notes);
    // Fails when there is one already.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Whether an event must not be shown: the protocol's library would tell every message of a client, with all that the
/// user said.
fn is_private(about: &Metadata<'_>) -> bool {
    about.target().starts_with("rmcp") && *about.level() > Level::INFO
}

/// Writes events into the home's log.
struct Keeper {
    home: Home,
    env: Env,
    clock: Clock,
    ui: Ui,
    state: Mutex<State>,
}

/// What is made at the first event that is written.
#[derive(Default)]
struct State {
    open: Option<(Mask, File)>,
    /// When it could not be written, which was said.
    failed: Option<Instant>,
}

impl<S: Subscriber> Layer<S> for Keeper {
    fn on_event(&self, event: &Event<'_>, _: Around<'_, S>) {
        // The log never makes a home.
        if is_private(event.metadata()) || !self.home.root().is_dir() {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failed.is_some_and(|at| at.elapsed() < PAUSE) {
            return;
        }
        if let Err(reason) = self.write(&mut state, event)
            && state.failed.replace(Instant::now()).is_none()
        {
            self.ui.detail(format_args!("nothing is logged: {reason}"));
        }
    }
}

impl Keeper {
    fn write(&self, state: &mut State, event: &Event<'_>) -> Result<(), String> {
        let (mask, file) = match &mut state.open {
            Some(open) => open,
            none => {
                // Without them any line could tell one.
                let env = self.env.clone();
                let secrets = Secrets::load(&self.home, move |name| env.get(name));
                let secrets = secrets.map_err(|error| error.to_string())?;
                let file = File::new(self.home.logs(), LARGEST);
                none.insert((mask_of(&self.home, &secrets), file))
            }
        };
        // The second mask has secrets that came since.
        let hide = |text: &str| self.ui.masked(mask.apply(text).into_owned());
        let line = line::of(event, self.clock.now(), std::process::id(), hide);
        file.write(line.as_bytes()).map_err(|error| error.to_string())
    }
}

/// Writes each event as a note, which masks it.
struct Notes(Ui);

impl<'a> MakeWriter<'a> for Notes {
    type Writer = OptionalWriter<&'a Ui>;

    fn make_writer(&'a self) -> Self::Writer {
        OptionalWriter::some(&self.0)
    }

    fn make_writer_for(&'a self, about: &Metadata<'_>) -> Self::Writer {
        if is_private(about) { OptionalWriter::none() } else { self.make_writer() }
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
