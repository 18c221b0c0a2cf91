//! A provider that is down, refuses, fails or hangs, behind the real boundary: no turn is lost, and the host goes on.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hermes_host::clock::Clock;
use hermes_host::db::Db;
use hermes_host::guard::Redactor;
use hermes_host::home::Home;
use hermes_host::outbox::{Backlog, Lost, RetryPolicy, Row, Rows, Selection};
use hermes_host::plugins::hooks::Hooks;
use hermes_host::plugins::load::Isolation;
use hermes_host::turn::{self, Ending, Memory, TurnSettings};
use hermes_provider_api::Hook;
use hermes_provider_api::records::{Context, Message, Role, Scope};
use hermes_tests::crash::{Accepted, arrived, check};
use hermes_tests::provider::NOW;
use hermes_tests::wait::{PATIENCE, until};
use hermes_tests::{Provider, Setup, fixtures};

const TRIES: u32 = 4;
/// Longer than any pause of a hook, and than a crash is remembered.
const LATER: u64 = 3_700_000;
const SOON: Duration = Duration::from_millis(20);

/// A memory with the recording provider, under a clock that is set by hand.
struct Scene {
    memory: Memory,
    provider: Provider,
    db: Arc<Db>,
    clock: Clock,
    promised: Vec<Accepted>,
    /// What was told to be given up.
    lost: Vec<Lost>,
    now: u64,
    _folder: tempfile::TempDir,
}

impl Scene {
    fn new(isolation: Isolation, limit: Duration, mode: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::fixed(NOW);
        let setup = Setup::new(fixtures().recorder(), isolation).clock(&clock).limit(Hook::SyncTurn, limit);
        let provider = setup.late(Duration::from_millis(200)).loaded();
        let db = Arc::new(Db::open(&Home::at(folder.path().join("home"))).unwrap().db);
        let memory = open(&provider, &db, &clock);
        let scene =
            Self { memory, provider, db, clock, promised: Vec::new(), lost: Vec::new(), now: NOW, _folder: folder };
        fs::create_dir_all(scene.provider.data()).unwrap();
        scene.told(mode);
        scene
    }

    /// What the provider does from now on; nothing special if that is empty.
    fn told(&self, mode: &str) {
        fs::write(self.provider.data().join("mode"), mode).unwrap();
    }

    /// One more turn, which is accepted whatever the provider does.
    fn say(&mut self, session: &str) {
        let text = format!("1.0.{}", self.promised.len() + 1);
        let open = self.memory.session(session, Scope::default(), Context::Primary);
        let handle = open.begin(&text);
        open.finish(handle, &[Message::new(Role::Assistant, "да")], Ending::Complete).unwrap();
        self.promised.push(Accepted { what: "turn".to_owned(), session: session.to_owned(), text });
    }

    fn pass(&mut self, millis: u64) {
        self.now += millis;
        self.clock.set(self.now);
    }

    /// Time passes until it is so.
    #[track_caller]
    fn until(&mut self, what: &str, mut is_so: impl FnMut(&Self) -> bool) {
        let begun = std::time::Instant::now();
        while !is_so(self) {
            assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}: {:?}", self.rows());
            let report = self.memory.settle(SOON);
            self.lost.extend(report.lost);
            self.pass(LATER);
        }
        self.lost.extend(self.memory.take_lost());
    }

    fn rows(&self) -> Vec<Row> {
        Rows(&self.db).list(&Selection::default()).unwrap()
    }

    fn backlog(&self) -> Backlog {
        Rows(&self.db).backlog().unwrap().remove(0)
    }

    fn tries(&self) -> Vec<String> {
        let tries = fs::read_to_string(self.provider.data().join("tries")).unwrap_or_default();
        tries.lines().map(str::to_owned).collect()
    }

    fn arrived(&self) -> usize {
        arrived(&self.provider.data()).len()
    }

    #[track_caller]
    fn all_arrived_in_order(&self) {
        let found = check(&self.promised, &arrived(&self.provider.data()));
        assert_eq!((found.delivered, found.broken), (self.promised.len(), Vec::new()));
        assert_eq!(self.rows(), []);
    }
}

fn open(provider: &Provider, db: &Arc<Db>, clock: &Clock) -> Memory {
    let retry = RetryPolicy { tries: TRIES, first: Duration::from_secs(1), longest: Duration::from_secs(60) };
    let settings = TurnSettings { retry, ..TurnSettings::default() };
    let hooks = Arc::clone(&provider.loaded) as Arc<dyn Hooks>;
    Memory::open(turn::Provider::Ready(hooks), Some(Arc::clone(db)), settings, clock.clone(), Redactor::default())
        .unwrap()
}

#[test]
fn two_hundred_turns_outlast_a_provider_that_is_down() {
    let mut scene = Scene::new(Isolation::Process, PATIENCE, "unavailable 0 *");
    for number in 0..200 {
        scene.say(&format!("s{}", number % 4));
        if number % 40 == 0 {
            let _ = scene.memory.settle(SOON);
            scene.pass(LATER);
        }
    }
    let Backlog { waiting, dead, .. } = scene.backlog();
    assert_eq!((waiting, dead, scene.arrived()), (200, 0, 0));
    assert!(!scene.tries().is_empty());
    scene.told("");
    scene.until("all is delivered", |scene| scene.arrived() == 200);
    assert!(scene.memory.drain(PATIENCE).is_complete());
    scene.all_arrived_in_order();
}

/// Answers how often the first turn was tried before it was given up.
#[track_caller]
fn gives_up(isolation: Isolation, limit: Duration, mode: &str) -> u32 {
    let mut scene = Scene::new(isolation, limit, mode);
    scene.say("a");
    scene.say("a");
    let dead = |scene: &Scene| scene.rows().into_iter().find(|row| row.state == hermes_host::outbox::RowState::Dead);
    scene.until("the first turn is given up", |scene| dead(scene).is_some());
    until("it is told", || {
        scene.lost.extend(scene.memory.take_lost());
        (!scene.lost.is_empty()).then_some(())
    });
    assert_eq!((&*scene.lost[0].what, scene.lost[0].kept), ("turn 1 of session a", true), "{mode}");
    let first = dead(&scene).unwrap();
    // The provider is well again: what is not given up by now arrives, and what comes next.
    scene.told("");
    scene.say("a");
    scene.until("the rest is delivered", |scene| scene.rows().iter().all(|row| row.state == first.state));
    assert!(scene.arrived() > 0, "{mode}");
    assert!(Rows(&scene.db).retry(&Selection { only_dead: true, ..Selection::default() }).unwrap() > 0);
    scene.until("what was given up is delivered too", |scene| scene.rows().is_empty());
    assert_eq!(arrived(&scene.provider.data()).iter().filter(|line| !line.repeat).count(), 3, "{mode}");
    first.tries
}

#[test]
fn a_payload_that_is_refused_is_a_dead_letter_at_once() {
    for kind in ["invalid_input", "unsupported"] {
        assert_eq!(gives_up(Isolation::InProcess, PATIENCE, &format!("{kind} 0 *")), 1, "{kind}");
    }
}

#[test]
fn what_a_delivery_may_have_caused_has_its_tries_and_no_more() {
    assert_eq!(gives_up(Isolation::InProcess, PATIENCE, "internal 0 *"), TRIES);
    assert_eq!(gives_up(Isolation::Process, PATIENCE, "panic 0 *"), TRIES);
    assert_eq!(gives_up(Isolation::Process, Duration::from_millis(30), "hang 0 *"), TRIES);
    assert_eq!(gives_up(Isolation::Process, Duration::from_millis(30), "deaf 0 *"), TRIES);
}

#[test]
fn a_session_that_hangs_holds_the_others_up_for_one_deadline() {
    let mut scene = Scene::new(Isolation::Process, Duration::from_millis(200), "hang 0 slow");
    for session in ["slow", "slow", "b", "c", "d"] {
        scene.say(session);
    }
    until("the others are delivered", || (scene.arrived() == 3).then_some(()));
    assert_eq!(scene.tries(), ["turn slow 1.0.1", "turn b 1.0.3", "turn c 1.0.4", "turn d 1.0.5"]);
    scene.told("");
    scene.until("the slow session is delivered", |scene| scene.arrived() == 5);
    let _ = scene.memory.drain(PATIENCE);
    scene.all_arrived_in_order();
}

#[test]
fn a_wrong_key_holds_the_provider_and_costs_no_row() {
    for kind in ["unauthorized", "quota", "denied", "not_found"] {
        let mut scene = Scene::new(Isolation::InProcess, PATIENCE, &format!("{kind} 0 *"));
        ["a", "b", "c"].iter().for_each(|session| scene.say(session));
        let report = scene.memory.settle(Duration::from_millis(500));
        assert!(report.held.is_some_and(|held| held.contains("told to fail")), "{kind}");
        assert_eq!(scene.tries().len(), 1, "{kind}: the others are not even tried");
        (0..20).for_each(|_| {
            let _ = scene.memory.settle(SOON);
            scene.pass(LATER);
        });
        let Backlog { waiting, dead, held, .. } = scene.backlog();
        assert_eq!((waiting, dead, held.is_some()), (3, 0, true), "{kind}");
        // The user mends it, and starts anew.
        scene.told("");
        scene.memory = open(&scene.provider, &scene.db, &scene.clock);
        assert_eq!(scene.memory.deliver_all(PATIENCE).waiting, Vec::<String>::new(), "{kind}");
        scene.all_arrived_in_order();
    }
}

#[test]
fn the_time_that_a_provider_asks_for_is_kept_in_every_process() {
    let mut scene = Scene::new(Isolation::InProcess, PATIENCE, "rate_limited 30 *");
    scene.say("a");
    let _ = scene.memory.settle(Duration::from_secs(1));
    assert_eq!(scene.tries().len(), 1);
    scene.told("");
    scene.pass(29_000);
    let _ = scene.memory.settle(SOON);
    scene.memory = open(&scene.provider, &scene.db, &scene.clock);
    let _ = scene.memory.deliver_all(Duration::from_millis(200));
    assert_eq!((scene.tries().len(), scene.arrived()), (1, 0));
    scene.pass(1_001);
    assert_eq!(scene.memory.deliver_all(PATIENCE).waiting, Vec::<String>::new());
    scene.all_arrived_in_order();
}

#[test]
fn a_clock_that_jumps_hours_between_processes_holds_nothing_up() {
    for jump in [|now| now + 5 * 3_600_000, |now| now - 5 * 3_600_000] {
        let mut scene = Scene::new(Isolation::InProcess, PATIENCE, "unavailable 0 *");
        ["a", "b", "a"].iter().for_each(|session| scene.say(session));
        let _ = scene.memory.settle(Duration::from_millis(500));
        scene.told("rate_limited 900 *");
        scene.say("b");
        let _ = scene.memory.settle(Duration::from_millis(500));
        scene.told("");
        scene.now = jump(scene.now);
        scene.clock.set(scene.now);
        scene.memory = open(&scene.provider, &scene.db, &scene.clock);
        scene.say("a");
        assert_eq!(scene.memory.deliver_all(PATIENCE).waiting, Vec::<String>::new());
        scene.all_arrived_in_order();
    }
}

#[test]
fn a_provider_that_is_away_is_waited_for_by_all_that_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let db = Arc::new(Db::open(&Home::at(folder.path().join("home"))).unwrap().db);
    let away = turn::Provider::Away("recorder".to_owned());
    let settings = TurnSettings::default();
    let memory = Memory::open(away, Some(Arc::clone(&db)), settings, Clock::default(), Redactor::default()).unwrap();
    let session = memory.session("a", Scope::default(), Context::Primary);
    for number in 1..=3 {
        let handle = session.begin(&format!("1.0.{number}"));
        session.finish(handle, &[], Ending::Complete).unwrap();
    }
    session.end().unwrap();
    assert_eq!(memory.shutdown().waiting.len(), 4);
    drop((session, memory));
    let clock = Clock::default();
    let provider = Setup::new(fixtures().recorder(), Isolation::InProcess).clock(&clock).loaded();
    let memory = open(&provider, &db, &clock);
    assert_eq!(memory.deliver_all(PATIENCE).delivered, 4);
    let data: PathBuf = provider.data();
    let kinds: Vec<_> = arrived(&data).into_iter().map(|line| (line.of.what, line.of.text)).collect();
    let texts = |what: &str, text: &str| (what.to_owned(), text.to_owned());
    let turns = ["1.0.1", "1.0.2", "1.0.3"].map(|text| texts("turn", text));
    assert_eq!(kinds, [turns.as_slice(), &[texts("end", "1.0.3")]].concat());
}
