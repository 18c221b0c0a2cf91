//! RetainDB: what was learnt lies with a web service, and is recalled from there.
//!
//! A short provider for a service on the web, and an example of one. It keeps no queue and starts no thread that outlives a
//! call: the host delivers turns and notes, again where the service was away, and [`rest`](hermes_provider_api::rest) sends
//! requests and says what went wrong.
//!
//! | module | what it holds |
//! |---|---|
//! | `api` | what the service is, and its routes, with those of its older servers |
//! | `audience` | who is asked for: the service's project and user |
//! | `recall` | what is known for a message, each thing once |
//! | `prepared` | what was asked ahead for a session's next message |
//! | `deliveries` | turns, notes, the agent's identity |
//! | `tools` | what the model sees and sends; `files` is those that carry files |
//! | `provider` | the hooks |
//!
//! # Who sees what
//!
//! The service parts memories by project and user. A profile is a project, an audience is a user: whoever speaks to the
//! agent alone, or a group as a whole. Files belong to the key, so all but its owner have a folder of their own there.
//!
//! # What leaves the machine
//!
//! Turns, notes, questions, and what the user grants: the files that the agent uploads, and `SOUL.md`. All of it goes to
//! `base_url` and nowhere else.

mod api;
mod audience;
mod deliveries;
mod prepared;
mod provider;
mod recall;
mod tools;

use hermes_provider_api::records::FieldType;
use hermes_provider_api::{Field, Interface, Manifest, export_provider};

pub use provider::RetainDb;

export_provider!(
    RetainDb,
    Manifest::new("retaindb")
        .title("RetainDB")
        .interfaces(&[
            Interface::Prefetch,
            Interface::Sync,
            Interface::MemoryWrite,
            Interface::Session,
            Interface::Tools,
            Interface::Remember,
        ])
        .http(&["config:base_url"])
        .secret(&["RETAINDB_API_KEY"])
        .file(&["read:files", "read:soul"])
        .config(&[
            Field::secret("api_key", "RETAINDB_API_KEY", "API key of RetainDB")
                .required()
                .url("https://www.retaindb.com"),
            Field::new("base_url", FieldType::Url, "Address of the service")
                .default("https://api.retaindb.com")
                .env("RETAINDB_BASE_URL"),
            Field::new("project", FieldType::Text, "Project that memories belong to (empty: one for this profile)")
                .env("RETAINDB_PROJECT")
                .namespace(),
            Field::new("files", FieldType::Path, "Folder whose files the agent may upload (empty: none)"),
            Field::new(
                "soul",
                FieldType::Path,
                "Folder of the SOUL.md that tells the service who the agent is (empty: none)"
            ),
            Field::new(
                "owner",
                FieldType::Text,
                "Names that are you on other platforms, as in telegram:1234, discord:ann"
            )
            .advanced(),
        ])
);
