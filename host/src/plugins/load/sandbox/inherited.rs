//! Descriptors that came from the host by mistake: an application may have opened files that are not closed on exec.

use std::fs;
use std::os::fd::{AsRawFd, RawFd};

/// As many are tried where nothing lists them.
const MOST_TRIED: RawFd = 4096;

/// Closes every descriptor but the standard ones and the worker's pipes.
///
/// Nothing in this process owns them: it has just begun.
pub(in super::super) fn close_inherited(pipes: &[&dyn AsRawFd]) {
    let kept: Vec<RawFd> = pipes.iter().map(|pipe| pipe.as_raw_fd()).collect();
    let foreign = |descriptor: &RawFd| *descriptor > 2 && !kept.contains(descriptor);
    for descriptor in open_descriptors().into_iter().filter(foreign) {
        // One that is closed already was the listing's own.
        let _ = nix::unistd::close(descriptor);
    }
}

fn open_descriptors() -> Vec<RawFd> {
    // On Linux a link to `/proc/self/fd`.
    let Ok(listing) = fs::read_dir("/dev/fd") else { return (0..MOST_TRIED).collect() };
    listing.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}
