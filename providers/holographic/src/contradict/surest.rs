//! The surest conflicts of all that are met: no more of them are kept than are wanted, and what can no longer come among
//! them is not even compared.

use std::collections::{BTreeSet, HashMap};

use super::{Told, why};
use crate::attributes;
use crate::error::Result;
use crate::index::Map;
use crate::search::Rows;

/// Two facts, the newer one first.
type Facts = (i64, i64);

/// Conflicts, at most `limit`.
pub(super) struct Surest<'a> {
    rows: Rows<'a>,
    limit: usize,
    /// The surest last, then the newest. Of numbers that are not negative the bits have the order of the numbers.
    ranked: BTreeSet<(u64, Facts)>,
    /// How sure, and why.
    told: HashMap<Facts, (u64, String)>,
    /// Whether a fact is seen and asked for; of the facts that were compared last.
    admitted: Map<i64, bool>,
}

impl<'a> Surest<'a> {
    pub(super) fn new(rows: Rows<'a>, limit: usize) -> Self {
        Self { rows, limit, ranked: BTreeSet::new(), told: HashMap::new(), admitted: Map::default() }
    }

    /// Compares claims of one subject and attribute with each other, the newest first.
    pub(super) fn among(&mut self, claims: &[Told]) -> Result<()> {
        self.admitted.clear();
        for (at, one) in claims.iter().enumerate() {
            for other in claims.iter().skip(at + 1) {
                self.between(one, other)?;
            }
        }
        Ok(())
    }

    /// Compares each of some claims with each of others.
    pub(super) fn across(&mut self, some: &[Told], others: &[Told]) -> Result<()> {
        self.admitted.clear();
        some.iter().try_for_each(|one| others.iter().try_for_each(|other| self.between(one, other)))
    }

    /// The surest first, each with how sure and why.
    pub(super) fn take(mut self) -> Vec<(Facts, f64, String)> {
        let ranked = self.ranked.iter().rev();
        ranked
            .filter_map(|(_, facts)| self.told.remove(facts).map(|(sure, why)| (*facts, f64::from_bits(sure), why)))
            .collect()
    }

    fn between(&mut self, one: &Told, other: &Told) -> Result<()> {
        let (newer, older) = if one.0 >= other.0 { (one, other) } else { (other, one) };
        let facts = (newer.0, older.0);
        if newer.0 == older.0 {
            return Ok(());
        }
        // Most are told apart by this: to compare values takes a hundred times as long.
        match attributes::at_most(&newer.1, &older.1) {
            Some(most) if self.has_room(most.0.to_bits(), facts) => {}
            _ => return Ok(()),
        }
        let Some(verdict) = attributes::against(&newer.1, &older.1) else { return Ok(()) };
        let sure = verdict.0.to_bits();
        if self.has_room(sure, facts) && self.admits(facts.0)? && self.admits(facts.1)? {
            if let Some((before, _)) = self.told.insert(facts, (sure, why(&newer.1, &older.1))) {
                self.ranked.remove(&(before, facts));
            }
            self.ranked.insert((sure, facts));
            if self.ranked.len() > self.limit
                && let Some((_, facts)) = self.ranked.pop_first()
            {
                self.told.remove(&facts);
            }
        }
        Ok(())
    }

    /// Whether a conflict as sure as this would be kept.
    fn has_room(&self, sure: u64, facts: Facts) -> bool {
        self.told.get(&facts).is_none_or(|(known, _)| *known < sure)
            && (self.ranked.len() < self.limit || self.ranked.first().is_some_and(|worst| *worst < (sure, facts)))
    }

    fn admits(&mut self, fact: i64) -> Result<bool> {
        if let Some(known) = self.admitted.get(&fact) {
            return Ok(*known);
        }
        let mut admitted = false;
        self.rows.each(&mut [fact], |_| admitted = true)?;
        self.admitted.insert(fact, admitted);
        Ok(admitted)
    }
}
