//! Many writers at once, editors that know no lock among them.

use std::thread;

use super::*;

fn big() -> Settings {
    Settings { memory: Limits { on: true, chars: 1_000_000 }, ..Settings::default() }
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

/// An editor saves what it read before, in the moment between our reading and our writing.
#[test]
fn an_editor_that_knows_no_lock_loses_nothing() {
    let scene = Scene::with(big());
    scene.write("by hand");
    let path = scene.curated.path(Target::Memory);
    thread::scope(|scope| {
        let curated = another(&scene);
        let writer = scope.spawn(move || {
            for number in 0..100 {
                let content = format!("entry {number}.");
                let request = Request::one(Target::Memory, Operation::Add { content });
                curated.write(&request, &caller(Author::Assistant, Context::Primary)).unwrap();
            }
        });
        let mut edits = 0;
        while !writer.is_finished() {
            // Appended in one step, as an editor that watches the file does.
            let line = format!("\n§\nedit {edits}.");
            let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
            std::io::Write::write_all(&mut file, line.as_bytes()).unwrap();
            edits += 1;
            thread::sleep(std::time::Duration::from_millis(10));
        }
    });
    let text = scene.read();
    for number in 0..100 {
        assert!(text.contains(&format!("entry {number}.")), "{number} is lost");
    }
}
