//! The provider against a server that is written from what the service publishes.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod support;

mod audiences;
mod conformance;
mod deliveries;
mod files;
mod recall;
mod refusals;
mod shapes;
mod tools;
