//! Kills conversations at random moments, many times, and counts what was accepted against what arrived.

use std::path::{Path, PathBuf};

use hermes_tests::crash::{self, Dice, End, Figures, PACKAGES, Parts, Plan, Survives};

use crate::cargo::{self, Profile};
use crate::{Result, say};

/// So often what is left is delivered and counted.
const BETWEEN_COUNTS: u32 = 250;

pub(crate) fn run(kills: u32, seed: Option<u64>, power_cuts: bool) -> Result<()> {
    let built = Parts::of(&cargo::build_all(&PACKAGES, Profile::Dev)?)?;
    let folder = tempfile::Builder::new().prefix("hermes-crash-parts-").tempdir().map_err(|error| error.to_string())?;
    let parts = copied(&built, folder.path()).map_err(|error| error.to_string())?;
    let seed = seed.unwrap_or_else(|| Dice::seed("HERMES_CRASH_SEED"));
    say(&format!("--kills {kills} --seed {seed}"));
    let plan = |kills, at_once, end| Plan { kills, between_counts: BETWEEN_COUNTS, seed, at_once, worker: false, end };
    if !power_cuts {
        // Two processes at a time, so that one takes over from the other.
        return kill(&plan(kills, 2, End::Killed), &parts);
    }
    let cut = |survives| End::PowerCut { survives, ignore: None };
    say("nothing unsynced survives:");
    kill(&plan(kills.div_ceil(2), 1, cut(Survives::Nothing)), &parts)?;
    say("a random part of the unsynced survives:");
    kill(&plan(kills / 2, 1, cut(Survives::Some)), &parts)
}

fn kill(plan: &Plan, parts: &Parts) -> Result<()> {
    let told = |figures: &Figures| say(&format!("{} of {} kills", figures.kills, plan.kills));
    let figures = crash::run(plan, parts, &told)?;
    say(&figures.to_string());
    match figures.broken.len() {
        0 => Ok(()),
        broken => Err(format!("{broken} things are not as they should be:\n{}", figures.broken.join("\n"))),
    }
}

/// Elsewhere, so that building may go on meanwhile.
fn copied(parts: &Parts, folder: &Path) -> std::io::Result<Parts> {
    let copy = |from: &PathBuf| {
        let to = folder.join(from.file_name().unwrap_or_default());
        std::fs::copy(from, &to).map(|_| to)
    };
    Ok(Parts {
        hermes: copy(&parts.hermes)?,
        recorder: copy(&parts.recorder)?,
        driver: copy(&parts.driver)?,
        powerloss: copy(&parts.powerloss)?,
    })
}
