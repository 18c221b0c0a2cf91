//! Origins of addresses, and the targets of redirects.

use hermes_provider_api::ProviderError;
use ureq::http::Uri;

pub(super) fn parse(url: &str) -> Result<Uri, ProviderError> {
    url.parse().map_err(|_| ProviderError::invalid("the address of the request is not valid"))
}

/// Scheme, host in lower case, port.
pub(super) type Origin = (String, String, u16);

pub(super) fn origin(uri: &Uri) -> Result<Origin, ProviderError> {
    let port = match uri.scheme_str() {
        Some("https") => 443,
        Some("http") => 80,
        _ => return Err(ProviderError::invalid("the address must begin with http:// or https://")),
    };
    let scheme = uri.scheme_str().unwrap_or_default().to_owned();
    let authority = uri.authority().map(|authority| authority.as_str()).unwrap_or_default();
    // `https://granted.example@other.example` must not pass for the first.
    if authority.contains('@') {
        return Err(ProviderError::invalid("the address must not hold a user name"));
    }
    match uri.host() {
        Some(host) if !host.is_empty() => Ok((scheme, host.to_ascii_lowercase(), uri.port_u16().unwrap_or(port))),
        _ => Err(ProviderError::invalid("the address names no host")),
    }
}

/// An origin as it stands in a capability.
pub(super) fn origin_text((scheme, host, port): &Origin) -> String {
    match (scheme.as_str(), port) {
        ("https", 443) | ("http", 80) => format!("{scheme}://{host}"),
        _ => format!("{scheme}://{host}:{port}"),
    }
}

/// The target of a redirect, which may be relative (RFC 9110, 10.2.2).
pub(super) fn join(base: &Uri, target: &str) -> Result<Uri, ProviderError> {
    // A relative one may hold `://` in its query.
    let (path, _) = target.split_once(['?', '#']).unwrap_or((target, ""));
    if path.contains("://") {
        return parse(target);
    }
    let (scheme, host, port) = origin(base)?;
    let root = origin_text(&(scheme.clone(), host, port));
    if let Some(rest) = target.strip_prefix("//") {
        return parse(&format!("{scheme}://{rest}"));
    }
    if target.starts_with('/') {
        return parse(&format!("{root}{target}"));
    }
    if path.is_empty() {
        return parse(&format!("{root}{}{target}", base.path()));
    }
    let folder = base.path().rsplit_once('/').map_or("", |(folder, _)| folder);
    parse(&format!("{root}{folder}/{target}"))
}
