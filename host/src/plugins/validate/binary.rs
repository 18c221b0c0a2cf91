//! What a library's file needs of the machine that it will run on, and what it gives away.

use std::fs;

use hermes_provider_api::abi::abi_stable::library::ROOT_MODULE_LOADER_NAME;
use object::read::NameOrOrdinal;
use object::{BinaryFormat, File, Object as _};

use super::{Checks, Located};
use crate::plugins::inspect::oldest_glibc;
use crate::plugins::package::Limits;

/// A library that is larger makes people wait for it.
const LARGE: u64 = 20 << 20;

/// A glibc that all systems of the last years have; those with an older one are not supported by their makers any more.
const COMMON_GLIBC: (u32, u32) = (2, 31);

/// What every Linux system has beside the glibc.
const EVERYWHERE: [&str; 9] =
    ["libc.", "libm.", "libgcc_s.", "libdl.", "libpthread.", "librt.", "libutil.", "ld-linux", "linux-vdso."];

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
    if file.format() != BinaryFormat::Elf {
        return;
    }
    match oldest_glibc(&file) {
        Ok(Some(glibc)) => {
            let symbols: Vec<_> = glibc.symbols.iter().map(|symbol| format!("`{symbol}`")).collect();
            let why = if symbols.is_empty() { String::new() } else { format!(", because of {}", symbols.join(", ")) };
            let text = format!("it needs glibc {glibc} or newer{why}");
            if glibc.release > COMMON_GLIBC {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(
            (megabytes(1), megabytes(1 << 20), megabytes((1 << 20) * 5 / 2)),
            ("0.1 MiB".into(), "1.0 MiB".into(), "2.5 MiB".into())
        );
    }
}
