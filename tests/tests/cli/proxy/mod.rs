//! `hermes proxy` between an application and a model, with the real binary, the real provider, and a scripted model.

mod doors;
mod network;
mod python;
mod responses;
mod restarts;
mod running;
mod troubled;

use hermes_tests::wait::until;
use serde_json::{Value, json};

use crate::scene::Scene;
use running::{Proxy, streamed};

const FACT: &str = "Собака Веры, Бисквит, не переносит курицу";
const QUESTION: &str = "Чем угостить Бисквита, собаку Веры?";

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn with_fact() -> Scene {
    let scene = Scene::with_memory();
    scene.does(&format!("memory remember '{FACT}'"));
    scene
}

#[test]
fn the_model_knows_what_is_remembered_and_the_application_sees_none_of_it() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    for stream in [false, true] {
        let picture = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}});
        let parts = json!({"role": "user", "content": [{"type": "text", "text": QUESTION}, picture]});
        let system = json!({"role": "system", "content": "Отвечай кратко."});
        let text = proxy.ask("echo", &[system, parts], stream);
        let given = proxy.given();
        assert!(
            given[0].starts_with(r#"{"content":"Отвечай кратко.\n\n"#) && given[0].contains("fact_store"),
            "{given:?}"
        );
        assert!(given[1].contains(FACT) && given[1].contains("data:image/png;base64,AAAA"), "{given:?}");
        // The model repeats all that it was given.
        assert!(text.contains(QUESTION) && text.ends_with(" — that was it."), "{text}");
        assert!(!text.contains("memory-context") && !text.contains("курицу"), "{text}");
    }
    assert_eq!(proxy.count("hermes_proxy_turns_total{ending=\"complete\"}"), 2);
    assert_eq!(scene.json("sessions list")[0]["model"], "echo");
    let ran = proxy.end();
    assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{}", ran.shown());
}

#[test]
fn what_the_model_was_given_once_it_is_given_again() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    let (mut client, mut before) = (Vec::new(), Vec::new());
    for (number, model) in ["echo", "keep", "aloud", "plain", "aloud", "echo"].into_iter().enumerate() {
        client.push(user(&format!("{QUESTION} {number}")));
        let text = proxy.ask(model, &client, number % 2 == 0);
        // What is said beside a call is seen as well, and no less filtered.
        assert_eq!(text.contains("Before it") && text.contains("After it"), model == "aloud", "{text}");
        assert!(!text.contains("memory-context") && !text.contains("курицу"), "{text}");
        client.push(assistant(&text));
        let given = proxy.given();
        assert_eq!(given[..before.len()], before, "turn {number}");
        before = given;
        scene.does(&format!("memory remember 'В саду Веры растёт дерево номер {number}'"));
    }
    assert_eq!(proxy.count("hermes_proxy_conversations"), 1);
    assert_eq!(proxy.count("hermes_proxy_turns_total{ending=\"complete\"}"), 6);
    assert_eq!(proxy.end().status, 0);
}

#[test]
fn the_memorys_tools_are_run_and_the_applications_are_handed_over() {
    let scene = Scene::with_memory();
    let proxy = Proxy::start(&scene);
    let weather = json!({"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}});
    for stream in [false, true] {
        let question = format!("My friend Ann lives in Riga since {stream} days");
        let kept = proxy.ask("keep", &[user(&question)], stream);
        assert!(kept.starts_with("Done after 1 results") && kept.contains("added"), "{kept}");
        assert!(scene.does("memory recall 'Where does Ann live?'").contains("Riga"));
        let odd = proxy.ask("malformed", &[user("Keep this oddly: Ann")], stream);
        assert!(odd.contains("not JSON"), "{odd}");
        let stopped = proxy.ask("endless", &[user("Keep on keeping, Ann")], stream);
        assert_eq!(stopped, "", "a model that only calls says nothing");

        let mut client = vec![user(&format!("Will it rain on Ann in Riga, {stream}?"))];
        let body = json!({"model": "both", "messages": client, "stream": stream, "tools": [weather]});
        let answer = proxy.chat(&body);
        let call = json!({"id": "call_2_1", "type": "function", "function": {"name": "get_weather", "arguments": "{\"city\": \"Riga\"}"}});
        if stream {
            let (text, calls, finish) = streamed(&answer);
            assert_eq!((text.as_str(), calls, finish.as_str()), ("", vec!["get_weather".to_owned()], "tool_calls"));
        } else {
            assert_eq!(answer.json()["choices"][0]["message"]["tool_calls"], json!([call]), "{}", answer.text());
        }
        assert!(!answer.text().contains("fact_store"), "{}", answer.text());
        client.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        client.push(json!({"role": "tool", "tool_call_id": "call_2_1", "content": "rain"}));
        let body = json!({"model": "both", "messages": client, "stream": stream, "tools": [weather]});
        let answer = proxy.chat(&body);
        let said = if stream { streamed(&answer).0 } else { answer.text() };
        assert!(said.contains("Done"), "{}", answer.text());
        let given = proxy.given();
        assert!(
            given[given.len() - 3].contains("fact_store") && given[given.len() - 2].contains("call_2_0"),
            "{given:?}"
        );
    }
    assert_eq!(proxy.count("hermes_proxy_turns_total{ending=\"complete\"}"), 8);
    assert_eq!(proxy.end().status, 0);
}

#[test]
fn what_the_models_server_says_is_wrong_the_application_hears_as_it_is() {
    let scene = with_fact();
    let model = hermes_tests::model::ScriptedModel::start();
    scene.does(&format!("config set model.base_url {}", model.base()));
    scene.does("config set proxy.upstream_timeout 4s");
    let proxy = Proxy::over(&scene, model);
    for stream in [false, true] {
        let say = |model: &str| proxy.chat(&json!({"model": model, "messages": [user(QUESTION)], "stream": stream}));
        let busy = say("busy");
        assert_eq!((busy.status, &busy.json()["error"]["message"]), (429, &json!("Slow down, please")));
        assert!(busy.head.contains("retry-after: 7\r\n") && busy.head.contains("x-ratelimit-remaining: 0"), "{busy:?}");
        let broken = say("broken");
        assert_eq!((broken.status, broken.text().as_str()), (500, r#"{"error":{"message":"it broke"}}"#));
        let silent = say("silent");
        assert_eq!((silent.status, &silent.json()["error"]["type"]), (504, &json!("upstream_error")), "{silent:?}");
        let cut = say("cut");
        match stream {
            true => assert!(!cut.whole && streamed(&cut).0 == "This answer is about to be", "{cut:?}"),
            false => assert_eq!(cut.status, 502, "{cut:?}"),
        }
        // Asked again, it is the same turn, and it is answered.
        assert_eq!(proxy.ask("plain", &[user(QUESTION)], stream), "Hello!");
    }
    assert!(proxy.count("hermes_proxy_turns_total{ending=\"complete\"}") == 2);
    assert_eq!(proxy.end().status, 0);
}

#[test]
fn an_application_that_goes_away_leaves_an_interrupted_turn() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    let body = json!({"model": "slow", "messages": [user(QUESTION)], "stream": true}).to_string();
    proxy.send("POST", "/v1/chat/completions", &[], &body).leave_after("ord ").unwrap();
    until("the turn is on record", || {
        (proxy.count("hermes_proxy_turns_total{ending=\"interrupted\"}") == 1).then_some(())
    });
    // What is being said when the server has to end is said to its end.
    let sent = proxy.send("POST", "/v1/chat/completions", &[], &body);
    until("it is being answered", || (proxy.model.asked().len() == 2).then_some(()));
    let ran = proxy.end();
    let answer = sent.read().unwrap();
    assert!(answer.whole && answer.text().contains("[DONE]"), "{answer:?}");
    assert_eq!(ran.status, 0, "{}", ran.shown());
}

#[test]
fn what_is_no_conversation_passes_as_it_came() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    assert_eq!(proxy.get("/v1/models").json()["data"][0]["id"], "echo");
    let odd = r#"{"input":  "x", "model":"e" , "n":1.0}"#;
    for path in ["/v1/embeddings", "/v1/completions?a=b"] {
        let answer = proxy.send("POST", path, &[], odd).read().unwrap();
        assert_eq!(answer.status, 200);
        let asked = proxy.model.asked().pop().unwrap();
        assert!(asked.starts_with(&format!("POST {path} HTTP/1.1\r\n")) && asked.ends_with(odd), "{asked}");
        assert!(!asked.contains(&proxy.token), "the token is not the model's business");
    }
    let title = r#"{"model":"plain","messages":[{"role":"system","content":"Write a title."}] }"#;
    let answer = proxy.send("POST", "/v1/chat/completions", &[], title).read().unwrap();
    assert_eq!(answer.json()["choices"][0]["message"]["content"], "Hello!");
    assert!(proxy.model.asked().pop().unwrap().ends_with(title));
    assert_eq!(proxy.end().status, 0);
}
