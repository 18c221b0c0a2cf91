//! Setup with somebody at the keyboard.

use insta::assert_snapshot;

use crate::pty::{CTRL_C, DOWN, ENTER, ESC, Terminal};
use crate::scene::Scene;
use crate::setup::asking;

#[test]
fn a_provider_is_picked_from_a_list() {
    let scene = Scene::new();
    let Some(terminal) = Terminal::start(&scene, "memory setup") else { return };
    terminal.sees("Which memory provider?").sees("> holographic").types(ENTER);
    terminal.sees("is your memory now");
    assert_eq!(terminal.ends(), 0);
    assert_snapshot!(scene.read("home/config.toml"), @r#"
    [memory]
    provider = "holographic"
    "#);

    // The one in use stands under the cursor; the next is `none`.
    let Some(terminal) = Terminal::start(&scene, "memory setup") else { return };
    terminal.sees("> holographic").types(DOWN).sees("> none").types(ENTER);
    terminal.sees("`holographic` is off");
    assert_eq!(terminal.ends(), 0);
}

#[test]
fn who_wants_to_is_asked_for_everything() {
    let scene = Scene::with_memory();
    let Some(terminal) = Terminal::start(&scene, "memory setup holographic --advanced") else { return };
    terminal.sees("(0 to 1): (0.3)").types(ENTER).sees("names: (5)").types("\u{7f}4").types(ENTER);
    terminal.sees("own notes:").types(ENTER).sees("read out of conversations").types(ENTER);
    terminal.sees("by their meaning too").types(ENTER).sees("puts the best facts in order").types(ENTER);
    terminal.sees("trusted with (0 to 1): (0.5)").types(ENTER).sees("it helped: (0.05)").types(ENTER);
    terminal.sees("did not help: (0.1)").types(ENTER).sees("(0: never): (0)").types(ENTER);
    terminal.sees("is your memory now");
    assert_eq!(terminal.ends(), 0);
    assert!(scene.read("home/config.toml").ends_with("[providers.holographic]\nprefetch_limit = 4\n"));
}

#[test]
fn its_questions_are_answered() {
    let scene = asking();
    let Some(terminal) = Terminal::start(&scene, "memory setup faulty") else { return };
    terminal.sees("may read the secret FAULTY_KEY").sees("Install faulty?").types("y").types(ENTER);
    terminal.sees("Key:").types("fk_typed").types(ENTER);
    terminal.sees("Mode:").sees("high").types(DOWN).types(ENTER);
    terminal.sees("Size:").types("12").types(ENTER).sees("at most 9").types("\u{7f}\u{7f}4").types(ENTER);
    terminal.sees("At open:").types(ENTER);
    terminal.sees("is your memory now");
    assert_eq!(terminal.ends(), 0);
    assert_snapshot!(scene.read("home/config.toml"), @r#"
    [memory]
    provider = "faulty"

    [providers.faulty]
    mode = "high"
    size = 4
    "#);
    assert_eq!(scene.read("home/.env"), "FAULTY_KEY=fk_typed\n");
}

#[track_caller]
fn changes_nothing(scene: &Scene, line: &str, keys: &[(&str, &str)]) {
    let before = scene.contents("home");
    let Some(terminal) = Terminal::start(scene, line) else { return };
    for (question, answer) in keys {
        terminal.sees(question).types(answer);
    }
    terminal.sees("nothing was changed");
    assert_eq!(terminal.ends(), 1);
    let after = scene.contents("home");
    assert!(after == before, "{keys:?} {:?}", after.iter().map(|(path, _)| path).collect::<Vec<_>>());
}

#[test]
fn who_leaves_changes_nothing() {
    let install = ("Install faulty?", "y\r");
    for key in [ESC, CTRL_C] {
        changes_nothing(&Scene::new(), "memory setup", &[("Which memory provider?", key)]);
        let scene = asking();
        changes_nothing(&scene, "memory setup faulty", &[install, ("Key:", key)]);
        changes_nothing(&scene, "memory setup faulty", &[install, ("Key:", "fk_1\r"), ("Mode:", key)]);
        scene.does("memory setup faulty --yes --set key=fk_kept");
        changes_nothing(&scene, "memory setup faulty", &[("keeps", "fk_2\r"), ("Mode:", "\r"), ("Size:", key)]);
    }
}

#[test]
fn no_is_an_answer() {
    let scene = asking();
    let Some(terminal) = Terminal::start(&scene, "plugins install faulty") else { return };
    terminal.sees("Install faulty?").types("n\r").sees("`faulty` was not installed, as you chose");
    assert_eq!(terminal.ends(), 1);
}
