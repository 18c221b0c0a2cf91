//! Which paths a worker reaches: Landlock, down to the version that the kernel has.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreated,
    RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
};

use super::{Confine, ConfineError, Folders, Kernel, Piece};

/// The newest version whose rights are known here. What an older kernel lacks is left out of the rules.
const NEWEST: ABI = ABI::V10;

/// Libraries that the provider's may need, and where the loader finds them.
const LIBRARIES: [&str; 10] = [
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libx32",
    "/usr/local/lib",
    "/etc/ld.so.cache",
];

/// Random numbers and time zones.
const ANYBODYS: [&str; 4] = ["/dev/urandom", "/dev/random", "/usr/share/zoneinfo", "/etc/localtime"];

/// Names of hosts and certificates, for who opens connections. A file that is replaced later cannot be read.
const NETWORK: [&str; 13] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/ssl/certs",
    "/etc/ssl/cert.pem",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted",
    "/etc/ca-certificates/extracted",
    "/usr/share/ca-certificates",
];

pub(super) fn restrict(confine: &Confine, folders: &Folders<'_>, kernel: &Kernel) -> Result<(), ConfineError> {
    if !kernel.has(Piece::Landlock) {
        return Ok(());
    }
    let status = rules(confine, folders).and_then(|rules| rules.restrict_self().map_err(failed))?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err(failed("the kernel took no rule")),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
    }
}

fn rules(confine: &Confine, folders: &Folders<'_>) -> Result<RulesetCreated, ConfineError> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(NEWEST))
        .and_then(|rules| rules.scope(Scope::from_all(NEWEST)))
        .map_err(failed)?;
    if !confine.direct_network {
        rules = rules.handle_access(AccessNet::from_all(NEWEST)).map_err(failed)?;
    }
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let mut rules = rules
        .create()
        .and_then(|rules| rules.add_rules(path_beneath_rules(LIBRARIES.iter().chain(&ANYBODYS), read)))
        .and_then(|rules| rules.add_rules(path_beneath_rules(["/dev/null"], read | AccessFs::WriteFile)))
        .map_err(failed)?;
    if confine.direct_network {
        rules = rules.add_rules(path_beneath_rules(NETWORK, read)).map_err(failed)?;
    }
    // These two must be there, the ones above need not.
    let folders = [(folders.package, read), (folders.data, own_folder())];
    for (folder, access) in folders {
        let folder = PathFd::new(folder).map_err(failed)?;
        rules = rules.add_rule(PathBeneath::new(folder, access)).map_err(failed)?;
    }
    Ok(rules)
}

/// Files and folders. No links that could lead the user's other programs astray, no sockets, pipes and devices, and
/// nothing is run.
fn own_folder() -> BitFlags<AccessFs> {
    AccessFs::ReadFile
        | AccessFs::ReadDir
        | AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir
        | AccessFs::Refer
}

fn failed(error: impl std::fmt::Display) -> ConfineError {
    ConfineError::step("Landlock", error)
}
