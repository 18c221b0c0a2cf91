//! The provider as the host sees it: hooks in, records out, on real files.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]
#![expect(clippy::disallowed_methods, reason = "a test moves files behind the back of the store")]

mod bounded;
mod conformance;
mod contradictions;
mod damage;
mod entries;
mod extraction;
mod forgetting;
mod history;
mod import;
mod merging;
mod mirroring;
mod names;
mod processes;
mod recall;
mod scopes;
mod semantic;
mod small;
mod support;
mod texts;
mod together;
mod tools;
