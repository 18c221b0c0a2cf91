//! Requests to a host whose service answers what a test says.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::cell::Cell;
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Client, FilePart, Passing, Service};
use crate::host::{HttpRequest, HttpResponse};
use crate::testkit::FakeHost;
use crate::{Call, ErrorKind, ProviderError};

pub(super) const NOTES: Service = Service::new("notes", "Notes").key("NOTES_API_KEY", "https://notes.example/keys");
const URL: &str = "https://api.notes.example";

pub(super) type Answer = Result<HttpResponse, ProviderError>;
pub(super) type Asked = Arc<Mutex<Vec<HttpRequest>>>;

/// A client whose service gives the same answer each time, and what it was asked.
pub(super) fn client(service: Service, key: Option<&str>, answer: Answer) -> (Client, Asked, tempfile::TempDir) {
    let (folder, asked) = (tempfile::tempdir().unwrap(), Asked::default());
    let (seen, path) = (Arc::clone(&asked), folder.path().to_owned());
    let mut fake = FakeHost::new(folder.path()).with_config(json!({"base_url": format!("{URL}/")}));
    if let Some(key) = key {
        fake = fake.with_secret("NOTES_API_KEY", key);
    }
    let host = fake
        .with_http(move |request| {
            let mut request = request.clone();
            if let Some(file) = &request.body_file {
                request.body = Some(fs::read_to_string(path.join(file)).unwrap());
            }
            if let (Some(file), Ok(answer)) = (&request.save_to, &answer) {
                fs::write(path.join(file), &answer.body).unwrap();
            }
            seen.lock().unwrap().push(request);
            answer.clone()
        })
        .host();
    (Client::new(host, service).unwrap(), asked, folder)
}

pub(super) fn says(status: u16, body: &str) -> Answer {
    Ok(HttpResponse { status, body: body.to_owned(), ..HttpResponse::default() })
}

fn header<'a>(request: &'a HttpRequest, name: &str) -> Option<&'a str> {
    request.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

#[test]
fn a_request_has_its_route_its_key_and_its_body() {
    let (client, asked, _folder) = client(NOTES, Some("n-1"), says(200, r#"{"id": 7}"#));
    let client = client.header("x-source", "hermes");
    let call = Call::default();
    let body = json!({"text": "tea\0", "of": ["\0Ann"]});
    let request = client.post("/v1/users/{}/notes", &["Ян/{}"], &call).query("a", "1&2").query("b", "").json(body);
    assert_eq!(request.idempotent("turn 1").send().unwrap(), json!({"id": 7}));
    let asked = asked.lock().unwrap().remove(0);
    assert_eq!(asked.url, format!("{URL}/v1/users/%D0%AF%D0%BD%2F%7B%7D/notes?a=1%262&b="));
    assert_eq!((asked.method.as_str(), asked.timeout_ms), ("POST", Some(8000)));
    assert_eq!(
        serde_json::from_str::<Value>(&asked.body.clone().unwrap()).unwrap(),
        json!({"text": "tea", "of": ["Ann"]})
    );
    assert_eq!(header(&asked, "Authorization"), Some("Bearer n-1"));
    assert_eq!(header(&asked, "x-source"), Some("hermes"));
    assert_eq!(header(&asked, "Idempotency-Key").unwrap().len(), 32);
}

/// A service refuses a key that it knows with another body.
#[test]
fn a_key_stands_for_one_body() {
    let (client, asked, _folder) = client(NOTES, Some("n-1"), says(204, ""));
    let call = Call::default();
    for text in ["tea", "tea", "coffee"] {
        assert_eq!(client.put("/v1/n", &[], &call).idempotent("k").json(json!(text)).send().unwrap(), Value::Null);
    }
    let asked = asked.lock().unwrap();
    let keys: Vec<_> = asked.iter().map(|request| header(request, "Idempotency-Key").unwrap()).collect();
    assert!(keys[0] == keys[1] && keys[1] != keys[2], "{keys:?}");
}

#[test]
fn what_arrived_is_not_delivered_again() {
    let (client, _asked, folder) = client(NOTES, Some("n-1"), says(200, "{}"));
    let tries = Cell::new(0);
    let deliver = |key, answer: Result<(), ProviderError>| {
        client.once(key, || {
            tries.set(tries.get() + 1);
            answer
        })
    };
    let away = || Err(ProviderError::new(ErrorKind::Unavailable, "away"));
    assert_eq!(deliver("a\n1", away()), away());
    for key in ["a\n1", "a\n1", "a", "a\n1"] {
        deliver(key, Ok(())).unwrap();
    }
    assert_eq!(tries.get(), 3);
    fs::remove_file(folder.path().join("delivered")).unwrap();
    fs::create_dir(folder.path().join("delivered")).unwrap();
    assert_eq!(deliver("b", Ok(())).unwrap_err().kind, ErrorKind::Storage);
    assert_eq!(tries.get(), 3, "what cannot be looked up is not done");
}

#[test]
fn no_request_outlasts_its_call() {
    let (client, asked, _folder) = client(NOTES, Some("n-1"), says(200, "{}"));
    let call = Call::new(Some(Duration::from_secs(5)), 0, || false);
    client.get("/v1/ping", &[], &call).within(60).send().unwrap();
    client.get("/v1/ping", &[], &call).within(1).send().unwrap();
    {
        let asked = asked.lock().unwrap();
        assert!(asked[0].timeout_ms.unwrap() <= 4800);
        assert!(asked[1].timeout_ms.unwrap() <= 1000);
    }
    let over = Call::new(None, 0, || true);
    assert_eq!(client.get("/v1/ping", &[], &over).send().unwrap_err().error.kind, ErrorKind::Cancelled);
    assert_eq!(asked.lock().unwrap().len(), 2, "nothing is sent any more");
}

#[test]
fn keys_go_where_the_service_wants_them() {
    const TOKEN: Service = Service::new("notes", "Notes").optional_key("NOTES_API_KEY", "").key_headers(|path, key| {
        vec![(if path == "/a" { "X-API-Key" } else { "Authorization" }, format!("Token {key}"))]
    });
    let (with, asked, _folder) = client(TOKEN, Some("Token n-1\n"), says(200, "{}"));
    for route in ["/a?b=c", "/b"] {
        with.get(route, &[], &Call::default()).send().unwrap();
    }
    assert_eq!(header(&asked.lock().unwrap()[0], "X-API-Key"), Some("Token n-1"));
    assert_eq!(header(&asked.lock().unwrap()[1], "Authorization"), Some("Token n-1"));
    let (without, asked, _folder) = client(TOKEN, None, says(200, "{}"));
    assert_eq!(without.unavailable_reason(), None);
    without.get("/a", &[], &Call::default()).send().unwrap();
    assert_eq!(asked.lock().unwrap()[0].headers, []);
}

#[test]
fn what_is_missing_is_named_before_anything_is_sent() {
    for (key, why) in [
        (None, "is not set"),
        (Some("Bearer "), "is empty"),
        (Some("ключ"), "has blanks or letters that no key has"),
        (Some("n 1"), "has blanks or letters that no key has"),
    ] {
        let (client, asked, _folder) = client(NOTES, key, says(200, "{}"));
        let told = format!("the key in `NOTES_API_KEY` {why}; `hermes memory setup notes` takes another");
        assert_eq!(client.unavailable_reason(), Some(told));
        let error = client.get("/v1/ping", &[], &Call::default()).send().unwrap_err().error;
        assert_eq!((error.kind, asked.lock().unwrap().len()), (ErrorKind::Unauthorized, 0));
    }
    let (client, asked, _folder) = client(NOTES.address("server"), Some("n-1"), says(200, "{}"));
    let told = "`server`, the address of Notes, is not set; `hermes memory setup notes` asks for it";
    assert_eq!(client.unavailable_reason().unwrap(), told);
    let error = client.get("/v1/ping", &[], &Call::default()).send().unwrap_err().error;
    assert_eq!((error.kind, asked.lock().unwrap().len()), (ErrorKind::Unavailable, 0), "a turn waits for the address");
}

#[test]
fn files_go_out_as_forms_and_come_back_in_part() {
    let (client, asked, folder) = client(NOTES, Some("n-1"), says(200, r#"{"a": 1}"#));
    let call = Call::default();
    let copy = Passing::new(client.host()).unwrap();
    fs::write(copy.path(), "tea\n").unwrap();
    let file = FilePart { field: "file", name: "a\"b.txt", kind: "text/plain", path: copy.path() };
    client.post("/v1/files", &[], &call).form(&[("folder", "inbox")], file).unwrap().send().unwrap();
    let sent = asked.lock().unwrap().remove(0);
    let boundary = header(&sent, "Content-Type").unwrap().strip_prefix("multipart/form-data; boundary=").unwrap();
    let expected = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"folder\"\r\n\r\ninbox\r\n--{boundary}\r\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"a%22b.txt\"\r\nContent-Type: text/plain\r\n\r\n\
         tea\n\r\n--{boundary}--\r\n"
    );
    assert_eq!(sent.body.unwrap(), expected);
    assert_eq!(client.get("/v1/files/{}", &["1"], &call).fetch(3).unwrap(), b"{\"a\"", "one more than was wanted");
    drop(copy);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn a_file_that_is_refused_says_why() {
    let (client, _asked, _folder) = client(NOTES, Some("n-1"), says(404, r#"{"error": "File not found"}"#));
    let failed = client.get("/v1/files/{}", &["1"], &Call::default()).may_be_missing().fetch(9).unwrap_err();
    assert_eq!(failed.error.message, "Notes answers 404 to GET /v1/files/…: File not found");
}
