//! What the host and its providers know about human text.
//!
//! A memory is stored in one language and asked for in another form: other case, other endings, other
//! white space, no word boundaries at all. Everything that decides whether two pieces of text speak of
//! the same thing lives here, so that the host and every provider plugin decide it the same way:
//!
//! - [`normalize`]: one form to compare by;
//! - [`script_of`], [`dominant_script`], [`language`]: what writing system and, roughly, what language;
//! - [`tokens`], [`index_terms`], [`word_forms`], [`query_words`]: what goes into a full-text index and what is asked of it;
//! - [`is_stop_word`], [`is_trivial`], [`is_command`]: what is not worth asking for;
//! - [`Passages`], [`find_passages`]: which of a few hundred texts a question is about;
//! - [`truncate_chars`], [`char_count`], [`grams`]: lengths and pieces that respect characters.
//!
//! Every function takes any `&str` – however long, with NULs, with stacked marks – runs in time linear in
//! its length, and never panics.

mod compound;
mod cut;
mod data;
mod fold;
mod language;
mod light;
mod normalize;
mod passages;
mod plain;
mod scan;
mod script;
mod stems;
mod stop;
mod terms;
mod tokens;
mod trivial;
mod words;

pub use cut::{MAX_GRAM, char_count, grams, truncate_chars};
pub use language::{Evidence, Language, Languages, language};
pub use normalize::{contains_normalized, normalize};
pub use passages::{Found, Passages, find_passages};
pub use script::{Script, dominant_script, script_of};
pub use stop::is_stop_word;
pub use terms::{FTS5_TOKENIZE, QueryWord, head_of_terms, index_terms, query_terms, query_words, word_forms};
pub use tokens::{MAX_TOKEN_CHARS, Piece, Token, TokenKind, for_each_piece, for_each_token, tokens};
pub use trivial::{TRIVIAL_LANGUAGES, is_command, is_trivial};
