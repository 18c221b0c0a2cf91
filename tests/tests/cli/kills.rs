//! Whatever ends an install, an update, a rollback or a removal, and whenever: the old state is there or the new one.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hermes_host::home::Home;
use hermes_host::plugins::lock::{Lock, Record};

use crate::scene::{Scene, files};
use crate::shown::words;
use crate::updates::notes;

/// Small numbers of a seed.
pub(crate) struct Dice(u64);

impl Dice {
    /// Of `HERMES_KILLS_SEED`, else of the time.
    pub(crate) fn new() -> Self {
        let seed = std::env::var("HERMES_KILLS_SEED").ok().and_then(|seed| seed.parse().ok());
        let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().subsec_nanos();
        let seed = seed.unwrap_or_else(|| u64::from(now()));
        say(&format!("HERMES_KILLS_SEED={seed}"));
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// For who runs the tests.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The versions in use and before, each with its library.
type State = Option<Vec<(String, String)>>;

fn state(home: PathBuf) -> State {
    let lock = Lock::read(&Home::at(home)).unwrap_or_else(|error| panic!("{error}"));
    let name = |record: &Record| (record.version.to_string(), record.library_sha256.to_string());
    lock.plugins.get("notes").map(|installed| installed.records().map(name).collect())
}

/// What lies in the store beyond what is in use.
fn leftovers(scene: &Scene) -> Vec<String> {
    let told = scene.json("plugins verify");
    told["leftovers"].as_array().unwrap().iter().map(|path| path.to_string()).collect()
}

fn two_versions() -> Scene {
    let scene = Scene::without_plugins();
    scene.publish("bin/catalog", &notes("1.0.0"));
    scene.publish("bin/catalog", &notes("1.1.0"));
    scene
}

/// What to do next, from what is there.
fn next(state: &State, dice: &mut Dice) -> &'static str {
    const INSTALL: &str = "plugins install notes@1.0.0";
    const REMOVE: &str = "plugins remove notes --yes";
    let Some(records) = state else { return INSTALL };
    let choices: &[&str] = match records.as_slice() {
        [(version, _)] if version == "1.0.0" => &["plugins update", "plugins update", REMOVE],
        [_] => &[INSTALL, REMOVE],
        _ => &["plugins rollback notes --yes", "plugins rollback notes --yes", REMOVE],
    };
    choices[usize::try_from(dice.below(choices.len() as u64)).unwrap()]
}

/// The state after a command that nothing disturbs, seen on a copy of the home.
fn undisturbed(scene: &Scene, line: &str) -> (State, Duration) {
    let (home, copy) = (scene.path("home"), scene.path("copy"));
    let _ = fs::remove_dir_all(&copy);
    if home.exists() {
        copy_folder(&home, &copy);
    }
    let begun = Instant::now();
    let output = scene.command(words(line)).env("HERMES_HOME", &copy).output().unwrap();
    assert!(output.status.success(), "{line}: {}", scene.ran(output).shown());
    let took = begun.elapsed();
    (state(copy), took)
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for path in files(from) {
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy_folder(&path, &target),
            false => drop(fs::copy(&path, &target).unwrap()),
        }
    }
}

#[test]
fn fifty_kills_leave_the_old_state_or_the_new_one() {
    let scene = two_versions();
    let mut dice = Dice::new();
    let (mut old, mut new) = (BTreeMap::<&str, u32>::new(), 0);
    for kill in 0..50 {
        let before = state(scene.path("home"));
        let line = next(&before, &mut dice);
        let (after, took) = undisturbed(&scene, line);
        // Now and then it has ended by itself.
        let moment = Duration::from_micros(dice.below(u64::try_from((took * 5 / 4).as_micros()).unwrap() + 1));
        let mut child = scene.command(words(line)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(moment);
        let _ = child.kill();
        child.wait().unwrap();

        let found = state(scene.path("home"));
        let told = format!("kill {kill} of `{line}` after {moment:?}: {before:?} became {found:?}");
        assert!(found == before || found == after, "{told}");
        match found == before {
            true => *old.entry(line).or_default() += 1,
            false => new += 1,
        }
        let verified = scene.run("plugins verify");
        assert_eq!(verified.status, 0, "{told}\n{}", verified.shown());
        assert!(leftovers(&scene).len() <= 4, "{told}\n{:?}", leftovers(&scene));
        // The next try finds no stone in its way.
        if found == before && dice.below(2) == 0 {
            scene.does(line);
            assert_eq!(state(scene.path("home")), after, "{told}");
        }
    }
    say(&format!("{new} kills left the new state, the others the old one: {old:?}"));
    assert!(old.len() > 1 && new > 0, "the kills came at no moment that matters");

    // An install that is left alone takes away what the others left.
    scene.run("plugins remove notes --yes");
    scene.does("plugins install notes");
    assert_eq!(leftovers(&scene), Vec::<String>::new());
    scene.does("memory setup notes");
    scene.does("memory recall 'as ever'");
    let temporary = files(&scene.path("home"))
        .into_iter()
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(".hermes-"));
    assert!(temporary.count() <= 50, "a kill leaves at most one half-written file beside the lockfile");
}

#[test]
fn a_file_that_cannot_grow_leaves_all_as_it_was() {
    let scene = two_versions();
    scene.does("plugins install notes@1.0.0");
    let (before, contents) = (state(scene.path("home")), scene.contents("home"));
    #[expect(clippy::disallowed_methods, reason = "a shell sets the limit")]
    let mut shell = Command::new("sh");
    let hermes = scene.command::<&str>([]);
    // The signal is ignored, so that the write fails as it does on a full disk. A block is half a KiB or one.
    let script = "trap '' XFSZ; ulimit -f 4000; exec \"$0\" \"$@\"";
    shell.args(["-c", script]).arg(hermes.get_program()).args(["plugins", "update"]).env_clear();
    shell.envs(hermes.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = shell.current_dir(scene.path("")).stdin(Stdio::null()).output().unwrap();
    let ran = scene.ran(output);
    assert!(ran.status == 1 && ran.err.contains("File too large"), "{}", ran.shown());
    assert_eq!((state(scene.path("home")), scene.contents("home")), (before, contents));
    scene.does("plugins verify");
    scene.does("plugins update");
}

/// A small disk of memory, for as long as it is not dropped.
struct Disk(PathBuf);

impl Disk {
    /// None where mounting is not allowed.
    fn mount(place: PathBuf, kib: u64) -> Option<Self> {
        fs::create_dir_all(&place).unwrap();
        #[expect(clippy::disallowed_methods, reason = "a disk has to be mounted")]
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kib}k,mode=700"), "tmpfs"]).arg(&place);
        let mounted = mount.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        mounted.then_some(Self(place))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        #[expect(clippy::disallowed_methods, reason = "and unmounted")]
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_leaves_all_as_it_was() {
    let scene = two_versions();
    let library = fs::metadata(hermes_tests::fixtures().faulty()).unwrap().len() / 1024;
    // While it installs, a version needs its archive and itself; afterwards itself alone.
    for (what, tenths, installs) in [("the archive", 5, false), ("unpacking", 15, false), ("the update", 25, true)] {
        let Some(disk) = Disk::mount(scene.path("home"), library * tenths / 10 + 1024) else {
            return say("skipped: no disk may be mounted here");
        };
        let install = scene.run("plugins install notes@1.0.0");
        assert_eq!(install.status == 0, installs, "{what}: {}", install.shown());
        let before = state(scene.path("home"));
        let line = if installs { "plugins update" } else { "plugins install notes@1.0.0" };
        let ran = scene.run(line);
        assert!(ran.status == 1 && ran.err.contains("No space left on device"), "{what}: {}", ran.shown());
        assert!(ran.err.contains("hint: free some disk space; nothing was changed"), "{what}: {}", ran.shown());
        assert_eq!(state(scene.path("home")), before, "{what}");
        scene.does("plugins verify");
        assert!(leftovers(&scene).is_empty(), "{what}");
        if installs {
            scene.does("memory setup notes");
            scene.does("memory recall 'as ever'");
        }
        drop(disk);
    }
}
