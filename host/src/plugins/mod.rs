//! Plugins: found in a catalog, verified, installed, loaded, and called within limits.

pub mod catalog;
pub mod fetch;
pub mod health;
pub mod hooks;
pub mod inspect;
pub mod install;
pub mod load;
pub mod lock;
pub mod package;
pub mod resolve;
pub mod services;
pub mod store;
pub mod verify;
