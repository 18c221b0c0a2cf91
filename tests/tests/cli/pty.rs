//! A terminal, for what is asked only where somebody is there to answer.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hermes_tests::wait::{PATIENCE, until};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::scene::Scene;
use crate::shown::words;

pub(crate) const ENTER: &str = "\r";
pub(crate) const ESC: &str = "\u{1b}";
pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const DOWN: &str = "\u{1b}[B";

/// A command that runs in a terminal of its own.
pub(crate) struct Terminal {
    keyboard: File,
    child: Child,
    screen: Arc<Mutex<String>>,
}

impl Terminal {
    /// Starts a command. None, said on stderr, where the system has no terminal to give.
    pub(crate) fn start(scene: &Scene, line: &str) -> Option<Self> {
        let (keyboard, end) = match pair() {
            Ok(pair) => pair,
            #[expect(clippy::print_stderr, reason = "a test that did not run should be seen")]
            Err(error) => {
                eprintln!("skipped: no terminal can be opened here: {error}");
                return None;
            }
        };
        let both = || end.try_clone().unwrap();
        let child = scene.command(words(line)).stdin(both()).stdout(both()).stderr(both()).spawn().unwrap();
        drop(end);
        let screen = Arc::<Mutex<String>>::default();
        let (mut source, seen) = (keyboard.try_clone().unwrap(), Arc::clone(&screen));
        let mut reply = keyboard.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // An error is the end: nobody has the other side open any more.
            while let Ok(read @ 1..) = source.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..read]).into_owned();
                if text.contains("\u{1b}[6n") {
                    // Where the cursor is, which a terminal has to answer.
                    let _ = reply.write_all(b"\x1b[1;1R");
                }
                seen.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
            }
        });
        Some(Self { keyboard, child, screen })
    }

    /// Waits until this is shown; from then on only what comes later counts.
    #[track_caller]
    pub(crate) fn sees(&self, text: &str) -> &Self {
        let begun = Instant::now();
        loop {
            {
                let mut screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
                let (whole, rest) = screen.split_at(unfinished(&screen));
                let plain = plain(whole);
                if let Some(at) = plain.find(text) {
                    *screen = format!("{}{rest}", &plain[at + text.len()..]);
                    return self;
                }
                assert!(begun.elapsed() < PATIENCE, "waited in vain for `{text}`, seeing\n{plain}");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub(crate) fn types(&self, keys: &str) -> &Self {
        (&self.keyboard).write_all(keys.as_bytes()).unwrap();
        self
    }

    /// The exit status.
    #[track_caller]
    pub(crate) fn ends(mut self) -> i32 {
        let status = until("the command ends", || self.child.try_wait().unwrap());
        status.code().unwrap_or(-1)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn pair() -> std::io::Result<(File, File)> {
    let near = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&near)?;
    unlockpt(&near)?;
    let name = ptsname(&near, Vec::new())?;
    tcsetwinsize(&near, Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 })?;
    let far = OpenOptions::new().read(true).write(true).open(std::ffi::OsStr::from_bytes(name.to_bytes()))?;
    Ok((File::from(near), far))
}

/// Where a sequence begins that has not arrived to its end, if one has not.
fn unfinished(text: &str) -> usize {
    let Some(at) = text.rfind('\u{1b}') else { return text.len() };
    let ends = match text[at + 1..].strip_prefix('[') {
        Some(sequence) => sequence.contains(|c: char| ('@'..='~').contains(&c)),
        None => at + 1 < text.len(),
    };
    if ends { text.len() } else { at }
}

/// Without the sequences that move the cursor and choose colours.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(sequence) = rest.strip_prefix('[') {
            let end = sequence.find(|c: char| ('@'..='~').contains(&c)).map_or(sequence.len(), |end| end + 1);
            rest = &sequence[end..];
        }
    }
    plain.push_str(rest);
    plain
}
