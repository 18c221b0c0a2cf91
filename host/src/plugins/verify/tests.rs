//! Each check, and all at once.

use std::fs;

use hermes_provider_api::records::ConfigField;

use super::*;
use crate::error::Failure;
use crate::home::files;
use crate::plugins::catalog::{CatalogRoot, NamedBy, Tier};
use crate::plugins::inspect::fixture;

/// A home with one library in its store, and a catalog with an entry for it.
struct Scene {
    folder: tempfile::TempDir,
    home: Home,
    library: PathBuf,
    sha256: Sha256Hex,
    version: Version,
    platform: Platform,
    granted: Capabilities,
    isolation: Isolation,
    catalogs: Option<Catalogs>,
}

impl Scene {
    fn new(change: impl FnOnce(&mut Metadata)) -> Self {
        let mut metadata = fixture::metadata("notes", "1.2.0");
        metadata.target = "x86_64-unknown-linux-gnu".to_owned();
        change(&mut metadata);
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home"));
        let library = home.store().join("notes").join("libnotes.so");
        files::create_dir(library.parent().unwrap()).unwrap();
        fs::write(&library, fixture::elf(".memprov", &fixture::section(&metadata))).unwrap();
        let platform = Platform {
            host: Version::new(0, 1, 0),
            abi: AbiVersion { major: 1, minor: 0 },
            target: "x86_64-unknown-linux-gnu".to_owned(),
        };
        let sha256 = sha256_of(&library).unwrap();
        let (granted, isolation) = (Capabilities::default(), Isolation::InProcess);
        let version = Version::new(1, 2, 0);
        Self { folder, home, library, sha256, version, platform, granted, isolation, catalogs: None }
    }

    fn with_catalog(mut self, releases: &str, removed: &str) -> Self {
        let catalog = self.folder.path().join("catalog");
        fs::create_dir(&catalog).unwrap();
        let head = "name = 'notes'\ntitle = 'Notes'\ndescription = 'd'\nmaintainer = 'm'\ncategory = 'memory'\n";
        fs::write(catalog.join("notes.toml"), format!("{head}licence = 'MIT'\n{releases}")).unwrap();
        fs::write(catalog.join("removed.toml"), removed).unwrap();
        let root =
            CatalogRoot { path: fs::canonicalize(catalog).unwrap(), tier: Tier::Official, named_by: NamedBy::Usual };
        self.catalogs = Some(Catalogs::load(&[root]).unwrap());
        self
    }

    fn run(&self) -> Result<Verified, Box<Mismatches>> {
        let check = Check {
            home: &self.home,
            library: &self.library,
            sha256: &self.sha256,
            archive_sha256: &Sha256Hex::from_digest(&[0xab; 32]),
            source: "https://files.example/notes/notes.tar.gz",
            id: "notes",
            version: &self.version,
            granted: Some(&self.granted),
            isolation: self.isolation,
            platform: &self.platform,
            admitted: true,
            catalogs: self.catalogs.as_ref(),
        };
        check.run()
    }

    #[track_caller]
    fn refused(&self) -> String {
        let failure = Failure::from(self.run().unwrap_err());
        let text = [&[failure.message], failure.hints.as_slice()].concat().join("\n");
        let root = fs::canonicalize(self.folder.path()).unwrap().to_string_lossy().into_owned();
        text.replace(self.folder.path().to_str().unwrap(), "").replace(&root, "")
    }
}

fn release(version: &str, capabilities: &str) -> String {
    let digits = "ab".repeat(32);
    format!(
        "[[releases]]\nversion = '{version}'\nabi = '1.0'\n{capabilities}\n[[releases.artifacts]]\n\
         target = 'x86_64-unknown-linux-gnu'\npath = 'a.tar.gz'\nsha256 = '{digits}'\nsize = 1\n"
    )
}

#[test]
fn what_fits_passes() {
    let fits = Scene::new(|_| {});
    let verified = fits.run().unwrap();
    assert_eq!((verified.metadata.id.as_str(), verified.sha256.as_str()), ("notes", fits.sha256.as_str()));
    Scene::new(|metadata| metadata.abi_minor = 9).run().unwrap();

    let mut aborts = Scene::new(|metadata| metadata.panic = "abort".to_owned());
    aborts.isolation = Isolation::Process;
    aborts.run().unwrap();

    let secret = Capabilities { secret: vec!["NOTES_KEY".to_owned()], ..Capabilities::default() };
    let mut granted = Scene::new(|metadata| metadata.capabilities = secret.clone());
    granted.granted = Capabilities { command: vec!["brv".to_owned()], ..secret.clone() };
    assert_eq!(granted.run().unwrap().granted, secret, "it may do what it asks for and no more");
}

#[test]
fn all_that_does_not_fit_is_told_at_once() {
    let scene = Scene::new(|metadata| {
        metadata.id = "other".to_owned();
        metadata.version = "1.3.0".to_owned();
        metadata.target = "aarch64-apple-darwin".to_owned();
        metadata.abi_major = 2;
        metadata.panic = "abort".to_owned();
        metadata.requires_host = ">=0.3".to_owned();
        metadata.capabilities.secret = vec!["NOTES_KEY".to_owned()];
        metadata.capabilities.command = vec!["/bin/sh".to_owned()];
    });
    let mut scene =
        scene.with_catalog(&[release("1.2.0", ""), release("1.1.0", "")].concat(), "[names]\nnotes = 'leaks'");
    scene.sha256 = Sha256Hex::from_digest(&[0xcd; 32]);
    let told = scene.refused().replace(sha256_of(&scene.library).unwrap().short(), "<found>");
    insta::assert_snapshot!(told, @r#"
    `notes` 1.2.0 cannot be used
      the file was changed: its sha256 is <found>…, the lockfile says cdcdcdcdcdcd…
      target: the plugin was built for `aarch64-apple-darwin`, hermes for `x86_64-unknown-linux-gnu`
      ABI: the plugin has 2.0, hermes has 1.0; hermes is the older side
      panics: the plugin was built with `panic = "abort"`, so it runs only in a worker
      host: the plugin needs hermes `>=0.3`, this is 0.1.0
      id: the plugin calls itself `other`, its catalog entry is `notes`
      version: the plugin says 1.3.0, its catalog entry 1.2.0
      capability command `/bin/sh` is not the bare name of a program
      it asks for more than its catalog entry allows: `secret NOTES_KEY`, `command /bin/sh`
      it asks for more than was granted: `secret NOTES_KEY`, `command /bin/sh`
      `notes` is blocked by `/catalog/removed.toml`: leaks
    take it away with `hermes plugins remove notes`
    "#);
}

#[test]
fn a_setting_is_no_way_to_a_secret() {
    #[track_caller]
    fn check(field: ConfigField, expect: &str) {
        let scene = Scene::new(|metadata| metadata.config = vec![field]);
        assert_eq!(scene.refused().lines().nth(1).unwrap().trim(), expect);
    }
    let field = |key: &str, env_var: &str| ConfigField {
        key: key.to_owned(),
        env_var: env_var.to_owned(),
        ..ConfigField::default()
    };
    let expect = "the setting `mode` would be read from `AWS_SECRET_ACCESS_KEY`, which only a secret may be";
    check(field("mode", "AWS_SECRET_ACCESS_KEY"), expect);
    let expect = "the setting `key` is a secret, and the plugin does not ask for the capability secret `NOTES_KEY`";
    check(ConfigField { secret: true, ..field("key", "NOTES_KEY") }, expect);
    check(field("a.b\u{1b}", ""), "the setting `a.b\\u{1b}` is not named by letters, digits, `_` and `-`");
    Scene::new(|metadata| metadata.config = vec![field("base_url", "NOTES_URL")]).run().unwrap();
}

#[test]
fn one_thing_at_a_time() {
    let older = Scene::new(|metadata| metadata.abi_major = 0).with_catalog(&release("1.3.0", ""), "");
    insta::assert_snapshot!(older.refused(), @r"
    `notes` 1.2.0 cannot be used
      ABI: the plugin has 0.0, hermes has 1.0; the plugin is the older side
    1.3.0 fits: `hermes plugins install notes@1.3.0`
    ");
    let newer = Scene::new(|metadata| (metadata.abi_major, metadata.abi_minor) = (2, 1));
    insta::assert_snapshot!(newer.refused(), @r"
    `notes` 1.2.0 cannot be used
      ABI: the plugin has 2.1, hermes has 1.0; hermes is the older side
    update hermes to one with ABI 2.1
    ");
    let abort = Scene::new(|metadata| metadata.panic = "abort".to_owned());
    insta::assert_snapshot!(abort.refused(), @r#"
    `notes` 1.2.0 cannot be used
      panics: the plugin was built with `panic = "abort"`, so it runs only in a worker
    `hermes config set plugins.isolation process` runs it in a worker
    "#);
    let range = Scene::new(|metadata| metadata.requires_host = "new".to_owned());
    insta::assert_snapshot!(range.refused(), @r"
    `notes` 1.2.0 cannot be used
      host: the plugin needs hermes `new`, this is 0.1.0
    use hermes `new`
    ");
    let mut asks = Scene::new(|metadata| metadata.capabilities.secret = vec!["A".to_owned(), "B".to_owned()]);
    asks.granted.secret.push("A".to_owned());
    let asks = asks.with_catalog(&release("1.2.0", "capabilities.secret = ['B']"), "");
    insta::assert_snapshot!(asks.refused(), @r"
    `notes` 1.2.0 cannot be used
      it asks for more than its catalog entry allows: `secret A`
      it asks for more than was granted: `secret B`
    the plugin and its catalog entry disagree; whoever maintains them has to know
    `hermes plugins install notes` asks for them
    install it anew: `hermes plugins install notes`
    ");
    let blocked = Scene::new(|_| {}).with_catalog("", &format!("[sha256]\n{} = 'leaks'", "ab".repeat(32)));
    insta::assert_snapshot!(blocked.refused(), @r"
    `notes` 1.2.0 cannot be used
      the file with sha256 abababababab… is blocked by `/catalog/removed.toml`: leaks
    take it away with `hermes plugins remove notes`
    ");
    let source = "[sources]\n'https://files.example/notes/' = 'it was taken over'";
    insta::assert_snapshot!(Scene::new(|_| {}).with_catalog("", source).refused(), @r"
    `notes` 1.2.0 cannot be used
      the source `https://files.example/notes/` is blocked by `/catalog/removed.toml`: it was taken over
    take it away with `hermes plugins remove notes`
    ");
}

#[test]
fn files_that_are_not_what_was_installed() {
    let changed = Scene::new(|_| {}).with_catalog(&release("1.2.0", ""), "");
    let mut bytes = fs::read(&changed.library).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&changed.library, &bytes).unwrap();
    let told = changed.refused();
    assert!(told.contains("the file was changed: its sha256 is ") && !told.contains("metadata section"), "{told}");
    assert!(told.ends_with("install it anew: `hermes plugins install notes`"), "{told}");

    fs::write(&changed.library, &bytes[..100]).unwrap();
    let told = changed.refused();
    assert!(told.contains("changed") && told.contains("is not a library that can be loaded, or is cut off"), "{told}");

    fs::remove_file(&changed.library).unwrap();
    insta::assert_snapshot!(changed.refused(), @r"
    `notes` 1.2.0 cannot be used
      `/home/plugins/store/notes/libnotes.so` is not there any more
    install it anew: `hermes plugins install notes`
    ");

    let mut linked = Scene::new(|_| {});
    let elsewhere = linked.folder.path().join("libnotes.so");
    files::rename(&linked.library, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &linked.library).unwrap();
    assert!(linked.refused().contains("is not a plain file in the store"));
    linked.library = elsewhere;
    assert!(linked.refused().contains("is not a plain file in the store"));
}
