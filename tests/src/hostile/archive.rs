//! Archives: as bytes, and as entries that are packed here, because no fuzzer guesses a checksum.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use hermes_host::plugins::package::{Limits, PackageError, Unpacked, unpack};

/// So little that the fuzzer reaches every limit.
const LIMITS: Limits = Limits { entries: 4, file_bytes: 1000, total_bytes: 1500 };

/// The bytes of an archive.
///
/// # Panics
/// When something comes out that must not, whether the archive is refused or not.
#[must_use]
pub fn archive(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (outside, dest) = (folder.path().join("outside"), folder.path().join("dest"));
    fs::write(&outside, "before").expect("a folder of the test's own");
    fs::create_dir(&dest).expect("a folder of the test's own");
    let unpacked = unpack(bytes, &dest, LIMITS);

    let mut beside = names(folder.path());
    beside.sort();
    assert_eq!(beside, ["dest", "outside"], "something came out beside the folder");
    assert_eq!(fs::read(&outside).expect("it is there"), b"before");
    check(&dest, &unpacked);
    unpacked.is_ok()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    entries.map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned()).collect()
}

fn check(dest: &Path, unpacked: &Result<Unpacked, PackageError>) {
    let found = names(dest);
    assert!(found.len() <= LIMITS.entries, "too many files: {found:?}");
    let mut total = 0;
    for name in &found {
        let metadata = fs::symlink_metadata(dest.join(name)).expect("it was listed");
        assert!(metadata.is_file(), "`{name}` is no plain file");
        assert_eq!(metadata.permissions().mode() & 0o7777, 0o600, "`{name}` is not for the user alone");
        assert!(metadata.len() <= LIMITS.file_bytes, "`{name}` is too large");
        total += metadata.len();
    }
    assert!(total <= LIMITS.total_bytes, "all files together are too large");
    if let Ok(Unpacked { library, files, .. }) = unpacked {
        assert!(files.contains(library), "the library is among the files");
        assert_eq!(files.len(), found.len(), "all that came out is told");
        for file in files {
            assert_eq!(file.parent(), Some(dest), "a path leads elsewhere");
            assert!(file.is_file(), "`{}` is told and not there", file.display());
        }
    }
}

/// The description of an archive, which is packed and then read like any other.
///
/// The first byte chooses how it is packed. What follows are entries: the type, how the header is made, the mode, the
/// length that the header names less the true one, the length of the name, the length of the content in 16 bytes, a
/// byte to fill it with, and the name.
///
/// # Panics
/// As [`archive`].
#[must_use]
pub fn entries(bytes: &[u8]) -> bool {
    let Some((packing, mut rest)) = bytes.split_first() else { return archive(b"") };
    let mut tar = Vec::new();
    // More would only be slow: the limit is far below.
    for _ in 0..2 * LIMITS.entries {
        let Some(taken) = entry(&mut tar, rest) else { break };
        rest = taken;
    }
    if packing & 4 == 0 {
        tar.extend([0; 1024]);
    }
    // What is behind the end of an archive is unpacked as well.
    tar.extend(rest);
    archive(&match packing % 4 {
        0 => gzip(&tar),
        1 => {
            let (first, second) = tar.split_at(tar.len() / 2);
            [gzip(first), gzip(second)].concat()
        }
        2 => zstd(&tar),
        _ => tar,
    })
}

/// Adds one entry and answers what is left of its description; None when there is too little of it.
fn entry<'a>(tar: &mut Vec<u8>, description: &'a [u8]) -> Option<&'a [u8]> {
    let ([kind, make, mode, excess, name, content, fill], rest) = description.split_first_chunk::<7>()?;
    let (name, rest) = rest.split_at_checked(usize::from(*name))?;
    let content = vec![*fill; 16 * usize::from(*content)];

    let mut header = match make % 3 {
        0 => tar::Header::new_ustar(),
        1 => tar::Header::new_gnu(),
        _ => tar::Header::new_old(),
    };
    let (start, end) = name.split_at(name.len().min(100));
    header.as_old_mut().name[..start.len()].copy_from_slice(start);
    if let Some(ustar) = header.as_ustar_mut() {
        ustar.prefix[..end.len().min(155)].copy_from_slice(&end[..end.len().min(155)]);
    }
    header.set_entry_type(tar::EntryType::new(*kind));
    header.set_mode(u32::from(*mode) << 4);
    let excess = i64::from(i8::from_ne_bytes([*excess]));
    header.set_size(if make & 4 == 0 {
        (content.len() as u64).saturating_add_signed(excess)
    } else {
        // Twelve bytes for a length hold more than any disk, in the way of GNU.
        u64::MAX.saturating_add_signed(excess)
    });
    header.set_cksum();
    if make & 8 != 0 {
        header.as_mut_bytes()[usize::from(*mode)] ^= *kind | 1;
    }
    tar.extend(header.as_bytes());
    tar.extend(&content);
    tar.resize(tar.len().next_multiple_of(512), 0);
    Some(rest)
}

/// A gzip member of blocks that are not compressed: a compressor would take most of the fuzzer's time.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut member = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    for block in bytes.chunks(usize::from(u16::MAX)) {
        let len = u16::try_from(block.len()).expect("a chunk is small");
        member.push(0);
        member.extend(len.to_le_bytes());
        member.extend((!len).to_le_bytes());
        member.extend(block);
    }
    // The last block is empty.
    member.extend([1, 0, 0, 0xff, 0xff]);
    let mut checksum = flate2::Crc::new();
    checksum.update(bytes);
    member.extend(checksum.sum().to_le_bytes());
    member.extend(checksum.amount().to_le_bytes());
    member
}

/// A Zstandard frame of blocks that are not compressed.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    // Magic, no optional field but the window of 128 KiB.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3];
    let mut blocks = bytes.chunks(100 << 10).peekable();
    while let Some(block) = blocks.next() {
        let is_last = u32::from(blocks.peek().is_none());
        let len = u32::try_from(block.len()).expect("a chunk is small");
        frame.extend(&(len << 3 | is_last).to_le_bytes()[..3]);
        frame.extend(block);
    }
    frame
}
