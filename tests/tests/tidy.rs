//! Rules of the house that no compiler checks. Each test lists all that breaks its rule.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hermes_tests::workspace;

/// A file of the repository: its path from the root, and its text.
struct Text {
    path: String,
    text: String,
}

/// All text files but what is built and what git keeps for itself.
fn files(ending: &str) -> Vec<Text> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match path.is_dir() {
                true if name == "target" || (name.starts_with('.') && !matches!(&*name, ".ci" | ".cargo")) => {}
                true => walk(&path, found),
                false => found.push(path),
            }
        }
    }
    let mut found = Vec::new();
    walk(workspace(), &mut found);
    found.sort();
    let texts = found.into_iter().filter_map(|path| {
        let name = path.strip_prefix(workspace()).ok()?.to_str()?.to_owned();
        let text = name.ends_with(ending).then(|| fs::read_to_string(&path).ok())??;
        Some(Text { path: name, text })
    });
    texts.collect()
}

/// The lines with their numbers, comments and what follows them left out.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(at, line)| (at + 1, line.split("//").next().unwrap_or_default()))
}

#[track_caller]
fn check(rule: &str, broken: Vec<String>) {
    assert!(broken.is_empty(), "{rule}:\n  {}", broken.join("\n  "));
}

#[test]
fn files_are_short() {
    const MOST: usize = 600;
    let long = files(".rs").into_iter().filter_map(|file| {
        let lines = file.text.lines().count();
        (lines > MOST).then(|| format!("{} has {lines} lines", file.path))
    });
    check("a file has one reason to change, and at most 600 lines", long.collect());
}

#[test]
fn modules_say_what_they_are() {
    let silent = files(".rs").into_iter().filter(|file| !file.text.starts_with("//! "));
    check("a module begins with `//!`: what it is, and why", silent.map(|file| file.path).collect());
}

/// Authors of providers read these pages and little else.
#[test]
fn what_authors_build_against_is_explained() {
    const LEAST_PER_CENT: usize = 30;
    let (mut lines, mut docs) = (0, 0);
    for file in files(".rs").iter().filter(|file| file.path.starts_with("provider-api/src/")) {
        // Unit tests explain themselves by their names.
        if file.path.ends_with("/tests.rs") {
            continue;
        }
        let code = file.text.lines().map(str::trim).take_while(|line| *line != "#[cfg(test)]");
        for line in code {
            lines += 1;
            docs += usize::from(line.starts_with("///") || line.starts_with("//!"));
        }
    }
    let share = docs * 100 / lines;
    assert!(share >= LEAST_PER_CENT, "{docs} of {lines} lines of `provider-api/src` are documentation: {share} %");
}

/// The layers of the host, from the top down: the blocks of `mod` lines in its `lib.rs`.
fn layers() -> BTreeMap<String, usize> {
    let text = fs::read_to_string(workspace().join("host/src/lib.rs")).unwrap();
    let mut layers = BTreeMap::new();
    for (layer, block) in text.split("\n\n").enumerate() {
        let modules = block.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
        layers.extend(modules.map(|name| (name.to_owned(), layer)));
    }
    layers
}

/// The top-level modules that a text names: `crate::a::b`, and each of `crate::{a, b::{c, d}}`.
fn named(text: &str) -> Vec<(usize, String)> {
    let code: String = code(text).flat_map(|(_, line)| [line, "\n"]).collect();
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        // `$crate::` and `some_crate::` are others.
        if code[..at].ends_with(|before: char| before.is_alphanumeric() || matches!(before, '_' | '$')) {
            continue;
        }
        let line = code[..at].matches('\n').count() + 1;
        let rest = &code[at + "crate::".len()..];
        let word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("").to_owned();
        let Some(group) = rest.strip_prefix('{') else {
            found.push((line, word(rest)));
            continue;
        };
        let (mut depth, mut item) = (0_u32, String::new());
        for c in group.chars() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => found.push((line, word(std::mem::take(&mut item).trim()))),
                _ => item.push(c),
            }
        }
        found.push((line, word(item.trim())));
    }
    found
}

#[test]
fn names_are_found_in_groups_and_not_in_comments() {
    let names = |text: &str| named(text).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
    assert_eq!(names("use crate::turn;\nlet x = crate::home::Home::at(1);"), ["turn", "home"]);
    assert_eq!(names("use crate::{cli::{a, b}, db,\n  error};"), ["cli", "db", "error"]);
    assert_eq!(names("// crate::cli\n/// [`crate::cli`]\n$crate::cli my_crate::cli"), [""; 0]);
}

/// An upward `use` makes two folders one: neither can be read, tested or replaced without the other.
#[test]
fn folders_of_the_host_use_only_those_below() {
    let layers = layers();
    for layer in ["cli", "turn", "layers", "plugins", "outbox", "guard", "config", "error"] {
        assert!(layers.contains_key(layer), "`{layer}` is not a module of the host any more: {layers:?}");
    }
    let order = |upper: &str, lower: &str| assert!(layers[upper] < layers[lower], "`{upper}` is above `{lower}`");
    order("cli", "turn");
    order("turn", "layers");
    order("layers", "plugins");
    order("plugins", "outbox");
    order("plugins", "guard");
    order("outbox", "config");
    let lowest = layers.values().max().copied().unwrap_or_default();
    // What the leaves have in common.
    let shared = ["home", "clock", "error"];

    let mut broken = Vec::new();
    for file in files(".rs") {
        let Some(path) = file.path.strip_prefix("host/src/") else { continue };
        let own = path.split(['/', '.']).next().unwrap_or_default();
        let Some(&layer) = layers.get(own) else { continue };
        for (line, name) in named(&file.text) {
            let Some(&used) = layers.get(&name) else { continue };
            let between_leaves = layer == lowest && used == lowest && shared.contains(&name.as_str());
            if name != own && used <= layer && !between_leaves {
                broken.push(format!("{}:{line} `{own}` uses `{name}`", file.path));
            }
        }
    }
    check("folders of `host/src` use only those that `lib.rs` lists below them", broken);
}

#[test]
fn nothing_is_left_half_done() {
    let marks = [concat!("db", "g!("), concat!("to", "do!("), concat!("unimple", "mented!(")];
    let mut broken = Vec::new();
    for file in files(".rs") {
        let lines = code(&file.text).filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)));
        broken.extend(lines.map(|(at, line)| format!("{}:{at} {}", file.path, line.trim())));
    }
    check("no traces and no holes", broken);
}

#[test]
fn unsafe_code_is_in_few_files_and_says_why_it_is_sound() {
    const HOLDERS: [&str; 3] =
        ["provider-api/src/boundary.rs", "provider-api/abi/src/lib.rs", "host/src/plugins/load/dylib.rs"];
    let (mut elsewhere, mut unequal) = (Vec::new(), Vec::new());
    for file in files(".rs") {
        let count = |mark: &str| code(&file.text).map(|(_, line)| line.matches(mark).count()).sum::<usize>();
        let (block, implementation) = (concat!("unsa", "fe {"), concat!("unsa", "fe impl"));
        let sites = count(block) + count(implementation);
        let reasons = file.text.matches(concat!("// SAFE", "TY: ")).count();
        if sites != reasons {
            unequal.push(format!("{}: {sites} sites, {reasons} reasons", file.path));
        }
        if sites > 0 && !HOLDERS.contains(&file.path.as_str()) && !file.path.starts_with("tests/") {
            elsewhere.push(file.path);
        }
    }
    check("unsafe code stands only at the boundary", elsewhere);
    check("each unsafe block has its reason", unequal);
}

#[test]
fn nothing_names_a_machine_or_a_registry() {
    let registries = [concat!("crates", ".io"), concat!("npm", "js.com"), concat!("py", "pi.org")];
    let machine = concat!("/wo", "rk/");
    let mut broken = Vec::new();
    for file in files("") {
        // Lock files name the registry of every package.
        if file.path.ends_with("Cargo.lock") {
            continue;
        }
        for (at, line) in file.text.lines().enumerate() {
            if line.contains(machine) || registries.iter().any(|name| line.contains(name)) {
                broken.push(format!("{}:{} {}", file.path, at + 1, line.trim()));
            }
        }
    }
    check("no paths of a machine, no host names of registries", broken);
}

/// Every expansion of the macro defines the symbol that a host looks for.
#[test]
fn no_two_plugins_are_linked_into_one_file() {
    let mark = concat!("export_prov", "ider!(");
    let mut plugins = Vec::new();
    for file in files(".rs") {
        let Some((folder, _)) = file.path.split_once("/src/") else { continue };
        if folder != "provider-api"
            && !folder.starts_with("tests/tests")
            && code(&file.text).any(|(_, line)| line.contains(mark))
        {
            plugins.push(package(folder));
        }
    }
    assert!(plugins.len() > 1, "the mark is not found any more: {plugins:?}");
    let mut broken = Vec::new();
    for manifest in files("Cargo.toml") {
        let uses = |plugin: &String| {
            let line = |end: &str| manifest.text.lines().any(|line| line.starts_with(&format!("{plugin}{end}")));
            let table = [format!("dependencies.{plugin}]"), format!("\"{plugin}\"")];
            line(".") || line(" =") || table.iter().any(|name| manifest.text.contains(name))
        };
        let linked: Vec<_> = plugins.iter().filter(|plugin| uses(plugin)).cloned().collect();
        if linked.len() > 1 {
            broken.push(format!("{}: {}", manifest.path, linked.join(", ")));
        }
    }
    check("two crates that expand the export macro cannot be linked into one file", broken);
}

fn package(folder: &str) -> String {
    let manifest = fs::read_to_string(workspace().join(folder).join("Cargo.toml")).unwrap();
    let name = manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"').map(str::to_owned));
    name.unwrap_or_else(|| panic!("{folder} has no name"))
}
