//! Whatever a provider or a client does wrong: the server goes on and says it.

use insta::assert_snapshot;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::client::{Called, Client};
use super::names;
use crate::package::Package;
use crate::scene::Scene;

#[test]
fn without_a_provider_it_says_what_to_type() {
    let scene = Scene::new();
    let mut client = Client::connect(&scene, "probe");
    let tools = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    assert_eq!(names(&tools), super::ALONE);
    let recalled = client.call("memory_recall", json!({"message": "Who is Biscuit?"}));
    assert_snapshot!(recalled.text, @"
    no external provider is set up
    hint: choose one with `hermes memory setup`
    ");
    let recorded = client.call("memory_record_turn", json!({"user": "a", "assistant": "b"}));
    assert!(!recorded.failed && recorded.text.contains("no external provider is set up"), "{recorded:?}");
    assert_eq!(recorded.structured, json!({"turn": 1, "state": "archived"}));
    let status = client.call("memory_status", json!({}));
    assert!(!status.failed && status.structured["state"] == "off", "{status:?}");
    assert_snapshot!(status.text, @"
    memory: no external provider
    problem: no external provider is set up
    hint: choose one with `hermes memory setup`
    ");
    assert_eq!(client.end().status, 0);

    scene.does("config set memory.provider holografic");
    let mut client = Client::connect(&scene, "probe");
    assert_snapshot!(client.call("memory_recall", json!({"message": "Who is Biscuit?"})).text, @"
    `holografic` is not installed and in no catalog
    hint: did you mean `holographic`? Run `hermes memory setup holographic`
    ");
    let status = client.call("memory_status", json!({}));
    assert_eq!(status.structured["state"], "degraded");
    assert_snapshot!(status.text, @"
    memory: holografic (not installed) · process · degraded
    problem: `holografic` is not installed and in no catalog
    hint: did you mean `holographic`? Run `hermes memory setup holographic`
    ");
    assert_eq!(client.end().status, 0);
}

/// The files are a memory of their own, and a client that reads no resources is given them as a recall.
#[test]
fn the_memory_files_need_no_provider() {
    let scene = Scene::without_plugins();
    let mut client = Client::connect(&scene, "probe");
    let kept = client.call("memory", json!({"content": "Biscuit is a spaniel"}));
    assert!(!kept.failed && kept.structured["entry_count"] == 1, "{kept:?}");
    for _ in 0..2 {
        client.call("memory", json!({"action": "list"})).fails_with("and has to be \"add\"");
    }
    client.call("memory", json!({"action": "list"})).fails_with("Do not call `memory` again in this turn");
    // With the next message of the user it may be tried again.
    client.call("memory_recall", json!({"message": "and now?"}));
    client.call("memory", json!({"action": "list"})).fails_with("and has to be \"add\"");
    assert!(client.status()["curated"]["files"][0]["entries"] == 1);
    assert_eq!(client.end().status, 0);
    let mut client = Client::connect(&scene, "probe");
    assert!(client.call("memory_recall", json!({"message": "Who is Biscuit?"})).text.contains("Biscuit is a spaniel"));
    let prompt = client.ask("resources/read", json!({"uri": "hermes://system-prompt"}));
    let text = prompt["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("MEMORY (your personal notes)") && text.ends_with("Biscuit is a spaniel"), "{text}");
    assert_eq!(client.end().status, 0);
}

#[test]
fn what_confines_the_provider_is_told_as_on_the_command_line() {
    let scene = Scene::with_memory();
    let of = |scene: &Scene| {
        let called = Client::connect(scene, "probe").call("memory_status", json!({}));
        assert_eq!(called.structured["confinement"], scene.json("memory status")["confinement"]);
        called
    };
    let whole = of(&scene);
    assert_eq!(whole.structured["confinement"]["worker"], true);
    assert!(!whole.text.contains("confined"), "{}", whole.text);
    let scene = scene.variable("HERMES_PRETEND_NO", "landlock");
    let text = of(&scene).text;
    let first: Vec<&str> = text.lines().skip(1).take(2).collect();
    let files = "  files: declared, not enforced: this system has no Landlock";
    assert_eq!(first, ["confined in part by the kernel (seccomp)", files], "{text}");
    scene.does("config set plugins.isolation in-process");
    let text = of(&scene).text;
    assert_eq!(text.lines().nth(1), Some("not confined: runs with your rights"), "{text}");
}

#[test]
fn a_hint_can_be_typed() {
    let scene = Scene::new();
    scene.publish("community", &Package::holographic().named("notes", "1.0.0"));
    scene.does("config set memory.provider notes");
    let mut client = Client::silent(&scene, "mcp --catalog community");
    client.greet("probe");
    client.call("memory_recall", json!({"message": "Who is Biscuit?"})).fails_with(" --catalog /");

    // In the home that was meant.
    scene.does("profiles create work");
    let mut client = Client::silent(&scene, "mcp --profile work");
    client.greet("probe");
    let recalled = client.call("memory_recall", json!({"message": "Who is Biscuit?"}));
    assert_snapshot!(recalled.text, @"
    no external provider is set up
    hint: choose one with `hermes --profile work memory setup`
    ");
    assert_snapshot!(client.call("memory_status", json!({})).text, @"
    memory: no external provider
    problem: no external provider is set up
    hint: choose one with `hermes --profile work memory setup`
    ");
}

#[test]
fn a_crash_is_an_answer() {
    let scene = Scene::with_faulty_recall();
    let mut client = Client::connect(&scene, "probe");
    client.call("memory_recall", json!({"message": "panic over here"})).fails_with("no recall: crashed");
    client.call("memory_recall", json!({"message": "segfault"})).fails_with("no recall: crashed");
    client.call("do", json!({"deed": "error storage"})).fails_with("told to fail: storage\nhint: tell it otherwise");
    client.call("do", json!({"deed": "abort"})).fails_with("crashed in call_tool");
    let status = client.status();
    assert_eq!(status["state"], "degraded", "{status}");
    assert_eq!(status["quarantine"]["crashes"], 3, "{status}");
    client.call("memory_recall", json!({"message": "as ever, in a word"})).fails_with("paused");
    assert_eq!(client.end().status, 0);
}

#[test]
fn a_connection_is_one_try_in_quarantine() {
    let scene = Scene::with_faulty_recall();
    for _ in 0..3 {
        assert_eq!(scene.run("memory recall abort").status, 1);
    }
    let mut client = Client::connect(&scene, "probe");
    client.call("memory_recall", json!({"message": "abort"})).fails_with("no recall: crashed");
    // Whatever is asked for next, and however often: the try was made.
    for _ in 0..2 {
        client.call("do", json!({"deed": "as ever"})).fails_with("paused");
        assert_eq!(names(&client.ask("tools/list", json!({}))["result"]["tools"]), super::ALONE);
    }
    assert_eq!(client.status()["quarantine"]["crashes"], 4);
    assert_eq!(client.end().status, 0);
}

#[test]
fn a_turn_is_not_blamed_for_another() {
    let scene = Scene::with_faulty();
    let mut client = Client::connect(&scene, "probe");
    // Held up behind the first, they are all given up or delivered by the time that the last one is told of.
    let stuck = client.send_call("memory_record_turn", json!({"user": "wait", "assistant": "Well."}));
    assert_eq!(Called::of(&client.answer(stuck)).structured["state"], "waiting");
    let refused = client.send_call("memory_record_turn", json!({"user": "error invalid_input", "assistant": "Well."}));
    assert_eq!(Called::of(&client.answer(refused)).structured, json!({"turn": 2, "state": "waiting"}));
    scene.write("home/plugins/data/faulty/release", "");
    let last = client.call("memory_record_turn", json!({"user": "as ever", "assistant": "Well."}));
    assert!(!last.failed && last.structured["turn"] == 3 && last.structured["state"] != "lost", "{last:?}");
    hermes_tests::wait::until("the status tells of the lost turn", || {
        let problems = client.status()["problems"].to_string();
        (problems.contains("turn 2 of session") && problems.contains("did not reach the provider")).then_some(())
    });
    assert!(!client.status()["problems"].to_string().contains("turn 3 of session"));
    let lost = client.call("memory_record_turn", json!({"user": "error invalid_input", "assistant": "Well."}));
    lost.fails_with("turn 4 of session");
    assert_eq!(lost.structured, json!({"turn": 4, "state": "lost"}));
}

/// Its pipe is full, and every thread that may block waits to write to it.
#[cfg(target_os = "linux")]
#[test]
fn a_client_that_reads_nothing_keeps_nobody() {
    use std::io::Write as _;
    use std::process::Stdio;

    let scene = Scene::with_faulty();
    let mut child = scene.command(["mcp"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let info = json!({"name": "deaf", "version": "1"});
    let greeting = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info});
    writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": greeting})).unwrap();
    writeln!(input, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).unwrap();
    let turn = json!({"name": "memory_record_turn", "arguments": {"user": "kept", "assistant": "Well."}});
    writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": turn})).unwrap();
    let started = || scene.path("home/plugins/data/faulty/started");
    hermes_tests::wait::until("the turn is delivered", || {
        std::fs::read_to_string(started()).ok()?.contains("sync_turn kept").then_some(())
    });
    // What is not known is named in the answer.
    let long = "x".repeat(4000);
    for id in 2..400 {
        writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": id, "method": long})).unwrap();
    }
    let threads = || std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap().count();
    hermes_tests::wait::until("all threads wait", || (threads() > 128).then_some(()));
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::TERM).unwrap();
    let status = hermes_tests::wait::until("the server has ended", || child.try_wait().unwrap());
    assert_eq!(status.code(), Some(0));
    let started = scene.read("home/plugins/data/faulty/started");
    assert!(started.trim_end().ends_with(" drop"), "the provider was closed: {started}");
}

#[test]
fn a_panic_or_an_odd_answer_costs_one_call() {
    let scene = Scene::with_faulty_recall();
    let mut client = Client::connect(&scene, "probe");
    client.call("do", json!({"deed": "panic"})).fails_with("it hit a wall");
    let again = client.call("do", json!({"deed": "a deed of its own: чай"}));
    assert_eq!((again.failed, again.text.as_str()), (false, "a deed of its own: чай"));
    let printed = client.call("do", json!({"deed": "print {\"jsonrpc\":\"2.0\"}"}));
    assert_eq!(printed.text, "printed", "and nothing of it came to the client");
    let ran = client.end();
    assert_eq!((ran.status, ran.out.as_str()), (0, ""));
}

#[test]
fn a_hang_holds_up_nobody_else() {
    let scene = Scene::with_faulty_recall();
    scene.does("config set memory.prefetch_timeout 300ms");
    scene.does("config set timeouts.call_tool 60s");
    let mut client = Client::connect(&scene, "probe");
    let stuck = client.send_call("do", json!({"deed": "wait"}));
    let cancelled = client.send_call("do", json!({"deed": "wait cancelled"}));
    let slow = client.call("memory_recall", json!({"message": "wait-deaf"}));
    slow.fails_with("no recall: no answer within 300 ms");
    let status = client.status();
    assert!(status["problems"].to_string().contains("prefetch, failed"), "{status}");
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));

    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": cancelled}});
    client.line(cancel.to_string());
    scene.write("home/plugins/data/faulty/release", "");
    let released = client.answer(stuck);
    assert_eq!(Called::of(&released).text, "released");
    let ran = client.end();
    assert_eq!((ran.status, ran.out.as_str()), (0, ""), "a cancelled call is not answered");
}

#[test]
fn a_provider_that_hangs_does_not_keep_the_server() {
    let scene = Scene::with_faulty_recall();
    scene.does("config set timeouts.call_tool 600s");
    scene.does("config set timeouts.shutdown 300ms");
    // The call lasts for ten minutes, the server not.
    for signal in [None, Some(Signal::TERM)] {
        let mut client = Client::connect(&scene, "probe");
        client.send_call("do", json!({"deed": "wait-deaf"}));
        assert_eq!(client.status()["provider"], "faulty");
        let ran = match signal {
            None => client.end(),
            Some(signal) => client.ended_by(signal),
        };
        assert_eq!((ran.status, ran.err.contains("the provider did not end cleanly")), (1, true), "{}", ran.shown());
    }
}

#[test]
fn a_provider_that_is_gone_is_named_by_every_tool() {
    let scene = Scene::with_memory();
    std::fs::remove_file(scene.stored("holographic")).unwrap();
    let mut client = Client::connect(&scene, "probe");
    let recalled = client.call("memory_recall", json!({"message": "Who is Biscuit?"}));
    recalled.fails_with("holographic");
    // A client may have heard of the tool when all was well.
    client.call("fact_store", json!({"action": "list"})).fails_with(&recalled.text);
    let recorded = client.call("memory_record_turn", json!({"user": "a", "assistant": "b"}));
    assert_eq!((recorded.failed, &recorded.structured["state"]), (false, &json!("archived")), "{recorded:?}");
    scene.does("config set sessions.enabled false");
    client.wait(|message| message["method"] == "notifications/tools/list_changed");
    client.call("memory_record_turn", json!({"user": "a", "assistant": "b"})).fails_with(&recalled.text);
    let [recall, record, status] = super::OWN;
    assert_eq!(names(&client.ask("tools/list", json!({}))["result"]["tools"]), ["memory", recall, record, status]);
    let status = client.status();
    assert_eq!((&status["state"], status["problems"].as_array().unwrap().len()), (&json!("degraded"), 1), "{status}");
    assert_eq!(client.end().status, 0);
}

#[test]
fn the_log_is_on_stderr_and_without_what_was_said() {
    let scene = Scene::with_memory();
    let mut client = Client::silent(&scene, "mcp --verbose");
    client.greet("probe");
    client.call("memory_recall", json!({"message": "Who is Sycorax?"}));
    client.call("fact_store", json!({"action": "add", "content": "Sycorax is a witch"}));
    let ran = client.end();
    assert_eq!((ran.status, ran.out.as_str()), (0, ""));
    assert!(ran.err.contains("serve finished") && !ran.err.contains("Sycorax"), "{}", ran.err);
}

#[test]
fn what_a_provider_says_of_its_key_is_masked_on_stderr_too() {
    // The key is of the environment: of the home alone it would not be known.
    let scene = Scene::without_plugins().variable("FAULTY_KEY", "hush-hush-1");
    scene.publish("bin/catalog", &Package::faulty());
    scene.does("memory setup faulty --yes");
    scene.does("config set providers.faulty.at_drop 'panic hush-hush-1'");
    let mut client = Client::silent(&scene, "mcp --verbose");
    client.greet("probe");
    client.call("do", json!({"deed": "log hush-hush-1"}));
    let ran = client.end();
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("an event of [FAULTY_KEY]"), "{}", ran.err);
    assert!(ran.err.contains("did not end cleanly: the provider panicked: it hit a wall: [FAULTY_KEY]"), "{}", ran.err);
    assert!(!ran.err.contains("hush-hush-1"), "{}", ran.err);
}

#[test]
fn what_cannot_be_delivered_is_said_at_the_end() {
    let scene = Scene::with_faulty();
    scene.does("config set memory.shutdown_timeout 300ms");
    let mut client = Client::connect(&scene, "probe");
    let recorded = client.call("memory_record_turn", json!({"user": "wait-deaf", "assistant": "Well."}));
    assert_eq!(recorded.structured["state"], "waiting", "{recorded:?}");
    let ran = client.end();
    assert!(ran.err.starts_with("turn 1 of session mcp-"), "{}", ran.err);
    assert!(ran.err.contains(" will be delivered next time\nhint: nothing is lost;"), "{}", ran.err);
}

#[test]
fn arguments_are_checked_by_name() {
    let scene = Scene::with_memory();
    let mut client = Client::connect(&scene, "probe");
    for (tool, args, wrong) in [
        ("memory_recall", json!({}), "`message` is missing"),
        ("memory_recall", json!({"message": null}), "`message` is null"),
        ("memory_recall", json!({"message": "a", "limit": 3}), "there is no argument `limit`"),
        ("memory_record_turn", json!({"user": "a"}), "`assistant` is missing"),
        ("memory_record_turn", json!({"user": 1, "assistant": "b"}), "`user` is a number"),
        ("memory_status", json!({"verbose": true}), "there is no argument `verbose`"),
        ("fact_store", json!({"action": "fly"}), "there is no action `fly`"),
    ] {
        client.call(tool, args).fails_with(wrong);
    }
    let id = client.send("tools/call", json!({"name": "memory_status"}));
    assert!(!Called::of(&client.answer(id)).failed, "no arguments are none");
    let unknown = client.ask("tools/call", json!({"name": "no_such_tool\u{7}", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(unknown["error"]["message"].as_str().unwrap().contains(r"no_such_tool\u{7}"), "{unknown}");
}

#[test]
fn a_client_that_babbles_is_answered() {
    let scene = Scene::with_memory();
    let mut client = Client::connect(&scene, "probe");
    let without_id = |message: &Value| message.get("id").is_none() && message.get("error").is_some();
    for (line, code) in [
        (b"{\"jsonrpc\": ".as_slice(), -32700),
        (b"\xff\xfe", -32700),
        (b"[]", -32600),
        (b"[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]", -32600),
        (b"\"\"", -32600),
    ] {
        client.line(line);
        assert_eq!(client.wait(without_id)["error"]["code"], code, "{}", String::from_utf8_lossy(line));
    }
    client.line("");
    client.line(r#"{"jsonrpc": "2.0", "method": "notifications/unheard-of", "params": {"a": 1}}"#);
    client.line(r#"{"jsonrpc": "2.0", "id": 4711, "result": {}}"#);
    assert_eq!(client.ask("no/such/method", json!({}))["error"]["code"], -32601);
    assert_eq!(client.ask("completion/complete", json!({"a": 7}))["error"]["code"], -32601);
    assert_eq!(client.ask("tools/call", json!({"name": 7}))["error"]["code"], -32602);
    assert_eq!(client.ask("tools/call", json!({"name": "memory_recall", "arguments": "a"}))["error"]["code"], -32602);
    assert_eq!(client.ask("tools/list", json!({"cursor": "next"}))["error"]["code"], -32602);
    assert_eq!(client.ask("ping", json!([]))["error"]["code"], -32600);

    let huge = "слово ".repeat(500_000);
    let recalled = client.call("memory_recall", json!({"message": huge}));
    assert!(!recalled.failed, "{}", recalled.text);
    let too_much = json!({"jsonrpc": "2.0", "id": 4712, "method": "ping", "params": {"a": "x".repeat(17 << 20)}});
    client.line(too_much.to_string());
    let refused = client.wait(without_id);
    assert!(refused["error"]["message"].as_str().unwrap().contains("at most 16777216 bytes"), "{refused}");
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    assert_eq!(client.end().status, 0);
}

#[test]
fn a_client_that_leaves_early_is_no_failure() {
    let scene = Scene::with_memory();
    let ran = Client::silent(&scene, "mcp").end();
    assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
    let mut rude = Client::silent(&scene, "mcp");
    rude.tell("notifications/initialized");
    assert_snapshot!(rude.ended().shown(), @"
    exit 1
    ---- err
    error: the client did not begin with `initialize`
    ");
    let mut deaf = Client::connect(&scene, "probe");
    deaf.roots = Some(json!([]));
    deaf.send("tools/list", json!({}));
    assert_eq!(deaf.end().status, 0);
}

#[test]
fn a_client_that_never_names_its_roots_is_served() {
    let scene = Scene::with_memory();
    let mut client = Client::silent(&scene, "mcp");
    let capabilities = json!({"roots": {}});
    let info = json!({"name": "mute", "version": "1"});
    client
        .ask("initialize", json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": info}));
    // Not even the note that it is ready comes.
    assert_eq!(
        client.status()["session"],
        json!({
            "id": client.status()["session"]["id"], "platform": "mute", "project": "", "turns": 0,
        })
    );
    assert_eq!(client.end().status, 0);
}
