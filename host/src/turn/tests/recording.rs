//! What is kept of a turn, and in which order it arrives.

use super::*;

#[test]
fn the_turn_is_recorded_with_its_tools_and_without_the_block() {
    let (memory, _, shared) = memory();
    shared.knows(vec![item("1", TEA, "anna")]);
    let session = session(&memory, "s");
    let handle = session.begin("Запомни: пароль: hunter22");
    let call = |id: &str| ToolCall { id: id.to_owned(), name: "note".to_owned(), arguments: "{\"a\":1}".to_owned() };
    let wish = Message { role: Role::Assistant, tool_calls: vec![call("1")], ..Message::default() };
    session.note(wish);
    assert_eq!(session.tool(&call("1")).content(), "{\"got\":{\"a\":1}}");
    session.tool(&call(""));
    let echo = format!("Done. {}", handle.block.clone().unwrap());
    session.finish(handle, &[Message::new(Role::Assistant, echo)], Ending::Complete).unwrap();
    // The end would not wait for what is prepared for a next turn.
    assert!(memory.drain(LONG).is_complete());
    let turn = &shared.requests(Hook::SyncTurn)[0];
    assert_eq!((&turn["number"], &turn["interrupted"]), (&json!(1), &json!(false)));
    assert_eq!(turn["caller"]["origin"], json!({"author": "user", "session": "s", "at": 1_767_225_600_000_u64}));
    let said: Vec<(&str, &str)> = turn["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| (message["role"].as_str().unwrap(), message["content"].as_str().unwrap()))
        .collect();
    let result = "{\"got\":{\"a\":1}}";
    assert_eq!(
        said,
        [
            ("user", "Запомни: пароль: [redacted]"),
            ("assistant", ""),
            ("tool", result),
            ("assistant", ""),
            ("tool", result),
            ("assistant", "Done."),
        ]
    );
    let queued = &shared.requests(Hook::QueuePrefetch)[0]["query"];
    assert_eq!(queued, "Запомни: пароль: [redacted]");
}

#[test]
fn a_session_that_is_taken_up_again_goes_on_counting() {
    let (memory, _, shared) = memory();
    let first = session(&memory, "s");
    assert_eq!([say(&first, "what to serve?", "tea"), say(&first, "and now?", "cake")].map(|turn| turn.number), [1, 2]);
    drop(first);
    let again = session(&memory, "s");
    assert_eq!(say(&again, "and then?", "water").number, 3);
    assert_eq!(again.record_turn("and last?", &[]).0, 4);
    assert_eq!(say(&session(&memory, "t"), "what to serve?", "tea").number, 1);
    assert!(memory.shutdown().is_complete());
    let numbers: Vec<Value> = shared.requests(Hook::SyncTurn).iter().map(|turn| turn["number"].clone()).collect();
    assert_eq!(numbers, [json!(1), json!(2), json!(3), json!(4), json!(1)]);
}

#[test]
fn interrupted_turns_are_marked() {
    let (memory, _, shared) = memory();
    let session = session(&memory, "s");
    let first = session.begin("one more question");
    session.finish(first, &[Message::new(Role::Assistant, "half an ans")], Ending::Interrupted).unwrap();
    let second = session.begin("never answered");
    let third = session.begin("is anybody there?");
    session.finish(second, &[Message::new(Role::Assistant, "too late")], Ending::Complete).unwrap();
    session.finish(third, &[Message::new(Role::Assistant, "yes")], Ending::Complete).unwrap();
    // The end would not wait for a hint.
    while shared.requests(Hook::QueuePrefetch).is_empty() {
        std::thread::yield_now();
    }
    let dropped = session.begin("and then?");
    drop((dropped, session));
    assert!(memory.shutdown().is_complete());
    let turns: Vec<(u64, bool, usize)> = shared
        .requests(Hook::SyncTurn)
        .iter()
        .map(|turn| {
            (turn["number"].as_u64().unwrap(), turn["interrupted"] == true, turn["messages"].as_array().unwrap().len())
        })
        .collect();
    assert_eq!(turns, [(1, true, 2), (2, true, 1), (3, false, 2), (4, true, 1)]);
    assert_eq!(shared.requests(Hook::OnSessionEnd), Vec::<Value>::new());
    assert_eq!(shared.requests(Hook::QueuePrefetch).len(), 1, "a broken turn prepares nothing");
}

#[test]
fn one_question_and_no_next_prepares_nothing() {
    let (hooks, shared) = InProcess::new();
    let memory = memory_with(hooks, TurnSettings { one_shot: true, ..settings() });
    say(&session(&memory, "s"), "what to serve?", "tea");
    assert_eq!(memory.shutdown().delivered, 1);
    assert!(shared.requests(Hook::QueuePrefetch).is_empty());
}

#[test]
fn helpers_and_jobs_read_but_never_write() {
    for context in [Context::Subagent, Context::Cron, Context::Review] {
        let (memory, _, shared) = memory();
        shared.knows(vec![item("1", TEA, "anna")]);
        let session = memory.session("s", private("anna"), context);
        let call =
            ToolCall { name: "note".to_owned(), arguments: "{\"action\":\"add\"}".to_owned(), ..ToolCall::default() };
        let handle = session.begin("what to serve?");
        assert!(handle.block.is_some());
        assert_eq!(session.tool(&call).result.unwrap_err().kind, "read_only");
        session.finish(handle, &[Message::new(Role::Assistant, "tea")], Ending::Complete).unwrap();
        memory.switch(&session, &memory.session("t", private("anna"), context), Switch::Reset).unwrap();
        session.end().unwrap();
        let write = MemoryWrite { caller: session.caller(0), content: "x".to_owned(), ..MemoryWrite::default() };
        memory.mirror(write).unwrap_err();
        let report = memory.shutdown();
        assert_eq!((report.delivered, report.is_complete()), (0, true));
        assert_eq!(shared.writes(), Vec::<&str>::new());
        assert!(shared.requests(Hook::CallTool).is_empty() && shared.requests(Hook::QueuePrefetch).is_empty());
    }
}

/// What arrived, in order: the hook and its session.
fn arrived(shared: &Shared) -> Vec<String> {
    let calls = shared.calls.lock().unwrap();
    let writes = calls.iter().filter(|(hook, _)| hook.writes());
    writes
        .map(|(hook, request)| format!("{} {}", hook.name(), request["caller"]["origin"]["session"].as_str().unwrap()))
        .collect()
}

#[test]
fn ends_and_switches_come_once_and_after_their_turns() {
    let (memory, _, shared) = memory();
    shared.fault(Hook::SyncTurn, Fault::Error(ErrorKind::Unavailable));
    shared.fault(Hook::OnSessionEnd, Fault::Panic);
    let (a, b) = (session(&memory, "a"), session(&memory, "b"));
    say(&a, "what to serve?", "tea");
    a.end().unwrap();
    a.end().unwrap();
    memory.switch(&a, &b, Switch::Reset).unwrap();
    memory.switch(&a, &b, Switch::Reset).unwrap();
    memory.switch(&b, &b, Switch::Reset).unwrap();
    say(&b, "and now?", "cake");
    b.end().unwrap();
    assert!(memory.shutdown().is_complete());
    assert_eq!(
        arrived(&shared),
        [
            "sync_turn a",
            "sync_turn a",
            "on_session_end a",
            "on_session_end a",
            "on_session_switch b",
            "sync_turn b",
            "on_session_end b",
        ]
    );
    let keys = |hook| {
        let requests = shared.requests(hook);
        requests.iter().map(|request| request["idempotency_key"].to_string()).collect::<Vec<_>>()
    };
    let (turns, ends) = (keys(Hook::SyncTurn), keys(Hook::OnSessionEnd));
    assert!(turns[0] == turns[1] && turns[1] != turns[2], "{turns:?}");
    assert!(ends[0] == ends[1] && ends[1] != ends[2], "{ends:?}");
    let end = &shared.requests(Hook::OnSessionEnd)[0]["messages"];
    assert_eq!((&end[0]["content"], &end[1]["content"]), (&json!("what to serve?"), &json!("tea")));
    let switch = &shared.requests(Hook::OnSessionSwitch)[0];
    assert_eq!((&switch["from"], &switch["to"], &switch["reset"]), (&json!("a"), &json!("b"), &json!(true)));
}

#[test]
fn what_follows_a_switch_waits_for_what_was_before_it() {
    let (hooks, shared) = InProcess::new();
    let retry = RetryPolicy { tries: 3, first: LONG, longest: LONG };
    let memory = memory_with(hooks, TurnSettings { retry, shutdown_timeout: Duration::from_millis(1), ..settings() });
    shared.fault(Hook::SyncTurn, Fault::Error(ErrorKind::Unavailable));
    let (a, b) = (session(&memory, "a"), session(&memory, "b"));
    say(&a, "what to serve?", "tea");
    memory.switch(&a, &b, Switch::Reset).unwrap();
    say(&b, "and now?", "cake");
    // Of a third session nothing has to wait: once it is through, the others were passed over.
    say(&session(&memory, "c"), "and here?", "water");
    while memory.drain(Duration::from_millis(1)).delivered < 1 {}
    let left = ["turn 1 of session a", "switch from session a to b", "turn 1 of session b"];
    assert_eq!(memory.drain(Duration::from_millis(1)).waiting, left);
    assert_eq!(arrived(&shared), ["sync_turn a", "sync_turn c"]);
}

#[test]
fn a_session_goes_back_and_forth_and_ends_again_after_another_turn() {
    let (memory, _, shared) = memory();
    let (a, b) = (session(&memory, "a"), session(&memory, "b"));
    memory.switch(&a, &b, Switch::Reset).unwrap();
    memory.switch(&b, &a, Switch::Reset).unwrap();
    memory.switch(&a, &b, Switch::Reset).unwrap();
    a.end().unwrap();
    say(&a, "are you still there?", "yes");
    a.end().unwrap();
    assert!(memory.shutdown().is_complete());
    assert_eq!(shared.requests(Hook::OnSessionSwitch).len(), 3);
    assert_eq!(shared.requests(Hook::OnSessionEnd).len(), 2);
}

#[test]
fn a_conversation_that_goes_on_takes_its_window_along() {
    let (memory, _, shared) = memory();
    shared.knows(vec![item("1", TEA, "anna")]);
    let (a, b, c) = (session(&memory, "a"), session(&memory, "b"), session(&memory, "c"));
    say(&a, "what to serve?", "tea");
    memory.switch(&a, &b, Switch::Continue).unwrap();
    memory.switch(&b, &c, Switch::Reset).unwrap();
    assert_eq!(b.begin("what to serve now?").block, None);
    assert!(c.begin("what to serve now?").block.is_some());
}

#[test]
fn a_lost_turn_is_told_once_and_the_next_arrive() {
    let (memory, _, shared) = memory();
    shared.fault(Hook::SyncTurn, Fault::Error(ErrorKind::InvalidInput));
    let session = session(&memory, "s");
    say(&session, "what to serve?", "tea");
    say(&session, "and now?", "cake");
    let report = memory.drain(LONG);
    let lost = Lost {
        what: "turn 1 of session s".to_owned(),
        reason: "`notes`: [redacted] broke".to_owned(),
        kept: true,
        own: false,
    };
    assert_eq!((report.delivered, report.lost), (1, vec![lost]));
    assert_eq!(memory.take_lost(), []);
}

#[test]
fn the_end_is_bounded_and_says_what_is_left() {
    let (hooks, shared) = InProcess::new();
    let retry = RetryPolicy { tries: 3, first: LONG, longest: LONG };
    let memory = memory_with(hooks, TurnSettings { retry, shutdown_timeout: Duration::from_millis(1), ..settings() });
    shared.down.store(true, Ordering::Relaxed);
    let session = session(&memory, "s");
    say(&session, "what to serve?", "tea");
    session.end().unwrap();
    assert_eq!(memory.drain(Duration::from_millis(1)).waiting, ["turn 1 of session s", "end of session s"]);
    let lost: Vec<_> = memory.shutdown().lost.into_iter().map(|lost| lost.what).collect();
    assert_eq!(lost, ["turn 1 of session s", "end of session s"], "there is no database");
    let handle = session.begin("are you still there?");
    session.finish(handle, &[], Ending::Complete).unwrap_err();
    assert_eq!(memory.take_lost()[0].what, "turn 2 of session s");
}

#[test]
fn mirrored_writes_go_through_the_outbox_in_order() {
    let (memory, _, shared) = memory();
    let session = session(&memory, "s");
    shared.fault(Hook::OnMemoryWrite, Fault::Error(ErrorKind::Unavailable));
    for (content, previous) in [("tea", ""), ("coffee", "tea")] {
        let (content, previous) = (content.to_owned(), previous.to_owned());
        memory.mirror(MemoryWrite { caller: session.caller(0), content, previous, ..MemoryWrite::default() }).unwrap();
    }
    assert_eq!(memory.shutdown().delivered, 2);
    let writes: Vec<String> =
        shared.requests(Hook::OnMemoryWrite).iter().map(|write| write["content"].to_string()).collect();
    assert_eq!(writes, ["\"tea\"", "\"tea\"", "\"coffee\""]);
}

#[test]
fn a_write_that_is_told_twice_waits_once() {
    let (hooks, shared) = InProcess::new();
    let retry = RetryPolicy { tries: 3, first: LONG, longest: LONG };
    let memory = memory_with(hooks, TurnSettings { retry, ..settings() });
    shared.down.store(true, Ordering::Relaxed);
    let caller = session(&memory, "s").caller(0);
    for (key, content) in [("1", "likes tea"), ("1", "likes tea"), ("2", "likes mate")] {
        let (caller, idempotency_key, content) = (caller.clone(), key.to_owned(), content.to_owned());
        memory.mirror(MemoryWrite { caller, idempotency_key, content, ..MemoryWrite::default() }).unwrap();
    }
    assert_eq!(memory.drain(Duration::from_millis(1)).waiting, ["a new memory entry"; 2]);
}

#[test]
fn a_very_long_session_is_ended_all_the_same() {
    let (memory, _, shared) = memory();
    let session = session(&memory, "s");
    for answer in ["x".repeat(5 << 20), "y".repeat(5 << 20)] {
        let handle = session.begin("what to serve?");
        session.finish(handle, &[Message::new(Role::Assistant, answer)], Ending::Complete).unwrap();
    }
    session.end().unwrap();
    assert!(memory.shutdown().is_complete());
    let end = &shared.requests(Hook::OnSessionEnd)[0]["messages"];
    let lengths: Vec<usize> =
        end.as_array().unwrap().iter().map(|message| message["content"].as_str().unwrap().len()).collect();
    assert_eq!(lengths, ["what to serve?".len(), 5 << 20]);
}

#[test]
fn the_end_of_a_session_carries_nothing_of_another_audience() {
    let (memory, _, shared) = memory();
    let session = session(&memory, "s");
    say(&session, "Anna lives in Riga", "noted");
    let open = session.begin("and Anna's dog?");
    session.set_scope(private("boris"));
    session.finish(open, &[Message::new(Role::Assistant, "Biscuit")], Ending::Complete).unwrap();
    say(&session, "Boris lives in Oslo", "noted");
    session.set_scope(Scope { project: "boat".into(), ..private("boris") });
    say(&session, "the boat is red", "noted");
    session.end().unwrap();
    assert!(memory.shutdown().is_complete());
    let end = &shared.requests(Hook::OnSessionEnd)[0];
    assert_eq!(end["caller"]["scope"]["user"], "boris");
    let said: Vec<_> = end["messages"].as_array().unwrap().iter().map(|message| message["content"].clone()).collect();
    assert_eq!(said, ["Boris lives in Oslo", "noted", "the boat is red", "noted"]);
}
