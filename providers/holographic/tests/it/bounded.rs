//! What a search leaves out because it cannot be wanted.

use serde_json::json;

use crate::support::Case;

/// Words of all frequencies, with others of their family and in other forms, compounds, and pairs of characters.
const WORDS: [&str; 28] = [
    "house",
    "garden",
    "houses",
    "gate",
    "code",
    "kitchen",
    "gardener",
    "window",
    "painted",
    "painting",
    "green",
    "old",
    "Haus",
    "Gartenhaus",
    "Garten",
    "Häuser",
    "grün",
    "дом",
    "дома",
    "сад",
    "садовник",
    "зелёный",
    "北京",
    "京都",
    "花园",
    "Vera",
    "Веры",
    "Anna",
];

/// Numbers that look like chance and are the same in every run: a linear congruential generator (Knuth, MMIX).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// Some of the words, the first ones far more often.
    fn words(&mut self, count: u64) -> String {
        let words = (0..count).map(|_| {
            let most = self.below(WORDS.len() as u64) + 1;
            WORDS[usize::try_from(self.below(most)).unwrap()]
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn the_first_few_are_the_first_of_many() {
    let case = Case::new();
    let mut chance = Chance(7);
    let facts: Vec<String> = (0..400)
        .map(|number| {
            let count = chance.below(9) + 2;
            format!("{} {number}", chance.words(count))
        })
        .collect();
    case.store(json!({"action": "add", "facts": facts}));
    for _ in 0..300 {
        let (id, helps) = (chance.below(400) + 1, ["helpful", "unhelpful"][usize::try_from(chance.below(2)).unwrap()]);
        case.try_tool("fact_feedback", json!({"fact_id": id, "action": helps})).unwrap();
    }
    for _ in 0..150 {
        let count = chance.below(5) + 1;
        let query = chance.words(count);
        // So many are wanted that nothing can be left out.
        let search =
            |limit: usize| case.ids(json!({"action": "search", "query": query, "limit": limit, "min_trust": 0}));
        let many = search(100);
        for few in [1, 3, 10] {
            let found = search(few);
            assert_eq!(found, many[..few.min(many.len())], "`{query}`, the first {few}");
        }
    }
}
