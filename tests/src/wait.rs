//! Waiting for what another thread or process does, without guessing how long that takes.

use std::time::{Duration, Instant};

/// Long enough that only a fault reaches it, so that a test fails instead of hanging.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Asks again and again until there is an answer.
///
/// # Panics
/// When there is none after [`PATIENCE`]; `what` says what was missed.
#[track_caller]
pub fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether a process exists and has not ended.
#[must_use]
pub fn is_alive(pid: u32) -> bool {
    // The third field, after the name in parentheses, is the state; a zombie has ended.
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with(['Z', 'X'])))
}
