//! Addresses as they may be shown and recorded: without a name, a password, or a query, which may hold a key.

/// An address without its credentials, for people and for records. Anything else comes back as it is.
#[must_use]
pub fn shown(url: &str) -> String {
    let web = url.split_once("://").filter(|(scheme, _)| *scheme != "file");
    let Some((scheme, rest)) = web else { return url.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    // Behind the `:` of an address without `@` stands a port. Anything else is a password that a `/` or `?` cut short.
    let port = host.rsplit_once(']').map_or(host, |(_, port)| port).split_once(':');
    if port.is_some_and(|(_, port)| !port.bytes().all(|byte| byte.is_ascii_digit())) {
        return format!("{scheme}://…");
    }
    match path.split_once(['?', '#']) {
        Some((path, _)) => format!("{scheme}://{host}{path}?…"),
        None => format!("{scheme}://{host}{path}"),
    }
}

/// The host of an address, with its port where that is not the usual one.
#[must_use]
pub fn host(url: &str) -> String {
    let shown = shown(url);
    let rest = shown.split_once("://").map_or(shown.as_str(), |(_, rest)| rest);
    rest.split('/').next().unwrap_or(rest).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_never_shown() {
        for (url, expected) in [
            ("https://a.example/x.tar.gz", "https://a.example/x.tar.gz"),
            ("https://jo:pass@a.example:8443/x", "https://a.example:8443/x"),
            ("https://jo:p@ss@a.example/x@1", "https://a.example/x@1"),
            ("https://token@a.example", "https://a.example"),
            ("https://a.example/x?token=1", "https://a.example/x?…"),
            ("https://a.example?token=1@b", "https://a.example?…"),
            ("https://[::1]:8443/x", "https://[::1]:8443/x"),
            ("ftp://jo:pass@a.example/x", "ftp://a.example/x"),
            ("https://jo:pa/ss@a.example/x", "https://…"),
            ("https://jo:pa?ss@a.example/x", "https://…"),
            ("https://jo:pa#ss@a.example/x", "https://…"),
            ("file:///a/b@c?d", "file:///a/b@c?d"),
            ("notes-1.0.0.tar.gz", "notes-1.0.0.tar.gz"),
        ] {
            assert_eq!(shown(url), expected);
        }
        assert_eq!(host("https://jo:pass@a.example:8443/x/y?z"), "a.example:8443");
    }
}
