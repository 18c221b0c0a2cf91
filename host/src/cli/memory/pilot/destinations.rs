//! Where what a provider is told may go, by what it was granted and how it is set up.

use std::net::IpAddr;

use hermes_provider_api::Capabilities;
use serde_json::{Map, Value};
use ureq::http::Uri;

use crate::net::shown;
use crate::open::ModelUse;

/// A place outside of the provider's own folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Destination {
    /// For people: `https://api.example`, or words.
    pub(super) what: String,
    /// It keeps what it is told under names that a client chooses.
    pub(super) is_service: bool,
    /// It is, or may be, another machine.
    pub(super) is_elsewhere: bool,
}

/// All of them; none for a provider that keeps everything in its own folder. `settings` are the provider's, those that
/// do not apply left out.
pub(super) fn destinations(granted: &Capabilities, settings: &Map<String, Value>) -> Vec<Destination> {
    let address = |entry: &String| match entry.strip_prefix("config:") {
        Some(key) => settings.get(key).and_then(Value::as_str).map(str::to_owned),
        None => Some(entry.clone()),
    };
    let service = |address: String| {
        let is_elsewhere = !is_this_machine(&address);
        let what = if is_elsewhere { shown(&address) } else { format!("{}, on this machine", shown(&address)) };
        Destination { what, is_service: true, is_elsewhere }
    };
    let program = |name: &String| Destination {
        what: format!("the program `{name}`, which may pass it on"),
        is_service: false,
        is_elsewhere: true,
    };
    let anywhere = Destination {
        what: "anywhere: it opens network connections of its own".to_owned(),
        is_service: true,
        is_elsewhere: true,
    };
    let services = granted.http.iter().filter_map(address).map(service);
    let programs = granted.command.iter().map(program);
    services.chain(programs).chain((granted.network == "direct").then_some(anywhere)).collect()
}

fn is_this_machine(address: &str) -> bool {
    let Ok(uri) = address.parse::<Uri>() else { return false };
    let name = uri.host().unwrap_or_default();
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

/// The user's models that it sends texts to: none keeps them for it.
pub(super) fn models(uses: Vec<ModelUse>) -> Vec<Destination> {
    let mut found: Vec<Destination> = Vec::new();
    for used in uses.into_iter().filter(|used| used.on) {
        let (Some(place), Some(model)) = (used.place, used.model) else { continue };
        let here = if is_this_machine(&place) { ", on this machine" } else { "" };
        let what = format!("the model `{model}` at {place}{here}");
        found.push(Destination { what, is_service: false, is_elsewhere: here.is_empty() });
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(granted: &Capabilities, base_url: &str, expected: &[(&str, bool, bool)]) {
        let settings = json!({ "base_url": base_url });
        let found = destinations(granted, settings.as_object().unwrap());
        let found: Vec<_> = found.iter().map(|to| (to.what.as_str(), to.is_service, to.is_elsewhere)).collect();
        assert_eq!(found, expected, "{base_url}");
    }

    #[test]
    fn what_was_granted_is_where_it_may_go() {
        let set =
            Capabilities { http: vec!["config:base_url".into(), "config:other".into()], ..Capabilities::default() };
        check(&set, "https://anna:pw@m.example/v1/?key=x", &[("https://m.example/v1/?…", true, true)]);
        for here in ["http://127.0.0.1:8000", "http://localhost:8000", "http://[::1]:8000"] {
            check(&set, here, &[(&format!("{here}, on this machine"), true, false)]);
        }
        // A name that only begins like one of this machine.
        check(&set, "http://localhost.example", &[("http://localhost.example", true, true)]);
        check(&set, "http://127.0.0.1.example", &[("http://127.0.0.1.example", true, true)]);
        let others = Capabilities { command: vec!["brv".into()], network: "direct".into(), ..Capabilities::default() };
        let program = ("the program `brv`, which may pass it on", false, true);
        check(&others, "", &[program, ("anywhere: it opens network connections of its own", true, true)]);
        let own = Capabilities { secret: vec!["K".into()], file: vec!["read:notes".into()], ..Capabilities::default() };
        check(&own, "", &[]);
    }
}
