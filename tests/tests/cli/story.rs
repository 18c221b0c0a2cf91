//! From an empty home to a memory that is used, and back.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::scene::{Scene, files};

#[test]
fn a_memory_is_set_up_used_and_put_aside() {
    let scene = Scene::new();
    assert_snapshot!(scene.says("memory status"), @r"
    exit 0
    ---- out
    memory: no external provider
    ---- err
    hint: choose one with `hermes memory setup`
    ");
    assert_snapshot!(scene.says("memory recall Biscuit"), @r"
    exit 1
    ---- err
    error: no external provider is set up
    hint: choose one with `hermes memory setup`
    ");
    assert_snapshot!(scene.says("plugins list"), @r"
    exit 0
    ---- out
    holographic 0.1.0  official: Keeps things
    ");
    assert_snapshot!(scene.says("plugins install holographic"), @r"
    exit 0
    ---- err
    installed holographic 0.1.0
    next: `hermes memory setup holographic`
    ");
    assert_snapshot!(scene.says("plugins list"), @r"
    exit 0
    ---- out
    holographic 0.1.0  installed, official
    ");
    assert_snapshot!(scene.says("memory status"), @r"
    exit 0
    ---- out
    memory: no external provider
    ---- err
    hint: `holographic` is installed and not in use; `hermes memory setup holographic` turns it on
    ");
    assert_snapshot!(scene.says("memory setup holographic"), @r#"
    exit 0
    ---- err
    Holographic: local facts 0.1.0 is your memory now: 0 facts
    try `hermes memory remember "…"` and `hermes memory recall "…"`
    "#);
    assert_snapshot!(scene.says("memory status"), @"
    exit 0
    ---- out
    memory: holographic 0.1.0 · process · ok
    may use: nothing outside its data folder
    sends nothing to a model: `semantic` and `rerank` are off
    last success: health, [ago]
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    health                   1      0        0       0 [ms] [ms]     –  ok [ago]
    ");
    assert_snapshot!(scene.says("memory remember 'Vera has a dog, Biscuit, who is allergic to chicken'"), @r"
    exit 0
    ---- err
    holographic keeps it as 1
    ");
    assert_snapshot!(scene.says("memory remember 'Vera has a dog, Biscuit, who is allergic to chicken'"), @r"
    exit 0
    ---- err
    holographic knew that already, as 1
    ");
    assert_snapshot!(scene.says("memory recall 'What can I buy for Biscuit?'"), @r"
    exit 0
    ---- out
    Vera has a dog, Biscuit, who is allergic to chicken
    ---- err
    🧠 holographic — recalled 1 memory · […] ms
    ");
    assert_snapshot!(scene.says("memory recall 'Who won the cup in 1966?'"), @r"
    exit 0
    ---- err
    🧠 holographic — recalled nothing · […] ms
    ");
    assert_snapshot!(scene.says("memory recall thanks!"), @r"
    exit 0
    ---- err
    a turn recalls nothing for a greeting, an acknowledgement or a command
    ");
    assert_snapshot!(scene.says("tools list"), @"
    exit 0
    ---- out
    memory  Keeps short facts for later conversations, in small files that you are shown at the start of each.…
    session_search  Searches the record of earlier conversations and shows what was really said. Give `query` to find s…
    fact_store  Lasting memory of facts. Actions: add (content, or facts for many; category, tags, valid_from, vali…
    fact_feedback  Say whether a fact that you used was helpful (its trust rises by 0.05) or unhelpful: wrong, outdate…
    ");
    assert_snapshot!(scene.says(r#"tools call fact_store '{"action": "list", "limit": 1}'"#), @r#"
    exit 0
    ---- out
    {"ok":true,"result":{"count":1,"results":[{"category":"general","content":"Vera has a dog, Biscuit, who is allergic to chicken","created":"[time]","fact_id":1,"helpful_count":0,"last_used":"[time]","retrieval_count":1,"score":0.5,"source":"user","tags":[],"trust":0.5,"unhelpful_count":0,"updated":"[time]","valid_from":"[time]"}]},"tool":"fact_store"}
    "#);
    assert_snapshot!(scene.says(r#"tools call fact_stor '{}'"#), @r#"
    exit 1
    ---- out
    {"error":{"hint":"run `hermes tools list`","kind":"not_found","message":"there is no tool `fact_stor`"},"ok":false,"tool":"fact_stor"}
    "#);
    assert_snapshot!(scene.says("memory status --check"), @"
    exit 0
    ---- out
    memory: holographic 0.1.0 · process · ok
    may use: nothing outside its data folder
    sends nothing to a model: `semantic` and `rerank` are off
    checked now: 1 fact
    last success: health, [ago]
    hook                 calls errors timeouts refused   p50 ms   p95 ms  hits  last
    call_tool                1      0        0       0 [ms] [ms]     –  ok [ago]
    health                   2      0        0       0 [ms] [ms]     –  ok [ago]
    prefetch                 2      0        0       0 [ms] [ms]     1  ok [ago]
    remember                 2      0        0       0 [ms] [ms]     –  ok [ago]
    system_prompt_block      3      0        0       0 [ms] [ms]     –  ok [ago]
    tool_schemas             3      0        0       0 [ms] [ms]     –  ok [ago]
    ");
    assert_snapshot!(scene.says("memory off"), @r"
    exit 0
    ---- err
    `holographic` is off; its data stays in `/home/plugins/data/holographic`, and `hermes memory setup holographic` brings it back
    ");
    assert_snapshot!(scene.says("memory off"), @r"
    exit 0
    ---- err
    no external provider was on
    ");
    assert_snapshot!(scene.says("memory status"), @r"
    exit 0
    ---- out
    memory: no external provider
    ---- err
    hint: `holographic` is installed and not in use; `hermes memory setup holographic` turns it on
    ");
    assert_snapshot!(scene.says("plugins remove holographic --yes"), @r"
    exit 0
    ---- err
    removed holographic 0.1.0
    what it stored is kept in `/home/plugins/data/holographic`
    ");
    assert_snapshot!(scene.says("plugins list"), @r"
    exit 0
    ---- out
    holographic 0.1.0  official: Keeps things
    ");
    assert!(!files(&scene.path("home/plugins/data/holographic")).is_empty(), "what it stored is kept");

    scene.does("memory setup holographic");
    assert!(scene.does("memory recall Biscuit").contains("allergic to chicken"), "and there again");
}

#[test]
fn each_answer_for_programs_is_json() {
    let scene = Scene::new();
    let installed = scene.json("plugins install holographic");
    assert_eq!(
        (&installed["id"], &installed["installed"], &installed["replaced"]),
        (&"holographic".into(), &true.into(), &Value::Null)
    );
    let lists = scene.json("plugins list");
    let version = lists["installed"][0]["version"].clone();
    assert_eq!((&lists["installed"][0]["tier"], &lists["available"]), (&json!("official"), &json!([])));
    let set_up = scene.json("memory setup holographic");
    assert_eq!(
        (&set_up["provider"], &set_up["version"], &set_up["ok"]),
        (&"holographic".into(), &version, &true.into())
    );
    let kept = scene.json("memory remember 'Biscuit is a spaniel'");
    assert_eq!(
        (&kept["provider"], &kept["existed"], kept["id"].is_string()),
        (&"holographic".into(), &false.into(), true)
    );
    let recalled = scene.json("memory recall 'Tell me of Biscuit'");
    assert_eq!((&recalled["memories"][0]["text"], &recalled["ok"]), (&"Biscuit is a spaniel".into(), &true.into()));
    assert!(recalled["block"].as_str().unwrap().starts_with("<memory-context>"));
    let tools = scene.json("tools list");
    let names: Vec<_> =
        tools["tools"].as_array().unwrap().iter().map(|tool| tool["function"]["name"].clone()).collect();
    assert_eq!(
        (names, &tools["hidden"], &tools["problem"]),
        (
            ["memory", "session_search", "fact_store", "fact_feedback"].map(Value::from).to_vec(),
            &json!([]),
            &Value::Null
        )
    );
    let answer = scene.json(r#"tools call fact_store '{"action": "search", "query": "Biscuit"}'"#);
    assert_eq!(
        (&answer["tool"], &answer["ok"], &answer["result"]["count"]),
        (&"fact_store".into(), &true.into(), &1.into())
    );
    let status = scene.json("memory status --check");
    assert_eq!(
        (&status["state"], &status["check"]["ok"], &status["isolation"]),
        (&"ok".into(), &true.into(), &"process".into())
    );
    assert!(status["hooks"].as_array().unwrap().iter().any(|hook| hook["hook"] == "prefetch" && hook["hits"] == 1));
    assert_eq!(scene.json("memory off"), json!({"provider": null, "was": "holographic"}));
    let removed = scene.json("plugins remove holographic --yes");
    assert_eq!(
        (&removed["id"], &removed["version"], &removed["active"]),
        (&"holographic".into(), &version, &false.into())
    );
    assert!(removed["data"].as_str().unwrap().ends_with("/plugins/data/holographic"));
}

#[test]
fn many_calls_run_in_one_process() {
    let scene = Scene::with_memory();
    let input = concat!(
        r#"{"tool": "fact_store", "args": {"action": "add", "content": "Анна пьёт чай без сахара"}}"#,
        "\r\n\nnot json\n",
        r#"{"tool": "fact_store", "args": {"action": "search", "query": "чай"}}"#,
        "\n",
        r#"{"tool": "nothing"}"#,
    );
    let ran = scene.run_with_input("tools call --stdin", input.as_bytes());
    let answers: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((ran.status, ran.err.as_str(), answers.len()), (0, "", 4));
    assert_eq!(answers[0]["ok"], true);
    assert_snapshot!(answers[1], @r#"{"error":{"kind":"invalid_input","message":"line 3: not JSON: expected ident at column 2"},"ok":false,"tool":""}"#);
    assert_eq!(answers[2]["result"]["results"][0]["content"], "Анна пьёт чай без сахара");
    assert_snapshot!(answers[3], @r#"{"error":{"hint":"run `hermes tools list`","kind":"not_found","message":"there is no tool `nothing`"},"ok":false,"tool":"nothing"}"#);
}
