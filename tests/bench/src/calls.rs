//! What a call and a turn cost beside the provider's own work, and what the bare system needs for the same hand-overs.

use std::io::{BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use hermes_host::clock::Clock;
use hermes_host::db::Db;
use hermes_host::guard::Redactor;
use hermes_host::plugins::hooks::Hooks;
use hermes_host::plugins::load::Loaded;
use hermes_host::secrets::Mask;
use hermes_host::turn::{Ending, Memory, Provider, TurnSettings};
use hermes_provider_api::Hook;
use hermes_provider_api::records::{Context, Message, PrefetchQuery, Role, Scope};

use crate::loading::{LOADERS, open};
use crate::outbox::{archived, outbox, turn_of};
use crate::recall::fact;
use crate::samples::{Measured, Samples};
use crate::{Options, Result};

/// Bytes of a message.
const SIZES: [usize; 2] = [64, 16 << 10];

/// As many turns as a long conversation has; then another begins.
const TURNS: usize = 20;

/// The argument that makes this program the other end of a pipe.
pub(crate) const PIPE_ARGUMENT: &str = "__pipe";

/// Calls, turns and the bare hand-overs take turns, so that a busy moment of the machine hits all of them.
pub(crate) fn measure(options: &Options, folder: &std::path::Path) -> Result<Vec<Measured>> {
    let rounds = if options.quick { 3 } else { 10 };
    let mut measured = Vec::new();
    for size in SIZES {
        let text = text(size);
        let mut threads = Threads::start();
        let mut pipe = Pipe::start()?;
        let [mut bare_threads, mut bare_pipe] = [Samples::default(), Samples::default()];
        let mut hosts = Vec::new();
        for (loader, isolation) in LOADERS {
            let data = folder.join(format!("echo-{loader}-{size}"));
            let loaded = open(&options.echo, &options.hermes, isolation, data)?;
            hosts.push((loader, loaded, Samples::default(), Turns::default()));
        }
        for round in 0..=rounds {
            for _ in 0..500 {
                bare_threads.time(|| threads.hand_over(text.as_bytes()));
            }
            for _ in 0..500 {
                bare_pipe.time(|| pipe.hand_over(text.as_bytes()))?;
            }
            for (_, loaded, calls, turns) in &mut hosts {
                call(loaded, &text, 500, calls)?;
                converse(loaded, &text, turns)?;
            }
            if round == 0 {
                // It warms everything up.
                (bare_threads, bare_pipe) = <_>::default();
                hosts.iter_mut().for_each(|(_, _, calls, turns)| (*calls, *turns) = <_>::default());
            }
        }
        measured.push(bare_threads.measured(format!("threads/{size}")));
        measured.push(bare_pipe.measured(format!("pipe/{size}")));
        for (loader, _, calls, turns) in hosts {
            measured.push(calls.measured(format!("call/{loader}/{size}")));
            measured.push(turns.whole.measured(format!("turn/{loader}/{size}")));
            measured.push(turns.before.measured(format!("turn-begin/{loader}/{size}")));
            measured.push(turns.rows.measured(format!("turn-rows/{loader}/{size}")));
        }
    }
    Ok(measured)
}

/// Sentences, since a message is text.
fn text(size: usize) -> String {
    (0..).flat_map(|at| fact(at).chars().chain([' ']).collect::<Vec<_>>()).take(size).collect()
}

/// One hook, called as the layers above call it.
fn call(loaded: &Arc<Loaded>, text: &str, times: usize, samples: &mut Samples) -> Result<()> {
    let query = PrefetchQuery { query: text.to_owned(), ..PrefetchQuery::default() };
    let request = serde_json::to_vec(&query).map_err(|error| error.to_string())?;
    for _ in 0..times {
        samples.time(|| loaded.call(Hook::Prefetch, &request, None)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Turns, and two parts of them.
#[derive(Default)]
struct Turns {
    whole: Samples,
    /// What the model waits for.
    before: Samples,
    /// What the same rows take alone.
    rows: Samples,
}

/// Whole turns: recall, block, and the finished turn on its way, as the caller sees them.
fn converse(loaded: &Arc<Loaded>, text: &str, turns: &mut Turns) -> Result<()> {
    let hooks = Arc::clone(loaded) as Arc<dyn Hooks>;
    let redactor = Redactor::new(Mask::default());
    let memory = Memory::open(Provider::Ready(hooks), None, TurnSettings::default(), Clock::default(), redactor)
        .map_err(|error| error.to_string())?;
    let rows_alone = outbox(&Arc::new(Db::in_memory().map_err(|error| error.to_string())?), true)?;
    for conversation in 0..5 {
        let session = memory.session(conversation.to_string(), Scope::default(), Context::Primary);
        for number in 0..TURNS {
            let (message, answer) = (format!("{number} {text}"), [Message::new(Role::Assistant, text)]);
            let Turns { whole, before, rows } = turns;
            whole
                .time(|| {
                    let turn = before.time(|| session.begin(&message));
                    session.finish(turn, &answer, Ending::Complete)
                })
                .map_err(|error| error.to_string())?;
            // What goes on in the background is part of no turn.
            if !memory.drain(Duration::from_secs(10)).is_complete() {
                return Err("a turn did not arrive".to_owned());
            }
            let number = u64::try_from(number).unwrap_or_default();
            let row = turn_of(conversation, 2 * text.len());
            let archived = archived(conversation, number + 1, [message, text.to_owned()]);
            rows.time(|| rows_alone.push_with(vec![row], archived)).map_err(|error| error.to_string())?;
            if !rows_alone.drain(Duration::from_secs(10)).is_complete() {
                return Err("a row did not arrive".to_owned());
            }
        }
    }
    Ok(())
}

/// Two threads that hand bytes to and fro: the least that a call with a deadline needs.
struct Threads {
    there: std::sync::mpsc::SyncSender<Vec<u8>>,
    back: std::sync::mpsc::Receiver<Vec<u8>>,
}

impl Threads {
    fn start() -> Self {
        let (there, requests) = sync_channel::<Vec<u8>>(1);
        let (answers, back) = sync_channel(1);
        std::thread::spawn(move || requests.into_iter().try_for_each(|bytes| answers.send(bytes)));
        Self { there, back }
    }

    fn hand_over(&mut self, bytes: &[u8]) -> usize {
        self.there.send(bytes.to_vec()).expect("the thread runs as long as this");
        self.back.recv().expect("the thread answers everything").len()
    }
}

/// A process that sends back what it reads: the least that a call of a worker needs.
struct Pipe(Child);

impl Pipe {
    fn start() -> Result<Self> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        #[expect(clippy::disallowed_methods, reason = "the other end of a bare pipe")]
        let child = Command::new(program)
            .arg(PIPE_ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        Ok(Self(child))
    }

    fn hand_over(&mut self, bytes: &[u8]) -> Result<()> {
        let (Some(there), Some(back)) = (&mut self.0.stdin, &mut self.0.stdout) else {
            return Err("the pipes are gone".to_owned());
        };
        let mut answer = vec![0; bytes.len()];
        send(there, bytes)
            .and_then(|()| back.read_exact(&mut [0; 4]))
            .and_then(|()| back.read_exact(&mut answer))
            .map_err(|error| format!("the bare pipe: {error}"))
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.0.stdin = None;
        let _ = self.0.wait();
    }
}

fn send(to: &mut impl Write, bytes: &[u8]) -> std::io::Result<()> {
    let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes();
    to.write_all(&[&len, bytes].concat())
}

/// The other end of the bare pipe.
pub(crate) fn other_end() -> std::io::Result<()> {
    let (mut input, mut output) = (BufReader::new(std::io::stdin().lock()), std::io::stdout().lock());
    loop {
        let mut len = [0; 4];
        if input.read_exact(&mut len).is_err() {
            return Ok(());
        }
        let mut bytes = vec![0; u32::from_le_bytes(len) as usize];
        input.read_exact(&mut bytes)?;
        send(&mut output, &bytes)?;
        output.flush()?;
    }
}
