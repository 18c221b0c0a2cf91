//! From times to tables: ratios to something that was measured in the same run, and the medians beside them.

use std::fmt::Write as _;
use std::path::Path;

use super::{Time, Times, bytes};
use crate::Result;

/// The ways of loading: as they are measured, and as a reader calls them.
const LOADERS: [(&str, &str); 2] = [("in_process", "in process"), ("process", "in a worker")];

/// Bytes of a message, and their name.
const SIZES: [(&str, &str); 2] = [("64", "64 B"), ("16384", "16 KiB")];

/// The most that a call may cost beside the provider's work, in microseconds, by the way of loading.
const GOALS: [f64; 2] = [20.0, 60.0];

fn time(times: &Times, what: &str) -> Result<Time> {
    times.get(what).copied().ok_or_else(|| format!("`{what}` was not measured"))
}

/// Microseconds with as many digits as mean something.
fn shown(micros: f64) -> String {
    match micros {
        _ if micros < 100.0 => format!("{micros:.1} µs"),
        _ if micros < 1_000.0 => format!("{micros:.0} µs"),
        _ if micros < 100_000.0 => format!("{:.1} ms", micros / 1e3),
        _ => format!("{:.0} ms", micros / 1e3),
    }
}

fn ratio(of: f64, to: f64) -> String {
    let ratio = of / to;
    if ratio < 10.0 { format!("{ratio:.1}×") } else { format!("{ratio:.0}×") }
}

/// How much the peer takes, and how many times ours that is.
fn beside(ours: Time, peer: Option<&Time>) -> String {
    peer.map_or_else(
        || "not measured | –".to_owned(),
        |peer| format!("{} | **{}**", shown(peer.p50_us), ratio(peer.p50_us, ours.p50_us)),
    )
}

pub(super) fn machine(with_peer: bool) -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name));
    let peer = if with_peer { "" } else { " The peer was not measured." };
    format!("Last run: {cores} cores, {}, `hermes` {}.{peer}\n", model.unwrap_or("unknown"), env!("CARGO_PKG_VERSION"))
}

pub(super) fn overhead(times: &Times) -> Result<String> {
    let mut table = "| where the provider runs | message | bare hand-over | one call: median | p95 | × bare | goal |\n\
                     |---|---|---|---|---|---|---|\n"
        .to_owned();
    for ((loader, name), (bare, goal)) in LOADERS.into_iter().zip([("threads", GOALS[0]), ("pipe", GOALS[1])]) {
        for (size, size_name) in SIZES {
            let call = time(times, &format!("call/{loader}/{size}"))?;
            let bare = time(times, &format!("{bare}/{size}"))?;
            let _ = writeln!(
                table,
                "| {name} | {size_name} | {} | {} | {} | {} | < {goal} µs: {} |",
                shown(bare.p50_us),
                shown(call.p50_us),
                shown(call.p95_us),
                ratio(call.p50_us, bare.p50_us),
                met(call.p50_us < goal),
            );
        }
    }
    Ok(table)
}

fn met(is_met: bool) -> &'static str {
    if is_met { "met" } else { "**missed**" }
}

pub(super) fn turn(times: &Times, peer: &Times) -> Result<String> {
    let mut table = "| where the provider runs | message and answer | one turn: median | p95 | before the answer | \
                     its rows alone | without its rows | the peer's turn | the peer takes |\n\
                     |---|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for ((loader, name), goal) in LOADERS.into_iter().zip(GOALS) {
        for (size, size_name) in SIZES {
            let part = |what: &str| time(times, &format!("{what}/{loader}/{size}"));
            let (turn, before, rows) = (part("turn")?, part("turn-begin")?, part("turn-rows")?);
            let rest = (turn.p50_us - rows.p50_us).max(0.0);
            // The peer's message has some hundred bytes.
            let peer = peer.get("turn").filter(|_| size == "64");
            let peer = if size == "64" { beside(turn, peer) } else { "– | –".to_owned() };
            let _ = writeln!(
                table,
                "| {name} | {size_name} | {} | {} | {} | {} | {} (< {goal} µs: {}) | {peer} |",
                shown(turn.p50_us),
                shown(turn.p95_us),
                shown(before.p50_us),
                shown(rows.p50_us),
                shown(rest),
                met(rest < goal),
            );
        }
    }
    Ok(table)
}

pub(super) fn outbox(times: &Times) -> Result<String> {
    let sync = time(times, "outbox/sync")?;
    let mut table = "| what | median | p95 | × one sync | a second | goal |\n|---|---|---|---|---|---|\n".to_owned();
    let goal = |is_met: bool, goal: &str| format!("{goal}: {}", met(is_met));
    let push = time(times, "outbox/push")?;
    let together = time(times, "outbox/together")?;
    let rows = [
        ("a bare write of as many bytes, and its sync", "outbox/sync", "–".to_owned()),
        ("one turn, one caller", "outbox/push", goal(push.p50_us <= 1.3 * sync.p50_us, "≤ 1.3×")),
        ("one turn of 16 callers at once", "outbox/together", goal(together.p50_us <= 500.0, "≥ 2 000 a second")),
        ("one turn delivered", "outbox/delivered", "–".to_owned()),
    ];
    for (name, what, goal) in rows {
        let took = time(times, what)?;
        let _ = writeln!(
            table,
            "| {name} | {} | {} | {} | {:.0} | {goal} |",
            shown(took.p50_us),
            shown(took.p95_us),
            ratio(took.p50_us, sync.p50_us),
            1e6 / took.p50_us,
        );
    }
    Ok(table)
}

pub(super) fn load(times: &Times) -> Result<String> {
    let nothing = time(times, "start/nothing")?.p50_us;
    let mut table =
        "| where the provider runs | its hash | median | p95 | × an empty process |\n|---|---|---|---|---|\n"
            .to_owned();
    for (loader, name) in LOADERS {
        for (hash, hash_name) in [("cold", "computed"), ("cached", "remembered")] {
            let load = time(times, &format!("load/{loader}/{hash}"))?;
            let _ = writeln!(
                table,
                "| {name} | {hash_name} | {} | {} | {} |",
                shown(load.p50_us),
                shown(load.p95_us),
                ratio(load.p50_us, nothing),
            );
        }
    }
    Ok(table)
}

pub(super) fn start(times: &Times, peer: &Times) -> Result<String> {
    let nothing = time(times, "start/nothing")?;
    let mut table = "| command | median | p95 | × an empty process | goal | the peer's | the peer takes |\n\
                     |---|---|---|---|---|---|---|\n"
        .to_owned();
    let _ = writeln!(table, "| `true` | {} | {} | 1.0× | – | – | – |", shown(nothing.p50_us), shown(nothing.p95_us));
    for (what, command, goal_ms) in
        [("start/version", "hermes --version", 5.0), ("start/status", "hermes memory status", 15.0)]
    {
        let start = time(times, what)?;
        let _ = writeln!(
            table,
            "| `{command}` | {} | {} | {} | < {goal_ms} ms: {} | {} |",
            shown(start.p50_us),
            shown(start.p95_us),
            ratio(start.p50_us, nothing.p50_us),
            met(start.p50_us < goal_ms * 1e3),
            beside(start, peer.get(what)),
        );
    }
    Ok(table)
}

pub(super) fn recall(times: &Times, peer: &Times) -> Result<String> {
    let mut table = "| facts | where the provider runs | median | p95 | the peer's, vectors | the peer takes | \
                     the peer's, words | the peer takes |\n|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for (facts, shown_facts) in [("1000", "1 000"), ("10000", "10 000")] {
        for (loader, name) in LOADERS {
            let recall = time(times, &format!("recall/{loader}/{facts}"))?;
            let beside = |way| beside(recall, peer.get(&format!("recall/{way}/{facts}")));
            let _ = writeln!(
                table,
                "| {shown_facts} | {name} | {} | {} | {} | {} |",
                shown(recall.p50_us),
                shown(recall.p95_us),
                beside("vectors"),
                beside("words"),
            );
        }
    }
    Ok(table)
}

pub(super) fn size(files: &[(&str, &Path)]) -> Result<String> {
    let mut table = "| file | size |\n|---|---|\n".to_owned();
    for (name, path) in files {
        #[expect(clippy::cast_precision_loss, reason = "a size to read")]
        let mib = bytes(path)? as f64 / f64::from(1 << 20);
        let _ = writeln!(table, "| {name} | {mib:.1} MiB |");
    }
    Ok(table)
}
