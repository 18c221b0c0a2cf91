//! What a search leaves out because it cannot be wanted.

use serde_json::json;

use crate::support::{Case, Dice};

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

/// Some of the words, the first ones far more often.
fn words(dice: &mut Dice, count: usize) -> String {
    let words = (0..count).map(|_| {
        let most = dice.below(WORDS.len()) + 1;
        WORDS[dice.below(most)]
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_first_few_are_the_first_of_many() {
    let case = Case::new();
    let mut dice = Dice(7);
    let facts: Vec<String> = (0..400)
        .map(|number| {
            let count = dice.below(9) + 2;
            format!("{} {number}", words(&mut dice, count))
        })
        .collect();
    case.store(json!({"action": "add", "facts": facts}));
    for _ in 0..300 {
        let (id, helps) = (dice.below(400) + 1, ["helpful", "unhelpful"][dice.below(2)]);
        case.try_tool("fact_feedback", json!({"fact_id": id, "action": helps})).unwrap();
    }
    for _ in 0..150 {
        let count = dice.below(5) + 1;
        let query = words(&mut dice, count);
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
