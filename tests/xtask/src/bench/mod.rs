//! The tables of `BENCHMARKS.md`: built as for users, measured on this machine, beside the Python peer where it is there.

mod facts;
mod peer;
mod proxy;
mod sessions;
mod tables;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde::Deserialize;

use crate::cargo::{self, Profile};
use crate::{Result, say};
pub(crate) use facts::run as facts;
pub(crate) use peer::Peer;
pub(crate) use proxy::run as proxy;
pub(crate) use sessions::run as sessions;

const REPORT: &str = "BENCHMARKS.md";

/// A time that was taken often, in microseconds.
#[derive(Deserialize, Clone, Copy)]
struct Time {
    p50_us: f64,
    p95_us: f64,
}

/// Times by what was measured.
type Times = BTreeMap<String, Time>;

pub(crate) fn run(quick: bool, peer: Option<&Peer>) -> Result<()> {
    say("building hermes and what measures it, optimised");
    let built = cargo::build_all(&["hermes-host", "hermes-provider-holographic", "hermes-bench"], Profile::Release)?;
    let file = |target: &str| built.get(target).ok_or_else(|| format!("cargo named no file for `{target}`"));
    let (hermes, holographic) = (file("hermes")?, file("hermes_provider_holographic")?);
    let mut command = cargo::command(file("hermes_bench")?);
    command.arg("--hermes").arg(hermes).arg("--holographic").arg(holographic);
    command.arg("--echo").arg(file("hermes_bench_echo")?);
    if quick {
        command.arg("--quick");
    }
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("the measurement: {error}"))?;
    if !output.status.success() {
        return Err("nothing was measured".to_owned());
    }
    let times = read(&output.stdout)?;
    let peer_times = peer.map(|peer| peer.measure(quick)).transpose()?.unwrap_or_default();

    let path = cargo::root().join(REPORT);
    let mut text = fs::read_to_string(&path).map_err(|error| format!("`{REPORT}`: {error}"))?;
    let written = [
        ("machine", tables::machine(peer.is_some())),
        ("overhead", tables::overhead(&times)?),
        ("turn", tables::turn(&times, &peer_times)?),
        ("outbox", tables::outbox(&times)?),
        ("load", tables::load(&times)?),
        ("start", tables::start(&times, &peer_times)?),
        ("recall", tables::recall(&times, &peer_times)?),
        ("size", tables::size(&[("`hermes`", hermes), ("`holographic`, the library", holographic)])?),
    ];
    for (name, table) in written {
        text = replaced(&text, name, &table)?;
    }
    fs::write(&path, text).map_err(|error| format!("`{REPORT}`: {error}"))?;
    say(&format!("written to {REPORT}"));
    Ok(())
}

/// What the program that measures prints when it is asked so.
fn told(arguments: impl IntoIterator<Item = OsString>, profile: Profile) -> Result<String> {
    let built = cargo::build_all(&["hermes-bench"], profile)?;
    let program = built.get("hermes_bench").ok_or("cargo named no file for `hermes_bench`")?;
    let output = cargo::command(program).args(arguments).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("the measurement: {error}"))?;
    if !output.status.success() {
        return Err("nothing was measured".to_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn read(json: &[u8]) -> Result<Times> {
    #[derive(Deserialize)]
    struct Measured {
        what: String,
        #[serde(flatten)]
        time: Time,
    }
    let measured: Vec<Measured> = serde_json::from_slice(json).map_err(|error| format!("the measurement: {error}"))?;
    Ok(measured.into_iter().map(|Measured { what, time }| (what, time)).collect())
}

/// The text with another table between the marks of this name.
fn replaced(text: &str, name: &str, table: &str) -> Result<String> {
    let (begin, end) = (format!("<!-- bench:{name} -->\n"), "<!-- end -->");
    let parts = text.split_once(&begin).and_then(|(head, rest)| Some((head, rest.split_once(end)?.1)));
    let (head, tail) = parts.ok_or_else(|| format!("`{REPORT}` has no place `{}`", begin.trim_end()))?;
    Ok(format!("{head}{begin}{table}{end}{tail}"))
}

/// The size of a file.
fn bytes(path: &Path) -> Result<u64> {
    fs::metadata(path).map(|metadata| metadata.len()).map_err(|error| format!("`{}`: {error}", path.display()))
}
