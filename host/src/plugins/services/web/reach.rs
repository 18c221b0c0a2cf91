//! Which addresses of a network a granted host may have.
//!
//! A name that was granted says nothing about where it leads: whoever answers for it, or for the line to the resolver,
//! can make it lead into the user's own network, to services that trust whoever reaches them. So the address is looked
//! at, and not the name.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ureq::http::Uri;

/// How far the address of a host may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// To the internet. For names that a plugin or its catalog chose.
    Public,
    /// To the internet, or into the user's own network. For what the user typed into a setting: people run services at
    /// home under names of their own, and nobody else chose this one. Never to where machines are configured.
    OwnNetwork,
    /// To this machine. For `localhost`, whatever a resolver makes of it.
    ThisMachine,
    /// To this one address, since the grant spells it.
    Literal(IpAddr),
}

impl Reach {
    /// That of a granted host. `typed` is whether the user chose it.
    pub(super) fn of(host: &Uri, typed: bool) -> Self {
        let name = host.host().unwrap_or_default();
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        match bare.parse() {
            Ok(address) => Self::Literal(address),
            Err(_) if name.eq_ignore_ascii_case("localhost") => Self::ThisMachine,
            Err(_) if typed => Self::OwnNetwork,
            Err(_) => Self::Public,
        }
    }

    /// Whether it includes an address.
    pub(super) fn includes(self, address: IpAddr) -> bool {
        match self {
            Self::Literal(granted) => address == granted,
            Self::ThisMachine => address.to_canonical().is_loopback(),
            Self::OwnNetwork => matches!(place(address), Place::Internet | Place::OwnNetwork),
            Self::Public => place(address) == Place::Internet,
        }
    }
}

/// Where an address leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Internet,
    /// This machine, or a network of the user's.
    OwnNetwork,
    /// Where machines are configured, everybody at once, nowhere, or in documents.
    Special,
}

/// What clouds tell their machines, keys included, at addresses of other networks.
const METADATA: [Ipv4Addr; 3] =
    [Ipv4Addr::new(100, 100, 100, 200), Ipv4Addr::new(168, 63, 129, 16), Ipv4Addr::new(192, 0, 0, 192)];
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

/// By the registries of special-purpose addresses (RFC 6890, and what was added since). What is in none of them, and in
/// IPv6 what is not handed out at all, counts as special.
fn place(address: IpAddr) -> Place {
    match address {
        IpAddr::V4(address) => place_v4(address),
        IpAddr::V6(address) => place_v6(address),
    }
}

fn place_v4(address: Ipv4Addr) -> Place {
    let [a, b, c, _] = address.octets();
    if METADATA.contains(&address) {
        return Place::Special;
    }
    match (a, b, c) {
        (10 | 127, ..) | (172, 16..=31, _) | (192, 168, _) | (100, 64..=127, _) => Place::OwnNetwork,
        (0 | 224..=255, ..) | (169, 254, _) | (192, 0, 0 | 2) | (192, 88, 99) => Place::Special,
        (198, 18 | 19, _) | (198, 51, 100) | (203, 0, 113) => Place::Special,
        _ => Place::Internet,
    }
}

fn place_v6(address: Ipv6Addr) -> Place {
    if address.is_loopback() {
        return Place::OwnNetwork;
    }
    if address == METADATA_V6 {
        return Place::Special;
    }
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        place_v4(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        // Mapped, and translated by NAT64: a detour to the address in it.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
        [0x2002, high, low, ..] => embedded(high, low),
        // A NAT64 of the user's own network may lead to anything there.
        [0x64, 0xff9b, 1, ..] | [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => Place::OwnNetwork,
        // Teredo and the like, and documents.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3ff0..=0x3fff, ..] => Place::Special,
        [0x2000..=0x3fff, ..] => Place::Internet,
        _ => Place::Special,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(addresses: &[&str], expect: Place) {
        for address in addresses {
            assert_eq!(place(address.parse().unwrap()), expect, "{address}");
        }
    }

    #[test]
    fn where_addresses_lead() {
        check(&["1.1.1.1", "93.184.215.14", "172.15.0.1", "172.32.0.1", "100.63.9.9", "100.128.0.1"], Place::Internet);
        check(&["2606:4700::1111", "2a00:1450::1", "::ffff:1.1.1.1", "64:ff9b::101:101"], Place::Internet);
        check(&["10.0.0.1", "127.0.0.1", "127.8.9.9", "172.16.0.1", "172.31.255.255"], Place::OwnNetwork);
        check(&["192.168.1.1", "100.64.0.1", "100.127.255.255", "::1", "fd12::1", "fc00::1"], Place::OwnNetwork);
        check(&["::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1"], Place::OwnNetwork);
        check(&["2002:7f00:1::", "fec0::1"], Place::OwnNetwork);
        check(&["169.254.169.254", "169.254.0.1", "0.0.0.0", "0.1.2.3", "255.255.255.255"], Place::Special);
        check(&["224.0.0.1", "239.1.1.1", "240.0.0.1", "192.0.2.1", "198.18.0.1", "203.0.113.9"], Place::Special);
        check(&["100.100.100.200", "168.63.129.16", "fd00:ec2::254", "::ffff:169.254.169.254"], Place::Special);
        check(&["::", "fe80::1", "ff02::1", "2001:db8::1", "2001::1", "3fff::1", "100::1", "::7f00:1"], Place::Special);
        check(&["64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "4000::1"], Place::Special);
    }

    #[track_caller]
    fn reach(url: &str, typed: bool, yes: &[&str], no: &[&str]) {
        let reach = Reach::of(&url.parse().unwrap(), typed);
        for address in yes {
            assert!(reach.includes(address.parse().unwrap()), "{url} should reach {address}");
        }
        for address in no {
            assert!(!reach.includes(address.parse().unwrap()), "{url} should not reach {address}");
        }
    }

    #[test]
    fn how_far_a_grant_reaches() {
        let metadata = "169.254.169.254";
        reach("https://api.example", false, &["1.1.1.1"], &["10.0.0.1", "127.0.0.1", "::1", metadata]);
        reach("http://nas.lan:8000", true, &["1.1.1.1", "10.0.0.1", "127.0.0.1", "fd00::1"], &[metadata, "fe80::1"]);
        reach("http://LOCALHOST:1", false, &["127.0.0.1", "::1"], &["1.1.1.1", "10.0.0.1", metadata]);
        reach("http://10.0.0.7", false, &["10.0.0.7"], &["10.0.0.8", "127.0.0.1"]);
        reach("http://169.254.169.254", false, &[metadata], &["169.254.169.253"]);
        reach("http://[::1]:80", true, &["::1"], &["127.0.0.1"]);
        // Numbers that only some resolvers take for an address are names here.
        for odd in ["http://2130706433", "http://0x7f.1", "http://127.1", "http://0177.0.0.1"] {
            reach(odd, false, &[], &["127.0.0.1"]);
        }
    }
}
