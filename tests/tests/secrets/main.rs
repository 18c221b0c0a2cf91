//! What is secret stays here: every known shape of a token in every place, what looks alike, and a whole turn.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod alike;
mod corpus;
mod found;
mod tls;
mod turn;
