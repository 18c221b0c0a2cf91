//! An application that converses through the library. It says on stdout, a line each and at once, what was accepted.
//!
//! Its one argument is [`Orders`] as JSON. It is made to be killed at any moment.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hermes_host::config::Isolation;
use hermes_host::error::Failure;
use hermes_host::home::Home;
use hermes_host::layers::episodic::Archive;
use hermes_host::open::Surroundings;
use hermes_host::turn::{Ending, Memory, Session, Switch};
use hermes_provider_api::records::{Caller, Context, MemoryWrite, Message, Origin, Role, Scope};
use serde::Deserialize;

/// What to do.
#[derive(Deserialize)]
struct Orders {
    home: PathBuf,
    /// The hermes binary, for a provider in a worker.
    #[serde(default)]
    worker: Option<PathBuf>,
    /// A number that grows from one process to the next with the same sessions.
    life: u64,
    /// How the sessions of this process begin.
    sessions: String,
    #[serde(default)]
    seed: u64,
    writers: u64,
    /// How many turns each writer has.
    turns: u64,
    /// Only turns: nothing is broken off, ended or mirrored.
    #[serde(default)]
    plain: bool,
    /// Everything that waits is delivered, whoever left it; at most so many seconds.
    #[serde(default)]
    drain: Option<u64>,
}

/// How many sessions a writer has.
const SESSIONS: u64 = 2;

fn main() -> ExitCode {
    let orders = std::env::args().nth(1).unwrap_or_default();
    let done = serde_json::from_str(&orders).map_err(|error| Failure::new(error.to_string())).and_then(|o| run(&o));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say(&format!("failed\t{}", failure.message));
            ExitCode::FAILURE
        }
    }
}

fn run(orders: &Orders) -> Result<(), Failure> {
    say("opening");
    let begun = Instant::now();
    let mut surroundings = Surroundings::of_home(Home::at(&orders.home))?;
    if let Some(worker) = &orders.worker {
        surroundings.executable = Some(worker.clone());
        surroundings.isolation = Isolation::Process;
    }
    let open = surroundings.memory()?;
    if let Some(failure) = &open.degraded {
        return Err(failure.clone());
    }
    say(&format!("open\t{}", begun.elapsed().as_micros()));
    std::thread::scope(|scope| {
        for writer in 0..orders.writers {
            let memory = &open.memory;
            scope.spawn(move || Writer::new(orders, memory, writer).converse());
        }
        if let Some(db) = surroundings.db.clone().filter(|_| !orders.plain && orders.turns > 0) {
            let memory = &open.memory;
            scope.spawn(move || prune(orders, memory, &Archive::new(db)));
        }
    });
    if let Some(seconds) = orders.drain {
        let begun = Instant::now();
        let report = open.memory.deliver_all(Duration::from_secs(seconds));
        say(&format!("drained\t{}\t{}", begun.elapsed().as_micros(), report.waiting.len()));
        report.lost.iter().for_each(|lost| say(&format!("lost\t{}\t{}", lost.what, lost.reason)));
    }
    say("closing");
    let closed = open.close();
    closed.deliveries.lost.iter().for_each(|lost| say(&format!("lost\t{}\t{}", lost.what, lost.reason)));
    say(&format!("closed\t{}\t{}", closed.deliveries.delivered, closed.deliveries.waiting.len()));
    Ok(())
}

/// Records sessions that no provider hears of, and prunes all of that kind, also those that others left.
fn prune(orders: &Orders, memory: &Memory, archive: &Archive) {
    for round in 0..orders.turns / 5 {
        let name = format!("{}-pruned-{}-{round}", orders.sessions, orders.life);
        let session = memory.session(name, Scope::default(), Context::Cron);
        for turn in 0..5 {
            let _ = session.record_turn(&format!("turn {turn}"), &[Message::new(Role::Assistant, "ясно".repeat(1000))]);
        }
        let Ok(old) = archive.older_than(u64::MAX) else { continue };
        let old: Vec<_> = old.into_iter().filter(|session| session.head.name.contains("-pruned-")).collect();
        let _ = archive.prune(&old, u64::MAX);
    }
}

/// One thread's conversations.
struct Writer<'a> {
    orders: &'a Orders,
    memory: &'a Memory,
    number: u64,
    dice: u64,
    said: u64,
}

impl<'a> Writer<'a> {
    fn new(orders: &'a Orders, memory: &'a Memory, number: u64) -> Self {
        let dice = (orders.seed ^ (orders.life << 20) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self { orders, memory, number, dice, said: 0 }
    }

    fn below(&mut self, most: u64) -> u64 {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        self.dice % most
    }

    /// What nobody said before.
    fn text(&mut self) -> String {
        self.said += 1;
        format!("{}.{}.{}", self.orders.life, self.number, self.said)
    }

    fn converse(&mut self) {
        let name = |number| format!("{}-{}-сессия-{number}", self.orders.sessions, self.number);
        let open = |number| self.memory.session(name(number), Scope::default(), Context::Primary);
        let sessions: Vec<Session> = (0..SESSIONS).map(open).collect();
        for _ in 0..self.orders.turns {
            let at = usize::try_from(self.below(SESSIONS)).unwrap_or_default();
            let session = &sessions[at];
            if !self.orders.plain && self.below(15) == 0 {
                // Broken off: recorded when the next begins, and promised to nobody.
                drop(session.begin(&self.text()));
            }
            let text = self.text();
            let handle = session.begin(&text);
            let finished = session.finish(handle, &[Message::new(Role::Assistant, "ясно")], Ending::Complete);
            tell("turn", session.id(), &text, finished.is_ok());
            if self.orders.plain {
                continue;
            }
            match self.below(10) {
                0 => tell("end", session.id(), &text, session.end().is_ok()),
                1 => {
                    let text = self.text();
                    tell("write", session.id(), &text, self.mirror(session, &text));
                }
                2 => drop(self.memory.switch(session, &sessions[1 - at], Switch::Continue)),
                _ => {}
            }
        }
    }

    fn mirror(&self, session: &Session, text: &str) -> bool {
        let origin = Origin { session: session.id().to_owned(), ..Origin::default() };
        let caller = Caller { origin, scope: session.scope(), context: Context::Primary };
        self.memory.mirror(MemoryWrite { caller, content: text.to_owned(), ..MemoryWrite::default() }).is_ok()
    }
}

fn tell(what: &str, session: &str, text: &str, accepted: bool) {
    say(&format!("{}\t{what}\t{session}\t{text}", if accepted { "accepted" } else { "refused" }));
}

/// One write: whoever kills this process has the whole line or none.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush());
}
