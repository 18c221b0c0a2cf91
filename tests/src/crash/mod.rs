//! Conversations that are killed at any moment, and what must be true of them afterwards.
//!
//! The driver of `tests/driver` converses through the library with the provider of `tests/recorder`, and says on its
//! stdout what was accepted. It is killed again and again; now and then what is left is delivered and all is counted.

mod archive;
pub mod dice;
pub mod home;
mod ledger;
mod lives;
mod power;

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

pub use dice::Dice;
pub use ledger::{Accepted, Arrived, Check, accepted, arrived, check};
pub use lives::{Life, Orders, begin, run_to_the_end};
pub use power::Survives;

use crate::cargo::Built;
use home::Scene;

/// What is run.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The `hermes` binary.
    pub hermes: PathBuf,
    /// The provider.
    pub recorder: PathBuf,
    /// The application.
    pub driver: PathBuf,
    /// The file layer.
    pub powerloss: PathBuf,
}

/// The packages that [`Parts`] are built from.
pub const PACKAGES: [&str; 4] =
    ["hermes-host", "hermes-tests-driver", "hermes-tests-powerloss", "hermes-tests-recorder"];

impl Parts {
    /// From what cargo built of [`PACKAGES`].
    ///
    /// # Errors
    /// When one is not among it.
    pub fn of(built: &Built) -> Result<Self, String> {
        let part = |name: &str| built.get(name).cloned().ok_or_else(|| format!("cargo named no file for `{name}`"));
        Ok(Self {
            hermes: part("hermes")?,
            recorder: part("hermes_tests_recorder")?,
            driver: part("hermes_tests_driver")?,
            powerloss: part("hermes_tests_powerloss")?,
        })
    }
}

/// How to kill.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How often.
    pub kills: u32,
    /// After so many kills, what is left is delivered and counted, and all begins anew.
    pub between_counts: u32,
    /// Of all that is random.
    pub seed: u64,
    /// How many processes converse at once on the one home.
    pub at_once: u64,
    /// The provider runs in a worker.
    pub worker: bool,
    /// What a kill means.
    pub end: End,
}

/// What a kill means.
#[derive(Clone, Debug)]
pub enum End {
    /// The process is gone, and what it wrote is there.
    Killed,
    /// The power is gone, and what was not synced with it.
    PowerCut {
        /// What is there all the same.
        survives: Survives,
        /// Syncs of paths with this end are not done, to see that it is noticed.
        ignore: Option<&'static str>,
    },
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// How many processes were killed.
    pub kills: u32,
    /// While they opened the home, conversed, or ended.
    pub while_opening: u32,
    /// See there.
    pub while_talking: u32,
    /// See there.
    pub while_ending: u32,
    /// How many ended by themselves before.
    pub unharmed: u32,
    /// Of turns, ends and writes that were accepted.
    pub accepted: usize,
    /// Of turns, ends, switches and writes that arrived, accepted or not, repeats left out.
    pub delivered: usize,
    /// How often something came again with a key that was known.
    pub repeats: usize,
    /// The longest that it took to open a home after a kill.
    pub longest_opening: Duration,
    /// The longest that it took then to deliver all that was left.
    pub longest_delivery: Duration,
    /// What was not as it should be.
    pub broken: Vec<String>,
}

impl Figures {
    fn add(&mut self, other: Self) {
        self.kills += other.kills;
        self.while_opening += other.while_opening;
        self.while_talking += other.while_talking;
        self.while_ending += other.while_ending;
        self.unharmed += other.unharmed;
        self.accepted += other.accepted;
        self.delivered += other.delivered;
        self.repeats += other.repeats;
        self.longest_opening = self.longest_opening.max(other.longest_opening);
        self.longest_delivery = self.longest_delivery.max(other.longest_delivery);
        self.broken.extend(other.broken);
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kills, while_opening, while_talking, while_ending, unharmed, .. } = self;
        writeln!(
            f,
            "{kills} kills: {while_opening} while opening, {while_talking} while conversing, {while_ending} while \
             ending; {unharmed} ended before"
        )?;
        let Self { accepted, delivered, repeats, longest_opening, longest_delivery, .. } = self;
        write!(
            f,
            "{accepted} accepted, {delivered} delivered, {repeats} repeats suppressed by their keys; longest opening \
             after a kill {longest_opening:.1?}, longest delivery of what was left {longest_delivery:.1?}"
        )
    }
}

/// Kills, and counts. `told` learns of each count.
///
/// # Errors
/// When something could not be done that has to be; what was done and went wrong is in [`Figures::broken`].
pub fn run(plan: &Plan, parts: &Parts, told: &dyn Fn(&Figures)) -> Result<Figures, String> {
    let scene = Scene::new(parts)?;
    let mut all = Figures::default();
    let usual = AtomicU64::new(0);
    while all.kills < plan.kills && all.broken.is_empty() {
        let kills = plan.between_counts.min(plan.kills - all.kills);
        scene.begin_anew()?;
        all.add(lives::kill_and_count(plan, kills, u64::from(all.kills), &usual, parts, &scene)?);
        told(&all);
    }
    Ok(all)
}
