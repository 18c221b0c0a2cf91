//! Things to remember that nobody has ever said: each with names of its own, so that finding one is no accident.

/// Syllables that begin a name, and that follow. Each list has sixteen, so that a number of twelve bits is a name.
const FIRST: [&str; 16] =
    ["Bra", "Cor", "Dul", "Fen", "Gri", "Hov", "Jas", "Kel", "Lom", "Mir", "Nub", "Pov", "Quo", "Ros", "Sev", "Tul"];
const MIDDLE: [&str; 16] =
    ["ba", "de", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "ze", "go", "hi", "ja", "fo"];
const LAST: [&str; 16] =
    ["rk", "nd", "lt", "mp", "sk", "nt", "rd", "lk", "ft", "rt", "lm", "pt", "rg", "lb", "rn", "xt"];

/// One thing to remember.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// A name that is in its text and in no other.
    pub marker: String,
    /// What is to be remembered.
    pub text: String,
    /// What a user would ask to be reminded of it.
    pub question: String,
}

impl Memory {
    /// The memory with this number.
    pub(super) fn new(number: usize) -> Self {
        let [marker, thing, place] = [name(3 * number), name(3 * number + 1), name(3 * number + 2)];
        Self {
            text: format!("{marker} keeps the {thing} near {place}"),
            question: format!("Does {marker} keep the {thing} near {place}?"),
            marker,
        }
    }

    /// The same memory with something odd in its middle.
    pub(super) fn with(mut self, odd: &str) -> Self {
        self.text = format!("{} {odd} indeed", self.text);
        self
    }
}

/// The name with this number, below 4096; the names begin anew after that.
fn name(number: usize) -> String {
    // Neighbours differ in more than one syllable: a search that forgives spelling must not take one for another.
    let spread = number.wrapping_mul(1637) % 4096;
    [FIRST[spread % 16], MIDDLE[spread / 16 % 16], LAST[spread / 256]].concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_name_comes_twice() {
        let names: BTreeSet<_> = (0..4096).map(name).collect();
        assert_eq!(names.len(), 4096);
    }
}
