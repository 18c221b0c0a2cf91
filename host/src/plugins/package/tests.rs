//! Archives made to do harm, and plain ones.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use flate2::write::GzEncoder;
use tar::EntryType;

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
    refused(b"no gzip at all", "the archive cannot be read: ");
    let whole = Tar::new().file("libnotes.so").done();
    for len in [10, whole.len() / 2, whole.len() - 1] {
        refused(&whole[..len], "the archive cannot be read: ");
    }
    let mut changed = whole.clone();
    let checksum = whole.len() - 8;
    changed[checksum] ^= 1;
    refused(&changed, "the archive cannot be read: ");
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
