//! Files that are not what was installed: refused before any of their code runs.

use std::fs;

use insta::assert_snapshot;

use crate::scene::{Scene, files};

#[test]
fn one_changed_byte_is_enough() {
    let scene = Scene::with_memory();
    let library = scene.stored("holographic");
    let mut bytes = fs::read(&library).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::remove_file(&library).unwrap();
    fs::write(&library, bytes).unwrap();
    assert_snapshot!(scene.says("memory recall Biscuit"), @r"
    exit 1
    ---- err
    error: `holographic` 0.1.0 cannot be used
      the file was changed: its sha256 is [hash]…, the lockfile says [hash]…
    hint: install it anew: `hermes plugins install holographic`
    ");
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: holographic 0.1.0 · process · degraded
    problem: `holographic` 0.1.0 cannot be used
      the file was changed: its sha256 is [hash]…, the lockfile says [hash]…
    last success: health, [ago]
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    health                   1      0        0       0 [ms] [ms]     –  ok [ago]
    ---- err
    hint: install it anew: `hermes plugins install holographic`
    ");
    assert_snapshot!(scene.says("memory status --check"), @"
    exit 1
    ---- out
    memory: holographic 0.1.0 · process · degraded
    problem: `holographic` 0.1.0 cannot be used
      the file was changed: its sha256 is [hash]…, the lockfile says [hash]…
    last success: health, [ago]
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    health                   1      0        0       0 [ms] [ms]     –  ok [ago]
    ---- err
    hint: install it anew: `hermes plugins install holographic`
    ");
    scene.write("talk.jsonl", "{\"session_id\": \"a\", \"role\": \"user\", \"content\": \"Who is Biscuit?\"}\n");
    assert_snapshot!(scene.says("replay talk.jsonl"), @"
    exit 0
    ---- out
    == session a
    -- user · session a · turn 1
    Who is Biscuit?
    (no answer)
    ---- err
    replayed on a copy of the home; `--live` keeps what is learnt
    warning: going on without a memory provider: `holographic` 0.1.0 cannot be used   the file was changed: its sha256 is [hash]…, the lockfile says [hash]… — install it anew: `hermes plugins install holographic`
    ");
    // The command that is printed repairs it.
    assert_snapshot!(scene.says("plugins install holographic"), @r"
    exit 0
    ---- err
    installed holographic 0.1.0 anew
    ");
    scene.does("memory recall Biscuit");
}

#[test]
fn a_library_that_is_gone_or_a_link() {
    let scene = Scene::with_memory();
    let library = scene.stored("holographic");
    let elsewhere = scene.path("elsewhere.so");
    fs::copy(&library, &elsewhere).unwrap();
    fs::remove_file(&library).unwrap();
    assert_snapshot!(scene.says("memory recall Biscuit"), @r"
    exit 1
    ---- err
    error: `holographic` 0.1.0 cannot be used
      `/home/plugins/store/holographic/0.1.0-[hash]/libplugin.so` is not there any more
    hint: install it anew: `hermes plugins install holographic`
    ");
    std::os::unix::fs::symlink(&elsewhere, &library).unwrap();
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: holographic 0.1.0 · process · degraded
    problem: `holographic` 0.1.0 cannot be used
      `/home/plugins/store/holographic/0.1.0-[hash]/libplugin.so` is not a plain file in the store
    last success: health, [ago]
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    health                   1      0        0       0 [ms] [ms]     –  ok [ago]
    ---- err
    hint: install it anew: `hermes plugins install holographic`
    ");
    scene.does("plugins install holographic");
    scene.does("memory recall Biscuit");
}

#[test]
fn a_damaged_lock_file_is_named() {
    let scene = Scene::with_memory();
    let whole = scene.read("home/plugins.lock");
    let within = whole.find("sha256 = ").unwrap() + 15;
    scene.write("home/plugins.lock", &whole[..within]);
    assert_snapshot!(scene.says("memory recall Biscuit"), @r#"
    exit 1
    ---- err
    error: the lockfile `/home/plugins.lock:7` is broken: invalid basic string, expected `"`
    hint: nothing was changed; repair it, or move `/home/plugins.lock` away and install the plugins again
    "#);
    assert_snapshot!(scene.says("plugins list"), @r#"
    exit 1
    ---- err
    error: the lockfile `/home/plugins.lock:7` is broken: invalid basic string, expected `"`
    hint: nothing was changed; repair it, or move `/home/plugins.lock` away and install the plugins again
    "#);
    assert_snapshot!(scene.says("plugins install holographic"), @r#"
    exit 1
    ---- err
    error: the lockfile `/home/plugins.lock:7` is broken: invalid basic string, expected `"`
    hint: nothing was changed; repair it, or move `/home/plugins.lock` away and install the plugins again
    "#);
    assert_eq!(scene.read("home/plugins.lock"), whole[..within], "and left alone");
    scene.write("home/plugins.lock", b"\xff\xfe\0");
    assert_snapshot!(scene.says("memory status"), @r"
    exit 1
    ---- err
    error: cannot read `/home/plugins.lock`: line 1 is not UTF-8 text
    hint: nothing was changed; repair it, or move `/home/plugins.lock` away and install the plugins again
    ");
    scene.write("home/plugins.lock", "format = 99\n");
    assert_snapshot!(scene.says("plugins list"), @r"
    exit 1
    ---- err
    error: the lockfile `/home/plugins.lock` has format 99, this hermes reads format 1
    hint: use the newer hermes that wrote it; nothing was changed
    ");
}

#[test]
fn a_lost_store_is_said_until_it_is_taken_away() {
    let scene = Scene::with_memory();
    scene.does("memory remember 'The piano was tuned in May'");
    for file in files(&scene.path("home/plugins/data/holographic")) {
        scene.write(file.strip_prefix(scene.path("")).unwrap().to_str().unwrap(), [7; 4096]);
    }
    let lost = scene.says("memory recall 'When was the piano tuned?'");
    assert!(
        lost.contains("warning: `holographic` recalls less than it could: ") && lost.contains("corrupt-"),
        "{lost}"
    );
    let again = scene.says("memory recall 'When was the piano tuned?'");
    assert!(again.contains("warning: `holographic` recalls less than it could: "), "{again}");
    for file in files(&scene.path("home/plugins/data/holographic")) {
        if file.to_string_lossy().contains("corrupt-") {
            fs::remove_file(file).unwrap();
        }
    }
    let healed = scene.says("memory recall 'When was the piano tuned?'");
    assert!(!healed.contains("warning"), "{healed}");
}
