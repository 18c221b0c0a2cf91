//! What the provider can be told to do: a word, and for some a rest.

use std::io::Write as _;
use std::panic::{catch_unwind, panic_any, resume_unwind};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use hermes_provider_api::host::{CommandRequest, HttpRequest};
use hermes_provider_api::{Call, ErrorKind, Host, ProviderError};
use serde_json::{Value, json};

/// Does it, and answers with a text if it comes back.
pub(crate) fn run(deed: &str, host: &Host, folder: &Path, call: &Call<'_>) -> Result<String, ProviderError> {
    let (word, rest) = deed.split_once(' ').unwrap_or((deed, ""));
    match word {
        "panic" => panic!("it hit a wall: {rest}"),
        "panic-number" => panic_any(7_u32),
        "panic-payload" => panic_any(PanicsInDrop),
        "panic-resumed" => {
            let _ = catch_unwind(|| panic!("this one is caught"));
            resume_unwind(Box::new("this one is not"));
        }
        "panic-thread" => {
            let ended = std::thread::spawn(|| panic!("a thread hit a wall")).join();
            Ok(format!("the thread ended well: {}", ended.is_ok()))
        }
        "error" => {
            let kind = serde_json::from_value(Value::from(rest)).unwrap_or_default();
            Err(ProviderError::new(kind, format!("told to fail: {rest}")).hint("tell it otherwise"))
        }
        "down" if folder.join("release").exists() => Ok(deed.to_owned()),
        "down" => Err(ProviderError::new(ErrorKind::Unavailable, "the service is down")),
        "wait" => wait(folder, || call.check()),
        "wait-deaf" => wait(folder, || Ok(())),
        "huge" => Ok("x".repeat(rest.parse::<usize>().unwrap_or(100) << 20)),
        "abort" => std::process::abort(),
        "segfault" => segfault(),
        "overflow" => Ok(overflow(0).to_string()),
        #[expect(clippy::exit, reason = "this is the fault")]
        "exit" => std::process::exit(0),
        "print" => print(rest),
        "allocate" => Ok(vec![1_u8; isize::MAX.unsigned_abs() / 2].len().to_string()),
        "leak" => {
            std::mem::forget(vec![1_u8; 64 << 20]);
            Ok("leaked".to_owned())
        }
        "child" => child(),
        "log" => {
            tracing::info!(answer = 42, "an event of {rest}");
            tracing::trace!("too fine to keep, of {rest}");
            log::warn!("a record of {rest}");
            Ok("logged".to_owned())
        }
        "services" => Ok(services(host).to_string()),
        "secret" => tell_secret(rest, &secret(host)),
        _ => Ok(deed.to_owned()),
    }
}

/// A payload that makes the guard panic a second time when it is thrown away, with another of its kind.
struct PanicsInDrop;

impl Drop for PanicsInDrop {
    fn drop(&mut self) {
        panic_any(Self);
    }
}

/// Until the test says `release`, or has gone away, or `go_on` fails.
fn wait(folder: &Path, go_on: impl Fn() -> Result<(), ProviderError>) -> Result<String, ProviderError> {
    while folder.exists() && !folder.join("release").exists() {
        go_on()?;
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok("released".to_owned())
}

fn segfault() -> ! {
    #[expect(unsafe_code, reason = "this is the fault")]
    // SAFETY: none: nothing is mapped at this address, and the process is meant to end here.
    unsafe {
        std::ptr::without_provenance_mut::<u64>(8).write_volatile(1);
    }
    unreachable!("the address was mapped")
}

#[expect(unconditional_recursion, reason = "this is the fault")]
fn overflow(depth: u64) -> u64 {
    let room = std::hint::black_box([depth; 64]);
    overflow(depth + 1) + room[0]
}

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "this is the fault")]
fn print(token: &str) -> Result<String, ProviderError> {
    println!("println {token}");
    eprintln!("eprintln {token}");
    let storage = |error: std::io::Error| ProviderError::storage(error.to_string());
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(b"\0\xff\x01 bytes of no frame\n").map_err(storage)?;
    stdout.write_all(format!("raw {token}\n").as_bytes()).map_err(storage)?;
    stdout.flush().map_err(storage)?;
    Ok("printed".to_owned())
}

/// Starts a program that outlives every test, holding all descriptors that it can get.
fn child() -> Result<String, ProviderError> {
    #[expect(clippy::disallowed_methods, reason = "this is the fault")]
    let child = Command::new("/bin/sleep").arg("100000").stdin(Stdio::inherit()).spawn();
    let child = child.map_err(|error| ProviderError::new(ErrorKind::Internal, error.to_string()))?;
    Ok(child.id().to_string())
}

/// The secret that it was granted; empty without one.
pub(crate) fn secret(host: &Host) -> String {
    let secret = host.secret("FAULTY_KEY").ok().flatten();
    secret.map(|secret| secret.expose().to_owned()).unwrap_or_default()
}

/// Tells the secret in the way that is asked for.
#[expect(clippy::print_stderr, reason = "this is the fault")]
fn tell_secret(how: &str, secret: &str) -> Result<String, ProviderError> {
    match how {
        "error" => Err(ProviderError::new(ErrorKind::InvalidInput, format!("401 for {secret}")).hint(secret)),
        "log" => {
            tracing::warn!(key = secret, "signed in with {secret}");
            Ok("logged".to_owned())
        }
        "print" => {
            eprintln!("signed in with {secret}");
            Ok("printed".to_owned())
        }
        "panic" => panic!("not signed in with {secret}"),
        "abort" => {
            eprintln!("not signed in with {secret}");
            std::process::abort()
        }
        // Also as the name of a field, for a caller that wants an object.
        _ => Ok(json!({"key": secret, secret: [secret]}).to_string()),
    }
}

/// What each host service answers.
fn services(host: &Host) -> Value {
    fn show(result: Result<impl Into<Value>, ProviderError>) -> Value {
        result.map_or_else(|error| json!({"kind": error.kind, "message": error.message}), Into::into)
    }
    let text = |value: Option<hermes_provider_api::Secret>| value.map(|secret| secret.expose().to_owned());
    let http = HttpRequest { url: "https://memory.example/v1".to_owned(), ..HttpRequest::default() };
    let command = CommandRequest { program: "sh".to_owned(), ..CommandRequest::default() };
    json!({
        "now": host.now(),
        "config": show(host.config::<Value>()),
        "data_dir": show(host.data_dir().map(|path| path.display().to_string())),
        "secret": show(host.secret("FAULTY_KEY").map(text)),
        "other secret": show(host.secret("OTHER_KEY").map(text)),
        "http": show(host.http(&http).map(|answer| answer.status)),
        "command": show(host.command(&command).map(|output| output.status)),
        "file": show(host.read_file("notes_dir", "a.md")),
    })
}
