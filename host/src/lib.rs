//! A memory host for AI agents.
//!
//! It keeps what an agent knows in layers and loads one external memory provider at a time as a native plugin. The
//! folders are listed from the top down; each uses only those below it. `ARCHITECTURE.md` is the map.

pub mod cli;

pub mod open;

pub mod turn;

pub mod layers;

pub mod plugins;

pub mod guard;
pub mod outbox;

pub mod clock;
pub mod config;
pub mod db;
pub mod error;
pub mod home;
pub mod secrets;
