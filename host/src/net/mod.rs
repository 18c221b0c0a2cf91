//! How this process reaches the network, for downloads, for what providers ask over `http`, and for models: the roots
//! that it trusts, its proxies, its name, and how addresses are shown.

#[cfg(test)]
pub(crate) mod served;
mod tls;
mod url;

pub use tls::client_config;
pub use url::{host, shown};

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ureq::config::ConfigBuilder;
use ureq::http::Uri;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::typestate::AgentScope;
use ureq::{Agent, Proxy};

use crate::error::Hint;

/// How long a name is looked up, and a connection with its TLS handshake may take.
const CONNECT: Duration = Duration::from_secs(15);

/// Hosts that no proxy is asked for: it would look for the service on its own machine, and learn of it.
const OWN_HOSTS: [&str; 3] = ["localhost", "127.*", "[::1]"];

/// A variable of the environment that says how to reach the network, and cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// A proxy's address. It may hold a password, so it is not shown.
    #[error("the address in `{variable}` is no proxy")]
    Proxy {
        /// The variable.
        variable: &'static str,
    },
    /// The file of roots.
    #[error("`SSL_CERT_FILE` names `{}`, {reason}", path.display())]
    Roots {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl Hint for NetworkError {
    fn hints(&self) -> Vec<String> {
        let hint = match self {
            Self::Proxy { variable } => format!("write `{variable}=http://proxy.example:3128`, or unset it"),
            Self::Roots { .. } => "name a file of PEM certificates, or unset it".to_owned(),
        };
        vec![hint]
    }
}

/// The settings that all agents share.
#[derive(Clone, Debug)]
pub struct Network {
    for_https: Option<Proxy>,
    for_http: Option<Proxy>,
    tls: TlsConfig,
}

impl Network {
    /// As the environment of this process has it.
    ///
    /// # Errors
    /// When a variable cannot be used.
    pub fn of_process() -> Result<&'static Self, NetworkError> {
        static OF_PROCESS: OnceLock<Result<Network, NetworkError>> = OnceLock::new();
        OF_PROCESS.get_or_init(|| Self::from_env(&|name| std::env::var_os(name))).as_ref().map_err(Clone::clone)
    }

    fn from_env(env: &dyn Fn(&str) -> Option<OsString>) -> Result<Self, NetworkError> {
        let set = |name: &str| env(name).filter(|value| !value.is_empty());
        let excepted = set("NO_PROXY").or_else(|| set("no_proxy")).unwrap_or_default();
        let excepted = excepted.to_string_lossy();
        let proxy = |variables: [&'static str; 4]| {
            let found = variables.into_iter().find_map(|variable| Some((variable, set(variable)?)));
            let Some((variable, address)) = found else { return Ok(None) };
            let proxy = address.to_str().and_then(|address| with_exceptions(address, &excepted));
            proxy.map(Some).ok_or(NetworkError::Proxy { variable })
        };
        let roots = match set("SSL_CERT_FILE") {
            Some(path) => with_own_roots(path.into())?,
            None => RootCerts::WebPki,
        };
        Ok(Self {
            for_https: proxy(["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])?,
            for_http: proxy(["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])?,
            tls: TlsConfig::builder().root_certs(roots).build(),
        })
    }

    /// The proxy that is asked for an address, if one is.
    #[must_use]
    pub fn proxy_for(&self, address: &Uri) -> Option<&Proxy> {
        let proxy = if address.scheme_str() == Some("http") { &self.for_http } else { &self.for_https };
        proxy.as_ref().filter(|proxy| !proxy.is_no_proxy(address))
    }

    /// The beginnings of an agent for addresses of this scheme. A status is an answer and no error.
    pub(crate) fn agent(&self, scheme: &str) -> ConfigBuilder<AgentScope> {
        let proxy = if scheme == "http" { &self.for_http } else { &self.for_https };
        let builder: ConfigBuilder<AgentScope> = Agent::config_builder();
        builder
            .proxy(proxy.clone())
            .tls_config(self.tls.clone())
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .http_status_as_error(false)
            .user_agent(concat!("hermes/", env!("CARGO_PKG_VERSION")))
    }
}

/// The proxy at an address, not asked for this machine, nor for the hosts of a list as in `NO_PROXY` and what is below
/// them.
fn with_exceptions(address: &str, excepted: &str) -> Option<Proxy> {
    let given = Proxy::new(address.trim()).ok()?;
    let mut builder = Proxy::builder(given.protocol()).host(given.host()).port(given.port());
    if let Some(name) = given.username() {
        builder = builder.username(name);
    }
    if let Some(password) = given.password() {
        builder = builder.password(password);
    }
    let names = excepted.split([',', ' ']).map(str::trim).filter(|name| !name.is_empty());
    for name in names {
        if name == "*" {
            builder = builder.no_proxy(name);
            continue;
        }
        let bare = name.trim_start_matches("*.").trim_start_matches('.');
        builder = builder.no_proxy(bare).no_proxy(&format!(".{bare}"));
    }
    OWN_HOSTS.into_iter().fold(builder, |builder, host| builder.no_proxy(host)).build().ok()
}

/// The roots that are built in, and those of a PEM file: a private mirror must not cost the trust in all others.
fn with_own_roots(path: PathBuf) -> Result<RootCerts, NetworkError> {
    let unusable = |reason: String| NetworkError::Roots { path: path.clone(), reason };
    let pem = fs::read(&path).map_err(|error| unusable(format!("which cannot be read: {error}")))?;
    let mut roots = Vec::new();
    for item in parse_pem(&pem) {
        if let PemItem::Certificate(certificate) =
            item.map_err(|_| unusable("which is no file of PEM certificates".to_owned()))?
        {
            roots.push(certificate);
        }
    }
    if roots.is_empty() {
        return Err(unusable("which holds no certificate".to_owned()));
    }
    roots.extend(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().map(|root| Certificate::from_der(root)));
    Ok(RootCerts::Specific(Arc::new(roots)))
}

#[cfg(test)]
mod tests {
    use ureq::config::Config;

    use super::*;

    fn network(variables: &[(&str, &str)]) -> Result<Network, NetworkError> {
        Network::from_env(&|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
    }

    /// The proxy for an address, if one is asked.
    fn proxy(variables: &[(&str, &str)], url: &str) -> Option<String> {
        let url: ureq::http::Uri = url.parse().unwrap();
        let config: Config = network(variables).unwrap().agent(url.scheme_str().unwrap()).build();
        let proxy = config.proxy().filter(|proxy| !proxy.is_no_proxy(&url))?;
        Some(format!("{}:{}", proxy.host(), proxy.port()))
    }

    #[test]
    fn which_proxy_is_asked() {
        let far = "https://mirror.example/x";
        assert_eq!(proxy(&[], far), None);
        assert_eq!(proxy(&[("HTTPS_PROXY", ""), ("all_proxy", "p:1")], far).unwrap(), "p:1");
        assert_eq!(proxy(&[("ALL_PROXY", "http://a:1"), ("https_proxy", "http://b:2")], far).unwrap(), "b:2");
        assert_eq!(proxy(&[("HTTP_PROXY", "http://a:1")], far), None, "for http alone");
        assert_eq!(proxy(&[("http_proxy", "http://a:1")], "http://mirror.example/x").unwrap(), "a:1");
        for (excepted, asked) in [
            ("mirror.example", false),
            ("example", false),
            (".example", false),
            ("other.example, *.example", false),
            ("*", false),
            ("ample,mirror.example.org", true),
            ("", true),
        ] {
            let variables = [("HTTPS_PROXY", "http://u:p@a:1"), ("no_proxy", excepted)];
            assert_eq!(proxy(&variables, far).is_some(), asked, "{excepted}");
        }
        for own in ["https://LOCALHOST/x", "https://127.0.0.1:8443/x", "https://127.8.8.8/x", "https://[::1]/x"] {
            assert_eq!(proxy(&[("ALL_PROXY", "http://a:1")], own), None, "{own}");
        }
    }

    #[test]
    fn variables_that_cannot_be_used() {
        let error = network(&[("ALL_PROXY", "http://jo:secret@")]).unwrap_err();
        assert_eq!(error.to_string(), "the address in `ALL_PROXY` is no proxy");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("roots.pem");
        let reason = || {
            let error = network(&[("SSL_CERT_FILE", file.to_str().unwrap())]).unwrap_err();
            error.to_string().replace(folder.path().to_str().unwrap(), "")
        };
        assert!(reason().starts_with("`SSL_CERT_FILE` names `/roots.pem`, which cannot be read: "));
        fs::write(&file, "no certificate").unwrap();
        assert_eq!(reason(), "`SSL_CERT_FILE` names `/roots.pem`, which holds no certificate");
        fs::write(&file, "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n").unwrap();
        assert_eq!(reason(), "`SSL_CERT_FILE` names `/roots.pem`, which is no file of PEM certificates");
    }
}
