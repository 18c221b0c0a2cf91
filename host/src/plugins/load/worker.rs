//! A provider in a worker process, seen from the host.
//!
//! Two threads serve the pipes: one writes what a worker does not take at once, and one reads and runs what waits for an
//! answer. Two more wait for what the worker prints and for its end, when every call in flight learns why.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_provider_api::{ErrorKind, Hook, Host, ProviderError, Services};
use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde_json::value::RawValue;

use super::Plugin;
use super::instance::{Done, Fault, Instance, MAX_REPLY};
use super::limits::millis;
use super::outgoing::Outgoing;
use super::serve::WORKER_ARGUMENT;
use super::wire::{self, Call, Hello, Kind, MAGIC, PROTOCOL, ServiceCall, Welcome};
use crate::secrets::Mask;

/// How many of the worker's last lines are kept for the report of a crash.
const LAST_LINES: usize = 5;

/// How long the end of a pipe and the end of the process may lie apart.
const BETWEEN_ENDS: Duration = Duration::from_millis(100);

/// How long after its end its last answers are read. They are in the pipe already; only a process that it started, and
/// that left its group, can keep the pipe open for longer.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// How many host services run at once for one worker. Each has a thread.
const MAX_SERVICES: usize = 64;

/// A worker process and what waits for it.
pub(super) struct Worker {
    shared: Arc<Shared>,
    outgoing: Outgoing,
    next: AtomicU32,
}

struct Shared {
    pid: Pid,
    pending: Mutex<Pending>,
    /// Why the host killed it, if it did.
    killed: Mutex<Option<String>>,
    last_lines: Mutex<VecDeque<String>>,
    /// Its number may belong to another process.
    reaped: Mutex<bool>,
}

/// Calls in flight; once the worker is gone, how it ended.
type Pending = Result<HashMap<u32, Done>, Fault>;

impl Worker {
    /// Starts a worker, which checks the library again, loads it and opens the provider. What it prints is kept without
    /// the secrets of `mask`.
    pub(super) fn open(plugin: &Plugin, executable: &Path, limit: Duration, mask: &Mask) -> Result<Self, Fault> {
        let unloadable = |what: &str, error: std::io::Error| Fault::Unloadable(format!("{what}: {error}"));
        // What the provider is told is what it is confined to; asking also makes the folder.
        let data = Host::new(Arc::clone(&plugin.services)).data_dir();
        let data = data.map_err(|error| Fault::Unloadable(format!("its data folder: {}", error.message)))?;
        #[expect(clippy::disallowed_methods, reason = "the worker is the host itself in another role")]
        let mut child = Command::new(executable)
            .arg(WORKER_ARGUMENT)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| unloadable("the worker cannot be started", error))?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Fault::Unloadable("the worker has no pipes".to_owned()));
        };
        let shared = Arc::new(Shared {
            pid: Pid::from_child(&child),
            pending: Mutex::new(Ok(HashMap::new())),
            killed: Mutex::default(),
            last_lines: Mutex::default(),
            reaped: Mutex::new(false),
        });
        let name = format!("worker {}", plugin.metadata.id);
        let outgoing = Outgoing::through(stdin.into()).map_err(|error| unloadable("its pipe", error));
        let (outgoing, write) = outgoing?;
        spawn(&name, write)?;
        let (all_printed, printed) = sync_channel(1);
        let lines = Arc::clone(&shared);
        let (id, mask) = (plugin.metadata.id.clone(), mask.clone());
        spawn(&name, move || {
            keep_lines(&lines, &id, &mask, stderr);
            let _ = all_printed.send(());
        })?;
        let (has_ended, ended) = sync_channel(1);
        let (all_read, read_out) = sync_channel(1);
        let waiter = Arc::clone(&shared);
        spawn(&name, move || {
            wait_for_end(waiter.pid);
            let _ = has_ended.send(());
            let _ = read_out.recv_timeout(LAST_ANSWERS);
            waiter.end(child, &printed);
        })?;
        let (reader, replies) = (Arc::clone(&shared), outgoing.clone());
        let services = Arc::clone(&plugin.services);
        spawn(&name, move || {
            read(&reader, &replies, &services, stdout);
            replies.close();
            let _ = all_read.send(());
            if ended.recv_timeout(BETWEEN_ENDS) == Err(RecvTimeoutError::Timeout) {
                reader.kill("it closed its pipe and lived on".to_owned());
            }
        })?;

        let worker = Self { shared, outgoing, next: AtomicU32::new(1) };
        worker.greet(plugin, data, limit)?;
        Ok(worker)
    }

    fn greet(&self, plugin: &Plugin, data: PathBuf, limit: Duration) -> Result<(), Fault> {
        let hello = Hello {
            magic: MAGIC.to_owned(),
            protocol: PROTOCOL,
            features: Vec::new(),
            library: plugin.library.clone(),
            sha256: plugin.sha256.clone(),
            metadata: plugin.metadata.clone(),
            open: plugin.open.clone(),
            data,
            confine: plugin.confine.clone(),
        };
        let (send, receive) = sync_channel(1);
        self.request(Kind::Hello, &hello, Box::new(move |outcome| drop(send.send(outcome))));
        let Ok(outcome) = receive.recv_timeout(limit) else {
            self.shared.kill(format!("it did not open within {} s", limit.as_secs_f32()));
            return Err(Fault::Unloadable(format!("it did not open within {} s", limit.as_secs_f32())));
        };
        let welcome: Welcome = serde_json::from_slice(&outcome?)
            .map_err(|error| Fault::Unloadable(format!("the worker's greeting cannot be read: {error}")))?;
        if welcome.magic != MAGIC || welcome.protocol != PROTOCOL {
            self.shared.kill("it speaks another protocol".to_owned());
            return Err(Fault::Unloadable(format!(
                "the worker speaks protocol {}, this host speaks {PROTOCOL}: both must come from one build of hermes",
                welcome.protocol
            )));
        }
        Ok(())
    }

    fn request(&self, kind: Kind, record: &impl serde::Serialize, done: Done) -> u32 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let frame = wire::encode_record(kind, id, record);
        let size = frame.len() - wire::HEAD;
        if size > MAX_REPLY {
            let size = format!("the request has {} MiB, more than fits", size >> 20);
            done(Err(Fault::Error(ProviderError::new(ErrorKind::InvalidInput, size))));
            return id;
        }
        if let Err((done, fault)) = self.shared.expect(id, done) {
            done(Err(fault));
            return id;
        }
        // Where the pipe is broken, the reader answers everything that waits.
        self.outgoing.send(frame);
        id
    }
}

impl Instance for Worker {
    fn start(&self, hook: Hook, request: &[u8], limit: Duration, done: Done) -> u64 {
        let text = if request.is_empty() { Ok(None) } else { serde_json::from_slice::<&RawValue>(request).map(Some) };
        let request = match text {
            Ok(request) => request,
            Err(error) => {
                done(Err(Fault::Error(ProviderError::invalid(format!("the request is no JSON: {error}")))));
                return 0;
            }
        };
        let limit_ms = millis(limit);
        self.request(Kind::Call, &Call { hook: hook.name().to_owned(), limit_ms, request }, done).into()
    }

    fn cancel(&self, call: u64) {
        if let Ok(id) = u32::try_from(call) {
            self.outgoing.send(wire::encode(Kind::Cancel, id, b""));
        }
    }

    fn give_up(&self, _call: u64) {
        self.shared.kill("a call ran on past its late limit, and the host ended it".to_owned());
    }

    fn close(&self, limit: Duration) -> Result<(), Fault> {
        let (send, receive) = sync_channel(1);
        self.request(Kind::Goodbye, &(), Box::new(move |outcome| drop(send.send(outcome))));
        match receive.recv_timeout(limit) {
            Ok(Ok(_) | Err(Fault::Gone(_))) => Ok(()),
            Ok(Err(fault)) => Err(fault),
            Err(_) => {
                self.shared.kill("it did not end".to_owned());
                Err(Fault::Died("its drop did not end in time".to_owned()))
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.kill("it is no longer needed".to_owned());
        self.outgoing.close();
    }
}

impl Shared {
    fn pending(&self) -> MutexGuard<'_, Pending> {
        lock(&self.pending)
    }

    /// Kills the worker and whatever it started, and remembers why.
    fn kill(&self, reason: String) {
        let reaped = lock(&self.reaped);
        if *reaped {
            return;
        }
        lock(&self.killed).get_or_insert(reason);
        let _ = kill_process_group(self.pid, Signal::KILL);
    }

    /// Registers a call, unless nobody is left to answer it.
    fn expect(&self, id: u32, done: Done) -> Result<(), (Done, Fault)> {
        let mut pending = self.pending();
        let killed = lock(&self.killed).clone();
        match (&mut *pending, killed) {
            (_, Some(reason)) => Err((done, Fault::Gone(reason))),
            (Err(Fault::Died(reason)), None) => Err((done, Fault::Lost(reason.clone()))),
            (Err(fault), None) => Err((done, fault.clone())),
            (Ok(calls), None) => {
                calls.insert(id, done);
                Ok(())
            }
        }
    }

    fn answer(&self, id: u32, outcome: Result<Vec<u8>, Fault>) {
        let done = self.pending().as_mut().ok().and_then(|calls| calls.remove(&id));
        // None: the call was answered before, or the worker invents ids.
        if let Some(done) = done {
            done(outcome);
        }
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Fault> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(run)
        .map(drop)
        .map_err(|error| Fault::Unloadable(format!("no thread: {error}")))
}

/// Waits for the end of the worker, then ends what it started: that must not outlive it, nor keep its pipes open. The
/// worker is not reaped yet, so its number and that of its group are still its own.
fn wait_for_end(pid: Pid) {
    let _ = retry_on_intr(|| waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT));
    let _ = kill_process_group(pid, Signal::KILL);
}

/// Reads until the pipe ends.
fn read(shared: &Arc<Shared>, outgoing: &Outgoing, services: &Arc<dyn Services>, stdout: impl Read) {
    let mut pipe = BufReader::with_capacity(wire::BUFFER, stdout);
    // Counts by its clones.
    let running = Arc::new(());
    let broken = loop {
        match wire::receive(&mut pipe) {
            Ok(Some(frame)) => match frame.kind {
                Some(Kind::Hello | Kind::Reply) => shared.answer(frame.id, Ok(frame.payload)),
                Some(Kind::Error) => {
                    let fault = serde_json::from_slice(&frame.payload)
                        .unwrap_or_else(|error| Fault::BadReply(format!("an error that cannot be read: {error}")));
                    shared.answer(frame.id, Err(fault));
                }
                Some(Kind::Service) => {
                    let (services, to, counted) = (Arc::clone(services), outgoing.clone(), Arc::clone(&running));
                    let serve = move || {
                        to.send(serve(&*services, frame.id, &frame.payload));
                        drop(counted);
                    };
                    let refuse = |why: &str| {
                        let error = ProviderError::new(ErrorKind::Unavailable, format!("host service: {why}"));
                        outgoing.send(wire::encode_record(Kind::Error, frame.id, &error));
                    };
                    // A thread of its own: a web request of one call must not hold up the answers of others. And always
                    // an answer: the provider's thread waits for it without a limit.
                    if Arc::strong_count(&running) > MAX_SERVICES + 1 {
                        refuse("too many calls at once");
                    } else if spawn("host service", serve).is_err() {
                        refuse("no thread");
                    }
                }
                Some(Kind::Call | Kind::Cancel | Kind::Goodbye) | None => {
                    let error = ProviderError::unsupported("such a frame");
                    outgoing.send(wire::encode_record(Kind::Error, frame.id, &error));
                }
            },
            Ok(None) => break None,
            // It ended while it wrote: how, its status tells.
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => break None,
            Err(error) => break Some(error),
        }
    };
    if let Some(error) = broken {
        shared.kill(format!("it sent {error}"));
    }
}

impl Shared {
    /// After the end of the process: tells everything in flight how it ended.
    fn end(&self, mut child: Child, printed: &Receiver<()>) {
        // Held until the cause is known: a call that begins now learns that it did not run.
        let mut pending = self.pending();
        let status = {
            let mut reaped = lock(&self.reaped);
            *reaped = true;
            child.wait().ok()
        };
        // Its last words belong into the report.
        let _ = printed.recv_timeout(BETWEEN_ENDS);
        let fault = self.fault(status);
        let waiting = std::mem::replace(&mut *pending, Err(fault.clone()));
        drop(pending);
        for (_, done) in waiting.unwrap_or_default() {
            done(Err(fault.clone()));
        }
    }

    /// How it ended, for everything that was in flight.
    fn fault(&self, status: Option<ExitStatus>) -> Fault {
        if let Some(reason) = lock(&self.killed).clone() {
            return Fault::Cut(reason);
        }
        let mut reason = match status.map(|status| (status.signal(), status.code())) {
            Some((Some(signal), _)) => format!("its worker was ended by {}", signal_name(signal)),
            Some((None, Some(code))) => format!("its worker ended with status {code}"),
            _ => "its worker ended".to_owned(),
        };
        if let Some(line) = lock(&self.last_lines).back() {
            reason.push_str(&format!(" (last line: {line})"));
        }
        Fault::Died(reason)
    }
}

fn signal_name(signal: i32) -> String {
    let name = match Signal::from_named_raw(signal) {
        Some(Signal::SEGV) => "SIGSEGV",
        Some(Signal::ABORT) => "SIGABRT",
        Some(Signal::BUS) => "SIGBUS",
        Some(Signal::ILL) => "SIGILL",
        Some(Signal::FPE) => "SIGFPE",
        Some(Signal::KILL) => "SIGKILL",
        Some(Signal::TERM) => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}

/// Runs a service call and makes the frame that answers it, whatever happens.
fn serve(services: &dyn Services, id: u32, payload: &[u8]) -> Vec<u8> {
    let internal = |what: &str| ProviderError::new(ErrorKind::Internal, format!("the host's service {what}"));
    let answer = serde_json::from_slice::<ServiceCall<'_>>(payload)
        .map_err(|error| ProviderError::invalid(format!("a service call that cannot be read: {error}")))
        .and_then(|call| {
            let run = || services.call(&call.service, &call.method, call.request.get().as_bytes());
            catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(internal("failed")))
        })
        // Text of a permitted size may be larger as JSON; a frame beyond the limit would end the worker.
        .and_then(|answer| if answer.len() > MAX_REPLY { Err(internal("answered too much")) } else { Ok(answer) });
    match answer {
        Ok(answer) => wire::encode(Kind::Reply, id, &answer),
        Err(error) => wire::encode_record(Kind::Error, id, &error),
    }
}

/// What a provider prints goes to the log, and the last lines into the report of a crash.
fn keep_lines(shared: &Shared, id: &str, mask: &Mask, stderr: impl Read) {
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        // A line without an end is cut, not collected.
        match stderr.by_ref().take(64 << 10).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = mask.apply(String::from_utf8_lossy(&line).trim_end()).into_owned();
        if text.is_empty() {
            continue;
        }
        tracing::info!(target: "provider", provider = id, "{text}");
        // Rust's runtime ends with advice that says nothing about the cause.
        if text.starts_with("note: run with `RUST_BACKTRACE") {
            continue;
        }
        let mut lines = lock(&shared.last_lines);
        if lines.len() == LAST_LINES {
            lines.pop_front();
        }
        lines.push_back(text);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Answers(fn() -> Vec<u8>);

    impl Services for Answers {
        fn call(&self, _: &str, _: &str, _: &[u8]) -> Result<Vec<u8>, ProviderError> {
            Ok((self.0)())
        }
    }

    #[track_caller]
    fn check(payload: &str, answer: fn() -> Vec<u8>, expect: Result<&str, &str>) {
        let frame = serve(&Answers(answer), 7, payload.as_bytes());
        let frame = wire::receive(&mut frame.as_slice()).unwrap().unwrap();
        assert_eq!(frame.id, 7);
        let found = match frame.kind {
            Some(Kind::Reply) => Ok(String::from_utf8(frame.payload).unwrap()),
            _ => Err(serde_json::from_slice::<ProviderError>(&frame.payload).unwrap().message),
        };
        assert_eq!(found.as_ref().map(String::as_str).map_err(String::as_str), expect);
    }

    #[test]
    fn every_service_call_is_answered() {
        let call = r#"{"service": "s", "method": "m", "request": null}"#;
        check(call, || b"1".to_vec(), Ok("1"));
        check(call, || panic!("a mistake in a service"), Err("the host's service failed"));
        check(call, || vec![b'1'; MAX_REPLY + 1], Err("the host's service answered too much"));
        let unread = "a service call that cannot be read: EOF while parsing an object at line 1 column 1";
        check("{", || b"1".to_vec(), Err(unread));
    }
}
