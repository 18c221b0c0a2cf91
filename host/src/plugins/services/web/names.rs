//! Looking up a host once, and refusing it when any of its addresses lies where the grant does not reach.

use std::fmt;
use std::io;
use std::sync::Arc;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::origin::{Origin, origin};
use super::reach::Reach;

/// Asks another resolver, and hands on what it says as a whole or not at all. The connection is made to these very
/// addresses, so a name that leads elsewhere a moment later changes nothing.
pub(super) struct Guarded {
    /// The host that is called.
    pub(super) target: Origin,
    /// How far it may lead.
    pub(super) reach: Reach,
    /// Whether a proxy is asked for the target. It looks the name up itself, so only its own name is asked for here, and
    /// where the user's proxy lies is the user's business.
    pub(super) proxied: bool,
    pub(super) names: Arc<dyn Resolver>,
}

/// An address was refused. An error of its own, so that it can be told from a host that cannot be reached.
#[derive(Debug, thiserror::Error)]
#[error("an address of it lies where this grant does not reach")]
pub(super) struct OutOfReach;

impl Resolver for Guarded {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.names.resolve(uri, config, timeout)?;
        let is_target = origin(uri).is_ok_and(|asked| asked.1 == self.target.1 && asked.2 == self.target.2);
        if self.proxied && !is_target || found.iter().all(|address| self.reach.includes(address.ip())) {
            return Ok(found);
        }
        Err(ureq::Error::Io(io::Error::other(OutOfReach)))
    }
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guarded").field("reach", &self.reach).finish_non_exhaustive()
    }
}

/// Whether a request failed for an address that was refused.
pub(super) fn is_out_of_reach(error: &ureq::Error) -> bool {
    matches!(error, ureq::Error::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<OutOfReach>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything lies at home.
    #[derive(Debug)]
    struct AtHome;

    impl Resolver for AtHome {
        fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
            let mut found = self.empty();
            found.push(([10, 0, 0, 1], 1).into());
            Ok(found)
        }
    }

    #[test]
    fn the_users_proxy_may_lie_at_home_and_what_is_called_may_not() {
        let target: Uri = "https://api.example".parse().unwrap();
        let proxy: Uri = "http://proxy.lan:3128".parse().unwrap();
        let ask = |proxied: bool, uri: &Uri| {
            let target = origin(&target).unwrap();
            let guarded = Guarded { target, reach: Reach::Public, proxied, names: Arc::new(AtHome) };
            guarded.resolve(uri, &Config::default(), NextTimeout::default()).map(drop)
        };
        assert!(ask(true, &proxy).is_ok());
        // A proxy that wants an address instead of a name.
        assert!(is_out_of_reach(&ask(true, &target).unwrap_err()));
        assert!(is_out_of_reach(&ask(false, &target).unwrap_err()));
        assert!(is_out_of_reach(&ask(false, &proxy).unwrap_err()), "without a proxy there is no other name to ask for");
    }
}
