//! What it costs to have a turn on disk before anybody says so, beside the bare syncs of the same disk.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hermes_host::clock::Clock;
use hermes_host::db::Db;
use hermes_host::home::Home;
use hermes_host::layers::episodic::{self, NewMessage, SessionHead, search};
use hermes_host::outbox::{Beside, Care, Deliver, Delivery, DeliveryError, Outbox, RetryPolicy, TurnMark};
use hermes_provider_api::records::Role;

use crate::samples::{Measured, Samples};
use crate::{Options, Result};

/// Bytes of a turn.
const PAYLOAD: usize = 1000;
/// Callers at the same time.
const CALLERS: u64 = 16;
/// What a commit appends to the log: as many pages as the rows of a turn touch, each with its header.
const PAGES: usize = 8;
const PAGE: usize = 4096 + 24;

struct Nobody;

impl Deliver for Nobody {
    fn deliver(&self, _delivery: &Delivery) -> std::result::Result<(), DeliveryError> {
        Ok(())
    }

    fn limit(&self, _kind: &str) -> Duration {
        Duration::from_secs(1)
    }
}

pub(crate) fn measure(options: &Options, folder: &Path) -> Result<Vec<Measured>> {
    let rounds = if options.quick { 5 } else { 20 };
    let (mut pushes, mut syncs) = (Samples::default(), Samples::default());
    let mut log = log(folder)?;
    let db = open(folder, "one")?;
    let outbox = outbox(&db, false)?;
    // Both take turns, since the disk is faster or slower from one moment to the next.
    for _ in 0..rounds {
        for _ in 0..20 {
            syncs.time(|| log.write_all(&[7; PAGE * PAGES]).and_then(|()| log.sync_data())).map_err(text)?;
        }
        for _ in 0..20 {
            pushes.time(|| outbox.push(vec![turn(0)])).map_err(text)?;
        }
    }
    let mut measured = vec![syncs.measured("outbox/sync"), pushes.measured("outbox/push")];
    measured.push(together(folder, rounds * 100)?);
    measured.push(delivered(folder, rounds * 100)?);
    Ok(measured)
}

/// Many callers push at once: the time of one turn, as its share of the whole.
fn together(folder: &Path, turns: u64) -> Result<Measured> {
    let db = open(folder, "together")?;
    let outbox = outbox(&db, false)?;
    let mut shares = Samples::default();
    for _ in 0..5 {
        let started = Instant::now();
        std::thread::scope(|scope| {
            for caller in 0..CALLERS {
                let outbox = &outbox;
                scope.spawn(move || (0..turns / CALLERS).try_for_each(|_| outbox.push(vec![turn(caller)])));
            }
        });
        shares.push(started.elapsed() / u32::try_from(turns / CALLERS * CALLERS).unwrap_or(u32::MAX));
    }
    Ok(shares.measured("outbox/together"))
}

/// What lies there is delivered to a provider that takes it at once: the time of one turn.
fn delivered(folder: &Path, turns: u64) -> Result<Measured> {
    let db = open(folder, "delivered")?;
    let mut shares = Samples::default();
    for _ in 0..5 {
        let waits = outbox(&db, false)?;
        waits.push((0..turns).map(turn).collect()).map_err(text)?;
        drop(waits);
        let started = Instant::now();
        let report = outbox(&db, true)?.empty(Duration::from_secs(60));
        if !report.is_complete() || report.delivered != turns {
            return Err(format!("not all was delivered: {report:?}"));
        }
        shares.push(started.elapsed() / u32::try_from(turns).unwrap_or(u32::MAX));
    }
    Ok(shares.measured("outbox/delivered"))
}

fn open(folder: &Path, name: &str) -> Result<Arc<Db>> {
    Ok(Arc::new(Db::open(&Home::at(folder.join(name))).map_err(text)?.db))
}

pub(crate) fn outbox(db: &Arc<Db>, delivers: bool) -> Result<Outbox> {
    let deliver = delivers.then(|| Arc::new(Nobody) as Arc<dyn Deliver>);
    Outbox::open(Arc::clone(db), "echo", deliver, RetryPolicy::default(), Clock::default()).map_err(text)
}

fn turn(session: u64) -> Delivery {
    turn_of(session, PAYLOAD)
}

/// A turn of so many bytes.
pub(crate) fn turn_of(session: u64, size: usize) -> Delivery {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let (number, session) = (NEXT.fetch_add(1, Ordering::Relaxed), format!("session {}", session % 100));
    Delivery {
        key: format!("0123456789abcdef-{number}"),
        lanes: vec![session.clone()],
        kind: "sync_turn".to_owned(),
        payload: format!("{{\"text\": \"{}\"}}", "x".repeat(size)),
        what: format!("turn {number} of {session}"),
        care: Care::MustArrive,
        turn: Some(TurnMark { session, number, at: 0 }),
    }
}

/// What the archive keeps of it, and enters into its index.
pub(crate) fn archived(session: u64, turn: u64, texts: [String; 2]) -> Beside {
    let head = SessionHead { name: format!("session {session}"), ..SessionHead::default() };
    let messages = [Role::User, Role::Assistant].into_iter().zip(texts);
    let kept = |(role, content)| NewMessage { turn, role, content, ..NewMessage::default() };
    let messages: Vec<NewMessage> = messages.map(kept).collect();
    Beside {
        what: String::new(),
        bytes: 0,
        turn: None,
        write: Box::new(move |transaction| {
            episodic::append(transaction, &head, &messages)?;
            search::settle(transaction, &search::Settings::default(), 256).map(drop)
        }),
    }
}

fn log(folder: &Path) -> Result<File> {
    OpenOptions::new().create(true).append(true).open(folder.join("bare.log")).map_err(text)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
