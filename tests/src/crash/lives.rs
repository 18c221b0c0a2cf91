//! The lives of drivers, and their ends.

use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hermes_host::db::{Db, Examined, examine};
use hermes_host::outbox::Rows;
use serde_json::{Value, json};

use super::archive;
use super::dice::Dice;
use super::home::Scene;
use super::power::Kept;
use super::{Accepted, Arrived, Check, End, Figures, Parts, Plan, accepted, arrived, check};
use crate::cargo::command;

/// So long that only a fault reaches it.
const LONG: u64 = 120;
/// How many turns a driver has that is to be killed.
const TURNS: u64 = 25;
const WRITERS: u64 = 2;

/// What a driver is told: see there.
pub type Orders = Value;

/// A driver that was begun.
#[derive(Debug)]
pub struct Life(Child);

/// How a driver ended.
#[derive(Debug)]
pub struct Ended {
    /// It was killed.
    pub killed: bool,
    /// It ended well, by itself.
    pub well: bool,
    /// What it said.
    pub said: String,
}

/// Begins a driver.
///
/// # Errors
/// When it cannot be started.
pub fn begin(parts: &Parts, orders: &Orders, variables: &[(&str, &Path)]) -> Result<Life, String> {
    let mut driver = command(&parts.driver);
    driver.arg(orders.to_string()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    driver.envs(variables.iter().copied());
    driver.spawn().map(Life).map_err(|error| error.to_string())
}

/// Runs a driver that nobody kills, and answers what it said.
///
/// # Errors
/// When it does not end well.
pub fn run_to_the_end(parts: &Parts, orders: &Orders) -> Result<String, String> {
    let ended = begin(parts, orders, &[])?.wait()?;
    if ended.well { Ok(ended.said) } else { Err(format!("the driver failed: {}", ended.said)) }
}

impl Life {
    /// Kills it.
    pub fn kill(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// When it cannot be waited for.
    pub fn wait(mut self) -> Result<Ended, String> {
        let mut said = Vec::new();
        if let Some(mut out) = self.0.stdout.take() {
            out.read_to_end(&mut said).map_err(|error| error.to_string())?;
        }
        let status = self.0.wait().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&said).into_owned();
        Ok(Ended { killed: status.signal() == Some(9), well: status.success(), said })
    }
}

/// What all processes of one count share.
struct Count<'a> {
    plan: &'a Plan,
    parts: &'a Parts,
    scene: &'a Scene,
    /// How long a driver lives that nobody kills, in microseconds; 0 until one has. It is learnt once: later the first
    /// is killed too, who makes the database.
    usual: &'a AtomicU64,
    left: AtomicU32,
    /// The next life.
    life: AtomicU64,
}

pub(super) fn kill_and_count(
    plan: &Plan,
    kills: u32,
    before: u64,
    usual: &AtomicU64,
    parts: &Parts,
    scene: &Scene,
) -> Result<Figures, String> {
    let count = Count { plan, parts, scene, usual, left: AtomicU32::new(kills), life: AtomicU64::new(1) };
    let mut figures = Figures::default();
    let mut promised = Vec::new();
    let lanes: Vec<_> = std::thread::scope(|scope| {
        let lane = |lane: u64| {
            let dice = Dice::new(plan.seed ^ (before << 24) ^ (lane << 56));
            let count = &count;
            scope.spawn(move || count.lane(lane, dice))
        };
        let lanes: Vec<_> = (0..plan.at_once).map(lane).collect();
        lanes.into_iter().map(|lane| lane.join().unwrap_or_else(|_| Err("a thread panicked".to_owned()))).collect()
    });
    for lane in lanes {
        let (lane, accepted) = lane?;
        figures.add(lane);
        promised.extend(accepted);
    }
    let orders = count.orders("last", json!({"turns": 0, "drain": LONG}));
    let said = run_to_the_end(parts, &orders)?;
    figures.longest_opening = figures.longest_opening.max(micros(&said, "open"));
    figures.longest_delivery = micros(&said, "drained");
    let arrived = arrived(&scene.data());
    let Check { delivered, repeats, broken } = check(&promised, &arrived);
    figures.accepted = promised.len();
    (figures.delivered, figures.repeats) = (delivered, repeats);
    figures.broken.extend(broken);
    figures.broken.extend(left_over(scene, &promised, &arrived)?);
    figures.broken.extend(said.lines().filter(|line| line.starts_with("lost")).map(str::to_owned));
    Ok(figures)
}

/// What should not be in the home, once all is delivered, and what is missing in the archive.
fn left_over(scene: &Scene, promised: &[Accepted], arrived: &[Arrived]) -> Result<Vec<String>, String> {
    let home = scene.home();
    let mut broken = Vec::new();
    match examine(&home).map_err(|error| error.to_string())? {
        Examined::Whole { .. } => {}
        other => broken.push(format!("the database: {other:?}")),
    }
    let names = std::fs::read_dir(home.root()).map_err(|error| error.to_string())?.flatten();
    let names = names.map(|item| item.file_name().to_string_lossy().into_owned());
    broken.extend(names.filter(|name| name.contains(".corrupt-")).map(|name| format!("set aside: {name}")));
    let opened = Db::open(&home).map_err(|error| error.to_string())?;
    let backlog = Rows(&opened.db).backlog().map_err(|error| error.to_string())?;
    broken.extend(backlog.into_iter().map(|left| format!("left over: {left:?}")));
    broken.extend(archive::check(Arc::new(opened.db), promised, arrived)?);
    Ok(broken)
}

impl Count<'_> {
    fn orders(&self, sessions: &str, more: Value) -> Orders {
        let life = self.life.fetch_add(1, Ordering::Relaxed);
        let mut orders = json!({
            "home": self.scene.home().root(), "life": life, "sessions": sessions, "seed": self.plan.seed,
            "writers": WRITERS, "turns": TURNS, "worker": self.plan.worker.then_some(&self.parts.hermes),
        });
        if let (Some(orders), Value::Object(more)) = (orders.as_object_mut(), more) {
            orders.extend(more);
        }
        orders
    }

    /// One driver after the other, each killed, until there were enough.
    fn lane(&self, lane: u64, mut dice: Dice) -> Result<(Figures, Vec<Accepted>), String> {
        let mut figures = Figures::default();
        let mut promised = Vec::new();
        let mut kept = match &self.plan.end {
            End::Killed => None,
            End::PowerCut { survives, ignore } => {
                let kept = Kept::begin(&self.scene.home(), &self.scene.path("kept"), *ignore)?;
                Some((kept, *survives))
            }
        };
        let preload = kept.as_ref().map(|(kept, _)| kept.variables(&self.parts.powerloss)).unwrap_or_default();
        let variables: Vec<_> = preload.iter().map(|(name, value)| (*name, value.as_path())).collect();
        while self.left.load(Ordering::Relaxed) > 0 {
            let begun = Instant::now();
            let orders = self.orders(&format!("{lane}"), json!({}));
            let mut life = begin(self.parts, &orders, &variables)?;
            let usual = self.usual.load(Ordering::Relaxed);
            if usual > 0 {
                std::thread::sleep(Duration::from_micros(dice.below(usual * 11 / 10 + 1)));
                life.kill();
            }
            let ended = life.wait()?;
            promised.extend(accepted(&ended.said));
            if figures.kills > 0 || lane > 0 {
                figures.longest_opening = figures.longest_opening.max(micros(&ended.said, "open"));
            }
            match ended.killed {
                true => {
                    figures.note_kill(&ended.said);
                    let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
                    if let Some((kept, survives)) = &mut kept {
                        kept.cut(*survives, &mut dice)?;
                    }
                }
                false if ended.well => {
                    figures.unharmed += 1;
                    let lived = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
                    self.usual.store(lived, Ordering::Relaxed);
                }
                false => figures.broken.push(format!("a driver failed: {}", ended.said)),
            }
            if !figures.broken.is_empty() {
                break;
            }
        }
        if let Some((kept, _)) = kept {
            kept.check()?;
        }
        Ok((figures, promised))
    }
}

impl Figures {
    fn note_kill(&mut self, said: &str) {
        self.kills += 1;
        let has = |mark: &str| said.lines().any(|line| line.split('\t').next() == Some(mark));
        match () {
            () if has("closing") => self.while_ending += 1,
            () if has("open") => self.while_talking += 1,
            () => self.while_opening += 1,
        }
    }
}

/// How long something took, as the driver said.
fn micros(said: &str, what: &str) -> Duration {
    let line =
        said.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix('\t')?.split('\t').next()?.parse().ok());
    Duration::from_micros(line.unwrap_or_default())
}
