//! What failures mean: for the host, that decides what becomes of a delivery, and for the user, who reads them.

use hermes_provider_api::records::OpenRequest;
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, ErrorKind, MemoryProvider as _, ProviderError};
use hermes_provider_retaindb::RetainDb;
use hermes_tests_retaindb::{Fault, KEY};
use serde_json::json;

use crate::support::{Case, URL, send};

#[track_caller]
fn check(fault: Fault, kind: ErrorKind, message: &str) -> ProviderError {
    let case = Case::new();
    case.cloud.fail("", 9, fault);
    let error = case.sync(&case.turn("k1", "I moved to Riga", "Noted.")).unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (kind, message));
    let tool = case.try_tool("search", json!({"query": "Riga"})).unwrap_err();
    assert_eq!(tool.kind, kind, "by a tool");
    error
}

#[test]
fn each_status_keeps_its_meaning() {
    const INGEST: &str = "POST /v1/memory/ingest/session";
    let said = |status: u16, words: &str| format!("RetainDB answers {status} to {INGEST}: {words}");
    let text = r#"{"error": "that is how it is"}"#;
    let check = |status, kind| check(Fault::Says(status, text), kind, &said(status, "that is how it is"));

    assert!(check(401, ErrorKind::Unauthorized).hint.unwrap().contains("hermes memory setup retaindb"));
    for status in [402, 403] {
        assert!(check(status, ErrorKind::Quota).hint.unwrap().contains("plan"));
    }
    for status in [404, 405] {
        let error = check(status, ErrorKind::Unavailable);
        assert!(error.retryable && error.retry_after.is_none(), "no turn dies of a wrong address");
        assert!(error.hint.unwrap().ends_with("It has no POST /v1/memory/ingest/session"));
    }
    check(408, ErrorKind::Timeout);
    for status in [400, 409, 413, 422] {
        assert!(!check(status, ErrorKind::InvalidInput).retryable);
    }
    for status in [500, 501] {
        check(status, ErrorKind::Internal);
    }
    for status in [502, 503, 504, 520] {
        assert!(check(status, ErrorKind::Unavailable).retryable);
    }
}

#[test]
fn a_server_that_is_asked_too_often_is_left_alone_for_as_long_as_it_says() {
    let message = "RetainDB answers 429 to POST /v1/memory/ingest/session: Too many requests";
    assert_eq!(check(Fault::TooMany(Some(7)), ErrorKind::RateLimited, message).retry_after, Some(7));
    assert_eq!(check(Fault::TooMany(None), ErrorKind::RateLimited, message).retry_after, Some(60));
}

#[test]
fn what_is_no_answer_of_the_service_is_named() {
    let page = "RetainDB answers POST /v1/memory/ingest/session with a web page, as something on the way does";
    check(Fault::Page, ErrorKind::Unavailable, page);
    check(Fault::Gone, ErrorKind::Unavailable, "https://retaindb.test cannot be reached: closed");
    let case = Case::new();
    case.cloud.fail("", 9, Fault::Half);
    let error = case.sync(&case.turn("k1", "I moved to Riga", "Noted.")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert!(
        error.message.starts_with("RetainDB answers POST /v1/memory/ingest/session with what is no JSON: {"),
        "{error}"
    );
    let refused = r#"{"success": false, "error": {"code": "X", "message": "not now"}}"#;
    check(
        Fault::Says(200, refused),
        ErrorKind::Internal,
        "RetainDB answers POST /v1/memory/ingest/session with not now",
    );
}

/// Every shape that an error has, as a sentence and never as a dump.
#[test]
fn errors_are_read_in_every_shape() {
    let case = Case::new();
    let told = |body: &'static str| {
        case.cloud.fail("", 1, Fault::Says(422, body));
        let message = case.try_tool("search", json!({"query": "x"})).unwrap_err().message;
        message.strip_prefix("RetainDB answers 422 to POST /v1/memory/search: ").unwrap().to_owned()
    };
    let coded = r#"{"success":false,"error":{"code":"TEMPORARY_UNAVAILABLE","message":"later","details":"retryable=true"},"trace_id":"t"}"#;
    assert_eq!(told(coded), "later");
    let zod = r#"{"success":false,"error":{"issues":[{"code":"too_big","path":["messages","timestamp"],"message":"Invalid datetime"}],"name":"ZodError"}}"#;
    assert_eq!(told(zod), "`messages.timestamp`: Invalid datetime");
    assert_eq!(told(r#"{"error":"Memory not found"}"#), "Memory not found");
    assert_eq!(told(r#"{"message":"text"}"#), "text");
    assert_eq!(told(""), "nothing");
    assert_eq!(told("upstream connect error"), "what is no JSON: upstream connect error");
}

/// What is not there is one thing, and a server without the route another.
#[test]
fn a_thing_that_is_missing_is_not_a_route() {
    let case = Case::new();
    let id = case.add("Ann drinks tea");
    case.tool("forget", json!({"memory_id": id}));
    let error = case.try_tool("forget", json!({"memory_id": id})).unwrap_err();
    assert_eq!((error.kind, error.message), (ErrorKind::NotFound, format!("there is no memory `{id}`")));
    let error = case.try_tool("read_file", json!({"file_id": "nope"})).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::NotFound, "RetainDB answers 404 to GET /v1/files/…: File not found")
    );
    // The older route's failure does not hide the first one.
    let id = case.add("Ann drinks tea");
    case.cloud.fail("DELETE /v1/memory/", 1, Fault::Says(404, "<html>nginx</html>"));
    let error = case.try_tool("forget", json!({"memory_id": id})).unwrap_err();
    assert!(error.message.starts_with("RetainDB answers 404 to DELETE /v1/memory/…: a web page"), "{error}");
    case.cloud.fail("DELETE /v1/memory/", 1, Fault::Says(200, r#"{"success": true, "deleted": null}"#));
    assert_eq!(case.try_tool("forget", json!({"memory_id": id})).unwrap_err().kind, ErrorKind::NotFound);
}

/// An older server's own words count, not that it lacks the newer route.
#[test]
fn an_older_server_refuses_for_its_own_reason() {
    let case = Case::of(hermes_tests_retaindb::Kind::Older);
    case.cloud.fail("POST /v1/memories", 1, Fault::Says(402, r#"{"error": "used up"}"#));
    let error = case.try_tool("remember", json!({"content": "Ann drinks tea"})).unwrap_err();
    let told = "RetainDB answers 402 to POST /v1/memories: used up";
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Quota, told));
    case.cloud.fail("GET /v1/memories", 1, Fault::TooMany(Some(3)));
    assert_eq!(case.provider.health(&Call::default()).unwrap_err().retry_after, Some(3));
}

fn with_key(key: Option<&str>) -> RetainDb {
    let folder = tempfile::tempdir().unwrap();
    let (cloud, path) = (hermes_tests_retaindb::Cloud::default(), folder.path().to_owned());
    let fake = FakeHost::new(folder.path()).with_config(json!({"base_url": URL}));
    let fake = fake.with_http(move |request| send(&cloud, &path, request));
    let fake = match key {
        Some(key) => fake.with_secret("RETAINDB_API_KEY", key),
        None => fake,
    };
    RetainDb::open(fake.host(), OpenRequest::default()).unwrap()
}

#[test]
fn a_key_is_taken_as_people_paste_it() {
    for key in [KEY.to_owned(), format!("Bearer {KEY}"), format!(" {KEY}\n")] {
        let provider = with_key(Some(&key));
        assert_eq!(provider.unavailable_reason(), None);
        assert!(provider.health(&Call::default()).unwrap().ok, "{key:?}");
    }
    let error = with_key(Some("rdb_wrong_one")).health(&Call::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unauthorized);
    assert!(!error.message.contains("rdb_wrong_one"));
}

/// A key that no header can hold would be the request's fault, and take every turn with it.
#[test]
fn a_key_that_is_none_is_named_before_anything_is_sent() {
    for (key, why) in
        [(None, "is not set"), (Some("Bearer "), "is empty"), (Some("ключ"), "has blanks or letters that no key has")]
    {
        let provider = with_key(key);
        let told = format!("the key in `RETAINDB_API_KEY` {why}; `hermes memory setup retaindb` takes another");
        assert_eq!(provider.unavailable_reason(), Some(told));
        assert_eq!(provider.health(&Call::default()).unwrap_err().kind, ErrorKind::Unauthorized);
    }
}

#[test]
fn the_health_says_where_it_answers_and_how_fast() {
    let case = Case::new();
    let health = case.provider.health(&Call::default()).unwrap();
    assert_eq!((health.ok, health.detail.as_str()), (true, "https://retaindb.test as project `default`; it answers"));
    let folder = tempfile::tempdir().unwrap();
    let fake = FakeHost::new(folder.path()).with_config(json!({"base_url": URL})).with_secret("RETAINDB_API_KEY", KEY);
    let (cloud, path) = (case.cloud.clone(), folder.path().to_owned());
    let host = fake.with_http(move |request| send(&cloud, &path, request)).host();
    let scope = hermes_provider_api::Scope { profile: "work".into(), ..Default::default() };
    let work = RetainDb::open(host, OpenRequest { scope, ..OpenRequest::default() }).unwrap();
    assert!(work.health(&Call::default()).unwrap().detail.contains("as project `hermes-work`"));
    case.cloud.fail("", 1, Fault::Slow(3100));
    let slow = case.provider.health(&Call::default()).unwrap();
    let took = slow.detail.split_once("; slow: it took ").and_then(|(_, took)| took.split(' ').next()?.parse().ok());
    assert!(slow.ok && took.is_some_and(|took: f64| took >= 3.0), "{}", slow.detail);
}

/// What the host cannot even send is the fault of the settings, not of the turn.
#[test]
fn a_request_that_cannot_be_sent_does_not_cost_a_turn() {
    let folder = tempfile::tempdir().unwrap();
    let fake =
        FakeHost::new(folder.path()).with_config(json!({"base_url": "https://["})).with_secret("RETAINDB_API_KEY", KEY);
    let fake = fake.with_http(|_| Err(ProviderError::invalid("the address is not valid")));
    let provider = RetainDb::open(fake.host(), OpenRequest::default()).unwrap();
    let error = provider.sync_turn(&Case::new().turn("k1", "Hello there", "Hi."), &Call::default()).unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Unavailable, "the address is not valid"));
    assert!(error.hint.unwrap().contains("base_url"));
}
