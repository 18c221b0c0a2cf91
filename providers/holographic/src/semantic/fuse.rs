//! Two rankings made one, by their ranks alone: what a score of words and one of vectors mean cannot be compared.
//!
//! Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): each ranking gives a fact 1 ⁄ (a constant + its rank), and
//! the sums decide. The paper's constant of 60 makes all ranks much the same, which is right for rankings that are
//! equally good. Here words alone are good already, and with 60 vectors pushed right answers down; with the constants
//! below they add what words miss, and no language of the quality sets loses by it.

use std::collections::HashMap;

use super::nearest::Near;
use crate::search::{Found, sort};

/// The constant: how little the first ranks stand out.
const RANK_OFFSET: f64 = 3.0;
/// What a rank among vectors is worth beside one among words.
const MEANING: f64 = 0.4;

/// One ranking of what words found, best first, and of what is near. A fact that has little of what was asked for is
/// worth less at the same rank. Scores are then 0 to 1: 1 is first in both.
pub(crate) fn fuse(words: Vec<Found>, near: &[Near]) -> Vec<Found> {
    let mut fused: HashMap<i64, Found> = HashMap::new();
    let best = (1.0 + MEANING) * share(0);
    for (rank, found) in words.into_iter().enumerate() {
        let score = found.coverage.clamp(0.0, 1.0).sqrt() * share(rank) / best;
        fused.insert(found.id, Found { score, ..found });
    }
    for (rank, Near { id, .. }) in near.iter().enumerate() {
        let found = fused.entry(*id).or_insert(Found { id: *id, score: 0.0, coverage: 0.0, matched: 0 });
        found.score += MEANING * share(rank) / best;
    }
    let mut fused: Vec<Found> = fused.into_values().collect();
    sort(&mut fused);
    fused
}

fn share(rank: usize) -> f64 {
    1.0 / (RANK_OFFSET + 1.0 + f64::from(u32::try_from(rank).unwrap_or(u32::MAX)))
}
