//! Brings the plugin's log lines to the host.
//!
//! A cdylib has its own copy of `tracing` and `log`, so a plugin's events never reach the host's subscriber by
//! themselves. `open` installs a forwarder in that copy. It sends to the host that opened the plugin last.
//!
//! There is one forwarder per library and process, however often it is opened: both crates take a subscriber only once.
//! So the forwarder holds no host itself but looks up the current one for each line. That host's services stay alive
//! until another takes its place, and a thread of the provider may log at any time.
//!
//! # What becomes of a line
//! | the author writes | the host gets |
//! |---|---|
//! | `tracing::info!(count = 3, "stored")` | level `info`, message `stored count=3` |
//! | `log::warn!("slow: {ms} ms")` | level `warn`, message `slow: 7 ms` |
//! | a line below the host's level | nothing; an event of `tracing` is not even formatted |
//! | a span | nothing; its events arrive without it |
//!
//! The target is the module that says it, as both crates have it. Neither feature is needed for
//! [`Host::log`], which sends whatever it is given.

use std::cell::Cell;
use std::sync::RwLock;

use crate::Host;
use crate::host::LogRecord;
use crate::records::OpenRequest;

/// The host that opened the plugin last. Held for the time of a look only: never while a service runs.
static TARGET: RwLock<Option<Target>> = RwLock::new(None);

/// Where lines go, and the least severe number that its host keeps.
struct Target {
    host: Host,
    level: u8,
}

thread_local! {
    /// The call that this thread serves, 0 for none. A thread that the provider started is in no call.
    static TRACE: Cell<u64> = const { Cell::new(0) };
    /// Set while a line is on its way, so that a host service that logs cannot call itself.
    static SENDING: Cell<bool> = const { Cell::new(false) };
}

/// Error is 1, trace is 5, as in `log`. What is no level, from a newer host for instance, counts as `info`.
fn severity(level: &str) -> u8 {
    match level {
        "error" => 1,
        "warn" => 2,
        "debug" => 4,
        "trace" => 5,
        _ => 3,
    }
}

/// Sends the lines of this library to `host` from now on, at the level that the request asks for.
///
/// Called at each `open`, before any code of the provider runs, so that what it logs in its own `open` arrives. A plugin
/// that has set a subscriber or a logger before keeps it: its lines then stay with it.
pub(crate) fn install(host: &Host, request: &OpenRequest) {
    let target = Target { host: host.clone(), level: severity(&request.log_level) };
    let before = TARGET.write().unwrap_or_else(std::sync::PoisonError::into_inner).replace(target);
    // Perhaps the last hold on that host, whose code then runs: not under the lock.
    drop(before);
    #[cfg(feature = "tracing")]
    events::install();
    #[cfg(feature = "log")]
    records::install();
}

/// Joins the lines of this thread to a call until it is dropped.
pub(crate) struct Trace(u64);

/// Until the answer is dropped, lines of this thread carry this number. Calls may be nested.
pub(crate) fn trace(id: u64) -> Trace {
    Trace(TRACE.replace(id))
}

impl Drop for Trace {
    fn drop(&mut self) {
        TRACE.set(self.0);
    }
}

/// Whether the host keeps lines of this level. Asked before an event is formatted, so that what nobody reads is cheap.
fn wanted(level: &str) -> bool {
    let target = TARGET.read().unwrap_or_else(std::sync::PoisonError::into_inner);
    target.as_ref().is_some_and(|target| severity(level) <= target.level)
}

/// Sends one line, unless the host does not keep its level.
///
/// A line that is written while another is on its way on the same thread is dropped: it comes from the service itself.
/// An error of the service is lost, since there is nowhere else to say so.
pub(crate) fn write(level: &str, target: &str, message: &str) {
    if !wanted(level) || SENDING.replace(true) {
        return;
    }
    let host = TARGET.read().unwrap_or_else(std::sync::PoisonError::into_inner).as_ref().map(|to| to.host.clone());
    if let Some(host) = host {
        host.log(&LogRecord {
            level: level.to_owned(),
            target: target.to_owned(),
            message: message.to_owned(),
            trace_id: TRACE.get(),
        });
    }
    SENDING.set(false);
}

/// The forwarder of `tracing`.
///
/// It is a bare subscriber: a plugin needs no registry of spans, and every provider is spared what comes with one.
#[cfg(feature = "tracing")]
mod events {
    use std::fmt::Write as _;

    use tracing_core::field::{Field, Visit};
    use tracing_core::span::{Attributes, Id, Record};
    use tracing_core::{Dispatch, Event, Level, Metadata, Subscriber, callsite, dispatcher};

    fn name(level: Level) -> &'static str {
        match level {
            Level::ERROR => "error",
            Level::WARN => "warn",
            Level::INFO => "info",
            Level::DEBUG => "debug",
            Level::TRACE => "trace",
        }
    }

    /// Forwards events; spans are accepted and not kept.
    struct Forward;

    impl Subscriber for Forward {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.is_event() && super::wanted(name(*metadata.level()))
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, event: &Event<'_>) {
            let mut line = Line(String::new());
            event.record(&mut line);
            super::write(name(*event.metadata().level()), event.metadata().target(), &line.0);
        }

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    /// The message first, the other fields as `name=value`.
    struct Line(String);

    impl Visit for Line {
        fn record_str(&mut self, field: &Field, value: &str) {
            self.add(field, format_args!("{value}"));
        }

        fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
            self.add(field, format_args!("{value:?}"));
        }
    }

    impl Line {
        fn add(&mut self, field: &Field, value: std::fmt::Arguments<'_>) {
            if field.name() == "message" {
                self.0.insert_str(0, &value.to_string());
            } else {
                let _ = write!(self.0, " {}={value}", field.name());
            }
        }
    }

    /// Becomes the subscriber of the library, if it has none.
    pub(super) fn install() {
        // Fails when the plugin has a subscriber of its own, which then keeps its events.
        let _ = dispatcher::set_global_default(Dispatch::new(Forward));
        // Places that were hit under another host's level remember whether anybody listened.
        callsite::rebuild_interest_cache();
    }
}

/// The forwarder of `log`, for crates that know no other.
#[cfg(feature = "log")]
mod records {
    use log::{LevelFilter, Log, Metadata, Record};

    struct Forward;

    impl Log for Forward {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            super::wanted(name(metadata))
        }

        fn log(&self, record: &Record<'_>) {
            super::write(name(record.metadata()), record.target(), &record.args().to_string());
        }

        fn flush(&self) {}
    }

    fn name(metadata: &Metadata<'_>) -> &'static str {
        match metadata.level() {
            log::Level::Error => "error",
            log::Level::Warn => "warn",
            log::Level::Info => "info",
            log::Level::Debug => "debug",
            log::Level::Trace => "trace",
        }
    }

    /// Becomes the logger of the library, if it has none. All levels pass here; the host's own is looked at for each line.
    pub(super) fn install() {
        // Fails when the plugin has a logger of its own, which then keeps its records.
        if log::set_logger(&Forward).is_ok() {
            log::set_max_level(LevelFilter::Trace);
        }
    }
}
