//! The program `brv`: run, waited for, and understood.
//!
//! With `--format json` it prints an object per line: steps of its work, and at the end the outcome. Banners, colours and
//! progress may stand around them, and its exit status is 0 even when it fails, so only the last object counts.

use std::time::Duration;

use hermes_provider_api::host::{CommandOutput, CommandRequest};
use hermes_provider_api::{Call, ErrorKind, Host, ProviderError, Result};
use serde::Deserialize;
use serde_json::{Deserializer, Value};

pub(crate) const PROGRAM: &str = "brv";
/// How to get it.
const INSTALL: &str = "run `npm install -g byterover-cli`, then `hermes memory status --check`";
/// What helps where it takes long.
const SLOW: &str = "its first start takes long: try again, or give it more time with `hermes config set timeouts.health 3m`; \
     `brv restart` ends one that hangs, and recall goes on without it";
/// How to give it a model.
pub(crate) const CONNECT: &str =
    "run `brv providers connect`, or `brv login` to use ByteRover's own model; hermes needs no key for it";
/// How an error in its own words begins.
const SAYS: &str = "`brv` says: ";
/// The longest that it is given, less than the host waits for a delivery: an error of ours says more than a timeout.
const LONGEST: Duration = Duration::from_secs(110);
/// What is left of a call's time for everything but the program.
const MARGIN: Duration = Duration::from_secs(2);

/// The program of the user.
pub(crate) struct Brv {
    host: Host,
}

/// One object that it prints.
#[derive(Deserialize)]
struct Said {
    #[serde(rename = "command")]
    _command: String,
    success: bool,
    #[serde(default)]
    data: Value,
}

impl Brv {
    pub(crate) fn new(host: Host) -> Self {
        Self { host }
    }

    /// Whether it is there. It is not run.
    pub(crate) fn find(&self) -> Result<()> {
        self.host.find_program(PROGRAM).map(drop).map_err(told)
    }

    /// Runs it in a folder of the data folder, and answers with the `data` of its last word.
    pub(crate) fn run(&self, folder: &str, args: &[&str], call: &Call<'_>) -> Result<Value> {
        let limit = time_for(call)?;
        let output = self.host.command(&CommandRequest {
            program: PROGRAM.to_owned(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            folder: folder.to_owned(),
            timeout_ms: u64::try_from(limit.as_millis()).ok(),
            ..CommandRequest::default()
        });
        outcome(&output.map_err(told)?).inspect_err(|error| tracing::debug!(command = args[0], %error, "brv failed"))
    }

    /// The model that is connected in it.
    pub(crate) fn model(&self, call: &Call<'_>) -> Result<Option<String>> {
        let data = self.run("", &["providers", "--format", "json"], call)?;
        let text = |key: &str| data[key].as_str().unwrap_or_default();
        Ok((!text("providerId").is_empty()).then(|| match text("activeModel") {
            "" => text("providerName").to_owned(),
            model => format!("{model} of {}", text("providerName")),
        }))
    }
}

/// How long it may run in a call.
fn time_for(call: &Call<'_>) -> Result<Duration> {
    call.check()?;
    let left = call.remaining().unwrap_or(LONGEST).min(LONGEST).saturating_sub(MARGIN);
    // Whole seconds are what people read.
    let left = Duration::from_secs(left.as_secs());
    if left.is_zero() {
        return Err(ProviderError::new(ErrorKind::Timeout, "there was no time left to run `brv`"));
    }
    Ok(left)
}

/// What it is told to take for a task itself, in whole seconds, so that it has the last word and not a signal.
pub(crate) fn seconds_for(call: &Call<'_>) -> Result<String> {
    Ok(time_for(call)?.as_secs().saturating_sub(3).max(10).to_string())
}

/// A failure to run it. That it is missing may pass, when the user installs it: what was said meanwhile waits.
fn told(error: ProviderError) -> ProviderError {
    match error.kind {
        ErrorKind::NotFound => {
            ProviderError::new(ErrorKind::Unavailable, "`brv` is not installed, or not on PATH").hint(INSTALL)
        }
        ErrorKind::Timeout => error.hint(SLOW),
        _ => error,
    }
}

/// Whether it only stopped waiting for its daemon, which goes on with what it was given.
pub(crate) fn is_at_work(error: &ProviderError) -> bool {
    error.kind == ErrorKind::Timeout && error.message.starts_with(SAYS)
}

/// What it did, by its last word.
fn outcome(output: &CommandOutput) -> Result<Value> {
    let printed = anstream::adapter::strip_str(&output.stdout).to_string();
    let Some(Said { success, data, .. }) = last_word(&printed) else {
        let complaint = anstream::adapter::strip_str(&output.stderr).to_string();
        let line =
            [&complaint, &printed].into_iter().flat_map(|text| text.lines()).find(|line| !line.trim().is_empty());
        return Err(match line {
            Some(line) if line.contains('{') => failure("something that is no answer"),
            Some(line) => failure(line),
            None => failure(&format!("it ended with status {} and no word", output.status)),
        });
    };
    let says = |key: &str| data[key].as_str().unwrap_or_default();
    if !success || says("status") == "error" || says("event") == "error" {
        return Err(failure(
            ["error", "message"].map(says).into_iter().find(|text| !text.is_empty()).unwrap_or("it failed"),
        ));
    }
    match says("event") {
        "" | "completed" => Ok(data),
        _ => Err(failure("it ended in the middle of its work")),
    }
}

/// The last of its objects. What stands between them is no word of it.
fn last_word(printed: &str) -> Option<Said> {
    let (mut rest, mut last) = (printed, None);
    while let Some(at) = rest.find('{') {
        let mut objects = Deserializer::from_str(&rest[at..]).into_iter::<Value>();
        let found = objects.next().and_then(std::result::Result::ok);
        // Where it was no JSON, an object may begin within.
        rest = &rest[at + found.as_ref().map_or(1, |_| objects.byte_offset())..];
        last = found.and_then(|value| serde_json::from_value(value).ok()).or(last);
    }
    last
}

/// An error in its own words. All of them may pass: a text is not refused by `brv`, only by what it depends on.
fn failure(words: &str) -> ProviderError {
    let lower = words.to_lowercase();
    let has = |known: &[&str]| known.iter().any(|word| lower.contains(word));
    let line = hermes_text::truncate_chars(words.lines().next().unwrap_or_default().trim(), 300);
    let error = |kind| ProviderError::new(kind, format!("{SAYS}{line}"));
    if has(&["no provider", "api key", "unauthorized", "not authenticated", " 401", "key is missing"]) {
        error(ErrorKind::Unauthorized).hint(CONNECT)
    } else if has(&["insufficient", "credits", "quota", " 402"]) {
        error(ErrorKind::Quota).hint("see `brv status`, or connect another model with `brv providers connect`")
    } else if has(&["rate limit", "too many requests", " 429"]) {
        error(ErrorKind::RateLimited)
    } else if has(&["timed out", "timeout"]) {
        error(ErrorKind::Timeout)
    } else {
        error(ErrorKind::Unavailable).hint("see `brv status`; `brv restart` helps where it hangs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn fails(stdout: &str, stderr: &str, kind: ErrorKind, message: &str) {
        let output = CommandOutput { stdout: stdout.into(), stderr: stderr.into(), ..CommandOutput::default() };
        let error = outcome(&output).unwrap_err();
        assert_eq!((error.kind, error.message.as_str()), (kind, message));
        assert!(error.hint.is_some() || error.retryable, "{error:?}");
    }

    #[test]
    fn only_the_last_word_counts_whatever_stands_around_it() {
        let noise = "\u{1b}[33mUpdate available {3.14 → 3.15}\u{1b}[0m\n⠋ thinking {\n";
        let step = r#"{"command":"curate","data":{"event":"thinking"},"success":true}"#;
        let end =
            "{\n \"command\": \"curate\",\n \"data\": {\"event\": \"completed\", \"n\": 1},\n \"success\": true }";
        let stdout = format!("{noise}{step}\n{{\"other\": 1}}\n\u{1b}[32m{end}\u{1b}[0m\nBye {{}}\n");
        let output = CommandOutput { status: 3, stdout, ..CommandOutput::default() };
        assert_eq!(outcome(&output).unwrap()["n"], 1);
        fails(&format!("{noise}{step}"), "", ErrorKind::Unavailable, "`brv` says: it ended in the middle of its work");
    }

    #[test]
    fn a_failure_is_told_whatever_the_exit_status() {
        let json = |data: &str| format!(r#"{{"command":"query","data":{data},"success":false}}"#);
        fails(
            &json(r#"{"error":"No provider connected. Run \"brv providers connect byterover\"","status":"error"}"#),
            "",
            ErrorKind::Unauthorized,
            "`brv` says: No provider connected. Run \"brv providers connect byterover\"",
        );
        let late = json(r#"{"event":"error","message":"Task timed out after 10s"}"#);
        fails(&late, "", ErrorKind::Timeout, "`brv` says: Task timed out after 10s");
        let many = json(r#"{"error":"Error: 429 Too Many Requests\nat x"}"#);
        fails(&many, "", ErrorKind::RateLimited, "`brv` says: Error: 429 Too Many Requests");
        let broke = json(r#"{"error":"Insufficient credits"}"#);
        fails(&broke, "", ErrorKind::Quota, "`brv` says: Insufficient credits");
        fails("", "\nnode: not found\n", ErrorKind::Unavailable, "`brv` says: node: not found");
        fails("{{{{ \u{fffd}", "", ErrorKind::Unavailable, "`brv` says: something that is no answer");
        fails("", "", ErrorKind::Unavailable, "`brv` says: it ended with status 0 and no word");
    }
}
