//! Brings the plugin's log lines to the host.
//!
//! A cdylib has its own copy of `tracing` and `log`, so a plugin's events never reach the host's subscriber by
//! themselves. `open` installs a forwarder in that copy. It sends to the host that opened the plugin last.
//!
//! There is one forwarder per library and process, however often it is opened: both crates take a subscriber only once.
//! So the forwarder holds no host itself but looks up the current one for each line. That host's services stay alive
//! until another takes its place, and a thread of the provider may log at any time.

use std::cell::Cell;
use std::sync::RwLock;

use crate::Host;
use crate::host::LogRecord;
use crate::records::OpenRequest;

static TARGET: RwLock<Option<Target>> = RwLock::new(None);

struct Target {
    host: Host,
    level: u8,
}

thread_local! {
    static TRACE: Cell<u64> = const { Cell::new(0) };
    /// Set while a line is on its way, so that a host service that logs cannot call itself.
    static SENDING: Cell<bool> = const { Cell::new(false) };
}

/// Error is 1, trace is 5, as in `log`.
fn severity(level: &str) -> u8 {
    match level {
        "error" => 1,
        "warn" => 2,
        "debug" => 4,
        "trace" => 5,
        _ => 3,
    }
}

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

pub(crate) fn trace(id: u64) -> Trace {
    Trace(TRACE.replace(id))
}

impl Drop for Trace {
    fn drop(&mut self) {
        TRACE.set(self.0);
    }
}

fn wanted(level: &str) -> bool {
    let target = TARGET.read().unwrap_or_else(std::sync::PoisonError::into_inner);
    target.as_ref().is_some_and(|target| severity(level) <= target.level)
}

/// Sends one line, unless the host does not keep its level.
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

    pub(super) fn install() {
        // Fails when the plugin has a subscriber of its own, which then keeps its events.
        let _ = dispatcher::set_global_default(Dispatch::new(Forward));
        // Places that were hit under another host's level remember whether anybody listened.
        callsite::rebuild_interest_cache();
    }
}

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

    pub(super) fn install() {
        // Fails when the plugin has a logger of its own, which then keeps its records.
        if log::set_logger(&Forward).is_ok() {
            log::set_max_level(LevelFilter::Trace);
        }
    }
}
