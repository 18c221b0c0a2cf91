//! Which deliveries have arrived.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use super::{Client, text};
use crate::host::LogRecord;
use crate::{ProviderError, folders};

/// How many are kept at the least.
const KEYS: usize = 5000;
/// The file in the data folder, a line for each.
const FILE: &str = "delivered";

impl Client {
    /// Does what a delivery stands for, unless it was done: hermes delivers at least once, and not every service knows a
    /// repetition. `key` is that of the delivery, or any text that says what is done.
    ///
    /// The key is written down in the data folder when `deliver` has succeeded; of the newest 5000 at the least it is known
    /// that they arrived. What is killed in between comes again: use [`Request::idempotent`](super::Request::idempotent) as
    /// well where the service takes it.
    ///
    /// ```
    /// use hermes_provider_api::records::Turn;
    /// use hermes_provider_api::rest::Client;
    /// use hermes_provider_api::serde_json::json;
    /// use hermes_provider_api::{Call, ProviderError};
    ///
    /// fn sync_turn(client: &Client, turn: &Turn, call: &Call<'_>) -> Result<(), ProviderError> {
    ///     let key = &turn.idempotency_key;
    ///     client.once(key, || {
    ///         client.post("/v1/notes", &[], call).json(json!({"text": turn.user_text()})).idempotent(key).send()?;
    ///         Ok(())
    ///     })
    /// }
    /// ```
    ///
    /// # Errors
    /// That of `deliver`; [`Storage`](crate::ErrorKind::Storage), with nothing done, when the file cannot be read.
    pub fn once(&self, key: &str, deliver: impl FnOnce() -> Result<(), ProviderError>) -> Result<(), ProviderError> {
        // Short, and without a line break.
        let key = text::sum(&[key]);
        let file = self.host.data_dir()?.join(FILE);
        let storage = |error: io::Error| ProviderError::storage(format!("`{}`: {error}", file.display()));
        if read(&file).map_err(storage)?.lines().any(|line| line == key) {
            return Ok(());
        }
        deliver()?;
        // It arrived. That this could not be written down is no reason to deliver it again.
        if let Err(error) = write_down(&file, &key) {
            self.host.log(&LogRecord {
                level: "warn".to_owned(),
                target: module_path!().to_owned(),
                message: format!("what has arrived could not be written down: {error}"),
                ..LogRecord::default()
            });
        }
        Ok(())
    }
}

fn read(file: &Path) -> io::Result<String> {
    match fs::read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        bytes => Ok(String::from_utf8_lossy(&bytes?).into_owned()),
    }
}

/// Adds a line, or begins anew with the newest. Two processes may do so at once; what is lost here comes twice at the worst.
fn write_down(file: &Path, key: &str) -> io::Result<()> {
    let lock = File::create(file.with_extension("lock"))?;
    lock.lock()?;
    let known = read(file)?;
    if known.lines().count() >= 2 * KEYS {
        let newest: Vec<_> = known.lines().skip(KEYS).chain([key]).collect();
        // Readers take no lock, and a crash must not forget them all.
        return folders::write_whole(file, (newest.join("\n") + "\n").as_bytes()).map_err(io::Error::other);
    }
    let line = if known.is_empty() || known.ends_with('\n') { format!("{key}\n") } else { format!("\n{key}\n") };
    File::options().create(true).append(true).open(file)?.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_keys_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("delivered");
        let many: String = (0..2 * KEYS).map(|number| format!("{number}\n")).collect();
        fs::write(&file, many).unwrap();
        write_down(&file, "last").unwrap();
        let kept = read(&file).unwrap();
        assert_eq!((kept.lines().count(), kept.lines().last()), (KEYS + 1, Some("last")));
        // A write that was cut off spoils its own line alone.
        fs::write(&file, "one\ntw").unwrap();
        write_down(&file, "three").unwrap();
        assert_eq!(read(&file).unwrap(), "one\ntw\nthree\n");
    }
}
