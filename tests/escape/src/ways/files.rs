//! Through the file system.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

use libc::{AT_FDCWD, O_RDONLY, S_IFCHR, S_IFIFO, S_IFSOCK};

use super::{Way, got, text};
use crate::Prisoner;
use crate::sys::{at, c_path, call, int};

pub(super) const WAYS: &[(&str, Way)] = &[
    ("read-env", |p| reads(p, &p.scene.home.join(".env"))),
    ("read-env-by-own-link", |p| {
        let link = p.data.join("own-link");
        symlink(p.scene.home.join(".env"), &link).map_err(text)?;
        reads(p, &link)
    }),
    ("read-env-by-found-link", |p| reads(p, &p.data.join("found-link"))),
    ("read-env-by-proc-root", |p| reads(p, &below(Path::new("/proc/self/root"), &p.scene.home.join(".env")))),
    ("read-env-by-parent-folders", |p| reads(p, &p.data.join("../../../.env"))),
    ("read-env-by-hard-link", |p| {
        let link = p.data.join("hard-link");
        fs::hard_link(p.scene.home.join(".env"), &link).map_err(text)?;
        reads(p, &link)
    }),
    ("read-env-by-handle", by_handle),
    ("move-file-in", |p| {
        let taken = p.data.join("taken");
        rename(&p.scene.home.join("spare"), &taken).map_err(text)?;
        reads(p, &taken)
    }),
    ("move-file-out", |p| {
        let own = p.data.join("gift");
        fs::write(&own, "from inside").map_err(text)?;
        done(rename(&own, &p.scene.home.join("memories/gift")))
    }),
    ("read-host-environment", |p| of_host(p, "environ")),
    ("read-host-memory-map", |p| of_host(p, "maps")),
    ("open-host-memory", |p| done(File::open(format!("/proc/{}/mem", p.scene.host)))),
    ("list-host-descriptors", |p| lists(Path::new(&format!("/proc/{}/fd", p.scene.host)))),
    ("read-own-process", |_| read(Path::new("/proc/self/maps"))),
    ("read-other-provider", |p| reads(p, &p.scene.home.join("plugins/data/other/facts.db"))),
    ("list-other-providers", |p| lists(&p.scene.home.join("plugins/data"))),
    ("read-memories", |p| reads(p, &p.scene.home.join("memories/MEMORY.md"))),
    ("read-database", |p| reads(p, &p.scene.home.join("hermes.db"))),
    ("read-logs", |p| reads(p, &p.scene.home.join("logs/hermes.log"))),
    ("read-system-settings", |_| read(Path::new("/etc/passwd"))),
    ("list-root", |_| lists(Path::new("/"))),
    ("write-memories", |p| appends(&p.scene.home.join("memories/MEMORY.md"))),
    ("write-settings", |p| done(fs::write(p.scene.home.join("config.toml"), "[memory]\n"))),
    ("write-own-library", |p| appends(&p.scene.library)),
    ("write-into-own-package", |p| done(fs::write(p.scene.library.with_file_name("new"), "new"))),
    ("write-temporary-file", |p| done(fs::write(p.scene.sockets.join("dropped"), "dropped"))),
    ("make-folder", |p| done(fs::create_dir(p.scene.home.join("made")))),
    ("remove-file", |p| done(fs::remove_file(p.scene.home.join("spare")))),
    ("truncate", |p| {
        let path = c_path(&p.scene.home.join("spare"));
        got(call(libc::SYS_truncate, &[at(path.as_c_str()), 0]))
    }),
    ("change-mode", |p| {
        let path = c_path(&p.scene.home.join("spare"));
        got(call(libc::SYS_fchmodat, &[int(AT_FDCWD), at(path.as_c_str()), 0o666]))
    }),
    ("change-mode-of-open-file", |p| {
        let file = File::open(&p.scene.library).map_err(text)?;
        let mode = || file.metadata().map(|metadata| metadata.mode()).map_err(text);
        let before = mode()?;
        call(libc::SYS_fchmod, &[int(file.as_raw_fd()), 0o777 ^ (before as usize & 0o111)]).map_err(text)?;
        if mode()? == before { Err("it is as it was".to_owned()) } else { Ok("it is another".to_owned()) }
    }),
    ("change-owner", |p| {
        let path = c_path(&p.scene.home.join("spare"));
        let same = fs::metadata(p.scene.home.join("spare")).map_err(text)?;
        let (user, group) = (same.uid() as usize, same.gid() as usize);
        got(call(libc::SYS_fchownat, &[int(AT_FDCWD), at(path.as_c_str()), user, group, 0]))
    }),
    ("change-times", |p| {
        let path = c_path(&p.scene.home.join("spare"));
        got(call(libc::SYS_utimensat, &[int(AT_FDCWD), at(path.as_c_str()), 0, 0]))
    }),
    ("set-attribute", |p| {
        let path = c_path(&p.scene.home.join("spare"));
        got(call(libc::SYS_setxattr, &[at(path.as_c_str()), at(c"user.escaped"), at("yes"), 3, 0]))
    }),
    ("list-attributes", |p| {
        let (path, room) = (c_path(&p.scene.home.join("spare")), [0_u8; 256]);
        got(call(libc::SYS_listxattr, &[at(path.as_c_str()), at(&room), room.len()]))
    }),
    ("watch-home", |p| {
        let watcher = call(libc::SYS_inotify_init1, &[0]).map_err(text)?;
        let path = c_path(&p.scene.home);
        got(call(libc::SYS_inotify_add_watch, &[watcher, at(path.as_c_str()), 0x100]))
    }),
    ("watch-everything", |_| got(call(libc::SYS_fanotify_init, &[0, 0]))),
    ("make-device", |p| makes(p, "device", S_IFCHR, 0x103)),
    ("make-pipe-file", |p| makes(p, "pipe", S_IFIFO, 0)),
    ("make-socket-file", |p| makes(p, "socket", S_IFSOCK, 0)),
    ("read-memory-device", |_| done(File::open("/dev/mem"))),
    ("read-kernel-log", |_| done(File::open("/dev/kmsg"))),
    ("open-terminal", |_| done(OpenOptions::new().read(true).write(true).open("/dev/ptmx"))),
    ("huge-file", |p| {
        let file = File::create(p.data.join("huge")).map_err(text)?;
        done(file.set_len(20 << 30))
    }),
    ("inherited-descriptor", |p| {
        let room = [0_u8; 64];
        let read = call(libc::SYS_pread64, &[int(p.scene.descriptor), at(&room), room.len(), 0]).map_err(text)?;
        holds(p, &String::from_utf8_lossy(&room[..read]))
    }),
    ("load-foreign-library", |p| maps(&p.scene.foreign_library)),
    ("load-library-of-data-folder", |p| {
        let own = p.data.join("later.so");
        let code = fs::read(&p.scene.library).map_err(text)?;
        fs::write(&own, code).map_err(text)?;
        maps(&own)
    }),
];

#[expect(clippy::disallowed_methods, reason = "a provider has its own ways")]
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

fn read(path: &Path) -> Result<String, String> {
    let mut text = Vec::new();
    let file = File::open(path).and_then(|file| file.take(1 << 16).read_to_end(&mut text));
    file.map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Reads what only the test's files hold.
fn reads(p: &Prisoner<'_>, path: &Path) -> Result<String, String> {
    holds(p, &read(path)?)
}

fn holds(p: &Prisoner<'_>, text: &str) -> Result<String, String> {
    match text.contains(&p.scene.secret) {
        true => Ok(p.scene.secret.clone()),
        false => Err(format!("something else: {text}")),
    }
}

fn of_host(p: &Prisoner<'_>, file: &str) -> Result<String, String> {
    read(Path::new(&format!("/proc/{}/{file}", p.scene.host)))
}

fn lists(folder: &Path) -> Result<String, String> {
    Ok(fs::read_dir(folder).map_err(text)?.count().to_string())
}

fn appends(path: &Path) -> Result<String, String> {
    done(OpenOptions::new().append(true).open(path).and_then(|mut file| file.write_all(b"\n")))
}

fn done<T>(result: io::Result<T>) -> Result<String, String> {
    result.map(|_| "done".to_owned()).map_err(text)
}

fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

fn makes(p: &Prisoner<'_>, name: &str, kind: libc::mode_t, device: usize) -> Result<String, String> {
    let path = c_path(&p.data.join(name));
    got(call(libc::SYS_mknodat, &[int(AT_FDCWD), at(path.as_c_str()), kind as usize | 0o600, device]))
}

/// As the loader does with code.
fn maps(library: &Path) -> Result<String, String> {
    let file = File::open(library).map_err(text)?;
    let protection = libc::PROT_READ | libc::PROT_EXEC;
    got(call(libc::SYS_mmap, &[0, 4096, int(protection), int(libc::MAP_PRIVATE), int(file.as_raw_fd()), 0]))
}

/// Opens a file by its number in the file system instead of its path.
fn by_handle(p: &Prisoner<'_>) -> Result<String, String> {
    let path = c_path(&p.scene.home.join(".env"));
    // The size of what follows, then room for it.
    let mut handle = [0_u32; 34];
    handle[0] = 128;
    let mount = 0_i32;
    let arguments = [int(AT_FDCWD), at(path.as_c_str()), at(&handle), at(&mount), 0];
    call(libc::SYS_name_to_handle_at, &arguments).map_err(text)?;
    let folder = File::open(p.data).map_err(text)?;
    let file = call(libc::SYS_open_by_handle_at, &[int(folder.as_raw_fd()), at(&handle), int(O_RDONLY)]);
    let room = [0_u8; 64];
    let read = call(libc::SYS_read, &[file.map_err(text)?, at(&room), room.len()]).map_err(text)?;
    holds(p, &String::from_utf8_lossy(&room[..read]))
}
