//! The provider as the host sees it: hooks in, records out, on real files.

mod damage;
mod entries;
mod recall;
mod scopes;
mod support;
mod texts;
mod together;
mod tools;
