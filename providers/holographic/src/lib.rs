//! Facts in one SQLite file on this machine: stored, found and weighed without any service.
//!
//! The model keeps facts with the tool `fact_store` and says with `fact_feedback` which of them helped. Before each
//! turn the facts that fit the user's message are recalled. Everything is in `facts.db` in the provider's data
//! folder. Nothing leaves the machine, unless the user turns `semantic` or `rerank` on: then facts and questions go to
//! the model that the user set up, and `hermes memory status` names the place.
//!
//! | module | what it holds |
//! |---|---|
//! | `store` | the file: opening, schema, damage, two processes at once |
//! | `facts` | rows: adding, changing, forgetting, listing |
//! | `history`, `merge`, `similar` | what facts said before; one fact made of two; which may say the same |
//! | `mirror`, `import` | facts from the curated memory and from other memories |
//! | `extract` | facts from conversations: what users say of themselves |
//! | `entities` | the names in a text |
//! | `index` | which facts have a word |
//! | `search` | words to facts: `search`, `probe`, `related`, `reason`, `contradict` |
//! | `attributes` | what a fact claims of its subject: "lives in Paris" |
//! | `semantic` | found by meaning, beside the words: vectors of a model of the user's, off at first |
//! | `topics` | words that belong together: "lives", "flat", «город» |
//! | `tools` | what the model sees and sends |
//! | `provider` | the hooks |
//!
//! # Who sees what
//!
//! A fact belongs to the audience it was learnt in, by the rule of
//! [`Scope::visible_to`](hermes_provider_api::Scope::visible_to): SQL narrows by it and the rule itself is applied to
//! every row before it is used. What another audience knows can be neither found nor changed.

mod attributes;
mod audience;
mod config;
mod contradict;
mod dates;
mod entities;
mod error;
mod extract;
mod facts;
mod history;
mod import;
mod index;
mod merge;
mod mirror;
mod provider;
mod recall;
mod search;
mod semantic;
mod similar;
mod store;
mod tools;
mod topics;

use hermes_provider_api::records::FieldType;
use hermes_provider_api::{Field, Interface, Manifest, export_provider};

pub use provider::Holographic;

export_provider!(
    Holographic,
    Manifest::new("holographic")
        .title("Holographic: local facts")
        .interfaces(&[
            Interface::Prefetch,
            Interface::MemoryWrite,
            Interface::Session,
            Interface::Tools,
            Interface::Remember,
            Interface::Import,
            Interface::Browse
        ])
        .model(&["embed:config:semantic", "chat:config:rerank"])
        .config(&[
            Field::new("min_trust", FieldType::Number, "Facts with less trust than this are not recalled (0 to 1)")
                .default("0.3")
                .bounds(0, 1)
                .advanced(),
            Field::new(
                "prefetch_limit",
                FieldType::Integer,
                "How many facts are recalled for a message, and as many more on those it names"
            )
            .default("5")
            .bounds(0, 5)
            .advanced(),
            Field::new("mirror", FieldType::Text, "What becomes of the agent's own notes")
                .choices(&[
                    ("facts", "each note is a fact too"),
                    ("tags", "no text is taken; the words of a note become tags of the facts that it is about"),
                    ("off", "nothing"),
                ])
                .default("facts")
                .advanced(),
            Field::new(
                "extract",
                FieldType::Text,
                "When statements of the user about themselves are read out of conversations and kept"
            )
            .choices(&[
                ("off", "never"),
                ("session_end", "when a session ends"),
                ("idle", "also when a conversation goes on after ten minutes of silence"),
            ])
            .default("off")
            .advanced(),
            Field::new(
                "semantic",
                FieldType::Text,
                "Whether facts are found by their meaning too, not only by their words"
            )
            .choices(&[
                ("off", "by words alone: nothing leaves this machine"),
                ("on", "facts and questions are sent to the model set up as `model.embedding`"),
            ])
            .default("off")
            .advanced(),
            Field::new("rerank", FieldType::Text, "Whether a chat model puts the best facts in order")
                .choices(&[
                    ("off", "nothing is sent for it"),
                    ("on", "questions and the facts found for them are sent to the model set up as `model.chat`"),
                ])
                .default("off")
                .advanced(),
            Field::new("default_trust", FieldType::Number, "What a new fact is trusted with (0 to 1)")
                .default("0.5")
                .bounds(0, 1)
                .advanced(),
            Field::new("helpful", FieldType::Number, "What the trust in a fact gains when it helped")
                .default("0.05")
                .bounds(0, 1)
                .advanced(),
            Field::new("unhelpful", FieldType::Number, "What the trust in a fact loses when it did not help")
                .default("0.1")
                .bounds(0, 1)
                .advanced(),
            Field::new(
                "half_life_days",
                FieldType::Integer,
                "After how many days trust counts half in a ranking (0: never)"
            )
            .default("0")
            .bounds(0, 36_500)
            .advanced(),
        ])
);
