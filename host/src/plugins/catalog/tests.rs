//! What is read, refused and found.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::error::Failure;

const HEAD: &str = "title = 'Notes'\ndescription = 'Keeps notes'\nmaintainer = 'someone'\ncategory = 'memory'\n";

fn entry(name: &str, rest: &str) -> String {
    format!("name = '{name}'\n{HEAD}licence = 'MIT'\n{rest}")
}

fn catalog(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
    folder
}

fn load(folders: &[&TempDir]) -> Result<Catalogs, CatalogError> {
    let root = |folder: &&TempDir| CatalogRoot {
        path: folder.path().to_owned(),
        tier: Tier::Community,
        named_by: NamedBy::Flag,
    };
    Catalogs::load(&folders.iter().map(root).collect::<Vec<_>>())
}

/// The message and its hints, with the folders named `<a>`, `<b>`, …
fn words(error: CatalogError, folders: &[&TempDir]) -> String {
    let failure = Failure::from(error);
    let mut text = [&[failure.message], failure.hints.as_slice()].concat().join("\n");
    for (folder, name) in folders.iter().zip(["<a>", "<b>"]) {
        let path = fs::canonicalize(folder.path()).unwrap();
        text = text.replace(&path.to_string_lossy().into_owned(), name);
    }
    text
}

#[test]
fn a_whole_entry() {
    let digits = "ab".repeat(32);
    let text = entry(
        "notes",
        &format!(
            "known_issues = ['slow']\ncrate = 'notes'\n[[releases]]\nversion = '1.0.0'\nabi = '1.0'\n\
             requires_host = '>=0.1'\n[releases.capabilities]\nhttp = ['https://api.example']\n\
             [[releases.artifacts]]\ntarget = 'a-b-c'\npath = 'files/notes.tar.gz'\nsha256 = '{digits}'\nsize = 12\n"
        ),
    );
    let folder = catalog(&[("notes.toml", &text.replace('\n', "\r\n")), ("README.md", "no entry"), (".x.toml", "?")]);
    let catalogs = load(&[&folder]).unwrap();
    assert!(catalogs.problems().next().is_none() && catalogs.unknown_keys().is_empty());
    let listing = catalogs.find("notes").unwrap();
    let [release] = listing.entry.releases.as_slice() else { panic!() };
    assert_eq!(release.capabilities.lines(), ["http https://api.example"]);
    assert_eq!(release.artifacts[0].location, Location::Path("files/notes.tar.gz".to_owned()));

    let written = toml::to_string(release).unwrap();
    assert_eq!(toml::from_str::<Release>(&written).unwrap(), *release, "a release is written as it is read");
}

#[track_caller]
fn broken(file: &str, text: &str) -> String {
    let folder = catalog(&[(file, text), ("other.toml", &entry("other", ""))]);
    let catalogs = load(&[&folder]).unwrap();
    assert!(catalogs.find("other").is_ok(), "a broken entry does not hide the others");
    let problems: Vec<_> = catalogs.problems().cloned().collect();
    let [problem] = problems.as_slice() else { panic!("{problems:?}") };
    words(problem.clone(), &[&folder])
}

#[test]
fn no_text_of_an_entry_acts_on_a_terminal() {
    for text in ["docs_url = \"\\u202Egpj.exe\"", "known_issues = [\"fine\", \"\\u001b[2J\"]"] {
        let told = broken("notes.toml", &entry("notes", text));
        assert!(
            told.ends_with("`<a>/notes.toml:7` is broken: the text holds a line break or another control character")
        );
    }
}

#[test]
fn broken_entries_name_file_and_line() {
    let release = "[[releases]]\nversion = '1.0.0'\nabi = '1.0'\n";
    let artifact = |rest: &str| {
        let digits = "ab".repeat(32);
        let text = format!("[[releases.artifacts]]\ntarget = 't'\nsha256 = '{digits}'\nsize = 1\n");
        entry("notes", &format!("{release}{text}{rest}"))
    };
    let all = [
        broken("notes.toml", "name = 'notes'\ntitle = \n"),
        broken("notes.toml", "name = 'notes'\n"),
        broken("notes.toml", "name = 'Notes'\n"),
        broken("wrong.toml", &entry("notes", "")),
        broken("notes.toml", &entry("notes", "docs_url = \"\\u001b[2J\"")),
        broken("notes.toml", &entry("notes", "[[releases]]\nversion = '1.0'\nabi = '1.0'\n")),
        broken("notes.toml", &entry("notes", "[[releases]]\nversion = '1.0.0'\nabi = '1'\n")),
        broken("notes.toml", &entry("notes", &format!("{release}requires_host = 'new'\n"))),
        broken("notes.toml", &entry("notes", &format!("{release}capabilities.command = ['/bin/sh']\n"))),
        broken("notes.toml", &entry("notes", &format!("{release}{release}"))),
        broken("notes.toml", &artifact("")),
        broken("notes.toml", &artifact("path = 'a'\nurl = 'file:/a'")),
        broken("notes.toml", &artifact("path = '../a'")),
        broken("notes.toml", &artifact("path = '/a'")),
        broken("notes.toml", &artifact("url = 'http://a/b'")),
        broken("notes.toml", "name = 'a\0'"),
    ];
    insta::assert_snapshot!(all.join("\n"), @r#"
    the catalog file `<a>/notes.toml:2` is broken: string values must be quoted, expected literal string
    the catalog file `<a>/notes.toml:1` is broken: missing field `title`
    the catalog file `<a>/notes.toml:1` is broken: a name is 1 to 64 lower-case letters, digits and `-`, beginning with a letter
    the catalog file `<a>/wrong.toml:1` is broken: its name is `notes`, so the file must be named `notes.toml`
    the catalog file `<a>/notes.toml:7` is broken: the text holds a line break or another control character
    the catalog file `<a>/notes.toml:8` is broken: unexpected end of input while parsing minor version number
    the catalog file `<a>/notes.toml:9` is broken: an ABI version is two numbers, such as `1.0`
    the catalog file `<a>/notes.toml:10` is broken: unexpected character 'n' while parsing major version number
    the catalog file `<a>/notes.toml:10` is broken: capability command `/bin/sh` is not the bare name of a program
    the catalog file `<a>/notes.toml:1` is broken: release 1.0.0 is there twice
    the catalog file `<a>/notes.toml:10` is broken: an artifact has either `path` or `url`
    the catalog file `<a>/notes.toml:10` is broken: an artifact has either `path` or `url`
    the catalog file `<a>/notes.toml:10` is broken: `path = "../a"` does not stay inside the catalog
    the catalog file `<a>/notes.toml:10` is broken: `path = "/a"` does not stay inside the catalog
    the catalog file `<a>/notes.toml:10` is broken: `url = "http://a/b"` is neither `https://…` nor `file:…`
    the catalog file `<a>/notes.toml:1` is broken: invalid literal string, expected non-single-quote visible characters
    "#);

    let folder = catalog(&[]);
    fs::write(folder.path().join("notes.toml"), b"name = '\xff'").unwrap();
    let error = load(&[&folder]).unwrap().find("notes").unwrap_err();
    insta::assert_snapshot!(words(error, &[&folder]), @"cannot read `<a>/notes.toml`: line 1 is not UTF-8 text");
    let long = format!("name = 'notes'\ntitle = {}", "7".repeat(10_000_000));
    assert!(broken("notes.toml", &long).len() < 500);
}

#[test]
fn files_without_an_end_are_not_read() {
    let folder = catalog(&[("long.toml", &" ".repeat(usize::try_from(LARGEST_FILE).unwrap() + 1))]);
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("endless.toml")).unwrap();
    let user_alone = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.path().join("pipe.toml"), user_alone).unwrap();
    let catalogs = load(&[&folder]).unwrap();
    let problems: Vec<_> = catalogs.problems().map(|error| words(error.clone(), &[&folder])).collect();
    insta::assert_snapshot!(problems.join("\n"), @"
    cannot read `<a>/endless.toml`: it is no plain file
    cannot read `<a>/long.toml`: it has more than 4194304 bytes
    cannot read `<a>/pipe.toml`: it is no plain file
    ");
}

#[test]
fn unknown_keys_are_told_and_passed_over() {
    let text = entry("notes", "licnce = 'x'\n[[releases]]\nversion = '1.0.0'\nabi = '1.0'\n[releases.future]\na = 1\n");
    let folder = catalog(&[("notes.toml", &text), ("removed.toml", "[names]\nevil = 'x'\n[people]\nhe = 'y'\n")]);
    let catalogs = load(&[&folder]).unwrap();
    assert!(catalogs.find("notes").is_ok());
    let told: Vec<_> = catalogs.unknown_keys().iter().map(ToString::to_string).collect();
    let root = fs::canonicalize(folder.path()).unwrap().to_string_lossy().into_owned();
    insta::assert_snapshot!(told.join("\n").replace(&root, "<a>"), @r"
    `<a>/removed.toml:3`: unknown key `people` is passed over
    `<a>/notes.toml:7`: unknown key `licnce` is passed over; did you mean `licence`?
    `<a>/notes.toml:11`: unknown key `releases.future` is passed over
    ");
}

#[test]
fn a_file_full_of_nonsense_takes_no_time_to_speak_of() {
    let nonsense: String = (0..100_000).map(|at| format!("k{at} = 1\n")).collect();
    let release = |at| format!("[[releases]]\nversion = '1.0.{at}'\nabi = '1.0'\n");
    let releases: String = (0..20_000).map(release).collect();
    let folder = catalog(&[("a.toml", &(nonsense + &entry("a", ""))), ("b.toml", &entry("b", &releases))]);
    let catalogs = load(&[&folder]).unwrap();
    assert_eq!((catalogs.listings().count(), catalogs.unknown_keys().len()), (2, 20));
}

#[test]
fn a_name_in_two_catalogs_is_an_error_of_that_name() {
    let first = catalog(&[("notes.toml", &entry("notes", "")), ("a.toml", &entry("a", ""))]);
    let second = catalog(&[("notes.toml", "broken"), ("b.toml", &entry("b", ""))]);
    let catalogs = load(&[&first, &second]).unwrap();
    assert_eq!(catalogs.listings().map(|listing| listing.entry.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    insta::assert_snapshot!(words(catalogs.find("notes").unwrap_err(), &[&first, &second]), @r"
    `notes` is in two catalogs: `<a>/notes.toml` and `<b>/notes.toml`
    use one of the two catalogs alone with `--catalog`
    ");

    assert!(load(&[&first, &first]).unwrap().find("notes").is_ok(), "the same folder counts once");
}

#[test]
fn unknown_names_and_catalogs() {
    let folder = catalog(&[("holographic.toml", &entry("holographic", ""))]);
    let catalogs = load(&[&folder]).unwrap();
    insta::assert_snapshot!(words(catalogs.find("holografic").unwrap_err(), &[]), @r"
    no catalog has a plugin named `holografic`
    did you mean `holographic`?
    `hermes plugins list` shows what the catalogs offer
    ");
    insta::assert_snapshot!(words(catalogs.find("../x\n").unwrap_err(), &[]), @r"
    no catalog has a plugin named `../x\n`
    `hermes plugins list` shows what the catalogs offer
    ");
    let gone = CatalogRoot { path: "/nowhere".into(), tier: Tier::Community, named_by: NamedBy::Flag };
    insta::assert_snapshot!(words(Catalogs::load(&[gone]).unwrap_err(), &[]), @r"
    there is no catalog at `/nowhere`, named by `--catalog`
    name a folder that holds `<name>.toml` files with `--catalog`
    ");
}

#[test]
fn what_is_blocked_is_the_union() {
    let digits = "ab".repeat(32);
    let one =
        catalog(&[("removed.toml", "[names]\nevil = 'steals keys'\n[sources]\n'https://jo@Bad.example/x/' = 'gone'")]);
    let two = catalog(&[("removed.toml", &format!("[names]\nevil = 'other'\n[sha256]\n{digits} = 'leaks'\n"))]);
    let catalogs = load(&[&one, &two]).unwrap();
    let list = catalogs.blocklist();
    assert_eq!(list.name("evil").unwrap().reason, "steals keys");
    assert!(list.name("evi").is_none());
    assert_eq!(list.hash(&Sha256Hex::try_from(digits).unwrap()).unwrap().reason, "leaks");
    for (url, blocked) in [
        ("https://bad.example/x", true),
        ("https://bad.example/x/y/z.tar.gz", true),
        ("https://jo:pass@bad.example/x/y?z", true),
        ("https://BAD.example:443/x/y", true),
        ("https://bad.example./x/y", true),
        ("https://bad.example:8443/x/y", false),
        ("https://bad.example/X/y", false),
        ("https://bad.example/xy", false),
        ("https://bad.example", false),
        ("", false),
    ] {
        assert_eq!(list.source(url).is_some(), blocked, "{url}");
    }

    let folder = catalog(&[("notes.toml", &entry("notes", "")), ("removed.toml", "[names]\nevil = 1\n")]);
    insta::assert_snapshot!(words(load(&[&folder]).unwrap_err(), &[&folder]), @"the catalog file `<a>/removed.toml:2` is broken: invalid type: integer `1`, expected a string");
}

#[test]
fn what_can_be_read_still_blocks() {
    let whole = catalog(&[("removed.toml", "[names]\nevil = 'steals keys'")]);
    let broken = catalog(&[("notes.toml", &entry("notes", "")), ("removed.toml", "[names]\nevil = 1\n")]);
    let root = |path: &Path| CatalogRoot { path: path.to_owned(), tier: Tier::Community, named_by: NamedBy::Flag };
    let roots = [root(Path::new("/nowhere")), root(broken.path()), root(whole.path())];
    let catalogs = Catalogs::load_readable(&roots);
    assert_eq!(catalogs.blocklist().name("evil").unwrap().reason, "steals keys");
    assert!(catalogs.find("notes").is_ok());
    let unread: Vec<_> = catalogs.unread().iter().map(|error| words(error.clone(), &[&broken])).collect();
    assert!(
        unread.len() == 2 && unread[0].contains("`/nowhere`") && unread[1].contains("<a>/removed.toml"),
        "{unread:?}"
    );
    assert!(Catalogs::load(&roots).is_err());
}

#[test]
fn the_catalog_of_this_repository_is_whole() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join("catalog");
    let catalogs = Catalogs::load(&[CatalogRoot { path, tier: Tier::Official, named_by: NamedBy::Usual }]).unwrap();
    assert_eq!(catalogs.problems().map(ToString::to_string).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(catalogs.unknown_keys(), []);
    assert!(catalogs.listings().all(|listing| listing.entry.crate_name.is_some()));
    assert!(catalogs.find("holographic").is_ok());
}

#[test]
fn which_folders_are_catalogs() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    let path = |text: &str| root.join(text);
    let exe = path("target/debug/hermes");
    for made in ["target/debug", "target/catalog", "share/hermes/catalog", "data/hermes/catalog"] {
        fs::create_dir_all(path(made)).unwrap();
    }
    let roots = |flags: &[PathBuf], env: &[&str], config: &[PathBuf]| {
        let env: Vec<_> = env.iter().map(PathBuf::from).collect();
        let roots = default_roots(flags, &env, config, &exe, Some(path("data")));
        let short = |root: &CatalogRoot| {
            let shown = root.path.strip_prefix(path("")).unwrap_or(&root.path).display().to_string();
            format!("{} {shown}", root.tier.name())
        };
        roots.iter().map(short).collect::<Vec<_>>()
    };
    let (a, b) = (PathBuf::from("/a"), PathBuf::from("/b"));
    assert_eq!(roots(&[], &[], &[]), ["official target/catalog", "community data/hermes/catalog"]);
    assert_eq!(
        roots(&[], &[""], std::slice::from_ref(&a)),
        ["community /a", "official target/catalog", "community data/hermes/catalog"]
    );
    assert_eq!(roots(&[], &["/b", "/c"], std::slice::from_ref(&a)), ["community /b", "community /c"]);
    assert_eq!(roots(std::slice::from_ref(&b), &["/c"], &[a]), ["community /b"]);
    assert_eq!(roots(&[path("target/debug/../catalog")], &[], &[]), ["official target/debug/../catalog"]);

    fs::create_dir(path("target/debug/catalog")).unwrap();
    assert_eq!(roots(&[], &[], &[])[0], "official target/debug/catalog", "the first that is there");
    fs::remove_dir(path("target/debug/catalog")).unwrap();
    fs::remove_dir(path("target/catalog")).unwrap();
    assert_eq!(roots(&[], &[], &[]), ["community data/hermes/catalog"]);
}
