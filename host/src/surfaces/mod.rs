//! How an agent reaches the memory: protocols only. What a turn is stands in `turn`.

pub mod chat;
pub mod clients;
pub mod guard;
pub mod mcp;
pub mod proxy;
