//! Which C library a plugin needs: one that was built on a new system does not load on an old one.

use std::fmt;

use object::read::elf::{ElfFile, FileHeader};
use object::{Endianness, File, Object as _, ObjectSymbol as _};

/// The oldest glibc that a library runs with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glibc {
    /// Major and minor number.
    pub release: (u32, u32),
    /// Up to three of the symbols that older ones lack. There may be none: the packing of relocations has no name.
    pub symbols: Vec<String>,
}

impl fmt::Display for Glibc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.release;
        write!(f, "{major}.{minor}")
    }
}

/// The oldest glibc that a library runs with; None for a library of another kind, or one that needs none.
///
/// # Errors
/// When the file is damaged where that stands.
pub fn oldest_glibc(library: &File<'_>) -> object::Result<Option<Glibc>> {
    match library {
        File::Elf32(elf) => of_elf(elf),
        File::Elf64(elf) => of_elf(elf),
        _ => Ok(None),
    }
}

fn of_elf<Elf: FileHeader<Endian = Endianness>>(elf: &ElfFile<'_, Elf>) -> object::Result<Option<Glibc>> {
    let (endian, data, sections) = (elf.endian(), elf.data(), elf.elf_section_table());
    let Some((mut libraries, link)) = sections.gnu_verneed(endian, data)? else { return Ok(None) };
    let strings = sections.strings(endian, data, link)?;
    let mut newest = None;
    while let Some((_, mut versions)) = libraries.next()? {
        while let Some(version) = versions.next()? {
            newest = newest.max(number(version.name(endian, strings)?));
        }
    }
    let (Some(release), Some(versions)) = (newest, sections.versions(endian, data)?) else { return Ok(None) };
    let mut symbols = Vec::new();
    for symbol in elf.dynamic_symbols().filter(|symbol| symbol.is_undefined()) {
        let index = versions.version_index(endian, symbol.index());
        let needs = versions.version(index.index())?.and_then(|version| number(version.name()));
        if needs == newest && symbols.len() < 3 {
            symbols.push(symbol.name().unwrap_or_default().to_owned());
        }
    }
    Ok(Some(Glibc { release, symbols }))
}

/// `GLIBC_2.34` as numbers.
fn number(version: &[u8]) -> Option<(u32, u32)> {
    // The mark of packed relocations, which older loaders refuse.
    if version == b"GLIBC_ABI_DT_RELR" {
        return Some((2, 36));
    }
    let text = std::str::from_utf8(version).ok()?.strip_prefix("GLIBC_")?;
    let mut parts = text.split('.').map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_program_needs() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let needed = oldest_glibc(&File::parse(own.as_slice()).unwrap()).unwrap();
        assert_eq!(needed.is_some(), cfg!(all(target_os = "linux", target_env = "gnu")), "{needed:?}");
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        let all = ["GLIBC_2.9", "GLIBC_2.2.5", "GLIBC_2.34", "GCC_3.0", "GLIBC_PRIVATE"];
        assert_eq!(all.into_iter().filter_map(|text| number(text.as_bytes())).max(), Some((2, 34)));
        assert_eq!((number(b"GLIBC_2.34"), number(b"GLIBC_2.2.5")), (Some((2, 34)), Some((2, 2))));
        assert!(number(b"GLIBC_2.9") < number(b"GLIBC_2.31"));
        assert_eq!((number(b"GLIBC_PRIVATE"), number(b"GCC_3.0"), number(b"\xff")), (None, None, None));
        assert_eq!(number(b"GLIBC_ABI_DT_RELR"), Some((2, 36)));
        let relocations = Glibc { release: (2, 36), symbols: Vec::new() };
        assert_eq!(relocations.to_string(), "2.36");
    }
}
