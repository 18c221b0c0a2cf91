//! A client for services that speak JSON over HTTP, on top of [`Host::http`](crate::Host::http).
//!
//! Say once what the service is, and write requests; everything that goes wrong on the way becomes a [`ProviderError`] that
//! says what happened and what to do, of the kind by which the host does the right thing with a delivery.
//!
//! | type | what it is |
//! |---|---|
//! | [`Service`] | what is the same in each request: names, the setting of the address, the key and where to get one |
//! | [`Client`] | a service at an address, with the user's key |
//! | [`Request`] | one request: route and ids, body, time, and its answer |
//! | [`Failed`] | a request without success; turns into a [`ProviderError`] with `?` |
//! | [`Client::once`] | which deliveries have arrived, for services that do not know a repetition |
//! | [`Passing`] | a file of the data folder for as long as a call, for what is sent or fetched as a file |
//!
//! ```
//! use hermes_provider_api::records::{Health, OpenRequest, PrefetchQuery, Recall, RecallItem, Turn};
//! use hermes_provider_api::rest::{Client, Service};
//! use hermes_provider_api::serde_json::{Value, json};
//! use hermes_provider_api::{Call, Field, Host, Interface, Manifest, MemoryProvider, Result, export_provider, records::FieldType};
//!
//! const NOTES: Service = Service::new("notes", "Notes").key("NOTES_API_KEY", "https://notes.example/keys");
//!
//! struct Notes(Client);
//!
//! impl MemoryProvider for Notes {
//!     fn open(host: Host, _request: OpenRequest) -> Result<Self> {
//!         Ok(Self(Client::new(host, NOTES)?.header("x-source", "hermes")))
//!     }
//!     fn unavailable_reason(&self) -> Option<String> {
//!         self.0.unavailable_reason()
//!     }
//!     fn health(&self, call: &Call<'_>) -> Result<Health> {
//!         self.0.get("/v1/ping", &[], call).send()?;
//!         Ok(Health::ok(format!("{} answers", self.0.address())))
//!     }
//!     fn prefetch(&self, query: &PrefetchQuery, call: &Call<'_>) -> Result<Recall> {
//!         let body = json!({"query": query.query, "top": query.limit});
//!         // `{}` stands for an id, which is written as a URL wants it.
//!         let user = query.caller.scope.user.as_str();
//!         let answer = self.0.post("/v1/users/{}/search", &[user], call).json(body).within(3).send()?;
//!         let texts = answer["notes"].as_array().into_iter().flatten().filter_map(Value::as_str);
//!         let scope = Some(query.caller.scope.clone());
//!         let items = texts.map(|text| RecallItem { text: text.to_owned(), scope: scope.clone(), ..RecallItem::default() });
//!         Ok(Recall { items: items.collect(), ..Recall::default() })
//!     }
//!     fn sync_turn(&self, turn: &Turn, call: &Call<'_>) -> Result<()> {
//!         let body = json!({"text": turn.user_text()});
//!         let user = turn.caller.scope.user.as_str();
//!         self.0.post("/v1/users/{}/notes", &[user], call).json(body).idempotent(&turn.idempotency_key).send()?;
//!         Ok(())
//!     }
//! }
//!
//! export_provider!(
//!     Notes,
//!     Manifest::new("notes")
//!         .interfaces(&[Interface::Prefetch, Interface::Sync])
//!         .http(&["config:base_url"])
//!         .secret(&["NOTES_API_KEY"])
//!         .config(&[
//!             Field::secret("api_key", "NOTES_API_KEY", "API key of Notes").required(),
//!             Field::new("base_url", FieldType::Url, "Address of the service").default("https://api.notes.example"),
//!         ])
//! );
//! # fn main() {}
//! ```
//!
//! # What an answer means
//!
//! | answer | [`ErrorKind`](crate::ErrorKind) | why |
//! |---|---|---|
//! | 401 | `Unauthorized` | the key is wrong; the hint names the command and the page with keys |
//! | 402, 403 | `Quota` | the plan or the rights of the key; a delivery waits for the user |
//! | 404 for a [thing](Request::may_be_missing) | `NotFound` | what the path names is not there |
//! | 404, 405 otherwise | `Unavailable`, [`Failed::no_such_route`] | a wrong address or an older server: no turn may die of it |
//! | 408 | `Timeout` | |
//! | 429 | `RateLimited` | waits for the seconds of `Retry-After`, or for 60 |
//! | 409, 413, 422, other 4xx | `InvalidInput` | the same again would fail again |
//! | 500, 501, 505–519 | `Internal` | may be the fault of what was sent: the host counts the tries |
//! | 502–504, from 520 | `Unavailable` | somebody on the way; with `Retry-After` that long |
//! | a success that is a web page, or is cut off | `Unavailable` | a proxy or a login page, not the service |
//! | a success that says `"success": false` | `Internal` | |
//! | none | what [`Host::http`](crate::Host::http) says | a request that cannot even be sent is the address's fault: `Unavailable` |
//!
//! Where a service means something else by a status, look at [`Failed::status`] and [`Failed::code`] before the `?`.
//!
//! A message has the service's own sentence, at most 200 characters of it, from `error`, `error.message`, `message`, `detail`
//! or the first of a list of faults. It never has the key, nor the ids of the path.

mod client;
mod failed;
mod once;
mod passing;
mod request;
mod said;
mod service;
mod text;

#[cfg(all(test, feature = "test-kit"))]
mod tests;

pub use client::Client;
pub use failed::Failed;
pub use passing::Passing;
pub use request::{FilePart, Request};
pub use service::Service;
pub use text::{rfc3339, segment};

#[cfg(doc)]
use crate::ProviderError;
