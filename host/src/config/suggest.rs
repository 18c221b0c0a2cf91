//! Did you mean …?

/// The candidate that differs from `word` by the fewest slips of the pen, if those are few for its length.
#[must_use]
pub fn suggest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.chars().count() / 4).clamp(1, 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::suggest;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let known = ["memory", "recall_limit", "log"];
        for (word, meant) in [
            ("memroy", Some("memory")),
            ("Memory", Some("memory")),
            ("recal_limits", Some("recall_limit")),
            ("lgo", Some("log")),
            ("cat", None),
            ("", None),
            ("память", None),
        ] {
            assert_eq!(suggest(word, known), meant, "{word}");
        }
    }
}
