//! Many writers at once, editors that know no lock among them.

use std::collections::BTreeSet;
use std::path::Path;
use std::thread;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn big() -> Settings {
    Settings { memory: Limits { on: true, in_groups: true, chars: 1_000_000 }, ..Settings::default() }
}

/// Each writer has a store of its own, as a process has: a lock of one does not hold within another.
fn another(scene: &Scene) -> Curated {
    Curated::of(&Home::at(scene.folder.path().join("home")), big(), Checks::default(), Clock::fixed(NOW))
}

#[test]
fn every_entry_of_eight_writers_is_there() {
    let scene = Scene::with(big());
    thread::scope(|scope| {
        for writer in 0..8 {
            let curated = another(&scene);
            scope.spawn(move || {
                for number in 0..50 {
                    let content = format!("writer {writer} entry {number}.");
                    let request = Request::one(Target::Memory, Operation::Add { content });
                    curated.write(&request, &caller(Author::Assistant, Context::Primary)).unwrap();
                }
            });
        }
    });
    let text = scene.read();
    for writer in 0..8 {
        for number in 0..50 {
            assert!(text.contains(&format!("writer {writer} entry {number}.")));
        }
    }
    assert_eq!(text.split("\n§\n").count(), 400);
}

/// An editor saves what it read before, in the moment between our reading and our writing. What it appended to a file
/// that was replaced at that very moment is in the version that was replaced.
#[test]
fn an_editor_that_knows_no_lock_loses_nothing() {
    let scene = Scene::with(big());
    scene.write("by hand");
    let path = scene.curated.path(Target::Memory);
    thread::scope(|scope| {
        let curated = another(&scene);
        scope.spawn(move || {
            for number in 0..18 {
                let content = format!("entry {number}.");
                let request = Request::one(Target::Memory, Operation::Add { content });
                curated.write(&request, &caller(Author::Assistant, Context::Primary)).unwrap();
            }
        });
        for edit in 0..36 {
            // Appended in one step, as an editor that watches the file does.
            let line = format!("\n§\nedit {edit}.");
            let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
            std::io::Write::write_all(&mut file, line.as_bytes()).unwrap();
            thread::sleep(std::time::Duration::from_millis(1));
        }
    });
    let text = scene.read();
    for number in 0..18 {
        assert!(text.contains(&format!("entry {number}.")), "{number} is lost");
    }
    // So few writes that no version was pruned yet.
    let all = text + &versions(&scene);
    for edit in 0..36 {
        assert!(all.contains(&format!("edit {edit}.")), "edit {edit} is lost");
    }
}

/// The texts of the versions that were replaced.
fn versions(scene: &Scene) -> String {
    let versions = fs::read_dir(scene.folder.path().join("home/memories/.backups")).into_iter().flatten().flatten();
    versions.map(|version| fs::read_to_string(version.path()).unwrap()).collect()
}

/// What a writer does next. Each writer has entries of its own.
#[derive(Clone, Copy, Debug)]
enum Step {
    Add,
    Replace,
    Remove,
    /// Removes one and adds two, all at once.
    Batch,
}

/// Does the steps of one writer, and answers what its entries should be then.
fn play(curated: &Curated, writer: usize, steps: &[Step]) -> BTreeSet<String> {
    let mut own = BTreeSet::new();
    for (number, step) in steps.iter().enumerate() {
        let new = |part: &str| format!("w{writer} n{number}{part} = w{writer} n{number}{part}.");
        let old = own.first().cloned();
        let operations = match (step, old) {
            (Step::Remove, Some(old)) => {
                own.remove(&old);
                vec![Operation::Remove { old_text: old }]
            }
            (Step::Replace, Some(old)) => {
                own.remove(&old);
                own.insert(new(""));
                vec![Operation::Replace { old_text: old, content: new("") }]
            }
            (Step::Batch, Some(old)) => {
                own.remove(&old);
                own.extend([new("a"), new("b")]);
                let add = |part| Operation::Add { content: new(part) };
                vec![add("a"), Operation::Remove { old_text: old }, add("b")]
            }
            _ => {
                own.insert(new(""));
                vec![Operation::Add { content: new("") }]
            }
        };
        let request = Request { target: Target::Memory, operations };
        curated.write(&request, &caller(Author::Assistant, Context::Primary)).unwrap();
    }
    own
}

/// A folder in memory where there is one: a disk would be waited for thousands of times.
fn fast_folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let in_memory = memory.is_dir().then(|| tempfile::tempdir_in(memory).ok()).flatten();
    in_memory.unwrap_or_else(|| tempfile::tempdir().unwrap())
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    vec(prop_oneof![Just(Step::Add), Just(Step::Replace), Just(Step::Remove), Just(Step::Batch)], 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// No entry is lost, none comes back, none is torn, in whatever order writers and an editor come.
    #[test]
    fn any_order_of_writers_and_edits_keeps_every_entry(writers in vec(steps(), 1..4), edits in 0_usize..3) {
        let scene = Scene::in_folder(fast_folder(), big());
        scene.write("begun = begun.");
        let path = scene.curated.path(Target::Memory);
        let expected: BTreeSet<String> = thread::scope(|scope| {
            let running: Vec<_> = writers.iter().enumerate().map(|(writer, steps)| {
                let curated = another(&scene);
                scope.spawn(move || play(&curated, writer, steps))
            }).collect();
            for edit in 0..edits {
                let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
                std::io::Write::write_all(&mut file, format!("\n§\nedit {edit} = edit {edit}.").as_bytes()).unwrap();
                thread::yield_now();
            }
            running.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
        });
        let text = scene.read();
        let found: BTreeSet<String> = text.split("\n§\n").filter(|entry| entry.starts_with('w')).map(str::to_owned).collect();
        prop_assert_eq!(found, expected);
        for entry in text.split("\n§\n") {
            let halves = entry.strip_suffix('.').and_then(|entry| entry.split_once(" = "));
            prop_assert!(halves.is_some_and(|(one, other)| one == other), "{:?} is torn", entry);
        }
        let all = text + &versions(&scene);
        for edit in 0..edits {
            prop_assert!(all.contains(&format!("edit {edit} = ")), "an edit is lost");
        }
    }

    /// Any text is refused, or comes back as it was written, beside any other.
    #[test]
    fn any_text_comes_back(texts in vec("[a-c§ \\r\\n\u{0}\u{feff}#ч]{0,12}|\\PC{0,20}", 1..4)) {
        let scene = Scene::in_folder(fast_folder(), Settings::default());
        let mut kept = Vec::new();
        for text in &texts {
            let _ = scene.add(text);
            if let Ok(text) = Checks::default().admit(text) && !kept.contains(&text) {
                kept.push(text);
            }
        }
        let entries: Vec<_> = scene.curated.list(Target::Memory).unwrap().entries.into_iter().map(|entry| entry.text).collect();
        prop_assert_eq!(entries, kept);
    }
}
