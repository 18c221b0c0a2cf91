//! How good a ranked answer is.

/// The sums over the questions of one group.
#[derive(Clone, Copy, Default)]
pub(crate) struct Score {
    questions: u32,
    recall: f64,
    precision: f64,
    first: f64,
    reciprocal: f64,
}

impl Score {
    /// Counts one answer by its first `k` facts. Recall is the share of the expected facts among them, of `k` when more
    /// are expected; precision the share of the answered facts that were expected.
    pub(crate) fn take(&mut self, ranked: &[String], expected: &[String], k: usize) -> bool {
        let ranked = ranked.get(..k).unwrap_or(ranked);
        let good: Vec<bool> = ranked.iter().map(|name| expected.contains(name)).collect();
        let found = good.iter().filter(|good| **good).count();
        self.questions += 1;
        self.recall += share(found, k.min(expected.len()));
        self.precision += share(found, ranked.len());
        if let Some(place) = good.iter().position(|good| *good) {
            self.first += f64::from(u8::from(place == 0));
            self.reciprocal += share(1, place + 1);
        }
        found > 0
    }

    pub(crate) fn questions(&self) -> u32 {
        self.questions
    }

    pub(crate) fn recall(&self) -> f64 {
        self.mean(self.recall)
    }

    pub(crate) fn precision(&self) -> f64 {
        self.mean(self.precision)
    }

    /// The share of questions whose first answer is right.
    pub(crate) fn first(&self) -> f64 {
        self.mean(self.first)
    }

    /// The mean reciprocal rank.
    pub(crate) fn reciprocal(&self) -> f64 {
        self.mean(self.reciprocal)
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / f64::from(self.questions.max(1))
    }
}

fn share(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(part) / number(whole.max(1))
}
