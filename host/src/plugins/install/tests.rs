//! Whole installs, with all that can go wrong on the way.

use std::cell::RefCell;
use std::fs;
use std::time::Duration;

use hermes_provider_api::Capabilities;
use hermes_provider_api::metadata::Metadata;
use hermes_provider_api::records::ConfigField;
use semver::Version;
use tempfile::TempDir;

use super::*;
use crate::config::Isolation;
use crate::plugins::catalog::{CatalogRoot, NamedBy, Tier};
use crate::plugins::inspect::fixture;

/// A home, an official and a community catalog, and the answers that a user and a load test give.
struct Scene {
    folder: TempDir,
    home: Home,
    approval: Approval,
    load: Option<&'static str>,
    asked: RefCell<Vec<String>>,
    loaded: RefCell<Vec<PathBuf>>,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("official")).unwrap();
        fs::create_dir(root.join("community")).unwrap();
        let home = Home::at(root.join("home"));
        let (asked, loaded) = (RefCell::default(), RefCell::default());
        Self { folder, home, approval: Approval::Granted, load: None, asked, loaded }
    }

    fn catalog(&self, tier: Tier) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(tier.name())
    }

    fn catalogs(&self) -> Catalogs {
        let roots = [Tier::Official, Tier::Community].map(|tier| CatalogRoot {
            path: self.catalog(tier),
            tier,
            named_by: NamedBy::Usual,
        });
        Catalogs::load(&roots).unwrap()
    }

    fn publish(&self, tier: Tier, metadata: &Metadata) {
        super::fixture::publish(&self.catalog(tier), metadata);
    }

    fn publish_plain(&self, id: &str, version: &str) {
        self.publish(Tier::Official, &fixture::metadata(id, version));
    }

    fn publish_asking(&self, tier: Tier, version: &str, capabilities: &Capabilities) {
        let capabilities = capabilities.clone();
        self.publish(tier, &Metadata { capabilities, ..fixture::metadata("notes", version) });
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.catalog(Tier::Official).join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&path, text.replace(from, to)).unwrap();
    }

    fn install(&self, name: &str, want: Want) -> Result<Outcome, InstallError> {
        let approve = |consent: &Consent| {
            self.asked.borrow_mut().extend(consent.lines());
            self.approval
        };
        let load_test = |verified: &Verified| {
            assert!(verified.library.is_file());
            self.loaded.borrow_mut().push(verified.library.clone());
            self.load.map_or(Ok(()), |reason| Err(Failure::new(reason).hint("look there")))
        };
        let cx = InstallContext {
            home: &self.home,
            clock: &Clock::fixed(1_700_000_000_000),
            catalogs: &self.catalogs(),
            fetch: self.fetcher(false),
            platform: &Platform::current(),
            approve: &approve,
            load_test: &load_test,
            progress: &|_| {},
        };
        install(&Request { name: name.to_owned(), want, force: false }, &cx)
    }

    fn fetcher(&self, offline: bool) -> Fetcher<'_> {
        Fetcher { home: &self.home, offline, idle: Duration::from_secs(1), step: &|_| {} }
    }

    #[track_caller]
    fn installs(&self, name: &str) -> Record {
        match self.install(name, Want::Newest).unwrap() {
            Outcome::Installed { record, .. } => record,
            Outcome::AlreadyInstalled { .. } => panic!("{name} was there"),
        }
    }

    /// Why the newest is not installed, after checking that nothing changed.
    #[track_caller]
    fn refuses(&self, name: &str) -> String {
        let before = self.tree();
        let failure = Failure::from(self.install(name, Want::Newest).unwrap_err());
        assert_eq!(self.tree(), before, "nothing was changed");
        let root = fs::canonicalize(self.folder.path()).unwrap().to_string_lossy().into_owned();
        [&[failure.message], failure.hints.as_slice()].concat().join("\n").replace(&root, "")
    }

    /// Every file of the store, and the lockfile.
    fn tree(&self) -> (Vec<(PathBuf, Vec<u8>)>, Option<String>) {
        fn walk(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
            let Ok(items) = fs::read_dir(folder) else { return };
            for path in items.map(|item| item.unwrap().path()) {
                if path.is_dir() {
                    walk(&path, files);
                } else {
                    files.push((path.clone(), fs::read(&path).unwrap()));
                }
            }
        }
        let mut files = Vec::new();
        walk(&self.home.store(), &mut files);
        files.sort();
        (files, fs::read_to_string(self.home.lock_file()).ok())
    }

    fn library(&self, record: &Record) -> PathBuf {
        version_folder(&self.home, "notes", &record.version, &record.library_sha256).join("libnotes.so")
    }
}

fn secret(name: &str) -> Capabilities {
    Capabilities { secret: vec![name.to_owned()], ..Capabilities::default() }
}

#[test]
fn a_plugin_that_needs_nothing_is_installed_unasked() {
    let scene = Scene::new();
    scene.publish_plain("notes", "1.0.0");
    let record = scene.installs("notes");
    assert!(scene.asked.borrow().is_empty());
    assert_eq!(*scene.loaded.borrow(), [scene.library(&record)]);
    assert_eq!((record.installed_at, record.source.as_str()), (1_700_000_000_000, "notes-1.0.0.tar.gz"));
    let verified =
        check_installed(&scene.home, "notes", Isolation::Process, &Platform::current(), &scene.catalogs()).unwrap();
    assert_eq!((verified.metadata.id.as_str(), &verified.library), ("notes", &scene.library(&record)));

    let tree = scene.tree();
    assert_eq!(tree.0.len(), 1, "only the library: {tree:?}");
    assert!(matches!(scene.install("notes", Want::Newest).unwrap(), Outcome::AlreadyInstalled { .. }));
    assert_eq!((scene.tree(), scene.loaded.borrow().len()), (tree, 1));
}

#[test]
fn whoever_is_asked_decides() {
    let asks = Capabilities {
        http: vec!["https://api.example".to_owned(), "config:base_url".to_owned()],
        command: vec!["brv".to_owned()],
        file: vec!["read:notes_dir".to_owned()],
        network: "direct".to_owned(),
        ..secret("NOTES_KEY")
    };
    let mut scene = Scene::new();
    scene.publish_asking(Tier::Community, "1.0.0", &asks);
    scene.approval = Approval::CannotAsk;
    insta::assert_snapshot!(scene.refuses("notes"), @r"
    `notes` was not installed: somebody has to agree to this, and nobody can be asked here
      Notes 1.0.0, from a community catalog, which nobody at hermes reviews: `/community`
      may call https://api.example
      may call the address that you set as `base_url`
      may read the secret NOTES_KEY
      may run `brv`: such a program runs with your full authority, outside the confinement
      may read the files that you set as `notes_dir`
      may open network connections of its own to anywhere
      its worker is confined to that by the kernel
    to agree, run `hermes plugins install notes --yes`
    ");
    scene.approval = Approval::Declined;
    insta::assert_snapshot!(scene.refuses("notes"), @"`notes` was not installed, as you chose");
    assert!(scene.loaded.borrow().is_empty());
    scene.approval = Approval::Granted;
    assert_eq!(scene.installs("notes").grant.capabilities, asks);
}

#[test]
fn a_grant_by_the_name_of_a_setting_shows_what_the_plugin_sets_it_to() {
    let scene = Scene::new();
    let capabilities = Capabilities {
        http: vec!["config:base_url".to_owned()],
        file: vec!["read:notes_dir".to_owned()],
        ..Capabilities::default()
    };
    let field = |key: &str, default: &str| ConfigField {
        key: key.to_owned(),
        default: Some(default.to_owned()),
        ..ConfigField::default()
    };
    let publish = |version: &str, address: &str| {
        let config = vec![field("base_url", address), field("notes_dir", "/"), field("mode", version)];
        let capabilities = capabilities.clone();
        scene.publish(Tier::Official, &Metadata { capabilities, config, ..fixture::metadata("notes", version) });
    };
    publish("1.0.0", "https://elsewhere.example");
    scene.installs("notes");
    assert_eq!(
        scene.asked.borrow()[1..3],
        [
            "may call the address that you set as `base_url`, which is `https://elsewhere.example` until then",
            "may read the files that you set as `notes_dir`, which is `/` until then"
        ]
    );
    scene.asked.borrow_mut().clear();
    publish("1.1.0", "https://elsewhere.example");
    assert_eq!(scene.installs("notes").version, Version::new(1, 1, 0));
    assert!(scene.asked.borrow().is_empty(), "the same again");
    publish("1.2.0", "https://another.example");
    assert_eq!(scene.installs("notes").version, Version::new(1, 2, 0));
    assert!(scene.asked.borrow()[1].contains("`https://another.example` until then"), "{:?}", scene.asked);
}

#[test]
fn what_was_granted_once_is_not_asked_again() {
    let root = |tier, path: &str| CatalogRoot { path: path.into(), tier, named_by: NamedBy::Usual };
    let grant = |tier, capabilities: &Capabilities| Grant {
        catalog: "/a".into(),
        tier,
        capabilities: capabilities.clone(),
        defaults: BTreeMap::new(),
    };
    let (none, a) = (Capabilities::default(), secret("A"));
    let both = Capabilities { command: vec!["brv".to_owned()], ..secret("A") };
    let covered =
        |root: CatalogRoot, asks: &Capabilities, before: Option<&Grant>| consent::is_covered(&root, asks, before);
    use Tier::{Community, Official};
    assert!(covered(root(Official, "/a"), &none, None));
    assert!(!covered(root(Official, "/a"), &a, None));
    assert!(!covered(root(Community, "/a"), &none, None));
    assert!(covered(root(Community, "/a"), &a, Some(&grant(Community, &both))));
    assert!(!covered(root(Community, "/a"), &both, Some(&grant(Community, &a))));
    assert!(!covered(root(Community, "/b"), &a, Some(&grant(Official, &a))), "on the word of another");
    assert!(covered(root(Official, "/b"), &a, Some(&grant(Community, &a))));
}

#[test]
fn archives_that_are_not_what_the_catalog_means() {
    let scene = Scene::new();
    scene.publish_plain("notes", "1.0.0");
    let archive = scene.catalog(Tier::Official).join("notes-1.0.0.tar.gz");
    let whole = fs::read(&archive).unwrap();
    let mut changed = whole.clone();
    changed[20] ^= 1;
    fs::write(&archive, &changed).unwrap();
    let told = scene.refuses("notes");
    assert!(told.contains("has the sha256 ") && told.contains(", the catalog says "), "{told}");
    fs::write(&archive, &whole[1..]).unwrap();
    let told = scene.refuses("notes");
    let sizes = format!("has {} bytes, the catalog says {} bytes", whole.len() - 1, whole.len());
    assert!(told.contains(&sizes), "{told}");
    fs::remove_file(&archive).unwrap();
    insta::assert_snapshot!(scene.refuses("notes"), @"cannot read `/official/notes-1.0.0.tar.gz`: No such file or directory (os error 2)");
    fs::create_dir(&archive).unwrap();
    assert!(scene.refuses("notes").contains("has no content, for it is no file"));
    fs::remove_dir(&archive).unwrap();
    fs::write(&archive, &whole).unwrap();

    let size = format!("size = {}", whole.len());
    scene.edit("notes.toml", &size, "size = 1000000000000000");
    insta::assert_snapshot!(scene.refuses("notes"), @"
    the archive of `notes` 1.0.0 has 1000000000000000 bytes by its catalog, and may have 805306368 at the most
    the catalog is wrong there; `hermes plugins info notes` shows the other releases
    ");
    scene.edit("notes.toml", "size = 1000000000000000", &size);

    let url = format!("url = 'file://{}'", archive.display());
    scene.edit("notes.toml", "path = \"notes-1.0.0.tar.gz\"", &url);
    scene.installs("notes");
}

#[test]
fn a_plugin_that_is_not_what_its_entry_says() {
    let scene = Scene::new();
    scene.publish_asking(Tier::Official, "1.0.0", &secret("NOTES_KEY"));
    scene.edit("notes.toml", "\"NOTES_KEY\"", "\"OTHER_KEY\"");
    scene.edit("notes.toml", "version = \"1.0.0\"", "version = \"1.0.1\"");
    insta::assert_snapshot!(scene.refuses("notes"), @r"
    `notes` 1.0.1 cannot be used
      version: the plugin says 1.0.0, its catalog entry 1.0.1
      it asks for more than its catalog entry allows: `secret NOTES_KEY`
    the plugin and its catalog entry disagree; whoever maintains them has to know
    ");
    scene.edit("notes.toml", "target = \"", "target = \"not-");
    assert!(scene.refuses("notes").contains("1.0.1 is there only for not-"));
}

#[test]
fn what_is_blocked() {
    let scene = Scene::new();
    scene.publish_plain("notes", "1.0.0");
    let record = scene.installs("notes");
    let removed = scene.catalog(Tier::Community).join("removed.toml");
    fs::write(&removed, "[names]\nnotes = 'steals keys'").unwrap();
    insta::assert_snapshot!(scene.refuses("notes"), @"`notes` is blocked by `/community/removed.toml`: steals keys");
    fs::write(&removed, format!("[sha256]\n{} = 'leaks'", record.library_sha256)).unwrap();
    let check = || check_installed(&scene.home, "notes", Isolation::Process, &Platform::current(), &scene.catalogs());
    assert!(check().unwrap_err().to_string().contains("leaks"));
    fs::write(&removed, format!("[sha256]\n{} = 'leaks'", record.archive_sha256)).unwrap();
    assert!(check().unwrap_err().to_string().contains("leaks"));
    let mut editor = Editor::open(&scene.home).unwrap();
    let installed = &mut editor.lock.plugins.get_mut("notes").unwrap().current;
    installed.source = "https://bad.example/notes.tar.gz".to_owned();
    editor.save().unwrap();
    drop(editor);
    fs::write(&removed, "[sources]\n'https://bad.example' = 'gone'").unwrap();
    assert!(check().unwrap_err().to_string().contains("the source `https://bad.example` is blocked"));
    fs::write(&removed, format!("[sha256]\n{} = 'leaks'", record.archive_sha256)).unwrap();
    assert!(scene.refuses("notes").contains("1.0.0 cannot be used: the file with sha256 "));
}

#[test]
fn a_plugin_that_does_not_load_leaves_all_as_it_was() {
    let mut scene = Scene::new();
    scene.publish_plain("notes", "1.0.0");
    scene.load = Some("it panics");
    insta::assert_snapshot!(scene.refuses("notes"), @r"
    `notes` was not installed, because it does not load: it panics
    look there
    ");
    scene.load = None;
    scene.installs("notes");
    scene.publish_plain("notes", "1.1.0");
    scene.load = Some("it panics");
    scene.refuses("notes");
    let lock = Lock::read(&scene.home).unwrap();
    assert_eq!(lock.plugins["notes"].current.version, Version::new(1, 0, 0));
}

#[test]
fn the_version_before_is_kept() {
    let scene = Scene::new();
    scene.publish_plain("notes", "1.0.0");
    let first = scene.installs("notes");
    scene.publish_plain("notes", "1.1.0");
    let Outcome::Installed { record: second, replaced, .. } = scene.install("notes", Want::Newest).unwrap() else {
        panic!()
    };
    assert_eq!(replaced, Some(Version::new(1, 0, 0)));
    assert!(scene.library(&first).is_file() && scene.library(&second).is_file());
    let lock = Lock::read(&scene.home).unwrap();
    assert_eq!(lock.plugins["notes"], Installed { current: second.clone(), previous: Some(first.clone()) });

    let before = fs::metadata(scene.library(&first)).unwrap();
    scene.install("notes", Want::Exactly(Version::new(1, 0, 0))).unwrap();
    let after = fs::metadata(scene.library(&first)).unwrap();
    let inode = std::os::unix::fs::MetadataExt::ino;
    assert_eq!(inode(&before), inode(&after), "a folder of the store is never overwritten");
    let lock = Lock::read(&scene.home).unwrap();
    assert_eq!(lock.plugins["notes"], Installed { current: first, previous: Some(second) });
}

#[test]
fn a_damaged_library_is_installed_anew() {
    let scene = Scene::new();
    scene.publish_plain("notes", "1.0.0");
    let record = scene.installs("notes");
    fs::write(scene.library(&record), "damaged").unwrap();
    scene.installs("notes");
    assert_eq!(sha256_of(&scene.library(&record)).unwrap(), record.library_sha256);
    assert_eq!(Lock::read(&scene.home).unwrap().plugins["notes"].previous, None);
    assert_eq!(scene.tree().0.len(), 1);
}

#[test]
fn leftovers_of_a_crash_are_used_or_taken_away() {
    let scene = Scene::new();
    scene.publish_plain("notes", "1.0.0");
    let record = scene.installs("notes");
    // As if the process had died before the record was written, and another while it unpacked.
    fs::remove_file(scene.home.lock_file()).unwrap();
    let dead = scene.home.store().join(".staging-dead");
    fs::create_dir(&dead).unwrap();
    fs::write(dead.join("libnotes.so"), "half").unwrap();
    assert_eq!(scene.installs("notes"), record);
    assert_eq!(scene.tree().0.len(), 1);
}

#[test]
fn removing_keeps_data_and_grants() {
    let scene = Scene::new();
    scene.publish_asking(Tier::Official, "1.0.0", &secret("NOTES_KEY"));
    scene.installs("notes");
    let data = scene.home.provider_data("notes");
    fs::create_dir_all(&data).unwrap();
    let removed = remove(&scene.home, "notes").unwrap();
    assert_eq!(removed, Removed { version: Version::new(1, 0, 0), data: Some(data.clone()) });
    assert!(data.is_dir() && scene.tree().0.is_empty());
    let failure = Failure::from(remove(&scene.home, "notes").unwrap_err());
    assert_eq!((failure.message.as_str(), failure.hints.len()), ("`notes` is not installed", 1));

    scene.asked.borrow_mut().clear();
    scene.installs("notes");
    assert!(scene.asked.borrow().is_empty(), "the grant was kept");
    assert!(Lock::read(&scene.home).unwrap().removed.is_empty());
}

#[test]
fn many_at_once() {
    let scene = Scene::new();
    scene.publish_plain("notes", "1.0.0");
    scene.publish_plain("other", "1.0.0");
    let (home, catalogs, platform) = (&scene.home, &scene.catalogs(), &Platform::current());
    std::thread::scope(|scope| {
        for name in ["notes", "other"].repeat(4) {
            scope.spawn(move || {
                let clock = Clock::fixed(1);
                let (approve, load_test) = (|_: &Consent| Approval::Granted, |_: &Verified| Ok(()));
                let (approve, load_test, progress) = (&approve, &load_test, &|_: &str| {});
                let fetch = Fetcher { home, offline: false, idle: Duration::from_secs(1), step: &|_| {} };
                let cx =
                    InstallContext { home, clock: &clock, catalogs, fetch, platform, approve, load_test, progress };
                install(&Request { name: name.to_owned(), want: Want::Newest, force: false }, &cx).unwrap();
            });
        }
    });
    assert_eq!(scene.tree().0.len(), 2);
    for id in ["notes", "other"] {
        check_installed(home, id, Isolation::InProcess, platform, catalogs).unwrap();
        assert_eq!(Lock::read(home).unwrap().plugins[id].previous, None);
    }
}

#[test]
fn installing_unasked() {
    let scene = Scene::new();
    scene.publish_plain("plain", "1.0.0");
    scene.publish_asking(Tier::Official, "1.0.0", &secret("NOTES_KEY"));
    scene.publish(Tier::Community, &fixture::metadata("foreign", "1.0.0"));
    let plan_with = |id: &str, policy, offline| {
        let lock = Lock::read(&scene.home).unwrap();
        lazy_plan(id, &scene.catalogs(), &lock, &Platform::current(), policy, &scene.fetcher(offline))
    };
    let plan = |id: &str, policy| plan_with(id, policy, false);
    let asks =
        |id: &str, why: &str| LazyPlan::Ask { command: format!("hermes memory setup {id}"), why: why.to_owned() };
    use LazyPolicy::{Allowed, Forbidden};
    assert_eq!(plan("plain", Allowed), LazyPlan::Install);
    assert_eq!(plan("plain", Forbidden), asks("plain", "`security.allow_lazy_installs` is off"));
    assert_eq!(plan_with("plain", Allowed, true), LazyPlan::Install, "it is in a folder");
    scene.edit("plain.toml", "path = \"", "url = \"https://jo:secret@mirror.example/");
    assert_eq!(plan("plain", Allowed), LazyPlan::Install);
    let LazyPlan::Impossible { why, hints } = plan_with("plain", Allowed, true) else { panic!() };
    assert!(why.contains("it is at `https://mirror.example/plain-1.0.0.tar.gz`, with the sha256 "), "{why}");
    assert!(hints[0].contains("/plugins/cache/"), "{hints:?}");
    assert_eq!(plan("foreign", Allowed), asks("foreign", "it comes from a community catalog"));
    assert_eq!(plan("note", Allowed), LazyPlan::Unknown { closest: Some("notes".to_owned()) });
    assert_eq!(plan("notes", Allowed), asks("notes", "it asks for secret NOTES_KEY"));
    scene.installs("notes");
    remove(&scene.home, "notes").unwrap();
    assert_eq!(plan("notes", Allowed), LazyPlan::Install, "granted before");
    scene.publish_asking(Tier::Official, "1.1.0", &secret("OTHER_KEY"));
    assert_eq!(plan("notes", Allowed), asks("notes", "it asks for secret OTHER_KEY"));
}
