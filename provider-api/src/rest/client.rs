//! A service at an address, with the user's key.

use serde_json::Value;

use super::{Request, Service, passing};
use crate::{Call, ErrorKind, Host, ProviderError};

/// A service at an address. May be used from several threads at once; keeps no connection and no state.
#[derive(Clone, Debug)]
pub struct Client {
    pub(super) host: Host,
    pub(super) service: Service,
    /// Without a slash at its end; empty where it is not set.
    address: String,
    pub(super) headers: Vec<(&'static str, String)>,
}

impl Client {
    /// The service at the address that the user set.
    ///
    /// Deletes what [`Passing`](super::Passing) files a killed process has left behind.
    ///
    /// # Errors
    /// When the host cannot be asked. A missing address or key is none here: setup is to ask questions still, see
    /// [`unavailable_reason`](Self::unavailable_reason).
    pub fn new(host: Host, service: Service) -> Result<Self, ProviderError> {
        let address = host.config::<Value>()?[service.address].as_str().unwrap_or_default().to_owned();
        Self::at(host, service, &address)
    }

    /// The service at this address, for an author that has read the settings and corrects what people write there.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn at(host: Host, service: Service, address: &str) -> Result<Self, ProviderError> {
        passing::sweep(&host.data_dir()?, std::time::SystemTime::now());
        let address = address.trim().trim_end_matches('/').to_owned();
        Ok(Self { host, service, address, headers: Vec::new() })
    }

    /// A header of each request from now on, such as the name of the client or of a tenant. No key: those are
    /// [`Service::key_headers`].
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The host that it was made with.
    #[must_use]
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The address, without a slash at its end; empty where it is not set.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Why no request can be sent: the address is not set, or the key is missing or none. The answer of
    /// [`MemoryProvider::unavailable_reason`](crate::MemoryProvider::unavailable_reason); nothing is sent.
    #[must_use]
    pub fn unavailable_reason(&self) -> Option<String> {
        let error = self.base().and_then(|_| self.key()).err()?;
        let hint = error.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        Some(format!("{}{hint}", error.message))
    }

    /// A request with any method. `route` is as in the service's docs and begins with `/`; each `{}` in it stands for one of
    /// `ids`, in their order, which are encoded as a part of a path.
    ///
    /// Messages name the route with `…` for the ids, which may be names of people.
    pub fn request<'a>(&'a self, method: &str, route: &str, ids: &[&str], call: &'a Call<'a>) -> Request<'a> {
        Request::new(self, method, route, ids, call)
    }

    /// A [`request`](Self::request) that reads.
    pub fn get<'a>(&'a self, route: &str, ids: &[&str], call: &'a Call<'a>) -> Request<'a> {
        self.request("GET", route, ids, call)
    }

    /// A [`request`](Self::request) with `POST`.
    pub fn post<'a>(&'a self, route: &str, ids: &[&str], call: &'a Call<'a>) -> Request<'a> {
        self.request("POST", route, ids, call)
    }

    /// A [`request`](Self::request) with `PUT`.
    pub fn put<'a>(&'a self, route: &str, ids: &[&str], call: &'a Call<'a>) -> Request<'a> {
        self.request("PUT", route, ids, call)
    }

    /// A [`request`](Self::request) with `DELETE`, whose thing [may be missing](Request::may_be_missing).
    pub fn delete<'a>(&'a self, route: &str, ids: &[&str], call: &'a Call<'a>) -> Request<'a> {
        self.request("DELETE", route, ids, call).may_be_missing()
    }

    /// The address, or what to do where there is none.
    pub(super) fn base(&self) -> Result<&str, ProviderError> {
        if self.address.is_empty() {
            let Service { address, name, .. } = self.service;
            let message = format!("`{address}`, the address of {name}, is not set");
            return Err(ProviderError::new(ErrorKind::Unavailable, message)
                .hint(format!("{} asks for it", self.service.setup())));
        }
        Ok(&self.address)
    }

    /// The key as it goes into a header. One that no header can hold is named before anything is sent: it would be the
    /// request's fault, and take every turn with it.
    pub(super) fn key(&self) -> Result<Option<String>, ProviderError> {
        let Some(name) = self.service.secret else { return Ok(None) };
        let refuse = |why| {
            Err(ProviderError::new(ErrorKind::Unauthorized, format!("the key in `{name}` {why}"))
                .hint(format!("{} takes another", self.service.setup())))
        };
        let secret = self.host.secret(name)?;
        if secret.is_none() && !self.service.is_key_required {
            return Ok(None);
        }
        let Some(secret) = secret else { return refuse("is not set") };
        let key = secret.expose().trim();
        // People copy the whole header.
        let pasted = ["Bearer", "Token"].into_iter().find_map(|word| {
            key.strip_prefix(word).filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
        });
        match pasted.unwrap_or(key).trim() {
            "" => refuse("is empty"),
            key if !key.bytes().all(|byte| byte.is_ascii_graphic()) => refuse("has blanks or letters that no key has"),
            key => Ok(Some(key.to_owned())),
        }
    }
}
