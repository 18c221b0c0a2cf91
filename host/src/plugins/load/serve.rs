//! What a worker process does: it is the `hermes` binary in another role.
//!
//! It takes its pipes off the standard descriptors, so that a provider that prints cannot disturb the frames, checks
//! the library again, gives up its rights as `sandbox` says, and only then runs the provider's code.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_provider_api::{ErrorKind, Hook, ProviderError, Services};
use serde_json::value::RawValue;

use super::crew::{Crew, Next};
use super::dylib::{Library, Open};
use super::instance::{Fault, MAX_REPLY};
use super::pool::Run;
use super::sandbox::{self, Folders};
use super::wire::{self, Call, Frame, Hello, Kind, MAGIC, PROTOCOL, ServiceCall, Welcome};
use super::{Plugin, in_process};
use crate::plugins::inspect::inspect;
use crate::plugins::verify::sha256_of;

/// The argument that makes the `hermes` binary a worker.
pub const WORKER_ARGUMENT: &str = "__worker";

/// Runs the worker until its pipe ends. Must be called before any thread or runtime exists.
#[must_use]
pub fn worker_main() -> ExitCode {
    let (input, output) = match private_pipes() {
        Ok(pipes) => pipes,
        Err(error) => {
            let _ = writeln!(io::stderr(), "this is the inner worker of hermes, started by it alone: {error}");
            return ExitCode::from(2);
        }
    };
    sandbox::close_inherited(&[&input, &output]);
    let server = Arc::new(Server {
        output: Mutex::new(output),
        services: Mutex::default(),
        next: AtomicU32::new(1),
        cancels: Mutex::default(),
    });
    match server.run(BufReader::with_capacity(wire::BUFFER, input)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "the worker cannot go on: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Moves the pipes to descriptors of their own. Standard input becomes empty, standard output goes where errors go.
fn private_pipes() -> io::Result<(File, File)> {
    let input = File::from(rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?);
    let output = File::from(rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?);
    if rustix::termios::isatty(&input) {
        return Err(io::Error::other("its input is a terminal"));
    }
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok((input, output))
}

type ServiceAnswer = Result<Vec<u8>, ProviderError>;

struct Server {
    output: Mutex<File>,
    /// Service calls of the provider that wait for the host.
    services: Mutex<HashMap<u32, SyncSender<ServiceAnswer>>>,
    next: AtomicU32,
    cancels: Mutex<HashMap<u32, Arc<AtomicBool>>>,
}

impl Server {
    fn run(self: &Arc<Self>, mut input: BufReader<File>) -> io::Result<()> {
        let Some(first) = wire::receive(&mut input)? else {
            return Err(io::Error::other("nobody greeted it; it is started by hermes alone"));
        };
        let hello: Hello = serde_json::from_slice(&first.payload)?;
        if first.kind != Some(Kind::Hello) || hello.magic != MAGIC {
            return Err(io::Error::other("the other side is no hermes"));
        }
        let (library, plugin) = match self.confined(hello) {
            Ok(loaded) => loaded,
            // Nothing else is answered; the host ends the pipe.
            Err(fault) => {
                self.fail(first.id, &fault);
                while wire::receive(&mut input)?.is_some() {}
                return Ok(());
            }
        };
        // Opening runs the provider's code, which may call services: the answers are read meanwhile.
        let (server, opened) = (Arc::clone(self), Arc::new(Mutex::new(None)));
        let slot = Arc::clone(&opened);
        let first = Box::new(move || server.open(first.id, &library, &plugin, &slot));
        let (server, (broke, broken)) = (Arc::clone(self), channel());
        let next = move || match wire::receive(&mut input) {
            Ok(Some(frame)) => server.next(&opened, frame).map_or(Next::Frame, Next::Run),
            // The host is gone. A provider's thread may hang: nothing is waited for.
            Ok(None) => end(),
            Err(error) => {
                let _ = broke.send(error);
                loop {
                    std::thread::park();
                }
            }
        };
        Crew::start("provider", first, next)?;
        broken.recv().map_or(Ok(()), Err)
    }

    /// Does what a frame asks for, or answers what is to be run for it.
    fn next(self: &Arc<Self>, opened: &Mutex<Option<Arc<Open>>>, frame: Frame) -> Option<Run> {
        match frame.kind {
            Some(Kind::Call) => return self.call(opened, frame.id, frame.payload),
            Some(Kind::Cancel) => {
                if let Some(flag) = lock(&self.cancels).get(&frame.id) {
                    flag.store(true, Ordering::Relaxed);
                }
            }
            Some(Kind::Reply) => self.service_answer(frame.id, Ok(frame.payload)),
            Some(Kind::Error) => {
                let error = serde_json::from_slice(&frame.payload).unwrap_or_default();
                self.service_answer(frame.id, Err(error));
            }
            Some(Kind::Goodbye) => {
                let (server, open) = (Arc::clone(self), lock(opened).take());
                return Some(Box::new(move || server.close(frame.id, open)));
            }
            Some(Kind::Hello | Kind::Service) | None => {
                self.fail(frame.id, &Fault::BadReply("a frame that this worker does not know".to_owned()));
            }
        }
        None
    }

    /// Gives up this process's rights and loads the library. Runs before any other thread exists.
    fn confined(self: &Arc<Self>, hello: Hello) -> Result<(Library, Plugin), Fault> {
        check_again(&hello).map_err(Fault::Unloadable)?;
        let unconfined = |error| Fault::Unloadable(format!("it cannot be confined, so its code was not run: {error}"));
        let folders = Folders { data: &hello.data, package: hello.library.parent().unwrap_or_else(|| Path::new("/")) };
        sandbox::enter(&hello.confine, &folders).map_err(unconfined)?;
        let plugin = Plugin {
            library: hello.library,
            sha256: hello.sha256,
            metadata: hello.metadata,
            services: Arc::clone(self) as Arc<dyn Services>,
            open: hello.open,
            confine: hello.confine,
        };
        let library = in_process::library(&plugin)?;
        sandbox::seal(&plugin.confine).map_err(unconfined)?;
        Ok((library, plugin))
    }

    fn open(&self, id: u32, library: &Library, plugin: &Plugin, slot: &Mutex<Option<Arc<Open>>>) {
        match in_process::instance(library, plugin) {
            Ok(open) => {
                *lock(slot) = Some(Arc::new(open));
                let welcome = Welcome { magic: MAGIC.to_owned(), protocol: PROTOCOL, features: Vec::new() };
                self.send(&wire::encode_record(Kind::Hello, id, &welcome));
            }
            Err(fault) => self.fail(id, &fault),
        }
    }

    fn call(self: &Arc<Self>, opened: &Mutex<Option<Arc<Open>>>, id: u32, payload: Vec<u8>) -> Option<Run> {
        let Some(open) = lock(opened).clone() else {
            self.fail(id, &Fault::Gone("it is not open".to_owned()));
            return None;
        };
        let cancel = Arc::new(AtomicBool::new(false));
        lock(&self.cancels).insert(id, Arc::clone(&cancel));
        let server = Arc::clone(self);
        Some(Box::new(move || {
            let outcome = match serde_json::from_slice::<Call<'_>>(&payload) {
                Ok(call) => match Hook::from_name(&call.hook) {
                    Some(hook) => {
                        let request = call.request.map_or("", RawValue::get);
                        open.call(hook, request.as_bytes(), Duration::from_millis(call.limit_ms), &cancel, id.into())
                    }
                    None => Err(Fault::Error(ProviderError::unsupported(&call.hook))),
                },
                Err(error) => Err(Fault::BadReply(format!("a call that cannot be read: {error}"))),
            };
            lock(&server.cancels).remove(&id);
            // Released before the answer: a goodbye that follows it must find nobody else holding the provider.
            drop(open);
            match outcome {
                Ok(answer) => server.send(&wire::encode(Kind::Reply, id, &answer)),
                Err(fault) => server.fail(id, &fault),
            }
        }))
    }

    fn close(&self, id: u32, open: Option<Arc<Open>>) {
        // Calls that the host has stopped waiting for may still hold it. Its drop is not skipped because of them: the host
        // waits as long as it likes, and then ends this process.
        for flag in lock(&self.cancels).values() {
            flag.store(true, Ordering::Relaxed);
        }
        let outcome = open.map_or(Ok(()), |open| alone(open).close());
        match outcome {
            Ok(()) => self.send(&wire::encode(Kind::Reply, id, b"null")),
            Err(fault) => self.fail(id, &fault),
        }
        end();
    }

    fn service_answer(&self, id: u32, answer: ServiceAnswer) {
        if let Some(waiting) = lock(&self.services).remove(&id) {
            let _ = waiting.send(answer);
        }
    }

    fn fail(&self, id: u32, fault: &Fault) {
        self.send(&wire::encode_record(Kind::Error, id, fault));
    }

    fn send(&self, frame: &[u8]) {
        if wire::send(&mut *lock(&self.output), frame).is_err() {
            end();
        }
    }
}

/// The provider's way to the host, through the pipe.
impl Services for Server {
    fn call(&self, service: &str, method: &str, request: &[u8]) -> Result<Vec<u8>, ProviderError> {
        let internal = |error: &str| ProviderError::new(ErrorKind::Internal, format!("`{service}`: {error}"));
        let request: &RawValue =
            serde_json::from_slice(request).map_err(|error| ProviderError::invalid(error.to_string()))?;
        let call = ServiceCall { service: service.to_owned(), method: method.to_owned(), request };
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let frame = wire::encode_record(Kind::Service, id, &call);
        if frame.len() > MAX_REPLY {
            return Err(ProviderError::invalid(format!("`{service}`: the request is too large")));
        }
        let (send, receive) = sync_channel(1);
        lock(&self.services).insert(id, send);
        self.send(&frame);
        receive.recv().unwrap_or_else(|_| Err(internal("the host is gone")))
    }
}

/// Waits until nobody else holds the provider.
fn alone(mut open: Arc<Open>) -> Open {
    loop {
        match Arc::try_unwrap(open) {
            Ok(open) => return open,
            Err(held) => open = held,
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The host checked the file when it was installed and when it was opened; a worker trusts neither.
fn check_again(hello: &Hello) -> Result<(), String> {
    let library: &Path = &hello.library;
    let found = sha256_of(library).map_err(|error| error.to_string())?;
    if found.as_str() != hello.sha256 {
        return Err(format!("`{}` is not the file that was installed", library.display()));
    }
    let metadata = inspect(library).map_err(|error| error.to_string())?;
    if metadata != hello.metadata {
        return Err(format!("the metadata of `{}` is not what was installed", library.display()));
    }
    Ok(())
}

/// Ends the process without waiting for the provider's threads. Whatever the provider started goes with it, also when
/// the host was killed and can no longer see to that.
fn end() -> ! {
    let group = rustix::process::getpgrp();
    if group == rustix::process::getpid() {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[expect(clippy::exit, reason = "the worker's only way out while a provider's thread may hang")]
    std::process::exit(0)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
