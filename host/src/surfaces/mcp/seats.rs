//! Whose session a request belongs to.

use std::sync::{Arc, Mutex};

use super::connection::Connection;
use super::running::{Running, lock};
use super::who::Who;

/// How many clients without a session of the protocol are remembered at most.
const GUESTS: usize = 64;

/// Where a client's session is found.
#[derive(Clone)]
pub(super) enum Seat {
    /// The client said hello, or is the only one.
    Own(Arc<Mutex<Option<Arc<Connection>>>>),
    /// The newest protocol has no sessions over HTTP: each request stands alone, and names the client.
    Guest(Guests),
}

/// Sessions of clients that are known by their names, the one that spoke last at the end.
#[derive(Clone, Default)]
pub(super) struct Guests(Arc<Mutex<Vec<Guest>>>);

/// A platform and its session.
type Guest = (String, Arc<Connection>);

impl Seat {
    /// The client's session in the memory that is open now. May write the end of another one.
    pub(super) fn connection(&self, running: &Arc<Running>, who: &Who) -> Arc<Connection> {
        match self {
            Self::Own(own) => {
                let mut own = lock(own);
                let connection = in_memory(own.take(), running);
                *own = Some(Arc::clone(&connection));
                connection
            }
            Self::Guest(Guests(guests)) => {
                let mut guests = lock(guests);
                let place = guests.iter().position(|(platform, _)| *platform == who.platform);
                let connection = in_memory(place.map(|place| guests.remove(place).1), running);
                if guests.len() == GUESTS {
                    guests.remove(0);
                }
                guests.push((who.platform.clone(), Arc::clone(&connection)));
                connection
            }
        }
    }
}

/// The session as it was, or as it goes on in a memory that was opened since.
fn in_memory(known: Option<Arc<Connection>>, running: &Arc<Running>) -> Arc<Connection> {
    match known {
        Some(known) if Arc::ptr_eq(&known.running, running) => known,
        known => Arc::new(Connection::of(running, known.as_deref())),
    }
}
