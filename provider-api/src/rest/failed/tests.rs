//! What becomes of answers that are no success.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

use crate::host::HttpResponse;
use crate::rest::Failed;
use crate::rest::tests::{Answer, NOTES, client, says};
use crate::{Call, ErrorKind, ProviderError};

/// What becomes of an answer to a request that names a thing.
fn failed(answer: Answer) -> Failed {
    let (client, ..) = client(NOTES, Some("n-1"), answer);
    client.get("/v1/notes/{}", &["Ann/1"], &Call::default()).may_be_missing().send().unwrap_err()
}

#[track_caller]
fn check(answer: Answer, kind: ErrorKind, message: &str) -> Failed {
    let failed = failed(answer);
    assert_eq!((failed.error.kind, failed.error.message.as_str()), (kind, message));
    failed
}

#[test]
fn each_status_has_its_meaning() {
    const ROUTE: &str = "GET /v1/notes/…";
    let check = |status: u16, kind| {
        let told = format!("Notes answers {status} to {ROUTE}: so it is");
        let failed = check(says(status, r#"{"error": {"message": "so it is", "code": "X1"}}"#), kind, &told);
        assert_eq!((failed.status, failed.code.as_str()), (Some(status), "X1"));
        failed.error
    };
    let hint = "`hermes memory setup notes` takes a new key; they are at https://notes.example/keys";
    assert_eq!(check(401, ErrorKind::Unauthorized).hint.as_deref(), Some(hint));
    for status in [402, 403] {
        assert!(check(status, ErrorKind::Quota).hint.unwrap().ends_with(" at https://notes.example/keys"));
    }
    for status in [404, 405] {
        let error = check(status, ErrorKind::Unavailable);
        assert_eq!(error.hint.unwrap(), format!("is `base_url` the address of Notes? It has no {ROUTE}"));
        assert!(error.retryable, "no turn dies of a wrong address");
    }
    check(408, ErrorKind::Timeout);
    assert_eq!(check(429, ErrorKind::RateLimited).retry_after, Some(60));
    for status in [400, 409, 413, 418, 422] {
        assert!(!check(status, ErrorKind::InvalidInput).retryable);
    }
    for status in [500, 501, 507] {
        check(status, ErrorKind::Internal);
    }
    for status in [301, 502, 503, 504, 520] {
        assert!(check(status, ErrorKind::Unavailable).retryable);
    }
}

#[test]
fn a_service_says_when_to_come_back() {
    let wait = |status, after: &str| {
        let headers = vec![("retry-after".to_owned(), after.to_owned())];
        failed(Ok(HttpResponse { status, headers, body: String::new() })).error.retry_after
    };
    assert_eq!((wait(429, "7"), wait(503, " 9 "), wait(400, "7")), (Some(7), Some(9), None));
    assert_eq!((wait(429, "soon"), wait(503, "soon")), (Some(60), None));
}

/// What is not there is one thing, and a server without the route another.
#[test]
fn a_thing_is_told_from_a_route() {
    let things = [
        r#"{"error": "Memory not found"}"#,
        r#"{"detail": "Document x not found or does not belong to workspace y"}"#,
        r#"{"message": "Memory not found!"}"#,
        r#"{"error": {"code": "NOT_FOUND", "message": "gone"}}"#,
    ];
    for thing in things {
        let failed = failed(says(404, thing));
        assert_eq!((failed.error.kind, failed.no_such_route), (ErrorKind::NotFound, false), "{thing}");
    }
    let routes =
        [r#"{"detail": "Not Found"}"#, r#"{"message": "Route GET:/v1/notes/1 not found"}"#, "<html>nginx</html>", ""];
    for route in routes {
        assert!(failed(says(404, route)).no_such_route, "{route}");
    }
    let service = NOTES.missing_route("no such door");
    let (client, ..) = client(service, Some("n-1"), says(500, r#"{"error": "no such door"}"#));
    let call = Call::default();
    let ask = || client.get("/v1/notes", &[], &call).send();
    let newer = ask().unwrap_err();
    assert!(newer.no_such_route);
    // Where both are missing, the newer is what should be there.
    let told = newer.or_older(client.get("/notes", &[], &call).send()).unwrap_err().error.message;
    assert_eq!(told, "Notes answers 500 to GET /v1/notes: no such door");
    let limited = Failed { error: ProviderError::new(ErrorKind::RateLimited, "wait"), ..ask().unwrap_err() };
    let limited = Failed { no_such_route: false, ..limited };
    assert_eq!(ask().unwrap_err().or_older::<()>(Err(limited)).unwrap_err().error.message, "wait");
}

#[test]
fn what_is_no_answer_of_the_service_is_named() {
    let with = |words: &str| format!("Notes answers GET /v1/notes/… with {words}");
    let page = with("a web page, as something on the way does");
    check(says(200, "\n<!doctype html><title>Sign in</title>"), ErrorKind::Unavailable, &page);
    check(says(200, r#"{"notes": [{"te"#), ErrorKind::Unavailable, &with(r#"what is no JSON: {"notes": [{"te"#));
    let refused = r#"{"success": false, "message": "not now"}"#;
    check(says(200, refused), ErrorKind::Internal, &with("not now"));
    check(
        Err(ProviderError::new(ErrorKind::Timeout, "no answer within 8 s")),
        ErrorKind::Timeout,
        "no answer within 8 s",
    );
    // What the host cannot even send is the fault of the settings, not of the turn.
    let unsent = check(Err(ProviderError::invalid("no address")), ErrorKind::Unavailable, "no address");
    assert_eq!(unsent.error.hint.unwrap(), "look at `base_url`: `hermes memory setup notes`");
}
