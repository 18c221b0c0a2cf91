//! The word lists: which words of a language mean which concept.
//!
//! A list is separated by commas. An entry is a word or several; one that ends in `*` stands for all words that begin so.
//! Case and marks do not matter. An entry of no concept keeps a longer word from being taken for a shorter one.

mod arabic;
mod code;
mod east;
mod english;
mod german;
mod hindi;
mod italian;
mod korean;
mod romance;
mod russian;
mod thai;
mod turkish;

use super::concepts::Concepts;

/// The lists of a language.
type Words = &'static [(Concepts, &'static str)];

/// All lists.
pub(super) const ALL: [Words; 12] = [
    code::WORDS,
    english::WORDS,
    russian::WORDS,
    german::WORDS,
    romance::WORDS,
    east::WORDS,
    thai::WORDS,
    arabic::WORDS,
    korean::WORDS,
    hindi::WORDS,
    turkish::WORDS,
    italian::WORDS,
];
