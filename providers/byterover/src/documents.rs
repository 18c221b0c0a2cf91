//! The Markdown files of a tree. Those of `brv` are read; the folder `hermes` in it is ours, a file for each note.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hermes_provider_api::folders::{AudienceFolder, failed, write_whole};
use hermes_provider_api::records::RecallItem;
use hermes_provider_api::{Result, Scope};
use hermes_text::truncate_chars;
use sha2::{Digest as _, Sha256};

/// Where `brv` keeps the files of a folder.
const CONTEXT: &str = ".brv/context-tree";
/// The folder of the notes in a tree.
const NOTES: &str = "hermes";
/// Folders are not followed deeper: `brv` makes four levels.
const DEEPEST: usize = 12;
/// A file that is larger is not one that `brv` wrote.
const LARGEST: u64 = 4 << 20;

/// A file of a tree, not read yet.
#[derive(Clone)]
pub(crate) struct Document {
    /// The tree and the path in it: `private/people/ann.md`.
    pub id: String,
    pub path: PathBuf,
    /// Nanoseconds since 1970.
    pub changed: u128,
}

/// The folder to store in, with a place for the tree: `brv` then looks for no project above it.
pub(crate) fn tree_for_writing(data: &Path, scope: &Scope) -> Result<AudienceFolder> {
    let tree = AudienceFolder::for_writing(data, scope)?;
    let context = tree.path().join(CONTEXT);
    fs::create_dir_all(&context).map_err(|error| failed(&context, &error))?;
    Ok(tree)
}

/// Eight bytes of a hash, for the names of files.
pub(crate) fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// All that hold knowledge, newest first.
pub(crate) fn documents(tree: &AudienceFolder) -> Vec<Document> {
    let mut found = Vec::new();
    walk(&tree.path().join(CONTEXT), tree.name(), DEEPEST, &mut found);
    found.sort_by(|a, b| newest_first(a).cmp(&newest_first(b)));
    found
}

/// What documents are sorted by.
pub(crate) fn newest_first(document: &Document) -> (std::cmp::Reverse<u128>, &str) {
    (std::cmp::Reverse(document.changed), &document.id)
}

fn walk(folder: &Path, id: &str, deeper: usize, found: &mut Vec<Document>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
        let id = format!("{id}/{name}");
        if name.starts_with(['.', '_']) {
            continue;
        } else if kind.is_dir() && deeper > 0 {
            walk(&entry.path(), &id, deeper - 1, found);
        } else if kind.is_file() && is_knowledge(&name) {
            let Ok(meta) = entry.metadata() else { continue };
            let changed = meta.modified().unwrap_or(UNIX_EPOCH).duration_since(UNIX_EPOCH);
            if meta.len() <= LARGEST {
                found.push(Document { id, path: entry.path(), changed: changed.unwrap_or_default().as_nanos() });
            }
        }
    }
}

/// What `brv` derives from the others says nothing of its own.
fn is_knowledge(name: &str) -> bool {
    let derived = [".abstract.md", ".overview.md"].iter().any(|end| name.ends_with(end)) || name == "context.md";
    name.ends_with(".md") && !derived
}

impl Document {
    /// Whether it is a note of ours, which is its text and nothing else.
    pub(crate) fn is_note(&self) -> bool {
        self.id.split('/').nth(1) == Some(NOTES)
    }

    /// Its text; bytes that are no text are replaced, and a file that is gone is empty.
    pub(crate) fn text(&self) -> String {
        fs::read(&self.path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    /// As an entry, without the text.
    pub(crate) fn item(&self, tree: &AudienceFolder) -> RecallItem {
        let below = self.id.strip_prefix(tree.name()).unwrap_or_default();
        RecallItem {
            id: self.id.clone(),
            scope: Some(tree.scope().clone()),
            updated: u64::try_from(self.changed / 1_000_000).ok(),
            path: format!("{}/{CONTEXT}{below}", tree.name()),
            ..RecallItem::default()
        }
    }

    /// Removes it, and what `brv` derived from it.
    pub(crate) fn remove(&self) -> Result<()> {
        for derived in ["abstract.md", "overview.md"] {
            let _ = fs::remove_file(self.path.with_extension(derived));
        }
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(&self.path, &error)),
            _ => Ok(()),
        }
    }
}

/// The note with this text, whether it is there or not. `kind` is its folder.
pub(crate) fn note(tree: &AudienceFolder, kind: &str, text: &str) -> Document {
    let words: Vec<_> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(6).collect();
    let below = format!("{NOTES}/{kind}/{}-{}.md", truncate_chars(&words.join("_").to_lowercase(), 40), digest(text));
    let path = tree.path().join(CONTEXT).join(&below);
    Document { id: format!("{}/{below}", tree.name()), path, changed: 0 }
}

/// Keeps a note, and answers whether it was there.
pub(crate) fn keep(note: &Document, text: &str) -> Result<bool> {
    let known = note.path.is_file();
    if !known {
        write_whole(&note.path, text.as_bytes())?;
    }
    Ok(known)
}

/// What a curation may have changed: all files and when.
pub(crate) fn stamp(tree: &AudienceFolder) -> Vec<(PathBuf, u128)> {
    documents(tree).into_iter().map(|document| (document.path, document.changed)).collect()
}

/// The time of a file, for what is thrown away when it is old.
pub(crate) fn is_older(path: &Path, than: Duration) -> bool {
    let changed = fs::metadata(path).and_then(|meta| meta.modified());
    changed.is_ok_and(|changed| SystemTime::now().duration_since(changed).is_ok_and(|age| age > than))
}
