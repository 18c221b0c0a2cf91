//! `hermes proxy` under load: what it adds to the time until an answer begins, and whether it loses or gathers anything.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hermes_tests::http::send;
use hermes_tests::model::ScriptedModel;
use serde_json::{Value, json};

use crate::Result;
use crate::programs::{program, run};

/// What asks for this in place of the other measurements.
pub(crate) const ARGUMENT: &str = "proxy";
/// Streams that ask the model itself meanwhile, for comparison.
const BARE: u32 = 40;
/// How long the model takes for a word.
const WORD: Duration = Duration::from_millis(25);

/// Measures, and answers a table. The numbers are how many streams there are, how many words an answer has, and for how
/// many seconds it is asked.
pub(crate) fn measure(hermes: &Path, catalog: &Path, numbers: [&str; 3]) -> Result<String> {
    let number = |text: &str| text.parse::<u32>().map_err(|error| format!("`{text}`: {error}"));
    let load = Load { streams: number(numbers[0])?, words: number(numbers[1])?, seconds: number(numbers[2])? };
    let home = tempfile::Builder::new().prefix("hermes-bench-").tempdir().map_err(text)?;
    let model = ScriptedModel::forgetful();
    let start = |arguments: &[&str]| {
        let mut command = program(hermes);
        command.args(arguments).env("HERMES_HOME", home.path()).env("HERMES_CATALOG", catalog);
        command
    };
    run(&mut start(&["memory", "setup", "holographic", "--yes"]))?;
    run(&mut start(&["config", "set", "model.base_url", &model.base()]))?;
    for number in 0..200 {
        let fact = format!("The garden of house {number} has a gate that opens with code {}", number * 37);
        run(&mut start(&["memory", "remember", &fact]))?;
    }
    let mut proxy = start(&["proxy", "--port", "0", "--json"]);
    let mut proxy = proxy.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().map_err(text)?;
    let measured = under(&mut proxy, &model, home.path(), &load);
    let _ = run(program("kill".as_ref()).arg(proxy.id().to_string()));
    let _ = proxy.wait();
    measured
}

struct Load {
    streams: u32,
    words: u32,
    seconds: u32,
}

impl Load {
    /// How long an answer takes.
    fn answer(&self) -> Duration {
        WORD * self.words
    }
}

/// What was seen of answers.
#[derive(Default)]
struct Seen {
    first: Mutex<Vec<Duration>>,
    answered: AtomicU64,
    failed: AtomicU64,
}

fn under(proxy: &mut Child, model: &ScriptedModel, home: &Path, load: &Load) -> Result<String> {
    let mut line = String::new();
    let out = proxy.stdout.take().ok_or("the proxy has no output")?;
    BufReader::new(out).read_line(&mut line).map_err(text)?;
    let ready: Value = serde_json::from_str(&line).map_err(|error| format!("the proxy did not start: {error}"))?;
    let base = ready["base_url"].as_str().unwrap_or_default();
    let address: SocketAddr = base
        .trim_start_matches("http://")
        .trim_end_matches("/v1")
        .parse()
        .map_err(|error| format!("{base}: {error}"))?;
    let env = std::fs::read_to_string(home.join(".env")).map_err(text)?;
    let token = env.lines().find_map(|line| line.strip_prefix("HERMES_PROXY_TOKEN=")).ok_or("there is no token")?;
    let bearer = format!("Bearer {token}");

    let time = Duration::from_secs(load.seconds.into());
    let (through, bare, until) = (Seen::default(), Seen::default(), Instant::now() + time);
    let mut sizes = Vec::new();
    std::thread::scope(|scope| {
        let (bearer, through, bare) = (&bearer, &through, &bare);
        for number in 0..load.streams {
            scope.spawn(move || {
                // Clients do not all begin at once.
                std::thread::sleep(load.answer() * number / load.streams);
                ask(address, Some((bearer, number)), load.words, through, until);
            });
        }
        for number in 0..BARE {
            scope.spawn(move || {
                std::thread::sleep(load.answer() * number / BARE);
                ask(model.address(), None, load.words, bare, until);
            });
        }
        while Instant::now() < until {
            std::thread::sleep(time / 10);
            sizes.push(resident(proxy.id()));
        }
    });
    let metrics = send(address, "GET", "/metrics", &[("authorization", &bearer)], "").and_then(|sent| sent.read());
    let metrics = metrics.map_err(text)?.text();
    let complete = metrics.lines().find_map(|line| line.strip_prefix("hermes_proxy_turns_total{ending=\"complete\"} "));
    let complete: u64 = complete.and_then(|count| count.parse().ok()).unwrap_or_default();
    let answered = through.answered.load(Ordering::Relaxed);
    let failed = through.failed.load(Ordering::Relaxed);
    let [p50, p99] = [50, 99].map(|part| (percentile(&through, part), percentile(&bare, part)));
    let millis =
        |(through, bare): (f64, f64)| format!("{through:.1} ms, bare {bare:.1} ms, added {:.1} ms", through - bare);
    Ok(format!(
        "| `hermes proxy`, {} streams for {} s, an answer takes {:.1} s | |\n|---|---|\n| first byte, p50 | {} |\n| first byte, p99 | {} |\n\
         | answers, failed | {answered}, {failed} |\n| turns on record | {complete} |\n| memory, after a fifth and at the end | {} MiB, {} MiB |\n",
        load.streams,
        load.seconds,
        load.answer().as_secs_f64(),
        millis(p50),
        millis(p99),
        sizes.get(1).copied().unwrap_or_default(),
        sizes.last().copied().unwrap_or_default(),
    ))
}

fn ask(to: SocketAddr, through: Option<(&str, u32)>, words: u32, seen: &Seen, until: Instant) {
    let (mut round, model) = (0, format!("slow-{words}"));
    while Instant::now() < until {
        round += 1;
        let question = format!("What is the code of the gate of house {}?", round % 200);
        let message = json!({"role": "user", "content": question});
        let body = json!({"model": model, "stream": true, "messages": [message]}).to_string();
        let session = through.map(|(_, number)| format!("load-{number}")).unwrap_or_default();
        let headers = through.map(|(bearer, _)| [("authorization", bearer), ("x-hermes-session", session.as_str())]);
        let headers = headers.as_ref().map_or(&[][..], |headers| &headers[..]);
        let answer = send(to, "POST", "/v1/chat/completions", headers, &body).and_then(|sent| sent.read());
        match answer {
            Ok(answer) if answer.whole && answer.text().contains("[DONE]") => {
                seen.answered.fetch_add(1, Ordering::Relaxed);
                if let Ok(mut first) = seen.first.lock() {
                    first.push(answer.first);
                }
            }
            _ => drop(seen.failed.fetch_add(1, Ordering::Relaxed)),
        }
    }
}

/// In milliseconds.
fn percentile(seen: &Seen, part: usize) -> f64 {
    let Ok(mut times) = seen.first.lock() else { return 0.0 };
    times.sort_unstable();
    let at = (times.len() * part / 100).min(times.len().saturating_sub(1));
    times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

/// How much memory a process has, in MiB; 0 where that is not told.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
    kib.and_then(|kib| kib.trim().parse::<u64>().ok()).unwrap_or_default() / 1024
}

fn text(error: impl ToString) -> String {
    error.to_string()
}
