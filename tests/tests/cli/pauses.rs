//! Hooks that fail again and again are left alone for a while, in every process, and it is said.

use hermes_host::db::Db;
use hermes_host::home::Home;
use insta::assert_snapshot;
use serde_json::json;

use crate::scene::Scene;

/// Makes the pause as long as it can be: no test depends on how fast it is.
fn lengthen(scene: &Scene) {
    let db = Db::open(&Home::at(scene.path("home"))).unwrap().db;
    let sql = "UPDATE pauses SET until_ms = since_ms + 300000 WHERE until_ms IS NOT NULL";
    assert_eq!(db.with(|connection| connection.execute(sql, [])).unwrap(), 1, "a hook is paused");
}

#[test]
fn a_provider_that_is_unavailable_is_left_alone_until_it_is_healthy() {
    let scene = Scene::with_faulty_recall();
    for _ in 0..3 {
        assert_eq!(scene.run("memory recall 'error unavailable'").status, 1);
    }
    lengthen(&scene);
    // It would answer now, and nobody asks.
    assert_snapshot!(scene.says("memory recall 'as ever'"), @"
    exit 1
    ---- err
    warning: `faulty` is left alone in part: prefetch paused until [time] after 3 failed calls: told to fail: unavailable — `hermes memory status --check` tries it now, and ends the pause if it is healthy
    🧠 faulty — no recall: paused until [time] after 3 failed calls: told to fail: unavailable — see `hermes memory status`
    ");
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: faulty 0.1.0 · process · degraded
    may use: nothing outside its data folder
    problem: prefetch paused until [time] after 3 failed calls: told to fail: unavailable
    last success: health, [ago]
    last failure: prefetch, [ago]: `faulty`: told to fail: unavailable
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    health                   1      0        0       0 [ms] [ms]     –  ok [ago]
    prefetch                 3      3        0       1 [ms] [ms]     0  failed [ago]
    ---- err
    hint: `hermes memory status --check` tries the provider now, and ends the pause if it is healthy
    ");
    assert_snapshot!(scene.says("plugins quarantine list"), @"
    exit 0
    ---- out
    faulty  prefetch paused until [time] after 3 failed calls: told to fail: unavailable
    ---- err
    hint: `hermes plugins quarantine clear faulty` uses it again at once
    ");
    let paused = scene.json("memory status")["paused"].clone();
    assert_eq!(
        (&paused[0]["hook"], &paused[0]["failures"], &paused[0]["timeouts"], &paused[0]["reason"]),
        (&json!("prefetch"), &json!(3), &json!(0), &json!("told to fail: unavailable"))
    );
    assert!(paused[0]["since"].as_u64() < paused[0]["until"].as_u64());
    // Other hooks go on.
    scene.does(r#"tools call do '{"deed": "as ever"}'"#);
    assert_snapshot!(scene.says("memory status --check"), @"
    exit 0
    ---- out
    memory: faulty 0.1.0 · process · ok
    may use: nothing outside its data folder
    checked now: process [pid]
    last success: health, [ago]
    last failure: prefetch, [ago]: `faulty`: told to fail: unavailable
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    call_tool                1      0        0       0 [ms] [ms]     –  ok [ago]
    health                   2      0        0       0 [ms] [ms]     –  ok [ago]
    prefetch                 3      3        0       1 [ms] [ms]     0  failed [ago]
    system_prompt_block      1      0        0       0 [ms] [ms]     –  ok [ago]
    tool_schemas             1      0        0       0 [ms] [ms]     –  ok [ago]
    ");
    scene.does("memory recall 'as ever'");
}

#[test]
fn a_provider_that_is_slow_is_left_alone() {
    let scene = Scene::with_faulty_recall();
    scene.does("config set memory.prefetch_timeout 200ms");
    for _ in 0..3 {
        assert_eq!(scene.run("memory recall wait").status, 1);
    }
    lengthen(&scene);
    let line = scene.run("memory recall 'as ever'").shown();
    assert!(line.contains("no recall: paused until [time] after 3 timeouts: no answer within […] ms"), "{line}");
    let listed = scene.json("plugins quarantine list");
    assert_eq!((&listed["paused"][0]["provider"], &listed["quarantined"]), (&json!("faulty"), &json!([])));
    assert_snapshot!(scene.says("plugins quarantine clear faulty"), @"
    exit 0
    ---- err
    `faulty` is used again at once; what happened stays in `hermes memory status`
    ");
    assert_snapshot!(scene.says("plugins quarantine clear faulty"), @"
    exit 0
    ---- err
    `faulty` was neither in quarantine nor paused
    ");
    scene.does("memory recall 'as ever'");
}

#[test]
fn what_the_caller_did_wrong_pauses_nothing() {
    let scene = Scene::with_faulty_recall();
    for kind in ["invalid_input", "not_found", "internal", "unauthorized"].repeat(2) {
        let call = format!(r#"tools call do '{{"deed": "error {kind}"}}'"#);
        assert_eq!(scene.run(&call).status, 1);
    }
    scene.does(r#"tools call do '{"deed": "as ever"}'"#);
    assert_eq!(scene.json("memory status")["paused"], json!([]));
}

#[test]
fn a_quarantine_can_be_ended() {
    let scene = Scene::with_faulty_recall();
    assert_snapshot!(scene.says("plugins quarantine list"), @"
    exit 0
    ---- err
    no provider is in quarantine, and no hook is paused
    ");
    for _ in 0..3 {
        scene.run("memory recall segfault");
    }
    assert_snapshot!(scene.says("plugins quarantine list"), @"
    exit 0
    ---- out
    faulty  in quarantine after 3 crashes, since [time] until [time], the last: its worker was ended by signal 11 (SIGSEGV)
    ---- err
    hint: `hermes plugins quarantine clear faulty` uses it again at once
    ");
    let listed = scene.json("plugins quarantine list")["quarantined"][0].clone();
    assert_eq!((&listed["provider"], &listed["crashes"]), (&json!("faulty"), &json!(3)));
    assert!(listed["since"].as_u64() < listed["until"].as_u64());
    assert_snapshot!(scene.says("plugins quarantine clear fault"), @"
    exit 1
    ---- err
    error: `fault` is not installed, and nothing is on record of it
    hint: did you mean `faulty`?
    ");
    assert_eq!(scene.json("plugins quarantine clear faulty"), json!({"provider": "faulty", "cleared": true}));
    assert_snapshot!(scene.says("memory recall 'as ever'"), @"
    exit 0
    ---- out
    as ever
    ---- err
    🧠 faulty — recalled 1 memory · […] ms
    ");
    assert_eq!(scene.json("memory status")["state"], "ok");
}
