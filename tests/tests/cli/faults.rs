//! A provider that crashes or hangs under a user's hands: the conversation goes on, and it is said once.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::scene::Scene;

/// A recording in which the user says these things, and is always answered.
fn talk(texts: &[&str]) -> String {
    let line = |role: &str, text: &str| format!("{}\n", json!({"session_id": "a", "role": role, "content": text}));
    texts.iter().map(|text| line("user", text) + &line("assistant", "Well.")).collect()
}

#[test]
fn a_crash_costs_one_recall() {
    let scene = Scene::with_faulty_recall();
    scene.write("talk.jsonl", talk(&["segfault", "as ever"]));
    assert_snapshot!(scene.says("replay --live talk.jsonl"), @"
    exit 0
    ---- out
    == session a
    -- user · session a · turn 1
    segfault
    🧠 faulty — no recall: crashed: its worker was ended by signal 11 (SIGSEGV) — see `hermes memory status`
    -- assistant
    Well.
    -- user · session a · turn 2
    as ever
    🧠 faulty — recalled nothing new · […] ms
    -- assistant
    Well.
    ");
    assert_snapshot!(scene.says("memory recall segfault"), @"
    exit 1
    ---- err
    🧠 faulty — no recall: crashed: its worker was ended by signal 11 (SIGSEGV) — see `hermes memory status`
    ");
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: faulty 0.1.0 · process · degraded
    archive: 1 session, 4 messages, the last [ago]
    may use: nothing outside its data folder
    problem: in quarantine after 3 crashes, the last: its worker was ended by signal 11 (SIGSEGV)
    last success: queue_prefetch, [ago]
    last failure: prefetch, [ago]: `faulty` crashed in prefetch: its worker was ended by signal 11 (SIGSEGV)
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    health                   1      0        0       0 [ms] [ms]     –  ok [ago]
    prefetch                 3      2        0       0 [ms] [ms]     0  failed [ago]
    queue_prefetch           2      1        0       0 [ms] [ms]     –  ok [ago]
    ---- err
    hint: it is tried once in each session, and is free again after ten minutes without a crash
    hint: `hermes plugins quarantine clear faulty` frees it now
    ");
    assert_snapshot!(scene.says("memory status --check"), @"
    exit 1
    ---- out
    memory: faulty 0.1.0 · process · degraded
    archive: 1 session, 4 messages, the last [ago]
    may use: nothing outside its data folder
    checked now: process [pid]
    problem: in quarantine after 3 crashes, the last: its worker was ended by signal 11 (SIGSEGV)
    last success: health, [ago]
    last failure: prefetch, [ago]: `faulty` crashed in prefetch: its worker was ended by signal 11 (SIGSEGV)
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    health                   2      0        0       0 [ms] [ms]     –  ok [ago]
    prefetch                 3      2        0       0 [ms] [ms]     0  failed [ago]
    queue_prefetch           2      1        0       0 [ms] [ms]     –  ok [ago]
    ---- err
    hint: it is tried once in each session, and is free again after ten minutes without a crash
    hint: `hermes plugins quarantine clear faulty` frees it now
    ");
    assert_snapshot!(scene.says(r#"tools call do '{"deed": "segfault"}'"#), @r#"
    exit 1
    ---- out
    {"error":{"hint":"see `hermes memory status`","kind":"panic","message":"`faulty` crashed in call_tool: its worker was ended by signal 11 (SIGSEGV)"},"ok":false,"tool":"do"}
    ---- err
    warning: `faulty` crashed 3 times and is tried once in each session: its worker was ended by signal 11 (SIGSEGV) — `hermes plugins quarantine clear faulty` uses it again at once
    "#);
    let recall = scene.json("memory recall abort");
    assert_eq!((&recall["ok"], &recall["memories"]), (&Value::Bool(false), &json!([])));
}

#[test]
fn what_is_not_delivered_is_named_at_the_end() {
    let scene = Scene::with_faulty();
    scene.does("config set memory.shutdown_timeout 300ms");
    scene.write("talk.jsonl", talk(&["segfault"]));
    assert_snapshot!(scene.says("replay --live talk.jsonl"), @"
    exit 0
    ---- out
    == session a
    -- user · session a · turn 1
    segfault
    🧠 faulty — no recall: crashed: its worker was ended by signal 11 (SIGSEGV) — see `hermes memory status`
    -- assistant
    Well.
    ---- err
    turn 1 of session a will be delivered next time: `faulty` is paused until [time] after 3 crashes, the last: its worker was ended by signal 11 (SIGSEGV)
    hint: nothing is lost; `hermes memory outbox list` shows what waits
    ");
}

#[test]
fn a_hang_costs_the_deadline() {
    let scene = Scene::with_faulty_recall();
    scene.does("config set memory.prefetch_timeout 300ms");
    scene.does("config set timeouts.queue_prefetch 300ms");
    scene.write("talk.jsonl", talk(&["wait", "as ever"]));
    assert_snapshot!(scene.says("memory recall wait"), @"
    exit 1
    ---- err
    🧠 faulty — no recall: timed out after […] ms (a late answer serves the next turn of its session) — see `hermes memory status`
    ");
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: faulty 0.1.0 · process · degraded
    may use: nothing outside its data folder
    problem: its last call, prefetch, failed [ago]: no answer within […] ms
    last success: health, [ago]
    last failure: prefetch, [ago]: no answer within […] ms
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    health                   1      0        0       0 [ms] [ms]     –  ok [ago]
    prefetch                 1      0        1       0 [ms] [ms]     0  failed [ago]
    ---- err
    hint: `hermes memory status --check` calls it now
    ");
    let ran = scene.run("replay --live talk.jsonl");
    let lines: Vec<_> = ran.out.lines().filter(|line| line.contains("timed out after 300 ms")).collect();
    assert_eq!((ran.status, lines.len()), (0, 1), "{}", ran.shown());
}

#[test]
fn three_crashes_are_enough() {
    let scene = Scene::with_faulty();
    for _ in 0..3 {
        assert_eq!(scene.run("memory recall segfault").status, 1);
    }
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: faulty 0.1.0 · process · degraded
    may use: nothing outside its data folder
    problem: in quarantine after 3 crashes, the last: its worker was ended by signal 11 (SIGSEGV)
    last success: health, [ago]
    last failure: prefetch, [ago]: `faulty` crashed in prefetch: its worker was ended by signal 11 (SIGSEGV)
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    health                   1      0        0       0 [ms] [ms]     –  ok [ago]
    prefetch                 3      3        0       0 [ms] [ms]     0  failed [ago]
    ---- err
    hint: it is tried once in each session, and is free again after ten minutes without a crash
    hint: `hermes plugins quarantine clear faulty` frees it now
    ");
    assert_snapshot!(scene.says("memory status --check"), @"
    exit 1
    ---- out
    memory: faulty 0.1.0 · process · degraded
    may use: nothing outside its data folder
    checked now: process [pid]
    problem: in quarantine after 3 crashes, the last: its worker was ended by signal 11 (SIGSEGV)
    last success: health, [ago]
    last failure: prefetch, [ago]: `faulty` crashed in prefetch: its worker was ended by signal 11 (SIGSEGV)
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    health                   2      0        0       0 [ms] [ms]     –  ok [ago]
    prefetch                 3      3        0       0 [ms] [ms]     0  failed [ago]
    ---- err
    hint: it is tried once in each session, and is free again after ten minutes without a crash
    hint: `hermes plugins quarantine clear faulty` frees it now
    ");
    assert_eq!(scene.json("memory status")["quarantine"]["crashes"], 3);
    // It is tried once per session, which every command is.
    assert_snapshot!(scene.says("memory recall 'as ever'"), @"
    exit 0
    ---- out
    as ever
    ---- err
    warning: `faulty` crashed 3 times and is tried once in each session: its worker was ended by signal 11 (SIGSEGV) — `hermes plugins quarantine clear faulty` uses it again at once
    🧠 faulty — recalled 1 memory · […] ms
    ");
    assert_snapshot!(scene.says("tools list"), @"
    exit 0
    ---- out
    memory  Keeps short facts for later conversations, in small files that you are shown at the start of each.…
    session_search  Searches the record of earlier conversations and shows what was really said. Give `query` to find s…
    do  Does a deed
    ---- err
    warning: `faulty` crashed 3 times and is tried once in each session: its worker was ended by signal 11 (SIGSEGV) — `hermes plugins quarantine clear faulty` uses it again at once
    ");
}

#[test]
fn a_panic_and_an_error_are_told_in_its_own_words() {
    let scene = Scene::with_faulty();
    assert_snapshot!(scene.says("memory recall 'panic of mine'"), @"
    exit 1
    ---- err
    🧠 faulty — no recall: crashed: the provider panicked: it hit a wall: of mine (at tests/faulty/src/deeds.rs:17) — see `hermes memory status`
    ");
    assert_snapshot!(scene.says("memory recall 'error unauthorized'"), @"
    exit 1
    ---- err
    🧠 faulty — no recall: told to fail: unauthorized — see `hermes memory status`
    ");
    assert_snapshot!(scene.says(r#"tools call do '{"deed": "panic of mine"}'"#), @r#"
    exit 1
    ---- out
    {"error":{"hint":"see `hermes memory status`","kind":"panic","message":"`faulty` crashed in call_tool: the provider panicked: it hit a wall: of mine (at tests/faulty/src/deeds.rs:17)"},"ok":false,"tool":"do"}
    "#);
    assert_snapshot!(scene.says(r#"tools call do '{"deed": "error unauthorized"}'"#), @r#"
    exit 1
    ---- out
    {"error":{"hint":"tell it otherwise","kind":"unauthorized","message":"told to fail: unauthorized"},"ok":false,"tool":"do"}
    "#);
    assert_snapshot!(scene.says(r#"tools call do '{"deed": "print nonsense"}'"#), @r#"
    exit 0
    ---- out
    {"ok":true,"result":"printed","tool":"do"}
    "#);
    assert_snapshot!(scene.says("memory remember something"), @r"
    exit 1
    ---- err
    error: `faulty` has no way to remember a text on request
    hint: choose another provider with `hermes memory setup`
    ");
}
