//! Each route as it was recorded: what the real service answered, and what is read from it.

use std::sync::{Arc, Mutex};

use hermes_provider_api::host::{HttpRequest, HttpResponse};
use hermes_provider_api::records::{Caller, OpenRequest, PrefetchQuery, ToolRequest};
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, MemoryProvider as _};
use hermes_provider_retaindb::RetainDb;
use hermes_tests_retaindb::KEY;
use serde_json::{Value, json};

use crate::support::URL;

/// A provider whose service answers these, by the beginning of method and path; and what it was asked.
fn service(answers: &'static [(&'static str, &'static str)]) -> (RetainDb, Arc<Mutex<Vec<HttpRequest>>>) {
    let asked = Arc::<Mutex<Vec<HttpRequest>>>::default();
    let seen = Arc::clone(&asked);
    let folder = std::env::temp_dir();
    let fake = FakeHost::new(&folder).with_config(json!({"base_url": URL})).with_secret("RETAINDB_API_KEY", KEY);
    let fake = fake.with_http(move |request| {
        seen.lock().unwrap().push(request.clone());
        let route = format!("{} {}", request.method, request.url.strip_prefix(URL).unwrap());
        let answer = answers.iter().find(|(start, _)| route.starts_with(start));
        let (status, body) = answer.map_or((404, "{}"), |(_, body)| (200, *body));
        if let Some(name) = &request.save_to {
            std::fs::write(folder.join(name), body).unwrap();
        }
        Ok(HttpResponse { status, body: body.to_owned(), ..HttpResponse::default() })
    });
    (RetainDb::open(fake.host(), OpenRequest::default()).unwrap(), asked)
}

#[track_caller]
fn tool(provider: &RetainDb, name: &str, args: Value) -> Value {
    let request = ToolRequest { tool: format!("retaindb_{name}"), args, ..ToolRequest::default() };
    provider.call_tool(&request, &Call::default()).unwrap()
}

fn rows(answer: &Value) -> Vec<(&str, &str, &str)> {
    let text = |row: &'_ Value, name: &str| row[name].as_str().unwrap_or_default().to_owned().leak() as &str;
    answer["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (text(row, "id"), text(row, "content"), text(row, "type")))
        .collect()
}

#[test]
fn a_search_of_the_full_server_of_the_local_one_and_of_the_docs() {
    let (provider, asked) = service(&[(
        "POST /v1/memory/search",
        r#"{"results": [
        {"memory": {"id": "m1", "content": "nested", "type": "factual", "scope": "user", "confidence": 0.8, "session_id": null,
            "user_id": "default", "temporal": {}}, "similarity": 0.91},
        {"memory": {"id": "pending:j1:0", "content": "pending", "memory_type": "event"}, "score": 0.5},
        {"id": "m3", "memory": {"id": "m3", "content": "both", "embedding": [0.1, 0.2]}, "content": "both", "score": 0.4},
        {"id": "m4", "content": "flat", "memory_type": "goal", "score": 0.3},
        {"id": "m5"}, null, 7], "count": 5, "query": "q", "trace_id": "t", "fallback": "vector"}"#,
    )]);
    let found = tool(&provider, "search", json!({"query": "q", "top_k": 3}));
    let expected =
        [("m1", "nested", "factual"), ("pending:j1:0", "pending", "event"), ("m3", "both", ""), ("m4", "flat", "goal")];
    assert_eq!(rows(&found), expected);
    assert_eq!(found["memories"][0]["score"], 0.91);
    assert!(!found.to_string().contains("embedding"));
    let body: Value = serde_json::from_str(asked.lock().unwrap()[0].body.as_deref().unwrap()).unwrap();
    let sent = json!({"project": "default", "user_id": "default", "query": "q", "top_k": 3, "include_pending": true});
    assert_eq!(body, sent, "a session that has no name is left out");
}

#[test]
fn a_profile_of_either_route() {
    let (provider, asked) = service(&[(
        "GET /v1/memory/profile/default?project=default&include_pending=true",
        r#"{"user_id": "default", "memories": [{"id": "p1", "content": "likes tea", "type": "preference", "importance": 0.7,
        "confidence": 0.9, "pending": true}], "count": 1, "include_pending": true, "pending_overlay_count": 1}"#,
    )]);
    assert_eq!(rows(&tool(&provider, "profile", json!({}))), [("p1", "likes tea", "preference")]);
    let headers = asked.lock().unwrap()[0].headers.clone();
    let header = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    assert_eq!(header("Authorization"), Some(format!("Bearer {KEY}")));
    assert_eq!(
        (header("X-API-Key"), header("x-sdk-runtime")),
        (Some(KEY.to_owned()), Some("hermes-plugin".to_owned()))
    );

    let (provider, _) = service(&[(
        "GET /v1/memories?project=default&user_id=default&limit=200",
        r#"{"memories": [
        {"id": "o1", "content": "likes tea", "memoryType": "preference", "userId": "default", "sessionId": "s", "importance": 1}]}"#,
    )]);
    assert_eq!(rows(&tool(&provider, "profile", json!({}))), [("o1", "likes tea", "preference")]);
}

#[test]
fn a_context_and_what_is_known_of_user_and_agent() {
    let (provider, asked) = service(&[
        (
            "POST /v1/context/query",
            r#"{"results": [{"id": "c1", "content": "drinks tea", "score": 0.8, "metadata": {},
            "type": "factual", "retrieval_source": "memory"}], "context": "drinks tea", "meta": {"total": 1, "latency_ms": 9}}"#,
        ),
        ("GET /v1/memory/profile/", r#"{"memories": []}"#),
        ("POST /v1/memory/profile/default/ask", r#"{"answer": "A tea drinker."}"#),
        (
            "GET /v1/memory/agent/hermes/model?project=default",
            r#"{"agent_id": "hermes", "persona": null,
            "persistent_instructions": ["be brief", "be kind"], "working_style": "", "capabilities": [], "goals": [],
            "memory_count": 2, "last_updated": null, "trace_id": "t"}"#,
        ),
    ]);
    let query = PrefetchQuery { query: "tea?".to_owned(), ..PrefetchQuery::default() };
    provider.queue_prefetch(&query, &Call::default()).unwrap();
    let recall = provider.prefetch(&query, &Call::default()).unwrap();
    let texts: Vec<_> = recall.items.iter().map(|item| item.text.as_str()).collect();
    let expected =
        ["drinks tea", "About the user: A tea drinker.", "About you, the agent: Instructions: be brief; be kind"];
    assert_eq!(texts, expected);
    let asked = asked.lock().unwrap();
    let context = asked.iter().find(|request| request.url.ends_with("/v1/context/query")).unwrap();
    let body: Value = serde_json::from_str(context.body.as_deref().unwrap()).unwrap();
    assert_eq!((&body["include_memories"], &body["max_tokens"]), (&json!(true), &json!(1200)));
}

#[test]
fn an_agent_without_memories_has_no_model() {
    let (provider, _) = service(&[
        ("POST /v1/memory/profile/default/ask", r#"{"answer": " "}"#),
        ("GET /v1/memory/agent/hermes/model", r#"{"persona": "somebody", "memory_count": 0}"#),
        ("POST /v1/context/query", r#"{"results": []}"#),
        ("GET /v1/memory/profile/", r#"{"memories": []}"#),
    ]);
    let query = PrefetchQuery { query: "tea?".to_owned(), ..PrefetchQuery::default() };
    provider.queue_prefetch(&query, &Call::default()).unwrap();
    assert!(provider.prefetch(&query, &Call::default()).unwrap().items.is_empty());
}

#[test]
fn what_is_stored_answers_with_its_id() {
    for (answer, id) in [
        (
            r#"{"success": true, "mode": "sync", "memory_id": "n1", "memory": {"id": "n1", "content": "x", "type": "factual"},
            "write_outcome": "created", "validator_issues": [], "trace_id": "t"}"#,
            "n1",
        ),
        (r#"{"success": true, "mode": "async", "job_id": "j1", "status_url": "/v1/memory/jobs/j1"}"#, "j1"),
        (r#"{"success": true, "memory": {"id": "n2"}}"#, "n2"),
        (r#"{"id": "n3", "content": "x"}"#, "n3"),
    ] {
        let answers: &'static [(&'static str, &'static str)] = vec![("POST /v1/memory", answer)].leak();
        let (provider, asked) = service(answers);
        assert_eq!(tool(&provider, "remember", json!({"content": "x"}))["memory_id"], id);
        let body: Value = serde_json::from_str(asked.lock().unwrap()[0].body.as_deref().unwrap()).unwrap();
        let sent = json!({"project": "default", "user_id": "default", "content": "x", "memory_type": "factual",
            "importance": 0.7, "write_mode": "sync"});
        assert_eq!(body, sent);
    }
}

#[test]
fn files_as_the_service_tells_of_them() {
    let (provider, asked) = service(&[
        (
            "GET /v1/files?limit=2&prefix=%2Fa%20b",
            r#"{"success": true, "files": [{"id": "f1", "path": "/a b/c.md", "name": "c.md",
            "mime_type": "text/markdown", "size": 4, "scope": "PROJECT", "content_hash": "h", "rdb_uri": "rdb://c",
            "created_at": "2026-01-01T00:00:00.000Z"}], "total": 1, "limit": 2, "offset": 0}"#,
        ),
        ("GET /v1/files/f%2F1/content", "tea\n"),
        (
            "GET /v1/files/f%2F1",
            r#"{"success": true, "file": {"id": "f/1", "path": "/c.md", "name": "c.md", "mime_type": "text/markdown",
            "size": 4, "rdb_uri": "rdb://c", "download_url": "https://storage.example/x"}}"#,
        ),
        (
            "POST /v1/files/f%2F1/ingest",
            r#"{"success": true, "file_id": "f/1", "rdb_uri": "rdb://c", "documents_indexed": 1,
            "memories_created": 2, "memory_id": "m1", "memory_ids": ["m1", "m2"]}"#,
        ),
        ("DELETE /v1/files/f%2F1", r#"{"success": true, "deleted": "f/1"}"#),
    ]);
    let listed = tool(&provider, "list_files", json!({"prefix": "/a b", "limit": 2}));
    assert_eq!((&listed["count"], &listed["files"][0]["rdb_uri"]), (&json!(1), &json!("rdb://c")));
    let id = json!({"file_id": "f/1"});
    let read = tool(&provider, "read_file", id.clone());
    assert_eq!(
        read,
        json!({"file_id": "f/1", "rdb_uri": "rdb://c", "name": "c.md", "content": "tea\n", "truncated": false})
    );
    assert_eq!(tool(&provider, "ingest_file", id.clone())["memory_ids"], json!(["m1", "m2"]));
    tool(&provider, "delete_file", id);
    let asked = asked.lock().unwrap();
    let ingest = asked.iter().find(|request| request.url.ends_with("/ingest")).unwrap();
    let body: Value = serde_json::from_str(ingest.body.as_deref().unwrap()).unwrap();
    assert_eq!(body, json!({"user_id": "default", "agent_id": "hermes", "project": "default"}));
    assert!(
        asked.iter().all(|request| !request.headers.iter().any(|(name, _)| name == "X-API-Key")),
        "files take one header"
    );
}

/// No request is given longer than its own limit, nor than what is left of the call.
#[test]
fn requests_end_before_their_call() {
    let (provider, asked) = service(&[("GET /v1/memory/profile/", r#"{"memories": []}"#)]);
    let request = ToolRequest { tool: "retaindb_profile".into(), caller: Caller::default(), args: json!({}) };
    provider.call_tool(&request, &Call::default()).unwrap();
    provider.call_tool(&request, &Call::new(Some(std::time::Duration::from_secs(2)), 0, || false)).unwrap();
    let limits: Vec<_> = asked.lock().unwrap().iter().map(|request| request.timeout_ms.unwrap()).collect();
    assert_eq!(limits[0], 8000);
    assert!(limits[1] <= 1800, "{limits:?}");
}
