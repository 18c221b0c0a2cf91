//! The newer form of the API: items, and a model's server that keeps what was said.

use serde_json::{Value, json};

use super::running::{Proxy, text_of};
use super::{FACT, QUESTION, user, with_fact};
use crate::scene::Scene;

const INSTRUCTIONS: &str = "Отвечай кратко.";

fn weather() -> Value {
    json!({"type": "function", "name": "get_weather", "parameters": {"type": "object"}, "strict": false})
}

/// The last body that the model was sent.
fn sent(proxy: &Proxy<'_>) -> Value {
    serde_json::from_str(proxy.model.asked().last().unwrap().split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn items(response: &Value) -> Vec<Value> {
    response["output"].as_array().unwrap().clone()
}

#[test]
fn items_are_answered_with_what_is_remembered() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    for stream in [false, true] {
        let picture = json!({"type": "input_image", "image_url": "data:image/png;base64,AAAA"});
        let parts = json!({"role": "user", "content": [{"type": "input_text", "text": QUESTION}, picture]});
        for input in [json!(QUESTION), json!([parts])] {
            let ask = json!({"model": "echo", "input": input, "instructions": INSTRUCTIONS, "reasoning": {}, "stream": stream});
            let response = proxy.respond(&ask);
            let sent = sent(&proxy);
            let system = sent["instructions"].as_str().unwrap();
            assert!(system.starts_with("Отвечай кратко.\n\n") && system.contains("fact_store"), "{sent}");
            assert!(sent["input"][0].to_string().contains(FACT), "{sent}");
            assert_eq!(sent["tools"][0]["strict"], false, "{sent}");
            // The model repeats all that it was given, and thinks about it as well.
            let text = text_of(&response);
            assert!(text.contains(QUESTION) && text.ends_with(" — that was it."), "{text}");
            assert!(!response.to_string().contains("курицу"), "{response}");
            assert_eq!((&response["instructions"], &response["tools"]), (&json!(INSTRUCTIONS), &json!([])));
        }
    }
    assert_eq!(proxy.count("hermes_proxy_turns_total{ending=\"complete\"}"), 4);
    assert!(proxy.get("/metrics").text().contains("route=\"responses\",status=\"200\"} 4"));
    assert_eq!(proxy.end().status, 0);
}

/// A client that sends all items each time, as the model gave them, or only the text of the answer.
#[test]
fn what_the_model_was_given_once_it_is_given_again() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    for (keeps_items, name) in [(true, "items"), (false, "texts")] {
        let (mut client, mut before) = (Vec::new(), Vec::new());
        let models = ["echo", "keep", "aloud", "plain", "aloud", "keep", "echo"];
        for (number, model) in models.into_iter().enumerate() {
            client.push(user(&format!("{QUESTION} {name} {number}")));
            let thinks = if keeps_items { json!({}) } else { Value::Null };
            let ask = json!({"model": model, "input": client, "reasoning": thinks, "stream": number % 2 == 0});
            let response = proxy.respond(&ask);
            match keeps_items {
                true => client.extend(items(&response)),
                false => client.push(json!({"role": "assistant", "content": text_of(&response)})),
            }
            let given = proxy.model.inputs().pop().unwrap();
            assert_eq!(given[..before.len()], before, "turn {number}");
            before = given;
            scene.does(&format!("memory remember 'В саду Веры растёт дерево {name} {number}'"));
        }
        assert!(before.iter().filter(|item| item.contains("function_call_output")).count() == 4, "{before:?}");
    }
    assert_eq!(proxy.count("hermes_proxy_conversations"), 2);
    assert_eq!(proxy.count("hermes_proxy_turns_total{ending=\"complete\"}"), 14);
    assert_eq!(proxy.end().status, 0);
}

/// The model's server refuses an item that stands there twice, and a call without its result.
#[test]
fn an_answer_is_gone_on_from_by_its_id() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    for stream in [false, true] {
        let (mut previous, mut said) = (Value::Null, Vec::new());
        for (number, model) in ["keep", "aloud", "echo", "keep", "plain"].into_iter().enumerate() {
            let ask = json!({"model": model, "input": format!("{QUESTION} {stream} {number}"), "reasoning": {},
                "previous_response_id": previous, "stream": stream});
            let response = proxy.respond(&ask);
            assert_eq!(response["previous_response_id"], previous);
            assert!(sent(&proxy)["instructions"].as_str().unwrap().contains("fact_store"), "they hold for one answer");
            previous = response["id"].clone();
            let now = proxy.model.said_up_to(previous.as_str().unwrap());
            assert_eq!(now[..said.len()], said, "turn {number}");
            said = now;
        }
        let users = said.iter().filter(|item| item["role"] == "user");
        assert!(users.clone().count() == 5 && users.clone().any(|item| item.to_string().contains(FACT)), "{said:?}");
        assert_eq!(said.iter().filter(|item| item["type"] == "function_call_output").count(), 3);
        // What its server kept is fetched without what is hidden in it.
        let kept = proxy.get(&format!("/v1/responses/{}/input_items", previous.as_str().unwrap()));
        let kept = kept.json()["data"].as_array().unwrap().clone();
        assert!(kept.iter().filter(|item| item["role"] == "user").count() == 5 && kept.len() > 10, "{kept:?}");
        let kept = json!(kept).to_string();
        assert!(
            !kept.contains("memory-context") && !kept.contains("fact_store") && !kept.contains("function_call"),
            "{kept}"
        );
    }
    // An answer in several parts has the name of the first to a client that saw it, also when it is fetched.
    let ask = json!({"model": "aloud", "input": "What of Anna's garden?", "stream": true});
    let id = proxy.respond(&ask)["id"].clone();
    let kept = proxy.get(&format!("/v1/responses/{}", id.as_str().unwrap())).json();
    assert!(kept.to_string().contains("After it"), "{kept}");
    let ask = json!({"model": "plain", "input": "And her house?", "previous_response_id": id});
    assert_eq!(text_of(&proxy.respond(&ask)), "Hello!");
    assert_eq!(proxy.count("hermes_proxy_conversations"), 3);
    let unknown = json!({"model": "plain", "input": "?", "previous_response_id": "resp_none"}).to_string();
    assert_eq!(proxy.send("POST", "/v1/responses", &[], &unknown).read().unwrap().status, 400, "as its server says");
    assert_eq!(proxy.end().status, 0);
}

/// Two conversations that begin alike are told apart by what they name, also by a process that has not seen them.
#[test]
fn parts_of_an_answer_that_are_only_named_are_gone_on_from() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    let ask = |proxy: &Proxy<'_>, input: Value, stream: bool| {
        let response = proxy.respond(&json!({"model": "plain", "input": input, "stream": stream}));
        json!({"type": "item_reference", "id": items(&response).last().unwrap()["id"]})
    };
    let mut last = [false, true].map(|stream| ask(&proxy, json!([user(QUESTION)]), stream));
    assert_ne!(last[0], last[1]);
    for number in 0..2 {
        for (at, last) in last.iter_mut().enumerate() {
            *last = ask(&proxy, json!([last, user(&format!("{QUESTION} {at} {number}"))]), at == number);
        }
    }
    assert_eq!(proxy.count("hermes_proxy_conversations"), 2);
    assert_eq!(proxy.end().status, 0);
    let proxy = Proxy::start(&scene);
    ask(&proxy, json!([last[1], user("И что ещё?")]), true);
    ask(&proxy, json!([{"type": "item_reference", "id": "msg_none"}, user("И что ещё?")]), true);
    assert_eq!(proxy.end().status, 0);
    let sessions = scene.json("sessions list");
    let mut turns: Vec<u64> =
        sessions.as_array().unwrap().iter().map(|session| session["messages"].as_u64().unwrap() / 2).collect();
    turns.sort_unstable();
    assert_eq!(turns, [1, 3, 4], "{sessions}");
}

#[test]
fn a_conversation_that_its_server_keeps_is_told_nothing_twice() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    let ask = |model: &str, input: Value, stream: bool| {
        let ask = json!({"model": model, "input": input, "conversation": {"id": "conv_1"}, "tools": [weather()], "stream": stream});
        proxy.respond(&ask)
    };
    for (number, model) in ["keep", "echo", "aloud", "plain", "both"].into_iter().enumerate() {
        let response = ask(model, json!(QUESTION), number % 2 == 0);
        if model == "both" {
            let calls = items(&response);
            assert_eq!((calls.len(), &calls[0]["name"]), (1, &json!("get_weather")));
            let result = json!([{"type": "function_call_output", "call_id": calls[0]["call_id"], "output": "дождь"}]);
            assert!(text_of(&ask(model, result, true)).starts_with("Done after 2 results"));
        }
    }
    let said = proxy.model.said_up_to("conv_1");
    assert_eq!(said.iter().filter(|item| item["role"] == "user").count(), 5, "{said:?}");
    assert_eq!(proxy.count("hermes_proxy_conversations"), 1);
    assert_eq!(proxy.count("hermes_proxy_turns_total{ending=\"complete\"}"), 5);
    assert_eq!(proxy.end().status, 0);
}

#[test]
fn the_memorys_tools_are_run_and_the_applications_are_handed_over() {
    let scene = Scene::with_memory();
    let proxy = Proxy::start(&scene);
    for (stream, by_id) in [(false, false), (true, false), (false, true), (true, true)] {
        let question = format!("My friend Ann lives in Riga since {stream} {by_id} days");
        let kept = text_of(&proxy.respond(&json!({"model": "keep", "input": question, "stream": stream})));
        assert!(kept.starts_with("Done after 1 results") && kept.contains("added"), "{kept}");
        assert!(scene.does("memory recall 'Where does Ann live?'").contains("Riga"));
        let odd =
            text_of(&proxy.respond(&json!({"model": "malformed", "input": "Keep this oddly: Ann", "stream": stream})));
        assert!(odd.contains("not JSON"), "{odd}");
        let stopped = proxy.respond(&json!({"model": "endless", "input": "Keep on keeping, Ann", "stream": stream}));
        assert_eq!((text_of(&stopped), items(&stopped).len()), (String::new(), 0), "it says nothing");
        assert_eq!(stopped["tool_choice"], "auto", "{stopped}");

        let mut client = vec![user(&format!("Will it rain on Ann in Riga, {stream}, {by_id}?"))];
        let ask = json!({"model": "both", "input": client, "tools": [weather()], "reasoning": {}, "stream": stream});
        let response = proxy.respond(&ask);
        assert_eq!(response["tools"], json!([weather()]));
        let own: Vec<Value> = items(&response).into_iter().filter(|item| item["type"] == "function_call").collect();
        assert_eq!((own.len(), &own[0]["name"]), (1, &json!("get_weather")), "{response}");
        let result = json!({"type": "function_call_output", "call_id": own[0]["call_id"], "output": "rain"});
        let mut ask = json!({"model": "both", "tools": [weather()], "stream": stream});
        if by_id {
            (ask["input"], ask["previous_response_id"]) = (json!([result]), response["id"].clone());
        } else {
            client.extend(items(&response));
            client.push(result);
            ask["input"] = client.into();
        }
        let said = text_of(&proxy.respond(&ask));
        assert!(said.starts_with("Done after 2 results"), "{said}");
    }
    assert_eq!(proxy.count("hermes_proxy_turns_total{ending=\"complete\"}"), 16);
    assert_eq!(proxy.end().status, 0);
}

#[test]
fn what_the_models_server_says_is_wrong_the_application_hears_as_it_is() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    for stream in [false, true] {
        let say = |model: &str| {
            let ask = json!({"model": model, "input": QUESTION, "stream": stream}).to_string();
            proxy.send("POST", "/v1/responses", &[], &ask).read().unwrap()
        };
        let nowhere = say("nowhere");
        assert_eq!(
            (nowhere.status, nowhere.text().as_str()),
            (404, r#"{"error":{"message":"there is no such route"}}"#)
        );
        let busy = say("busy");
        assert_eq!((busy.status, &busy.json()["error"]["message"]), (429, &json!("Slow down, please")));
        assert!(busy.head.contains("retry-after: 7\r\n"), "{busy:?}");
        assert_eq!((say("broken").status, say("broken").text().as_str()), (500, r#"{"error":{"message":"it broke"}}"#));
        let cut = say("cut");
        match stream {
            true => assert!(!cut.whole && cut.text().contains("response.output_text.delta"), "{cut:?}"),
            false => assert_eq!(cut.status, 502, "{cut:?}"),
        }
        let response = proxy.respond(&json!({"model": "plain", "input": QUESTION, "stream": stream}));
        assert_eq!(text_of(&response), "Hello!");
    }
    // What is fetched later is its server's alone.
    let later = json!({"model": "plain", "input": QUESTION, "background": true}).to_string();
    assert_eq!(proxy.send("POST", "/v1/responses", &[], &later).read().unwrap().status, 200);
    assert!(proxy.model.asked().pop().unwrap().ends_with(&later));
    assert_eq!(proxy.count("hermes_proxy_turns_total{ending=\"complete\"}"), 2);
    assert_eq!(proxy.end().status, 0);
}
