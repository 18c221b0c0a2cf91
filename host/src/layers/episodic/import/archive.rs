//! A `.zip`, as the data exports come: its files of JSON, read where they lie.

use std::fs;
use std::io::{Cursor, Read as _};
use std::path::Path;

use zip::ZipArchive;

use super::kind::is_json;
use super::{File, ImportError, Sink, Step, Unit, json};
use crate::home::files::At as _;

/// Reads all conversations in it; false when there are none.
pub(super) fn read(path: &Path, sink: &mut dyn Sink) -> Result<bool, ImportError> {
    let file = fs::File::open(path).at("read", path)?;
    let modified = File::at(path).modified;
    let failed =
        |error: zip::result::ZipError| ImportError::Archive { path: path.to_owned(), reason: error.to_string() };
    let mut archive = ZipArchive::new(file).map_err(failed)?;
    let mut is_known = false;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(failed)?;
        let name = path.join(&*entry.name().map_err(failed)?);
        let is_text =
            name.extension().is_some_and(|end| end.eq_ignore_ascii_case("json") || end.eq_ignore_ascii_case("jsonl"));
        if !entry.is_file() || !is_text {
            continue;
        }
        let mut start = Vec::new();
        let begun = entry.by_ref().take(4096).read_to_end(&mut start);
        begun.map_err(|error| failed(error.into()))?;
        if is_json(&start) {
            let file = File::named(&name, modified);
            sink.step(Step::Begins { what: file.shown.clone(), unit: Unit::Bytes, total: entry.size() });
            is_known |= json::read(Cursor::new(start).chain(entry), &file, sink)?;
        }
    }
    Ok(is_known)
}
