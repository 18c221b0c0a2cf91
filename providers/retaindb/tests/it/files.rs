//! Files: only from the granted folder, only of one's own, and nothing left behind.

use std::fs;

use hermes_provider_api::ErrorKind;
use hermes_tests_retaindb::{Fault, Kind};
use serde_json::{Value, json};

use crate::support::{Case, private};

pub(crate) fn case() -> Case {
    Case::with(Kind::Hosted, json!({"files": "/home/ann/notes"}), |fake| {
        fake.with_file("files", "план.md", "Посадить редис").with_file("files", "sub/a \"b\".bin", "bytes")
    })
}

/// No copy of a file stays in the data folder.
fn nothing_is_left(case: &Case) {
    let names = fs::read_dir(case.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    assert!(names.iter().all(|name| !name.to_string_lossy().starts_with("passing-")), "{names:?}");
}

#[test]
fn a_file_goes_up_and_comes_back() {
    let case = case();
    let up = case.tool("upload_file", json!({"local_path": "план.md", "ingest": true}));
    let id = up["file"]["id"].as_str().unwrap().to_owned();
    let stored = case.cloud.files().remove(0);
    assert_eq!((stored.path.as_str(), stored.scope.as_str(), stored.name.as_str()), ("/план.md", "PROJECT", "план.md"));
    assert_eq!((stored.bytes, stored.mime.as_str(), stored.ingested), ("Посадить редис".into(), "text/plain", true));
    assert_eq!(up["ingest"]["memories_created"], 1);
    let listed = case.tool("list_files", json!({"prefix": "/пл"}));
    assert_eq!((&listed["count"], &listed["files"][0]["id"]), (&json!(1), &json!(id)));
    let read = case.tool("read_file", json!({"file_id": id}));
    assert_eq!((&read["content"], &read["truncated"]), (&json!("Посадить редис"), &json!(false)));
    assert_eq!(case.tool("ingest_file", json!({"file_id": id}))["documents_indexed"], 1);
    assert_eq!(case.tool("delete_file", json!({"file_id": id})), json!({"deleted": id}));
    assert_eq!(case.try_tool("delete_file", json!({"file_id": id})).unwrap_err().kind, ErrorKind::NotFound);
    nothing_is_left(&case);
}

#[test]
fn where_a_file_goes_is_the_callers_choice() {
    let case = case();
    let args = json!({"local_path": "/home/ann/notes/sub/a \"b\".bin", "remote_path": "in/Ω.bin", "scope": "USER"});
    case.tool("upload_file", args);
    let stored = case.cloud.files().remove(0);
    assert_eq!(
        (stored.path.as_str(), stored.scope.as_str(), stored.name.as_str()),
        ("/in/Ω.bin", "USER", "a %22b%22.bin")
    );
    let read = case.tool("read_file", json!({"file_id": stored.id}));
    assert_eq!((&read["content"], &read["note"]), (&Value::Null, &json!("it is no text: application/octet-stream")));
    let error = case.try_tool("upload_file", json!({"local_path": "план.md", "scope": "WORLD"})).unwrap_err();
    assert_eq!(error.message, "`scope` must be one of USER, PROJECT, ORG");
}

#[test]
fn only_what_was_granted_goes_up() {
    let none = Case::new();
    let error = none.try_tool("upload_file", json!({"local_path": "план.md"})).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Denied);
    assert!(error.hint.unwrap().contains("--set files="));
    let case = case();
    assert_eq!(case.try_tool("upload_file", json!({"local_path": "nope.md"})).unwrap_err().kind, ErrorKind::NotFound);
    assert!(case.cloud.asked().is_empty() && none.cloud.asked().is_empty());
}

#[test]
fn a_long_text_is_cut_and_says_so() {
    let long = "я".repeat(40_000);
    let case = Case::with(Kind::Hosted, json!({"files": "/notes"}), |fake| {
        fake.with_file("files", "long.txt", &long).with_file("files", "empty.txt", "")
    });
    let id = case.tool("upload_file", json!({"local_path": "long.txt"}))["file"]["id"].clone();
    let read = case.tool("read_file", json!({"file_id": id}));
    assert_eq!((read["content"].as_str().unwrap().chars().count(), &read["truncated"]), (32_000, &json!(true)));
    let asked = case.cloud.asked().into_iter().find(|request| request.path.ends_with("/content")).unwrap();
    assert_eq!(asked.header("range"), "bytes=0-127999", "no more is fetched than is shown");
    let id = case.tool("upload_file", json!({"local_path": "empty.txt"}))["file"]["id"].clone();
    assert_eq!(case.tool("read_file", json!({"file_id": id}))["content"], "");
}

/// The service parts files by key alone, so that names have folders of their own.
#[test]
fn each_audience_has_its_own_files() {
    let case = case();
    case.tool("upload_file", json!({"local_path": "план.md"}));
    let case = case.speaking_as(private("ann"));
    let id = case.tool("upload_file", json!({"local_path": "план.md"}))["file"]["id"].clone();
    let paths: Vec<_> = case.cloud.files().into_iter().map(|file| file.path).collect();
    assert_eq!(paths, ["/план.md", "/people/telegram%3Aann/план.md"]);
    assert_eq!(case.tool("list_files", json!({}))["count"], 1);
    let error = case.try_tool("upload_file", json!({"local_path": "план.md", "remote_path": "../bob/x"})).unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidInput);
    for stranger in [private("bob"), private("an"), hermes_provider_api::Scope::default()] {
        let case =
            Case { caller: case.caller.clone(), cloud: case.cloud.clone(), ..case_of(&case) }.speaking_as(stranger);
        for tool in ["read_file", "ingest_file", "delete_file"] {
            assert_eq!(case.try_tool(tool, json!({"file_id": id})).unwrap_err().kind, ErrorKind::NotFound, "{tool}");
        }
        let listed = case.tool("list_files", json!({})).to_string();
        assert!(!listed.contains("ann"), "{listed}");
    }
    assert_eq!(case.cloud.files().len(), 2);
}

/// Another provider on the same service.
fn case_of(other: &Case) -> Case {
    let cloud = other.cloud.clone();
    Case::with(Kind::Hosted, json!({"files": "/home/ann/notes"}), |fake| {
        let nowhere = std::env::temp_dir();
        fake.with_http(move |request| crate::support::send(&cloud, &nowhere, request))
    })
}

#[test]
fn an_upload_that_fails_leaves_nothing_behind() {
    let case = case();
    let too_large = Fault::Says(413, r#"{"error": "too large"}"#);
    case.cloud.fail("POST /v1/files", 1, too_large);
    let error = case.try_tool("upload_file", json!({"local_path": "план.md"})).unwrap_err();
    let message = "RetainDB answers 413 to POST /v1/files: too large";
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::InvalidInput, message));
    nothing_is_left(&case);
    case.cloud.fail("/ingest", 1, Fault::Says(503, "{}"));
    let up = case.tool("upload_file", json!({"local_path": "план.md", "ingest": true}));
    assert!(up["file"]["id"].is_string() && up["ingest"]["error"].is_string(), "it is there all the same: {up}");
}
