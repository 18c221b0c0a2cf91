//! Which C library a plugin needs: one that was built on a new system does not load on an old one.

use std::fs;
use std::path::Path;

use object::Endianness;
use object::elf::{FileHeader32, FileHeader64};
use object::read::elf::FileHeader;

/// The oldest glibc that a library runs with, such as `2.34`; None for a library of another kind, or one that needs
/// none.
#[must_use]
pub fn oldest_glibc(library: &Path) -> Option<String> {
    let data = fs::read(library).ok()?;
    let versions = needed::<FileHeader64<Endianness>>(&data).or_else(|| needed::<FileHeader32<Endianness>>(&data))?;
    let newest = versions.into_iter().filter_map(|version| number(&version)).max()?;
    Some(format!("{}.{}", newest.0, newest.1))
}

/// The versions of symbols that a library needs from others, such as `GLIBC_2.34`.
fn needed<E: FileHeader<Endian = Endianness>>(data: &[u8]) -> Option<Vec<String>> {
    let header = E::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, data).ok()?;
    let (mut libraries, link) = sections.gnu_verneed(endian, data).ok()??;
    let strings = sections.strings(endian, data, link).ok()?;
    let mut found = Vec::new();
    while let Some((_, mut versions)) = libraries.next().ok()? {
        while let Some(version) = versions.next().ok()? {
            found.push(String::from_utf8_lossy(version.name(endian, strings).ok()?).into_owned());
        }
    }
    Some(found)
}

fn number(version: &str) -> Option<(u32, u32)> {
    // The mark of packed relocations, which older loaders refuse.
    if version == "GLIBC_ABI_DT_RELR" {
        return Some((2, 36));
    }
    let mut parts = version.strip_prefix("GLIBC_")?.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_program_needs() {
        let own = oldest_glibc(&std::env::current_exe().unwrap());
        assert_eq!(own.is_some(), cfg!(all(target_os = "linux", target_env = "gnu")), "{own:?}");
        assert_eq!(oldest_glibc(Path::new("/nowhere")), None);
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        let newest = ["GLIBC_2.9", "GLIBC_2.2.5", "GLIBC_2.34", "GCC_3.0", "GLIBC_PRIVATE"].map(number);
        assert_eq!(newest.into_iter().flatten().max(), Some((2, 34)));
        assert_eq!(number("GLIBC_ABI_DT_RELR"), Some((2, 36)));
    }
}
