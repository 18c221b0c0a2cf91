//! A power cut: a home becomes what the layer of `tests/powerloss` kept of it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use hermes_host::home::Home;

use super::dice::Dice;

const PAGE: u64 = 4096;

/// What of the unsynced is there after a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survives {
    /// Nothing.
    Nothing,
    /// Of each file the first so many of its changed pages, or any of them; and any of the new names.
    Some,
}

/// What is durable of a home.
pub(super) struct Kept {
    home: PathBuf,
    kept: PathBuf,
    ignore: Option<&'static str>,
}

/// What no test changes, and is too large to copy all the time.
fn is_left_alone(below: &Path) -> bool {
    below == Path::new("plugins/store") || below == Path::new("plugins/cache")
}

impl Kept {
    /// All that is there now is durable.
    pub(super) fn begin(home: &Home, kept: &Path, ignore: Option<&'static str>) -> Result<Self, String> {
        let kept = Self { home: home.root().to_owned(), kept: kept.to_owned(), ignore };
        kept.all_is_durable().map_err(|error| error.to_string())?;
        Ok(kept)
    }

    pub(super) fn variables(&self, layer: &Path) -> Vec<(&'static str, PathBuf)> {
        let mut variables = vec![
            ("LD_PRELOAD", layer.to_owned()),
            ("POWERLOSS_FOLDER", self.home.clone()),
            ("POWERLOSS_KEPT", self.kept.clone()),
        ];
        variables.extend(self.ignore.map(|end| ("POWERLOSS_IGNORE", PathBuf::from(end))));
        variables
    }

    /// Whether the layer worked.
    pub(super) fn check(&self) -> Result<(), String> {
        match fs::read_to_string(self.kept.join("broken")) {
            Ok(error) => Err(format!("the file layer broke: {error}")),
            Err(_) => Ok(()),
        }
    }

    /// The power is cut, and comes again.
    pub(super) fn cut(&mut self, survives: Survives, dice: &mut Dice) -> Result<(), String> {
        self.check()?;
        let next = self.kept.join("next");
        let mut cut = || {
            copy(&self.kept.join("names"), &next, Path::new(""))?;
            if survives == Survives::Some {
                self.add_some(&self.home, Path::new(""), &next, dice)?;
            }
            empty(&self.home, Path::new(""))?;
            copy(&next, &self.home, Path::new(""))?;
            self.all_is_durable()
        };
        cut().map_err(|error: io::Error| format!("the power cut failed: {error}"))
    }

    fn all_is_durable(&self) -> io::Result<()> {
        if self.kept.exists() {
            fs::remove_dir_all(&self.kept)?;
        }
        fs::create_dir_all(self.kept.join("contents"))?;
        copy(&self.home, &self.kept.join("names"), Path::new(""))?;
        self.link(Path::new(""))
    }

    /// Gives each durable file its place in `contents`.
    fn link(&self, below: &Path) -> io::Result<()> {
        for item in fs::read_dir(self.kept.join("names").join(below))? {
            let item = item?;
            let below = below.join(item.file_name());
            match item.file_type()? {
                kind if kind.is_dir() => self.link(&below)?,
                kind if kind.is_file() => {
                    fs::hard_link(item.path(), self.contents_of(&fs::metadata(self.home.join(&below))?)?)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// As the layer names it.
    fn contents_of(&self, file: &fs::Metadata) -> io::Result<PathBuf> {
        let born = file.created()?.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        Ok(self.kept.join("contents").join(format!("{}-{}-{born}", file.dev(), file.ino())))
    }

    /// Adds to what is durable a part of what is not.
    fn add_some(&self, now: &Path, below: &Path, next: &Path, dice: &mut Dice) -> io::Result<()> {
        for item in fs::read_dir(now)? {
            let item = item?;
            let below = below.join(item.file_name());
            if item.file_type()?.is_dir() {
                if !is_left_alone(&below) {
                    fs::create_dir_all(next.join(&below))?;
                    self.add_some(&item.path(), &below, next, dice)?;
                }
            } else if item.file_type()?.is_file() && !below.to_string_lossy().ends_with("-shm") {
                self.add_some_of(&item.path(), &below, next, dice)?;
            }
        }
        Ok(())
    }

    fn add_some_of(&self, now: &Path, below: &Path, next: &Path, dice: &mut Dice) -> io::Result<()> {
        let contents = self.contents_of(&fs::metadata(now)?)?;
        let (durable, target) = (self.kept.join("names").join(below), next.join(below));
        let number = |path: &Path| fs::metadata(path).ok().map(|file| file.ino());
        let known = number(&durable).is_some() && number(&durable) == number(&contents);
        if !known {
            // A new file, or another in place of the old: the old name stands, or the new one.
            if dice.below(2) == 0 {
                return Ok(());
            }
            match contents.exists() {
                true => drop(fs::copy(&contents, &target)?),
                false => fs::write(&target, "")?,
            }
        }
        let (from, to) = (File::open(now)?, File::options().read(true).write(true).open(&target)?);
        let changed = changed_pages(&from, &to)?;
        let first = usize::try_from(dice.below(changed.len() as u64 + 1)).unwrap_or_default();
        let in_order = dice.below(2) == 0;
        for (place, page) in changed.into_iter().enumerate() {
            if (in_order && place < first) || (!in_order && dice.below(2) == 0) {
                let bytes = read(&from, page)?;
                to.write_all_at(&bytes, page * PAGE)?;
            }
        }
        Ok(())
    }
}

fn changed_pages(from: &File, to: &File) -> io::Result<Vec<u64>> {
    let pages = from.metadata()?.len().div_ceil(PAGE);
    let changed = |page: &u64| Ok::<_, io::Error>(read(from, *page)? != read(to, *page)?);
    let mut found = Vec::new();
    for page in 0..pages {
        if changed(&page)? {
            found.push(page);
        }
    }
    Ok(found)
}

fn read(file: &File, page: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(PAGE).unwrap_or_default()];
    let mut length = 0;
    while length < bytes.len() {
        match file.read_at(&mut bytes[length..], page * PAGE + length as u64)? {
            0 => break,
            read => length += read,
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

fn copy(from: &Path, to: &Path, below: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for item in fs::read_dir(from)? {
        let item = item?;
        let (below, target) = (below.join(item.file_name()), to.join(item.file_name()));
        match item.file_type()? {
            _ if is_left_alone(&below) => {}
            kind if kind.is_dir() => copy(&item.path(), &target, &below)?,
            kind if kind.is_file() => drop(fs::copy(item.path(), &target)?),
            _ => {}
        }
    }
    Ok(())
}

fn empty(folder: &Path, below: &Path) -> io::Result<()> {
    for item in fs::read_dir(folder)? {
        let item = item?;
        let below = below.join(item.file_name());
        match item.file_type()? {
            _ if is_left_alone(&below) => {}
            kind if kind.is_dir() => empty(&item.path(), &below)?,
            _ => fs::remove_file(item.path())?,
        }
    }
    Ok(())
}
