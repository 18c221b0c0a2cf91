//! The tables of words. Each is one text, so that it can be read and kept in order like a dictionary page.

pub(crate) mod stop_east;
pub(crate) mod stop_known;
pub(crate) mod stop_west;
pub(crate) mod trivial_east;
pub(crate) mod trivial_west;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize;

    #[track_caller]
    fn check(list: &str, separator: &str) {
        let words: Vec<_> = list.split(separator).filter(|word| !word.is_empty()).collect();
        for pair in words.windows(2) {
            assert!(pair[0] < pair[1], "{} before {}", pair[0], pair[1]);
        }
        for word in words {
            assert_eq!(word, normalize(word));
        }
    }

    #[test]
    fn lists_are_sorted_without_repeats_and_normalised() {
        for list in stop_west::ALL.iter().chain(&stop_east::ALL).chain(&stop_known::ALL) {
            check(list, " ");
        }
        for table in trivial_west::TABLES.iter().chain(&trivial_east::TABLES) {
            check(table.phrases, ", ");
            check(table.fillers, ", ");
        }
    }
}
