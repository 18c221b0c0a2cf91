//! A memory host for AI agents.
//!
//! # In an application
//!
//! A home is opened once. Each conversation is a session, each message of the user a turn: `begin` gives the text for
//! the model, `finish` takes its answer. Whatever the provider does, neither waits for it longer than its limits nor
//! fails because of it.
//!
//! ```no_run
//! use hermes_host::home::Home;
//! use hermes_host::open::Surroundings;
//! use hermes_host::turn::Ending;
//! use hermes_provider_api::records::{Context, Message, Role, Scope};
//!
//! # fn ask_a_model(system: &str, prompt: &str) -> String { format!("{system} {prompt}") }
//! # fn main() -> Result<(), hermes_host::error::Failure> {
//! let open = Surroundings::of_home(Home::at("/home/vera/.hermes"))?.memory()?;
//! if let Some(degraded) = &open.degraded {
//!     println!("without memory: {}", degraded.message);
//! }
//! let scope = Scope { platform: "my-app".into(), user: "vera".into(), ..Scope::default() };
//! let session = open.memory.session("monday", scope, Context::Primary);
//!
//! let turn = session.begin("What treats can I buy for Biscuit?");
//! if let Some(line) = &turn.line {
//!     println!("{line}"); // 🧠 holographic — recalled 1 memory · 0.9 ms
//! }
//! let answer = ask_a_model(session.system_prompt(), &turn.prompt);
//! // On disk when this returns; the provider gets it in the background, or when it can be reached again.
//! session.finish(turn, &[Message::new(Role::Assistant, answer)], Ending::Complete)?;
//!
//! session.end()?;
//! drop(session);
//! let closed = open.close();
//! assert!(closed.deliveries.lost.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! Providers then run in the application's process and are trusted as it is. To have them in workers, set
//! [`Surroundings::executable`](open::Surroundings::executable) to a `hermes` program of the same version and
//! [`isolation`](open::Surroundings::isolation) to [`config::Isolation::Process`].
//!
//! # The folders
//!
//! It keeps what an agent knows in layers and loads one external memory provider at a time as a native plugin. The
//! folders are listed from the top down; each uses only those below it. `ARCHITECTURE.md` is the map.

/// Its program is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub mod readme {}

pub mod cli;

pub mod surfaces;

pub mod open;

pub mod turn;

pub mod layers;

pub mod plugins;

pub mod guard;
pub mod outbox;

pub mod model;

pub mod clock;
pub mod config;
pub mod db;
pub mod error;
pub mod home;
pub mod net;
pub mod secrets;
