//! Sessions written out: as lines of JSON that lose nothing and can be imported again, or as Markdown for people.

pub(crate) mod jsonl;
mod markdown;
