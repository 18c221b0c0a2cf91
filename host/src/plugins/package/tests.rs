//! Archives made to do harm, and plain ones.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use flate2::write::GzEncoder;
use tar::EntryType;

use super::compressed::is_compressed;
use super::*;

const SMALL: Limits = Limits { entries: 4, file_bytes: 1000, total_bytes: 1500 };

struct Tar(tar::Builder<GzEncoder<Vec<u8>>>);

impl Tar {
    fn new() -> Self {
        Self(tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast())))
    }

    /// Writes the name as it is, past the checks that the `tar` crate makes for those who write archives.
    fn entry(mut self, name: &[u8], kind: EntryType, content: &[u8]) -> Self {
        let mut header = tar::Header::new_ustar();
        header.as_old_mut().name[..name.len()].copy_from_slice(name);
        header.set_entry_type(kind);
        header.set_mode(0o6777);
        header.set_size(content.len() as u64);
        header.set_cksum();
        self.0.append(&header, content).unwrap();
        self
    }

    fn file(self, name: &str) -> Self {
        self.entry(name.as_bytes(), EntryType::Regular, b"content")
    }

    fn done(self) -> Vec<u8> {
        self.0.into_inner().unwrap().finish().unwrap()
    }
}

#[track_caller]
fn refused(archive: &[u8], expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let dest = folder.path().join("dest");
    fs::create_dir(&dest).unwrap();
    let failure = crate::error::Failure::from(unpack(archive, &dest, SMALL).unwrap_err());
    assert!(failure.message.contains(expected), "{}", failure.message);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing beside the folder");
}

#[test]
fn names_that_lead_elsewhere() {
    let plugin = || Tar::new().file("libnotes.so");
    for name in ["/etc/passwd", "../x", "a/../b", "sub/README.md", "a\\b", "sub/"] {
        refused(&plugin().file(name).done(), "is not at the root of the archive");
    }
    for name in ["..", "a\nb.md", "C:x.md", ".hidden", "-rf", "a\u{1b}[2J.md"] {
        refused(&plugin().file(name).done(), "has a name that is no plain file name");
    }
    refused(&plugin().entry(b"caf\xe9", EntryType::Regular, b"").done(), "has a name that is not UTF-8");
    refused(&plugin().file("").done(), "has a name of no or more than 100 bytes");
    refused(&plugin().file("run.sh").done(), "is neither a library");
}

#[test]
fn things_that_are_no_files() {
    let plugin = || Tar::new().file("libnotes.so");
    for kind in [EntryType::Symlink, EntryType::Link] {
        refused(&plugin().entry(b"README", kind, b"").done(), "is a link");
    }
    for kind in [EntryType::Char, EntryType::Block, EntryType::Fifo] {
        refused(&plugin().entry(b"README", kind, b"").done(), "is a device or a pipe");
    }
    refused(&plugin().entry(b"docs/", EntryType::Directory, b"").done(), "is a folder");
    for kind in [EntryType::GNULongName, EntryType::XHeader, EntryType::XGlobalHeader, EntryType::GNUSparse] {
        refused(&plugin().entry(b"README", kind, b"").done(), "needs an extension of the tar format");
    }
}

#[test]
fn twice_the_same_name() {
    refused(&Tar::new().file("libnotes.so").file("libnotes.so").done(), "is there twice");
    refused(&Tar::new().file("README.md").file("readme.md").done(), "is there twice");
    refused(&Tar::new().file("é.md").file("e\u{301}.md").done(), "is there twice");
    refused(&Tar::new().file("README.md").file("./README.md").done(), "is there twice");
}

#[test]
fn too_much() {
    let many = (0..5).fold(Tar::new(), |tar, at| tar.file(&format!("{at}.md")));
    refused(&many.done(), "it has more than 4 entries");
    refused(&Tar::new().entry(b"a.md", EntryType::Regular, &[0; 1001]).done(), "is too large");
    let two = Tar::new().entry(b"a.md", EntryType::Regular, &[0; 800]).entry(b"b.md", EntryType::Regular, &[0; 800]);
    refused(&two.done(), "its files have more than 1500 bytes");
    // Nothing but zeros behind the end of the archive: a few bytes that unpack to many.
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    bomb.write_all(&vec![0; 10 << 20]).unwrap();
    refused(&bomb.finish().unwrap(), "it unpacks to more than it may");
    let mut lying = Tar::new();
    let mut header = tar::Header::new_ustar();
    header.set_path("libnotes.so").unwrap();
    header.set_size(u64::MAX / 2);
    header.set_cksum();
    lying.0.append(&header, b"".as_slice()).unwrap();
    refused(&lying.done(), "is too large");
}

#[test]
fn not_one_library() {
    refused(&Tar::new().file("README.md").done(), "it holds 0 libraries");
    refused(&Tar::new().file("liba.so").file("libb.so").done(), "it holds 2 libraries");
    refused(&Tar::new().done(), "it holds 0 libraries");
}

#[test]
fn damaged_archives() {
    refused(b"", "the archive cannot be read: ");
    refused(b"no archive at all", "the archive cannot be read: it is neither gzip nor zstd");
    let whole = Tar::new().file("libnotes.so").done();
    for len in [10, whole.len() / 2, whole.len() - 1] {
        refused(&whole[..len], "the archive cannot be read: ");
    }
    let mut changed = whole.clone();
    let checksum = whole.len() - 8;
    changed[checksum] ^= 1;
    refused(&changed, "the archive cannot be read: ");
}

fn zstd(content: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(content, ruzstd::encoding::CompressionLevel::Fastest)
}

/// The same archive, compressed otherwise.
fn recompressed(gzip: &[u8]) -> Vec<u8> {
    let mut tar = Vec::new();
    io::Read::read_to_end(&mut flate2::read::GzDecoder::new(gzip), &mut tar).unwrap();
    zstd(&tar)
}

#[test]
fn zstd_is_told_by_its_first_bytes() {
    let one = recompressed(&Tar::new().file("libnotes.so").file("README.md").done());
    // As some tools write it: a frame to skip, and the content in several.
    let skipped = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0], b"abc".as_slice()].concat();
    let mut tar = Vec::new();
    io::Read::read_to_end(&mut ruzstd::decoding::StreamingDecoder::new(one.as_slice()).unwrap(), &mut tar).unwrap();
    let (first, second) = tar.split_at(700);
    let several = [skipped.as_slice(), &zstd(first), &skipped, &zstd(second), &skipped].concat();
    for archive in [one, several] {
        let dest = tempfile::tempdir().unwrap();
        assert_eq!(unpack(archive.as_slice(), dest.path(), SMALL).unwrap().files.len(), 2);
        assert_eq!(fs::read(dest.path().join("README.md")).unwrap(), b"content");
        assert!(is_compressed(&archive) && ending(&archive) == "tar.zst");
    }
    assert!(!is_compressed(b"\x7fELF"));
}

#[test]
fn damaged_and_hostile_zstd() {
    let whole = recompressed(&Tar::new().file("libnotes.so").done());
    for len in [4, 6, 10, whole.len() / 2, whole.len() - 1] {
        refused(&whole[..len], "the archive cannot be read: ");
    }
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    refused(&changed, "the archive cannot be read: corrupt zstd frame: its checksum does not fit");
    refused(&[whole.as_slice(), b"garbage"].concat(), "the archive cannot be read: corrupt or cut off zstd frame");
    refused(&zstd(&vec![0; 10 << 20]), "it unpacks to more than it may");
    // A window of 1 GiB, which would be a gigabyte of memory.
    refused(
        &[0x28, 0xb5, 0x2f, 0xfd, 0x00, 20 << 3, 1, 0, 0],
        "zstd window of 1073741824 bytes is larger than 128 MiB",
    );
    // Frames that hold nothing, and one to skip that is not there.
    refused(&[0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff], "the archive cannot be read: ");
    refused(&zstd(b""), "it holds 0 libraries");
    for seed in 0..2000_u32 {
        // Bytes that no tool ever wrote, behind a beginning that passes.
        let mut bytes = whole.clone();
        for at in 0..4 {
            let place = (seed.wrapping_mul(2_654_435_761).rotate_left(at * 8) as usize) % (bytes.len() - 5) + 5;
            bytes[place] ^= u8::try_from(seed % 255 + 1).unwrap();
        }
        let dest = tempfile::tempdir().unwrap();
        let _ = unpack(bytes.as_slice(), dest.path(), SMALL);
    }
}

#[test]
fn a_plugin_that_is_not_packed_keeps_the_same_rules() {
    let folder = tempfile::tempdir().unwrap();
    let collected = || {
        let dest = tempfile::tempdir().unwrap();
        let collected = collect(folder.path(), dest.path(), SMALL);
        collected.map(|unpacked| unpacked.files.len()).map_err(|error| error.to_string())
    };
    assert_eq!(collected().unwrap_err(), "it holds 0 libraries, and a plugin is exactly one");
    fs::write(folder.path().join("real"), "library").unwrap();
    std::os::unix::fs::symlink("real", folder.path().join("libnotes.so")).unwrap();
    assert_eq!(collected(), Ok(2), "a link of the user's own is followed");
    fs::create_dir(folder.path().join("sub")).unwrap();
    assert_eq!(collected().unwrap_err(), "its entry `sub` is no plain file");
    fs::remove_dir(folder.path().join("sub")).unwrap();
    fs::write(folder.path().join("run.sh"), "").unwrap();
    assert!(collected().unwrap_err().starts_with("its entry `run.sh` is neither a library"));
    fs::remove_file(folder.path().join("run.sh")).unwrap();
    fs::write(folder.path().join("README"), [0; 1001]).unwrap();
    assert_eq!(collected().unwrap_err(), "its entry `README` is too large");
}

#[test]
fn plain_files_come_out_for_the_user_alone() {
    let folder = tempfile::tempdir().unwrap();
    let archive = Tar::new().entry(b"./", EntryType::Directory, b"").file("./libnotes.so").file("说明.md").done();
    let unpacked = unpack(archive.as_slice(), folder.path(), SMALL).unwrap();
    assert_eq!(unpacked.library, folder.path().join("libnotes.so"));
    assert_eq!(unpacked.files.len(), 2);
    for file in unpacked.files {
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o600);
        assert_eq!(fs::read(&file).unwrap(), b"content");
    }
}

#[test]
fn nothing_is_overwritten_and_no_link_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (outside, dest) = (folder.path().join("outside"), folder.path().join("dest"));
    fs::write(&outside, "before").unwrap();
    fs::create_dir(&dest).unwrap();
    std::os::unix::fs::symlink(&outside, dest.join("libnotes.so")).unwrap();
    let archive = Tar::new().file("libnotes.so").done();
    assert!(matches!(unpack(archive.as_slice(), &dest, SMALL), Err(PackageError::File(_))));
    assert_eq!(fs::read(&outside).unwrap(), b"before");
}

#[test]
fn the_same_files_pack_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["README.md", "libnotes.so", "LICENSE"].map(|name| folder.path().join(name));
    let pack_now = |files: &[PathBuf]| {
        let mut bytes = Vec::new();
        pack(files, &mut bytes).unwrap();
        bytes
    };
    files.iter().for_each(|file| fs::write(file, "content").unwrap());
    let first = pack_now(&files);
    files.iter().for_each(|file| fs::remove_file(file).unwrap());
    files.iter().for_each(|file| fs::write(file, "content").unwrap());
    let reversed: Vec<_> = files.iter().rev().cloned().collect();
    assert_eq!(pack_now(&reversed), first);

    let dest = tempfile::tempdir().unwrap();
    let unpacked = unpack(first.as_slice(), dest.path(), Limits::default()).unwrap();
    assert_eq!(unpacked.files.len(), 3);
    let error = pack(&[folder.path().join("run.sh")], Vec::new()).unwrap_err().to_string();
    assert!(error.contains("`run.sh` is neither a library"), "{error}");
}
