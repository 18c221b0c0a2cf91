//! For the tests of a provider: a host whose services answer what a test says, and a kit of scenarios that any provider
//! can be run through.
//!
//! ```
//! use hermes_provider_api::host::{HttpRequest, HttpResponse};
//! use hermes_provider_api::testkit::FakeHost;
//!
//! let fake = FakeHost::new(std::env::temp_dir())
//!     .with_config(serde_json::json!({"mode": "local"}))
//!     .with_secret("NOTES_KEY", "nt_1")
//!     .with_http(|request: &HttpRequest| {
//!         Ok(HttpResponse { status: 200, body: format!("you asked {}", request.url), ..HttpResponse::default() })
//!     });
//! let host = fake.host();
//! assert_eq!(host.secret("NOTES_KEY").unwrap().unwrap().expose(), "nt_1");
//! let answer = host.http(&HttpRequest { url: "https://notes.example".into(), ..HttpRequest::default() }).unwrap();
//! assert_eq!(answer.body, "you asked https://notes.example");
//! ```
//!
//! # What to test, and how
//!
//! Hooks are methods: open the type with a fake and call them. What crosses the boundary, JSON in and out, is tested
//! with [`dispatch`](crate::dispatch::dispatch), which is the code that a plugin runs:
//!
//! ```
//! use hermes_provider_api::dispatch::dispatch;
//! use hermes_provider_api::records::{Health, OpenRequest};
//! use hermes_provider_api::testkit::FakeHost;
//! use hermes_provider_api::{Call, Hook, Host, MemoryProvider, ProviderError};
//!
//! struct Clock(Host);
//!
//! impl MemoryProvider for Clock {
//!     fn open(host: Host, _: OpenRequest) -> Result<Self, ProviderError> {
//!         Ok(Self(host))
//!     }
//!     fn health(&self, _: &Call<'_>) -> Result<Health, ProviderError> {
//!         Ok(Health::ok(format!("it is {}", self.0.now())))
//!     }
//! }
//!
//! let fake = FakeHost::new(std::env::temp_dir());
//! fake.clock().store(7, std::sync::atomic::Ordering::Relaxed);
//! let clock = Clock::open(fake.host(), OpenRequest::default()).unwrap();
//! let answer = dispatch(&clock, Hook::Health, b"", &Call::default()).unwrap();
//! assert_eq!(answer, br#"{"ok":true,"detail":"it is 7"}"#);
//! ```
//!
//! Capabilities are not checked by the fake alone: it answers what the test says, whatever the manifest asks for.
//!
//! # What every provider owes its users
//!
//! A turn that comes twice, a text of a megabyte, two processes on one folder, another user's question:
//! [`conformance::check`] runs a provider through all that in one line.

pub mod conformance;
mod fake;

pub use fake::FakeHost;
