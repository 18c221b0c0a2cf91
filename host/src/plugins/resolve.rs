//! Which release of a plugin fits this host, and why the others do not.

use std::fmt;
use std::str::FromStr;

use hermes_provider_api::metadata::TARGET;
use semver::{Version, VersionReq};

use super::catalog::{AbiVersion, Artifact, Blocklist, Entry, Release};
use crate::error::Hint;

/// What a plugin has to fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform {
    /// The host's version.
    pub host: Version,
    /// The boundary that it was built with.
    pub abi: AbiVersion,
    /// The target triple that it was built for.
    pub target: String,
}

impl Platform {
    /// This program.
    #[must_use]
    pub fn current() -> Self {
        let host = Version::parse(env!("CARGO_PKG_VERSION")).expect("cargo takes only versions that semver reads");
        Self { host, abi: AbiVersion::HOST, target: TARGET.to_owned() }
    }

    /// Whether this host is in a range. A pre-release counts as the version that it leads to: semver's own rule would
    /// keep `0.2.0-dev` out of `>=0.1`.
    #[must_use]
    pub fn is_in(&self, range: &VersionReq) -> bool {
        let host = Version::new(self.host.major, self.host.minor, self.host.patch);
        range.matches(&host) || range.matches(&self.host)
    }
}

/// Which version is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Want {
    /// The newest that fits, and no pre-release.
    #[default]
    Newest,
    /// Only this one.
    Exactly(Version),
    /// The newest that fits of a range.
    Matching(VersionReq),
}

impl FromStr for Want {
    type Err = semver::Error;

    /// A whole version such as `1.2.0`, or a range such as `1`, `^1.2` or `>=1, <3`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match Version::parse(text) {
            Ok(version) => Ok(Self::Exactly(version)),
            Err(_) => VersionReq::parse(text).map(Self::Matching),
        }
    }
}

impl Want {
    /// Whether a version is one of those that are wanted.
    #[must_use]
    pub fn takes(&self, version: &Version) -> bool {
        match self {
            Self::Newest => version.pre.is_empty(),
            // Build metadata is no part of what a version means.
            Self::Exactly(wanted) => wanted.cmp_precedence(version).is_eq(),
            Self::Matching(range) => range.matches(version),
        }
    }
}

impl fmt::Display for Want {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newest => Ok(()),
            Self::Exactly(version) => write!(f, "@{version}"),
            Self::Matching(range) => write!(f, "@{range}"),
        }
    }
}

/// The release to install.
#[derive(Clone, Debug)]
pub struct Selected<'a> {
    /// The release.
    pub release: &'a Release,
    /// Its archive for this target.
    pub artifact: &'a Artifact,
    /// Newer releases that were wanted too and do not fit.
    pub passed_over: Vec<Miss>,
}

/// A release that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// The release.
    pub version: Version,
    /// Every reason.
    pub reasons: Vec<String>,
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.version, self.reasons.join("; "))
    }
}

/// No release fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoFit {
    /// The plugin.
    pub name: String,
    /// What was wanted.
    pub want: Want,
    /// What it had to fit.
    pub platform: Platform,
    /// The releases that were wanted, newest first, with their reasons.
    pub misses: Vec<Miss>,
    /// The other releases, newest first.
    pub unwanted: Vec<Version>,
    /// The newest of the others that fits; a pre-release only if there is nothing else.
    pub fits: Option<Version>,
}

impl std::error::Error for NoFit {}

impl fmt::Display for NoFit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, want, platform: Platform { host, abi, target }, misses, unwanted, .. } = self;
        let unwanted = unwanted.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        match (misses.as_slice(), want) {
            ([], _) if unwanted.is_empty() => write!(f, "the catalog has no release of `{name}`"),
            ([], Want::Newest) => write!(f, "the catalog has only pre-releases of `{name}`: {unwanted}"),
            ([], _) => write!(f, "the catalog has no release `{name}{want}`, only {unwanted}"),
            _ => {
                write!(f, "no release of `{name}{want}` fits hermes {host} with ABI {abi} on {target}")?;
                misses.iter().try_for_each(|miss| write!(f, "\n  {miss}"))
            }
        }
    }
}

impl Hint for NoFit {
    fn hints(&self) -> Vec<String> {
        let name = &self.name;
        let hint = match &self.fits {
            Some(version) => format!("this one fits: `hermes plugins install {name}@{version}`"),
            None if self.misses.is_empty() && self.unwanted.is_empty() => {
                "a catalog of sources is built with `cargo xtask dist`".to_owned()
            }
            None => format!("nothing in the catalog fits; `{name}` can be installed once a release does"),
        };
        vec![hint]
    }
}

/// Finds the newest release that is wanted and fits.
///
/// # Errors
/// Why each release is none.
pub fn resolve<'a>(
    entry: &'a Entry,
    platform: &Platform,
    blocklist: &Blocklist,
    want: &Want,
) -> Result<Selected<'a>, Box<NoFit>> {
    let mut releases: Vec<_> = entry.releases.iter().collect();
    releases.sort_by(|a, b| b.version.cmp(&a.version));
    let (wanted, others): (Vec<_>, Vec<_>) = releases.into_iter().partition(|release| want.takes(&release.version));
    let mut misses = Vec::new();
    for release in wanted {
        match fitting(release, platform, blocklist) {
            Ok(artifact) => return Ok(Selected { release, artifact, passed_over: misses }),
            Err(reasons) => misses.push(Miss { version: release.version.clone(), reasons }),
        }
    }
    let fits = others.iter().filter(|release| fitting(release, platform, blocklist).is_ok());
    Err(Box::new(NoFit {
        name: entry.name.clone(),
        want: want.clone(),
        platform: platform.clone(),
        misses,
        fits: fits.map(|release| &release.version).max_by_key(|version| (version.pre.is_empty(), *version)).cloned(),
        unwanted: others.iter().map(|release| release.version.clone()).collect(),
    }))
}

/// Every release, newest first, with each reason why it does not fit.
#[must_use]
pub fn releases<'a>(entry: &'a Entry, platform: &Platform, blocklist: &Blocklist) -> Vec<(&'a Release, Vec<String>)> {
    let reasons = |release| fitting(release, platform, blocklist).err().unwrap_or_default();
    let mut releases: Vec<_> = entry.releases.iter().map(|release| (release, reasons(release))).collect();
    releases.sort_by(|(a, _), (b, _)| b.version.cmp(&a.version));
    releases
}

/// The archive of a release that fits, or every reason why it does not.
fn fitting<'a>(release: &'a Release, platform: &Platform, blocklist: &Blocklist) -> Result<&'a Artifact, Vec<String>> {
    let mut reasons = Vec::new();
    if !platform.is_in(&release.requires_host) {
        reasons.push(format!("needs hermes {}", release.requires_host));
    }
    if release.abi.major != platform.abi.major {
        let older = if release.abi < platform.abi { "the plugin" } else { "hermes" };
        reasons.push(format!("is built for ABI {}, so {older} is the older side", release.abi));
    }
    if let Some(blocked) = blocklist.release(release, &platform.target) {
        reasons.push(format!("cannot be used: {blocked}"));
    }
    let artifact = release.artifacts.iter().find(|artifact| artifact.target == platform.target);
    match artifact {
        Some(artifact) if reasons.is_empty() => return Ok(artifact),
        Some(_) => {}
        None if release.artifacts.is_empty() => reasons.push("has no artifacts".to_owned()),
        None => {
            let targets: Vec<_> = release.artifacts.iter().map(|artifact| artifact.target.as_str()).collect();
            reasons.push(format!("is there only for {}", targets.join(", ")));
        }
    }
    Err(reasons)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn entry(releases: &str) -> Entry {
        let head = "name = 'notes'\ntitle = 'Notes'\ndescription = 'd'\nmaintainer = 'm'\ncategory = 'memory'\n";
        let text = format!("{head}licence = 'MIT'\n{releases}");
        Entry::parse(Path::new("notes.toml"), &text).unwrap().0
    }

    fn release(version: &str, requires_host: &str, abi: &str, target: &str) -> String {
        let digits = "ab".repeat(32);
        format!(
            "[[releases]]\nversion = '{version}'\nrequires_host = '{requires_host}'\nabi = '{abi}'\n\
             [[releases.artifacts]]\ntarget = '{target}'\npath = 'a.tar.gz'\nsha256 = '{digits}'\nsize = 1\n"
        )
    }

    fn platform() -> Platform {
        Platform {
            host: Version::new(0, 1, 0),
            abi: AbiVersion { major: 1, minor: 0 },
            target: "x86_64-unknown-linux-gnu".to_owned(),
        }
    }

    fn some_releases() -> Entry {
        let here = "x86_64-unknown-linux-gnu";
        entry(
            &[
                release("1.0.0", ">=0.1", "1.0", here),
                release("1.1.0-rc.1", "*", "1.0", here),
                release("0.9.0", "*", "1.0", here),
                release("1.3.0", "*", "1.0", "aarch64-apple-darwin"),
                release("1.2.0", ">=0.3", "2.0", here),
                release("1.0.1", "<2", "1.7", here),
            ]
            .concat(),
        )
    }

    #[track_caller]
    fn check(want: &str, expected: &str) {
        let want = if want.is_empty() { Want::Newest } else { want.parse().unwrap() };
        let entry = some_releases();
        let selected = resolve(&entry, &platform(), &Blocklist::default(), &want).unwrap();
        assert_eq!(selected.release.version.to_string(), expected);
    }

    #[test]
    fn the_newest_that_fits() {
        check("", "1.0.1");
        check("1.0.0", "1.0.0");
        check("1.0.0+build", "1.0.0");
        check("1", "1.0.1");
        check("<1", "0.9.0");
        check("1.1.0-rc.1", "1.1.0-rc.1");
    }

    #[test]
    fn newer_ones_that_do_not_fit_are_told() {
        let entry = some_releases();
        let selected = resolve(&entry, &platform(), &Blocklist::default(), &Want::Newest).unwrap();
        let passed: Vec<_> = selected.passed_over.iter().map(ToString::to_string).collect();
        assert_eq!(
            passed,
            [
                "1.3.0 is there only for aarch64-apple-darwin",
                "1.2.0 needs hermes >=0.3; is built for ABI 2.0, so hermes is the older side"
            ]
        );
    }

    #[test]
    fn a_host_that_is_a_pre_release_is_in_the_range_of_its_version() {
        let host = |version: &str| Platform { host: Version::parse(version).unwrap(), ..platform() };
        let range = VersionReq::parse(">=0.2, <0.3").unwrap();
        assert!(host("0.2.0-dev").is_in(&range) && host("0.2.9").is_in(&range));
        assert!(!host("0.1.9").is_in(&range) && !host("0.3.0-dev").is_in(&range));
    }

    #[track_caller]
    fn refused(entry: &Entry, blocklist: &Blocklist, want: &str) -> String {
        let want = if want.is_empty() { Want::Newest } else { want.parse().unwrap() };
        let error = resolve(entry, &platform(), blocklist, &want).unwrap_err();
        format!("{error}\n{}", error.hints().join("\n"))
    }

    #[test]
    fn why_nothing_fits() {
        insta::assert_snapshot!(refused(&some_releases(), &Blocklist::default(), ">=1.2"), @r"
        no release of `notes@>=1.2` fits hermes 0.1.0 with ABI 1.0 on x86_64-unknown-linux-gnu
          1.3.0 is there only for aarch64-apple-darwin
          1.2.0 needs hermes >=0.3; is built for ABI 2.0, so hermes is the older side
        this one fits: `hermes plugins install notes@1.0.1`
        ");
        insta::assert_snapshot!(refused(&some_releases(), &Blocklist::default(), "9"), @r"
        the catalog has no release `notes@^9`, only 1.3.0, 1.2.0, 1.1.0-rc.1, 1.0.1, 1.0.0, 0.9.0
        this one fits: `hermes plugins install notes@1.0.1`
        ");
        let early = entry(&release("1.0.0-rc.1", "*", "1.0", "x86_64-unknown-linux-gnu"));
        insta::assert_snapshot!(refused(&early, &Blocklist::default(), ""), @r"
        the catalog has only pre-releases of `notes`: 1.0.0-rc.1
        this one fits: `hermes plugins install notes@1.0.0-rc.1`
        ");
        insta::assert_snapshot!(refused(&entry(""), &Blocklist::default(), ""), @r"
        the catalog has no release of `notes`
        a catalog of sources is built with `cargo xtask dist`
        ");
        let newer = entry(&release("2.0.0", ">=0.3", "1.0", "x86_64-unknown-linux-gnu"));
        insta::assert_snapshot!(refused(&newer, &Blocklist::default(), ""), @r"
        no release of `notes` fits hermes 0.1.0 with ABI 1.0 on x86_64-unknown-linux-gnu
          2.0.0 needs hermes >=0.3
        nothing in the catalog fits; `notes` can be installed once a release does
        ");
        let mut blocklist = Blocklist::default();
        let removed = format!("[sha256]\n{} = 'leaks'", "ab".repeat(32));
        blocklist.add(Path::new("removed.toml"), &removed).unwrap();
        insta::assert_snapshot!(refused(&some_releases(), &blocklist, "1.0.0"), @r"
        no release of `notes@1.0.0` fits hermes 0.1.0 with ABI 1.0 on x86_64-unknown-linux-gnu
          1.0.0 cannot be used: the file with sha256 abababababab… is blocked by `removed.toml`: leaks
        nothing in the catalog fits; `notes` can be installed once a release does
        ");
    }
}
