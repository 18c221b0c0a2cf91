//! Memory as a tree of Markdown files that the program `brv` of ByteRover keeps.
//!
//! What is said is handed to `brv curate`, whose model sorts it into the tree; the agent's own notes and what the user
//! wants to be kept are files that this plugin writes into the same tree, word for word, so that they can be replaced and
//! removed. A recall reads the tree itself and needs neither `brv` nor a model: starting `brv` takes seconds.
//!
//! | module | what it holds |
//! |---|---|
//! | `brv` | the program: run, waited for, and understood |
//! | `documents` | the Markdown files of a tree: read, listed, written |
//! | `index` | words to files |
//! | `curate` | texts for `brv`, each handed over once |
//! | `tools` | what the model sees and sends |
//! | `provider` | the hooks |
//!
//! # Who sees what
//!
//! `brv` knows no audiences, so each has a [folder](hermes_provider_api::folders) with a tree of its own. A recall reads
//! those that the caller may see.
//!
//! # What leaves the machine
//!
//! The plugin itself reaches nothing. `brv` runs with the user's authority: it sends what it is told to the model that is
//! connected in it, and after `brv login` to the user's ByteRover account. No key of the host is involved.

mod brv;
mod curate;
mod documents;
mod index;
mod provider;
mod tools;

use hermes_provider_api::records::FieldType;
use hermes_provider_api::{Field, Interface, Manifest, export_provider};

pub use provider::ByteRover;

// No stop command: `brv restart` would also end what the user does with `brv` elsewhere, and its daemon ends by itself
// after half an hour without work.
export_provider!(
    ByteRover,
    Manifest::new("byterover")
        .title("ByteRover: Markdown notes kept by brv")
        .interfaces(&[
            Interface::Prefetch,
            Interface::Sync,
            Interface::MemoryWrite,
            Interface::Session,
            Interface::Tools,
            Interface::Remember,
            Interface::Browse
        ])
        .command(&[brv::PROGRAM])
        .config(&[Field::new(
            "auto_extract",
            FieldType::Boolean,
            "Whether conversations and the agent's notes go to brv by themselves"
        )
        .default("true")])
);
