//! What a library's file needs of the machine that it will run on, and what it gives away.

use std::fs;

use hermes_provider_api::abi::abi_stable::library::ROOT_MODULE_LOADER_NAME;
use object::read::NameOrOrdinal;
use object::read::elf::{ElfFile, FileHeader};
use object::{Endianness, File, Object as _, ObjectSymbol as _};

use super::{Checks, Located};
use crate::plugins::package::Limits;

/// A library that is larger makes people wait for it.
const LARGE: u64 = 20 << 20;

/// A glibc that all systems of the last years have; those with an older one are not supported by their makers any more.
const COMMON_GLIBC: Release = (2, 31);

/// What every Linux system has beside the glibc.
const EVERYWHERE: [&str; 9] =
    ["libc.", "libm.", "libgcc_s.", "libdl.", "libpthread.", "librt.", "libutil.", "ld-linux", "linux-vdso."];

type Release = (u32, u32);

pub(super) fn check(located: &Located, checks: &mut Checks) {
    if let Some(source) = &located.newer_source {
        let text = format!("`{}` was changed after the library was built", source.display());
        checks.warn("built", text, "build it again");
    }
    let bytes = match fs::read(&located.library) {
        Ok(bytes) => bytes,
        Err(error) => {
            return checks.error("file", format!("`{}` cannot be read: {error}", located.shown.display()), "");
        }
    };
    // What is no library at all was said by the reader of the section.
    let Ok(file) = File::parse(bytes.as_slice()) else { return };
    size(&file, bytes.len() as u64, located.archive_bytes, checks);
    exports(&file, checks);
    if let Ok(libraries) = file.import_libraries() {
        let names: Vec<_> = libraries
            .flatten()
            .map(|library| String::from_utf8_lossy(library.name()).into_owned())
            .filter(|name| !is_everywhere(name))
            .collect();
        if !names.is_empty() {
            let text = format!("it loads {}, which a user's machine may not have", names.join(", "));
            checks.warn("libraries", text, "link it statically, where its licence allows that");
        }
    }
    let needed = match &file {
        File::Elf32(elf) => oldest_glibc(elf),
        File::Elf64(elf) => oldest_glibc(elf),
        _ => return,
    };
    match needed {
        Ok(Some((release @ (major, minor), symbols))) => {
            let text = format!("it needs glibc {major}.{minor} or newer, because of {}", symbols.join(", "));
            if release > COMMON_GLIBC {
                let hint =
                    "systems with an older one cannot load it; build on an older system, or with `cargo zigbuild`";
                checks.warn("glibc", text, hint);
            } else {
                checks.ok("glibc", text);
            }
        }
        Ok(None) => checks.ok("glibc", "none is needed"),
        Err(error) => checks.warn("glibc", format!("what it needs of the system cannot be read: {error}"), ""),
    }
}

fn size(file: &File<'_>, bytes: u64, archive: Option<u64>, checks: &mut Checks) {
    let has_symbols = file.section_by_name(".debug_info").is_some() || file.symbols().next().is_some();
    let packed = archive.map(|bytes| format!(", {} packed", megabytes(bytes))).unwrap_or_default();
    let text = format!("{}{packed}", megabytes(bytes));
    let Limits { file_bytes, .. } = Limits::default();
    if bytes > file_bytes {
        checks.error("size", format!("{text}: no hermes unpacks more than {}", megabytes(file_bytes)), "");
    } else if has_symbols {
        let hint = "`strip = \"symbols\"` in `[profile.release]` takes them out";
        checks.warn("size", format!("{text}, with symbols that only a debugger needs"), hint);
    } else if bytes > LARGE {
        checks.warn("size", format!("{text}: everyone who installs it waits for that"), "");
    } else {
        checks.ok("size", text);
    }
}

/// Binary megabytes with one decimal.
fn megabytes(bytes: u64) -> String {
    let tenths = bytes.saturating_mul(10).div_ceil(1 << 20);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}

/// Two plugins are loaded into one process: what they export besides the root only stands in the way.
fn exports(file: &File<'_>, checks: &mut Checks) {
    let Ok(exports) = file.exports() else { return };
    let names: Vec<_> = exports
        .flatten()
        .filter_map(|export| match export.name() {
            NameOrOrdinal::Name(name) => Some(String::from_utf8_lossy(name).trim_start_matches('_').to_owned()),
            NameOrOrdinal::Ordinal(_) => None,
        })
        .collect();
    let root = ROOT_MODULE_LOADER_NAME.trim_start_matches('_');
    if !names.iter().any(|name| name == root) {
        checks.error(
            "exports",
            "it does not export its root, so no hermes can load it",
            "`export_provider!`, in a `cdylib`",
        );
    }
    let others: Vec<_> = names.iter().filter(|name| *name != root).map(String::as_str).collect();
    if !others.is_empty() {
        let shown = others.iter().take(3).copied().collect::<Vec<_>>().join("`, `");
        let text = format!("it exports {} symbols besides its root, such as `{shown}`", others.len());
        checks.note("exports", text, "leave out `#[no_mangle]`, and hide those of C code");
    }
}

fn is_everywhere(library: &str) -> bool {
    let system = ["/usr/lib/", "/System/"].iter().any(|folder| library.starts_with(folder));
    system || EVERYWHERE.iter().any(|known| library.starts_with(known))
}

/// The newest release of glibc whose symbols an ELF file asks for, and some of those symbols.
fn oldest_glibc<Elf: FileHeader<Endian = Endianness>>(
    elf: &ElfFile<'_, Elf>,
) -> object::Result<Option<(Release, Vec<String>)>> {
    let (endian, data) = (elf.endian(), elf.data());
    let Some(versions) = elf.elf_section_table().versions(endian, data)? else { return Ok(None) };
    let mut newest: Option<(Release, Vec<String>)> = None;
    for symbol in elf.dynamic_symbols().filter(|symbol| symbol.is_undefined()) {
        let index = versions.version_index(endian, symbol.index());
        let Some(version) = versions.version(index.index())? else { continue };
        let Some(release) = release(version.name()) else { continue };
        let name = format!("`{}`", symbol.name().unwrap_or_default());
        match &mut newest {
            Some((known, names)) if *known == release => names.push(name),
            Some((known, _)) if *known > release => {}
            _ => newest = Some((release, vec![name])),
        }
    }
    Ok(newest.map(|(release, mut names)| {
        names.truncate(3);
        (release, names)
    }))
}

/// `GLIBC_2.34` as numbers.
fn release(version: &[u8]) -> Option<Release> {
    let text = std::str::from_utf8(version).ok()?.strip_prefix("GLIBC_")?;
    let mut parts = text.split('.').map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_compared_as_numbers() {
        assert_eq!(release(b"GLIBC_2.34"), Some((2, 34)));
        assert_eq!(release(b"GLIBC_2.2.5"), Some((2, 2)));
        assert!(release(b"GLIBC_2.9") < release(b"GLIBC_2.31"));
        assert_eq!((release(b"GLIBC_PRIVATE"), release(b"GCC_3.0"), release(b"\xff")), (None, None, None));
    }

    #[test]
    fn sizes() {
        assert_eq!(
            (megabytes(1), megabytes(1 << 20), megabytes((1 << 20) * 5 / 2)),
            ("0.1 MiB".into(), "1.0 MiB".into(), "2.5 MiB".into())
        );
    }
}
