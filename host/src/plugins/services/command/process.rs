//! A program that runs: what it prints, and its end.

use std::fs;
use std::io::Read;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::spawn;
use std::time::{Duration, Instant};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

/// The most that is kept of each output stream.
const MAX_OUTPUT: usize = 4 << 20;
/// How long after its end its output is waited for: a background process that it started may hold the pipes for ever.
const AFTER_END: Duration = Duration::from_millis(500);

/// What a program prints to one stream.
pub(super) struct Output {
    kept: Arc<Mutex<Kept>>,
    all: Receiver<()>,
}

#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    /// There was more.
    cut: bool,
}

impl Output {
    pub(super) fn of(stream: Option<impl Read + Send + 'static>) -> Self {
        let kept = Arc::<Mutex<Kept>>::default();
        let (ended, all) = sync_channel(1);
        let keeper = Arc::clone(&kept);
        spawn(move || {
            let Some(mut stream) = stream else { return };
            let mut part = [0; 8192];
            loop {
                let read = match stream.read(&mut part) {
                    Ok(0) => break,
                    Ok(read) => read,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                    Err(_) => break,
                };
                let mut kept = keeper.lock().unwrap_or_else(PoisonError::into_inner);
                // The rest is read and dropped, so that the program does not stop at a full pipe.
                let room = MAX_OUTPUT.saturating_sub(kept.bytes.len()).min(read);
                kept.bytes.extend_from_slice(&part[..room]);
                kept.cut |= room < read;
            }
            let _ = ended.send(());
        });
        Self { kept, all }
    }

    /// What was printed until now, and whether there was more than is kept.
    pub(super) fn text(&self) -> (String, bool) {
        let _ = self.all.recv_timeout(AFTER_END);
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        (String::from_utf8_lossy(&kept.bytes).into_owned(), kept.cut)
    }
}

/// Waits for the end of a program, then ends what it left behind. None when it was killed at its limit.
pub(super) fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let pid = Pid::from_child(child);
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(1);
    // Not reaped before its group was killed: the number could be another process's by then.
    let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let mut ended = false;
    while !ended && Instant::now() < deadline {
        ended = retry_on_intr(|| waitid(WaitId::Pid(pid), peek))?.is_some();
        if !ended {
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
    // As long as it is there, those that left its group are known by who started them.
    let strays = if ended { Vec::new() } else { descendants(pid) };
    let _ = kill_process_group(pid, Signal::KILL);
    for stray in strays {
        let _ = kill_process(stray, Signal::KILL);
    }
    let status = child.wait()?;
    Ok(ended.then_some(status))
}

/// All that descends from a process, as `/proc` has it at this moment; nothing where there is no such folder.
fn descendants(root: Pid) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let parents: Vec<(Pid, Pid)> = entries
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            // The second field is a name in brackets, which may hold anything.
            let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
            Some((Pid::from_raw(pid)?, Pid::from_raw(parent)?))
        })
        .collect();
    let mut found = vec![root];
    let mut at = 0;
    while let Some(&parent) = found.get(at) {
        let children = parents.iter().filter(|(pid, of)| *of == parent && !found.contains(pid));
        let children: Vec<_> = children.map(|(pid, _)| *pid).collect();
        found.extend(children);
        at += 1;
    }
    found.split_off(1)
}
