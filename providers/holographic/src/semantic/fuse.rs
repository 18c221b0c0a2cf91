//! Two rankings made one, by their ranks alone: what a score of words and one of vectors mean cannot be compared.
//!
//! Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): each ranking gives a fact 1 ⁄ (a constant + its rank), and
//! the sums decide. The paper's constant of 60 makes all ranks much the same, which is right for rankings that are
//! equally good. Here words alone are good already, and with 60 vectors pushed right answers down; with the constants
//! below they add what words miss, and no language of the quality sets loses by it.

use std::collections::HashMap;

use super::nearest::Near;
use crate::search::Hit;

/// The constant: how little the first ranks stand out.
const RANK_OFFSET: f64 = 3.0;
/// What a rank among vectors is worth beside one among words.
const MEANING: f64 = 0.4;

/// One ranking of what words found, best first, and of what is near. A fact that has little of what was asked for is
/// worth less at the same rank. Scores are then 0 to 1: 1 is first in both.
pub(crate) fn fuse(words: Vec<Hit>, near: Vec<Near>) -> Vec<Hit> {
    let mut fused: HashMap<i64, Hit> = HashMap::new();
    let best = (1.0 + MEANING) * share(0);
    for (rank, hit) in words.into_iter().enumerate() {
        let score = hit.coverage.clamp(0.0, 1.0).sqrt() * share(rank) / best;
        fused.insert(hit.fact.id, Hit { score, ..hit });
    }
    for (rank, Near { fact, .. }) in near.into_iter().enumerate() {
        let hit = fused.entry(fact.id).or_insert(Hit { fact, score: 0.0, coverage: 0.0, matched: 0 });
        hit.score += MEANING * share(rank) / best;
    }
    let mut fused: Vec<Hit> = fused.into_values().collect();
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.fact.id.cmp(&a.fact.id)));
    fused
}

fn share(rank: usize) -> f64 {
    1.0 / (RANK_OFFSET + 1.0 + f64::from(u32::try_from(rank).unwrap_or(u32::MAX)))
}
