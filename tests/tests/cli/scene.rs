//! A user with a home of their own, the real binary, and two catalogs: the official one and that of a community.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use hermes_tests::{fixtures, target_folder};
use serde_json::Value;
use tempfile::TempDir;

use crate::package::Package;
use crate::shown::{Ran, words};

/// A folder with all that a scene needs: `bin/hermes` and `bin/catalog`, `community`, the user's `home`.
pub(crate) struct Scene {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

impl Scene {
    /// With `holographic` in the official catalog and nothing in the home, which is not there yet.
    pub(crate) fn new() -> Self {
        let scene = Self::without_plugins();
        scene.publish("bin/catalog", &Package::holographic());
        scene
    }

    /// With two empty catalogs.
    pub(crate) fn without_plugins() -> Self {
        // In the target folder, where the binary can be linked to instead of copied.
        let above = target_folder().join("scenes");
        fs::create_dir_all(&above).unwrap();
        let folder = tempfile::Builder::new().prefix("scene-").tempdir_in(above).unwrap();
        for name in ["bin/catalog", "community", "user", "tmp"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        fs::hard_link(fixtures().hermes(), folder.path().join("bin/hermes")).unwrap();
        Self { folder, variables: Vec::new() }
    }

    /// With `holographic` set up.
    pub(crate) fn with_memory() -> Self {
        let scene = Self::new();
        scene.does("memory setup holographic");
        scene
    }

    /// With the faulty provider set up, as one that asks for nothing.
    pub(crate) fn with_faulty() -> Self {
        let scene = Self::without_plugins();
        scene.publish("bin/catalog", &Package::faulty().harmless());
        scene.does("memory setup faulty");
        scene
    }

    /// With the faulty provider set up as one that recalls and has a tool, and is not handed any turns: what it does in
    /// a recall it does not do a second time.
    pub(crate) fn with_faulty_recall() -> Self {
        let scene = Self::without_plugins();
        let package = Package::faulty().harmless();
        scene.publish("bin/catalog", &package.with(|metadata| metadata.interfaces.retain(|id| id != "hermes.sync/1")));
        scene.does("memory setup faulty");
        scene
    }

    /// With an environment variable.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a release to a catalog.
    pub(crate) fn publish(&self, catalog: &str, package: &Package) {
        package.publish(&self.path(catalog));
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    /// Writes a file, and the folders that it is in.
    pub(crate) fn write(&self, below: &str, content: impl AsRef<[u8]>) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// A file of the scene; empty when it is not there.
    pub(crate) fn read(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).unwrap_or_default()
    }

    /// The one file of the store whose name ends like this.
    pub(crate) fn stored(&self, plugin: &str) -> PathBuf {
        let versions = files(&self.path("home/plugins/store").join(plugin));
        let files = versions.iter().flat_map(|version| files(version));
        files.into_iter().find(|file| file.extension().is_some_and(|end| end == "so" || end == "dylib")).unwrap()
    }

    /// A command that has not been started.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        #[expect(clippy::disallowed_methods, reason = "the binary under test")]
        let mut command = Command::new(self.path("bin/hermes"));
        command
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("user"))
            .env("HERMES_HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .env("TERM", "xterm")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command line, without the `hermes` before it.
    pub(crate) fn run(&self, line: &str) -> Ran {
        self.ran(self.command(words(line)).output().unwrap())
    }

    /// What the user sees, with all that changes from run to run left out.
    pub(crate) fn says(&self, line: &str) -> String {
        self.run(line).shown()
    }

    /// Runs a command that has to succeed, and answers with its stdout.
    #[track_caller]
    pub(crate) fn does(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!(ran.status, 0, "{line}\n{}", ran.shown());
        ran.out
    }

    /// The JSON of a command, whatever its exit status.
    #[track_caller]
    pub(crate) fn json(&self, line: &str) -> Value {
        let ran = self.run(&format!("{line} --json"));
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{line}: {error}\n{}", ran.shown()))
    }

    /// Runs a command line with this on its stdin.
    pub(crate) fn run_with_input(&self, line: &str, input: &[u8]) -> Ran {
        let mut child = self.command(words(line)).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        self.ran(child.wait_with_output().unwrap())
    }

    pub(crate) fn ran(&self, output: Output) -> Ran {
        let root = fs::canonicalize(self.folder.path()).unwrap().to_string_lossy().into_owned();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&root, "");
        let status = output.status.code().unwrap_or(-1);
        Ran { status, out: text(output.stdout), err: text(output.stderr) }
    }

    /// All files below a folder with their contents.
    pub(crate) fn every_file(&self, below: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        collect(&self.path(below), &mut found);
        found
    }

    /// The same, to see that nothing was changed. What the host notes about
    /// itself is left out: its database, locks, the memory of hashes, and a lockfile that says nothing.
    pub(crate) fn contents(&self, below: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = self.every_file(below);
        found.retain(|(path, content)| match path.file_name().unwrap_or_default().to_string_lossy().as_ref() {
            "plugins.lock" => content.windows(9).any(|text| text == b"[plugins." || text == b"[removed."),
            name => !name.ends_with(".lock") && !name.starts_with("hermes.db") && name != "hashes.toml",
        });
        found
    }
}

fn collect(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for path in files(folder) {
        match path.is_dir() {
            true => collect(&path, found),
            false => found.push((path.clone(), fs::read(&path).unwrap())),
        }
    }
}

/// What is in a folder, by name; nothing where there is none.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder).into_iter().flatten().map(|item| item.unwrap().path()).collect();
    paths.sort();
    paths
}
