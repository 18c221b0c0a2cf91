//! Catalogs that are written, added to, and read back; crates that are found or not.

use std::fs;

use hermes_provider_api::Capabilities;
use hermes_provider_api::metadata::{Metadata, TARGET};
use tempfile::TempDir;

use super::*;
use crate::error::Failure;
use crate::plugins::catalog::{CatalogRoot, Catalogs, Location, NamedBy, Tier};
use crate::plugins::inspect::fixture::{elf, metadata, section};

/// A folder with a library and a catalog in it.
struct Author {
    folder: TempDir,
    library: PathBuf,
    out: PathBuf,
}

impl Author {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { library: folder.path().join("libnotes.so"), out: folder.path().join("dist"), folder }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn write(&self, below: &str, content: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(below).parent().unwrap()).unwrap();
        fs::write(self.path(below), content).unwrap();
    }

    fn build(&self, metadata: &Metadata) {
        self.write("libnotes.so", elf(".memprov", &section(metadata)));
    }

    fn pack<'a>(&'a self, change: impl FnOnce(&mut Pack<'a>)) -> Result<Packed, PublishError> {
        let text = |text: &str| Some(text.to_owned());
        let found = Texts {
            description: text("Keeps notes"),
            maintainer: text("Jo"),
            licence: text("MIT"),
            ..Texts::default()
        };
        let mut request = Pack {
            library: &self.library,
            texts: &[],
            given: Texts::default(),
            found,
            out: &self.out,
            base_url: None,
            force: false,
        };
        change(&mut request);
        pack(&request)
    }

    /// The entry, with what is never twice the same left out.
    fn entry(&self) -> String {
        let text = fs::read_to_string(self.path("dist/notes.toml")).unwrap();
        let lines = text.lines().map(|line| match line.split_once(" = ") {
            Some((key @ ("sha256" | "size"), rest)) => {
                let comment = rest.split_once('#').map(|(_, comment)| format!(" #{comment}")).unwrap_or_default();
                format!("{key} = …{comment}")
            }
            _ => line.replace(TARGET, "[target]"),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn told<T: std::fmt::Debug, E: std::error::Error + Hint>(&self, result: Result<T, E>) -> String {
        let Failure { message, hints, .. } = result.unwrap_err().into();
        let told = std::iter::once(message).chain(hints).collect::<Vec<_>>().join("\n");
        let root = fs::canonicalize(self.folder.path()).unwrap().to_string_lossy().into_owned();
        told.replace(&root, "").replace(self.folder.path().to_str().unwrap(), "").replace(TARGET, "[target]")
    }
}

#[test]
fn an_entry_grows_and_keeps_what_its_author_wrote() {
    let author = Author::new();
    let ask =
        Capabilities { http: vec!["config:base_url".into()], network: "direct".into(), ..Capabilities::default() };
    author.build(&Metadata { capabilities: ask, ..metadata("notes", "1.0.0") });
    assert_eq!(author.pack(|_| {}).unwrap().change, Change::Entry);
    insta::assert_snapshot!(author.entry(), @r#"
    name = "notes"
    title = "notes"
    description = "Keeps notes"
    maintainer = "Jo"
    category = "memory"
    licence = "MIT"

    [[releases]]
    version = "1.0.0"
    requires_host = "*"
    abi = "1.0"
    capabilities = { http = ["config:base_url"], network = "direct" }

    [[releases.artifacts]]
    target = "[target]"
    path = "notes-1.0.0-[target].tar.gz"
    sha256 = …
    size = …
    "#);

    let text = fs::read_to_string(author.path("dist/notes.toml")).unwrap();
    let text = text.replace("name =", "# ours\nname =").replace("\"Keeps notes\"", "'Keeps notes' # for now");
    author.write("dist/notes.toml", text.replace("size = ", "size    =  ") + "# the end\n");
    author.build(&Metadata { target: "riscv64-unknown-none".into(), ..metadata("notes", "1.0.0") });
    assert_eq!(author.pack(|_| {}).unwrap().change, Change::Artifact);
    author.build(&metadata("notes", "1.1.0"));
    let given = Texts { description: Some("Keeps more".into()), ..Texts::default() };
    let packed = author.pack(|request| {
        request.given = given;
        request.base_url = Some("https://notes.example/dl/");
    });
    assert_eq!(packed.unwrap().change, Change::Release);
    insta::assert_snapshot!(author.entry(), @r#"
    # ours
    name = "notes"
    title = "notes"
    description = "Keeps more" # for now
    maintainer = "Jo"
    category = "memory"
    licence = "MIT"

    [[releases]]
    version = "1.0.0"
    requires_host = "*"
    abi = "1.0"
    capabilities = { http = ["config:base_url"], network = "direct" }

    [[releases.artifacts]]
    target = "[target]"
    path = "notes-1.0.0-[target].tar.gz"
    sha256 = …
    size    =  358

    [[releases.artifacts]]
    target = "riscv64-unknown-none"
    path = "notes-1.0.0-riscv64-unknown-none.tar.gz"
    sha256 = …
    size = …

    [[releases]]
    version = "1.1.0"
    requires_host = "*"
    abi = "1.0"

    [[releases.artifacts]]
    target = "[target]"
    url = "https://notes.example/dl/notes-1.1.0-[target].tar.gz"
    sha256 = …
    size = …
    # the end
    "#);
    assert_eq!(author.pack(|_| {}).unwrap().change, Change::Nothing);
}

#[test]
fn what_was_written_can_be_found_in_the_catalog() {
    let author = Author::new();
    author.write("LICENSE", "as you like");
    author.build(&metadata("notes", "1.0.0"));
    let licence = [author.path("LICENSE")];
    let packed = author.pack(|request| request.texts = &licence).unwrap();
    assert_eq!(packed.files, ["LICENSE", "libnotes.so"]);
    let root = CatalogRoot { path: author.path("dist"), tier: Tier::Community, named_by: NamedBy::Flag };
    let catalogs = Catalogs::load(&[root]).unwrap();
    let artifact = &catalogs.find("notes").unwrap().entry.releases[0].artifacts[0];
    let Location::Path(path) = &artifact.location else { panic!("{artifact:?}") };
    assert_eq!(author.path("dist").join(path), packed.archive);
    assert_eq!(super::super::verify::sha256_of(&packed.archive).unwrap(), artifact.sha256);
    assert_eq!(fs::metadata(&packed.archive).unwrap().len(), artifact.size);
}

#[test]
fn a_published_version_does_not_change_by_mistake() {
    let author = Author::new();
    author.build(&metadata("notes", "1.0.0"));
    author.pack(|_| {}).unwrap();
    let before = fs::read(author.path("dist/notes.toml")).unwrap();
    let ask = Capabilities { secret: vec!["NOTES_KEY".into()], ..Capabilities::default() };
    let asks = Metadata { capabilities: ask, ..metadata("notes", "1.0.0") };
    author.build(&asks);
    let told = author.told(author.pack(|_| {}));
    assert!(
        told.starts_with("`/dist/notes.toml` has notes 1.0.0 for `[target]` already, with other content"),
        "{told}"
    );
    assert!(told.ends_with("\nif nobody has it yet, `--force` replaces it"), "{told}");
    assert_eq!(fs::read(author.path("dist/notes.toml")).unwrap(), before);

    // Another target may not ask for more than the release admits, forced or not.
    author.build(&Metadata { target: "riscv64-unknown-none".into(), ..asks.clone() });
    insta::assert_snapshot!(author.told(author.pack(|request| request.force = true)), @"
    `/dist/notes.toml` has notes 1.0.0 with fewer capabilities than this library asks for: secret NOTES_KEY
    raise the version in `Cargo.toml`, and build and pack every target again
    ");

    author.build(&asks);
    assert_eq!(author.pack(|request| request.force = true).unwrap().change, Change::Replaced);
    assert!(author.entry().contains("capabilities = { secret = [\"NOTES_KEY\"] }"), "{}", author.entry());
}

#[test]
fn what_an_install_would_refuse_is_not_packed() {
    let author = Author::new();
    let ask = Capabilities { command: vec!["/bin/sh".into()], ..Capabilities::default() };
    let odd =
        Metadata { capabilities: ask, requires_host: "new".into(), target: "../x".into(), ..metadata("Notes", "1") };
    author.build(&odd);
    insta::assert_snapshot!(author.told(author.pack(|_| {})), @"`/libnotes.so` would be refused when it is installed: its id `Notes` is not 1 to 64 lower-case letters, digits and `-`, beginning with a letter; `new` is no range of host versions; its target `../x` is no target triple; capability command `/bin/sh` is not the bare name of a program; its version `1` is none: unexpected end of input while parsing major version number");
    author.build(&metadata("removed", "1.0.0"));
    insta::assert_snapshot!(author.told(author.pack(|_| {})), @"`/libnotes.so` would be refused when it is installed: its id `removed` is the name of another file of a catalog");
    author.write("libnotes.so", elf(".data", b"x"));
    insta::assert_snapshot!(author.told(author.pack(|_| {})), @"
    `/libnotes.so` is a library but not a hermes plugin: it has no `.memprov` section
    a plugin is made with `hermes_provider_api::export_provider!`
    ");
    author.build(&metadata("notes", "1.0.0"));
    insta::assert_snapshot!(author.told(author.pack(|request| request.found = Texts::default())), @r#"
    a new catalog entry needs `description`, `maintainer`, `licence`
    give `--description "…" --maintainer "…" --licence "…"`
    "#);
    author.write("libnotes.so.debug", "");
    let debug = author.path("libnotes.so.debug");
    insta::assert_snapshot!(author.told(author.pack(|request| request.library = &debug)), @"`/libnotes.so.debug` is not named like a library: `lib….so`, `lib….dylib` or `….dll`");
    assert!(!author.path("dist").exists());
}

#[test]
fn lists_within_brackets_are_added_to() {
    let author = Author::new();
    author.build(&metadata("notes", "1.1.0"));
    let head =
        "name = 'notes'\ntitle = 'N'\ndescription = 'D'\nmaintainer = 'J'\ncategory = 'memory'\nlicence = 'MIT'\n";
    author.write("dist/notes.toml", format!("{head}releases = []\n"));
    author.pack(|_| {}).unwrap();
    author
        .write("dist/notes.toml", format!("{head}releases = [{{ version = '1.1.0', abi = '1.0', artifacts = [] }}]\n"));
    assert_eq!(author.pack(|_| {}).unwrap().change, Change::Artifact);
    insta::assert_snapshot!(author.entry(), @r#"
    name = 'notes'
    title = 'N'
    description = 'D'
    maintainer = 'J'
    category = 'memory'
    licence = 'MIT'

    [[releases ]]
    version = '1.1.0'
    abi = '1.0'

    [[releases.artifacts]]
    target = "[target]"
    path = "notes-1.1.0-[target].tar.gz"
    sha256 = …
    size = …
    "#);
    author.write("dist/notes.toml", "name = 'note");
    insta::assert_snapshot!(author.told(author.pack(|_| {})), @"the catalog file `/dist/notes.toml:1` is broken: invalid literal string, expected `'`");
}

#[test]
fn a_crate_is_found_with_what_it_inherits() {
    let author = Author::new();
    author.write(
        "Cargo.toml",
        "[workspace]\nmembers = ['a']\n[workspace.package]\nversion = '1.2.3'\nauthors = ['Jo <jo@x>', 'Cé']\nlicense = 'MIT'\n",
    );
    author.write(
        "a/Cargo.toml",
        "[package]\nname = 'hermes-notes'\nversion.workspace = true\nlicense = { workspace = true }\n\
         authors.workspace = true\ndescription = '''\nKeeps\n  notes'''\nhomepage = 'https://x.example'\n",
    );
    author.write("LICENSE-MIT", "MIT");
    author.write("README.md", "of the workspace");
    author.write("a/README.md", "of the crate");
    let find = || Source::find(&author.path("a"), None);
    insta::assert_snapshot!(author.told(find()).replace(".dylib", ".so"), @"
    `/a` is not built for release: no `libhermes_notes.so` in `/a/target`, `/target`
    run `cargo build --release` there; if it builds to another folder, name the library itself
    ");

    author.write("target/debug/libhermes_notes.so", elf(".memprov", &section(&metadata("notes", "1.2.3"))));
    assert!(author.told(find()).contains("\nor name the unoptimised one itself: `/target/debug/libhermes_notes.so`"));
    author.write("target/release/libhermes_notes.so", elf(".memprov", &section(&metadata("notes", "1.2.2"))));
    insta::assert_snapshot!(author.told(find()), @"
    `/target/release/libhermes_notes.so` is version 1.2.2, and `/a/Cargo.toml` says 1.2.3
    run `cargo build --release` again
    ");
    author.write("target/release/libhermes_notes.so", elf(".memprov", &section(&metadata("notes", "1.2.3"))));
    let source = find().unwrap();
    let text = |text: &str| Some(text.to_owned());
    let found = Texts {
        description: text("Keeps notes"),
        maintainer: text("Jo <jo@x>, Cé"),
        licence: text("MIT"),
        docs_url: text("https://x.example"),
        ..Texts::default()
    };
    assert_eq!(source.found, found);
    let root = fs::canonicalize(author.folder.path()).unwrap();
    assert_eq!(source.texts, [root.join("a/README.md"), root.join("LICENSE-MIT")]);
    assert_eq!(source.library, root.join("target/release/libhermes_notes.so"));

    author.write("target/riscv64-unknown-none/release/libhermes_notes.so", "");
    insta::assert_snapshot!(author.told(find()), @"
    `/a` is built for several targets: `/target/release/libhermes_notes.so`, `/target/riscv64-unknown-none/release/libhermes_notes.so`
    name the library itself
    ");
    let elsewhere = Source::find(&author.path("a"), Some(&author.path("target/riscv64-unknown-none")));
    assert!(
        author.told(elsewhere).starts_with("`/target/riscv64-unknown-none/release/libhermes_notes.so` is not a lib")
    );
    insta::assert_snapshot!(author.told(Source::find(&author.path("."), None)), @"
    `/Cargo.toml` is not the manifest of a package
    name the folder of the plugin's own crate
    ");
    insta::assert_snapshot!(author.told(Source::find(&author.path("b"), None)), @"there is no file and no folder `/b`");
}

#[test]
fn a_folder_holds_one_library() {
    let author = Author::new();
    author.write("x/README.md", "");
    insta::assert_snapshot!(author.told(Source::find(&author.path("x"), None)), @"
    `/x` holds 0 libraries, and a plugin is exactly one
    name the library itself
    ");
    author.write("x/libnotes.so", "");
    author.write("x/Makefile", "");
    let root = fs::canonicalize(author.path("x")).unwrap();
    let source =
        Source { library: root.join("libnotes.so"), texts: vec![root.join("README.md")], found: Texts::default() };
    assert_eq!(Source::find(&author.path("x"), None).unwrap(), source);
    assert_eq!(Source::find(&author.path("x/libnotes.so"), None).unwrap(), source);
}
