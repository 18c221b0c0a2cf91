//! Put before a program with `LD_PRELOAD`, it keeps beside a folder what of it was synced: what a power cut would leave.
//!
//! `POWERLOSS_FOLDER` is the folder, `POWERLOSS_KEPT` where the durable state is: in `names` the tree of durable names, in
//! `contents` the durable bytes of each file, by what the file is; a file of `names` is a hard link to its contents. A
//! sync of a file makes its bytes durable, and only a sync of its folder makes its name durable, or the loss of its name.
//! Where `POWERLOSS_COUNT` names a file, each sync adds a byte to it. Nothing is really synced. Paths that end with `POWERLOSS_IGNORE` are never synced, to prove that it is noticed.

use std::collections::BTreeSet;
use std::ffi::{OsString, c_int};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::UNIX_EPOCH;

/// As much as a disk writes at once.
const PAGE: usize = 4096;

/// In place of the system's.
#[expect(unsafe_code, reason = "the name is the system's")]
#[unsafe(no_mangle)]
pub extern "C" fn fsync(fd: c_int) -> c_int {
    keep(fd)
}

/// In place of the system's.
#[expect(unsafe_code, reason = "the name is the system's")]
#[unsafe(no_mangle)]
pub extern "C" fn fdatasync(fd: c_int) -> c_int {
    keep(fd)
}

struct Layer {
    folder: PathBuf,
    kept: PathBuf,
    ignore: Option<String>,
}

/// None: there is nothing to keep.
fn layer() -> Option<&'static Mutex<Layer>> {
    static LAYER: OnceLock<Option<Mutex<Layer>>> = OnceLock::new();
    let make = || {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let (folder, kept) = (variable("POWERLOSS_FOLDER")?, variable("POWERLOSS_KEPT")?);
        let folder = fs::canonicalize(folder).ok()?;
        Some(Mutex::new(Layer { folder, kept, ignore: std::env::var("POWERLOSS_IGNORE").ok() }))
    };
    LAYER.get_or_init(make).as_ref()
}

fn keep(fd: c_int) -> c_int {
    if let Some(count) = std::env::var_os("POWERLOSS_COUNT") {
        let file = OpenOptions::new().create(true).append(true).open(count);
        // The test reads it: what is not counted is missed there.
        let _ = file.and_then(|mut file| file.write_all(b"."));
    }
    let Some(layer) = layer() else { return 0 };
    let layer = layer.lock().unwrap_or_else(PoisonError::into_inner);
    match layer.keep(fd) {
        Ok(()) => 0,
        Err(error) => {
            // The test reads it: a layer that does not work proves nothing.
            let _ = fs::write(layer.kept.join("broken"), error.to_string());
            -1
        }
    }
}

impl Layer {
    fn keep(&self, fd: c_int) -> io::Result<()> {
        let Ok(path) = fs::read_link(format!("/proc/self/fd/{fd}")) else { return Ok(()) };
        let Ok(below) = path.strip_prefix(&self.folder) else { return Ok(()) };
        if self.ignore.as_ref().is_some_and(|end| path.to_string_lossy().ends_with(end)) {
            return Ok(());
        }
        #[expect(
            unsafe_code,
            reason = "the caller's own descriptor is read: to open and close a database would drop its locks"
        )]
        // SAFETY: the caller keeps the descriptor open during its call, and it is not closed here.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(fd) });
        if file.metadata()?.is_dir() { self.keep_names(&path, below) } else { self.keep_bytes(&file) }
    }

    fn contents_of(&self, file: &fs::Metadata) -> io::Result<PathBuf> {
        // Numbers are used again; the time of birth is not.
        let born = file.created()?.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        Ok(self.kept.join("contents").join(format!("{}-{}-{born}", file.dev(), file.ino())))
    }

    fn keep_bytes(&self, file: &File) -> io::Result<()> {
        let metadata = file.metadata()?;
        let kept = self.contents_of(&metadata)?;
        let kept = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(kept)?;
        let (mut new, mut old) = (vec![0; PAGE], vec![0; PAGE]);
        let mut at = 0;
        loop {
            let length = read_page(file, &mut new, at)?;
            let known = read_page(&kept, &mut old, at)?;
            if new[..length] != old[..known] {
                kept.write_all_at(&new[..length], at)?;
            }
            at += length as u64;
            if length < PAGE {
                break;
            }
        }
        kept.set_len(at)
    }

    fn keep_names(&self, folder: &Path, below: &Path) -> io::Result<()> {
        let names = self.kept.join("names").join(below);
        fs::create_dir_all(&names)?;
        let there: BTreeSet<OsString> =
            fs::read_dir(folder)?.map(|item| Ok(item?.file_name())).collect::<io::Result<_>>()?;
        for item in fs::read_dir(&names)? {
            let item = item?;
            if !there.contains(&item.file_name()) {
                remove(&item.path())?;
            }
        }
        for name in there {
            let (now, kept) = (folder.join(&name), names.join(&name));
            // What has gone in the meantime is not kept.
            let Ok(metadata) = fs::symlink_metadata(&now) else { continue };
            if metadata.is_dir() {
                if !kept.is_dir() {
                    remove(&kept)?;
                    fs::create_dir(&kept)?;
                }
            } else if metadata.is_file() {
                let contents = self.contents_of(&metadata)?;
                OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&contents)?;
                let same = |a: &fs::Metadata, b: &fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
                let linked = fs::symlink_metadata(&kept)
                    .is_ok_and(|kept| same(&kept, &fs::metadata(&contents).unwrap_or(kept.clone())));
                if !linked {
                    remove(&kept)?;
                    fs::hard_link(&contents, &kept)?;
                }
            }
        }
        Ok(())
    }
}

fn read_page(file: &File, page: &mut [u8], at: u64) -> io::Result<usize> {
    let mut length = 0;
    while length < page.len() {
        match file.read_at(&mut page[length..], at + length as u64)? {
            0 => break,
            read => length += read,
        }
    }
    Ok(length)
}

fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}
