//! What a provider does that means no harm: all of it must work in a worker.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

type Deed = fn(&Path) -> std::io::Result<()>;

/// Answers with the names of what it did.
pub(crate) fn run(data: &Path) -> Result<Vec<&'static str>, String> {
    let deeds: [(&str, Deed); 6] = [
        ("files", files),
        ("locks", locks),
        ("threads", threads),
        ("pairs of sockets", pairs),
        ("time and chance", time_and_chance),
        ("panics", panics),
    ];
    for (name, deed) in deeds {
        deed(data).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(deeds.map(|(name, _)| name).into())
}

#[expect(clippy::disallowed_methods, reason = "a provider has its own ways")]
fn files(data: &Path) -> std::io::Result<()> {
    let (folder, own) = (data.join("behaves"), data.join("behaves/заметки"));
    fs::create_dir_all(folder.join("deep/deeper"))?;
    let mut file = File::create(&own)?;
    file.write_all("что-то".as_bytes())?;
    file.set_len(4096)?;
    file.sync_all()?;
    fs::copy(&own, folder.join("copy"))?;
    fs::hard_link(&own, folder.join("deep/link"))?;
    fs::rename(folder.join("copy"), folder.join("deep/deeper/moved"))?;
    // A relative path leads into the data folder.
    fs::write("behaves/relative", "here")?;
    assert_eq!(fs::read_dir(&folder)?.count(), 3);
    assert_eq!(fs::read_to_string(folder.join("relative"))?, "here");
    fs::canonicalize(&own)?;
    fs::remove_dir_all(folder)
}

fn locks(data: &Path) -> std::io::Result<()> {
    let mut file = File::options().read(true).write(true).create(true).truncate(true).open(data.join("lock"))?;
    file.lock()?;
    file.write_all(b"held")?;
    file.rewind()?;
    file.unlock()?;
    fs::remove_file(data.join("lock"))
}

fn threads(_: &Path) -> std::io::Result<()> {
    std::thread::available_parallelism()?;
    let (send, receive) = std::sync::mpsc::channel();
    for number in 0..16 {
        let send = send.clone();
        std::thread::Builder::new().name(format!("number {number}")).spawn(move || send.send(number))?;
    }
    drop(send);
    assert_eq!(receive.iter().sum::<u32>(), 120);
    Ok(())
}

/// As event loops wake themselves.
fn pairs(_: &Path) -> std::io::Result<()> {
    let (mut one, mut other) = UnixStream::pair()?;
    one.set_nonblocking(true)?;
    other.set_read_timeout(Some(Duration::from_secs(10)))?;
    one.write_all(b"!")?;
    let mut room = [0];
    other.read_exact(&mut room)
}

fn time_and_chance(_: &Path) -> std::io::Result<()> {
    let begun = Instant::now();
    std::thread::sleep(Duration::from_millis(1));
    assert!(begun.elapsed() >= Duration::from_millis(1) && SystemTime::now() > SystemTime::UNIX_EPOCH);
    // Its keys come from the system's random numbers.
    assert_eq!(HashMap::from([("a", 1)])["a"], 1);
    File::open("/dev/urandom")?.read_exact(&mut [0; 16])
}

/// With a backtrace, for which the unwinder reads the library.
fn panics(_: &Path) -> std::io::Result<()> {
    let caught = std::panic::catch_unwind(|| std::backtrace::Backtrace::force_capture().to_string().len() / "".len());
    assert!(caught.is_err());
    Ok(())
}
