//! Plugins: found in a catalog, verified, installed, loaded, and called within limits.

pub mod built;
pub mod catalog;
pub mod fetch;
pub mod health;
pub mod hooks;
pub mod inspect;
pub mod install;
pub mod load;
pub mod lock;
pub mod package;
pub mod publish;
pub mod resolve;
pub mod scaffold;
pub mod services;
pub mod store;
pub mod validate;
pub mod verify;
