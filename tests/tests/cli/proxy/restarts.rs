//! What was put into a conversation outlives the process.

use serde_json::{Value, json};

use super::running::{Proxy, text_of};
use super::{FACT, QUESTION, assistant, user, with_fact};
use crate::scene::Scene;

fn sessions(scene: &Scene) -> Vec<Value> {
    scene.json("sessions list").as_array().unwrap().clone()
}

/// Every turn is answered by another process, and the one before was killed.
#[test]
fn a_conversation_goes_on_with_the_same_bytes_after_a_kill() {
    let scene = with_fact();
    let mut proxy = Proxy::start(&scene);
    let (mut client, mut before) = (Vec::new(), Vec::new());
    let (mut items, mut items_before) = (Vec::new(), Vec::new());
    let mut previous = Value::Null;
    for (number, model) in ["keep", "echo", "aloud", "plain"].into_iter().enumerate() {
        client.push(user(&format!("{QUESTION} {number}")));
        let text = proxy.ask(model, &client, number % 2 == 0);
        client.push(assistant(&text));
        let given = proxy.given();
        assert_eq!(given[..before.len()], before, "turn {number}");
        before = given;

        items.push(user(&format!("{QUESTION} of items {number}")));
        let response =
            proxy.respond(&json!({"model": model, "input": items, "reasoning": {}, "stream": number % 2 == 1}));
        items.extend(response["output"].as_array().unwrap().clone());
        let given = proxy.model.inputs().pop().unwrap();
        assert_eq!(given[..items_before.len()], items_before, "turn {number}");
        items_before = given;

        let ask = json!({"model": model, "input": format!("{QUESTION} by id {number}"), "previous_response_id": previous, "stream": true});
        previous = proxy.respond(&ask)["id"].clone();

        let model = proxy.model.clone();
        proxy.kill();
        proxy = Proxy::over(&scene, model);
    }
    assert!(before.concat().contains(FACT) && items_before.concat().contains(FACT));
    assert_eq!(proxy.end().status, 0);
    let sessions = sessions(&scene);
    assert_eq!(sessions.len(), 3, "one for each conversation: {sessions:?}");
    assert!(sessions.iter().all(|session| session["last_turn"] == 4), "{sessions:?}");
}

#[test]
fn what_is_kept_of_a_session_goes_with_it() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    let mut client = vec![user(QUESTION)];
    client.push(assistant(&proxy.ask("keep", &client, false)));
    let model = proxy.model.clone();
    assert_eq!(proxy.end().status, 0);
    let count = |table: &str| {
        let db = rusqlite::Connection::open(scene.path("home/hermes.db")).unwrap();
        db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, u32>(0)).unwrap()
    };
    assert!(count("client_conversations") == 1 && count("client_beginnings") >= 3);
    let id = sessions(&scene)[0]["id"].as_str().unwrap().to_owned();
    scene.does(&format!("sessions delete {id} --yes"));
    assert_eq!((count("client_conversations"), count("client_beginnings")), (0, 0));
    // It is as new.
    let proxy = Proxy::over(&scene, model);
    client.push(user("What else is there to know about Biskvit?"));
    assert_eq!(proxy.ask("plain", &client, false), "Hello!");
    assert!(!proxy.given()[1].contains(FACT), "{:?}", proxy.given());
    assert_eq!(proxy.end().status, 0);
    assert_ne!(sessions(&scene)[0]["id"], id.as_str());
}

#[test]
fn a_turn_whose_tools_are_at_work_goes_on_after_a_kill() {
    let scene = with_fact();
    let proxy = Proxy::start(&scene);
    let weather = json!({"type": "function", "name": "get_weather", "parameters": {"type": "object"}});
    let response = proxy.respond(&json!({"model": "both", "input": QUESTION, "tools": [weather]}));
    let model = proxy.model.clone();
    proxy.kill();
    let proxy = Proxy::over(&scene, model);
    let call = &response["output"][0];
    let result = json!({"type": "function_call_output", "call_id": call["call_id"], "output": "дождь"});
    let ask = json!({"model": "both", "input": [result], "previous_response_id": response["id"], "tools": [weather]});
    // Its server would refuse a call without its result.
    assert!(text_of(&proxy.respond(&ask)).starts_with("Done after 2 results"));
    assert_eq!(proxy.end().status, 0);
}
