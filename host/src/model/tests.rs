//! A client against small servers that answer well, badly, late, or not at all.

use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use super::*;
use crate::error::Hint as _;
use crate::home::{Home, files};
use crate::net::served::{self, answer};

const PATIENCE: Duration = Duration::from_secs(20);

/// The same below `/v1`.
fn serve(answers: Vec<String>) -> (String, std::thread::JoinHandle<Vec<String>>) {
    let (address, server) = served::serve(answers);
    (format!("{address}/v1"), server)
}

fn models(config: &str, env: &str) -> Models {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    files::replace(&home.env_file(), env.as_bytes()).unwrap();
    let secrets = Secrets::load(&home, |_| None).unwrap();
    Models::of(&Config::parse(config, Path::new("config.toml")).unwrap(), &secrets)
}

fn at(base: &str) -> Models {
    let config = format!("[model]\nbase_url = '{base}/'\nembedding = 'tiny'\nchat = 'talker'\n");
    models(&config, "HERMES_MODEL_API_KEY=sk-very-secret\n")
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

/// What embedding a text ends with when the server answers this.
fn fails(response: String) -> ModelError {
    let (base, server) = serve(vec![response]);
    let error = at(&base).embed(&texts(&["a text that nobody should see again"]), PATIENCE).unwrap_err();
    server.join().unwrap();
    let told = format!("{error} {:?}", error.hints());
    assert!(!told.contains("very-secret") && !told.contains("nobody should see"), "{told}");
    error
}

#[test]
fn texts_become_vectors_in_their_order() {
    let body = r#"{"data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [0.5, -1e-3]}]}"#;
    let (base, server) = serve(vec![answer("200 OK", body)]);
    let models = at(&base);
    let found = models.embed(&texts(&["да", "no"]), PATIENCE).unwrap();
    assert_eq!(found, Vectors { model: "tiny".to_owned(), vectors: vec![vec![0.5, -1e-3], vec![0.0, 1.0]] });
    let asked = server.join().unwrap().remove(0);
    assert!(asked.starts_with("POST /v1/embeddings HTTP/1.1\r\n"), "{asked}");
    assert!(asked.contains("authorization: Bearer sk-very-secret\r\n"), "{asked}");
    assert!(asked.ends_with(r#"{"input":["да","no"],"model":"tiny"}"#), "{asked}");
    assert_eq!(models.embed(&[], PATIENCE).unwrap().vectors, Vec::<Vec<f32>>::new(), "nothing is sent for nothing");
    assert!(models.target(Use::Embed).unwrap().place().starts_with("http://127.0.0.1:"));
}

#[test]
fn a_conversation_goes_on() {
    let refused = r#"{"error": {"message": "Unsupported parameter: 'max_tokens', use 'max_completion_tokens'"}}"#;
    let good = r#"{"choices": [{"message": {"role": "assistant", "content": "Ada."}}]}"#;
    let (base, server) =
        serve(vec![answer("200 OK", good), answer("400 Bad Request", refused), answer("200 OK", good)]);
    let models = at(&base);
    let asked = [Message { role: "user".to_owned(), content: "Who?".to_owned() }];
    for _ in 0..2 {
        assert_eq!(models.chat(&asked, 16, PATIENCE).unwrap(), Reply { model: "talker".into(), text: "Ada.".into() });
    }
    let asked = server.join().unwrap();
    assert!(asked[0].starts_with("POST /v1/chat/completions ") && asked[0].contains(r#""max_tokens":16"#));
    assert!(asked[2].contains(r#""max_completion_tokens":16"#) && !asked[2].contains(r#""max_tokens""#));
}

#[test]
fn each_trouble_says_what_to_do() {
    let said = |error: &ModelError| (error.to_string(), error.hints().join(" "));
    let (message, hint) = said(&fails(answer("401 Unauthorized", r#"{"error": {"message": "sk-very-secret?"}}"#)));
    assert!(message.ends_with("refuses the key (401)") && hint.contains("HERMES_MODEL_API_KEY"), "{message} {hint}");
    let (message, hint) = said(&fails(answer("404 Not Found", r#"{"error": "model 'tiny' not found"}"#)));
    assert!(message.ends_with("has no `embeddings`, or no model `tiny` (404): model 'tiny' not found"), "{message}");
    assert!(hint.contains("model.base_url") && hint.contains("/v1"), "{hint}");
    let error = fails(answer("429 Too Many\r\nretry-after: 7", ""));
    assert!(matches!(error, ModelError::Busy { retry_after: Some(wait), .. } if wait.as_secs() == 7), "{error}");
    let (message, _) = said(&fails(answer("200 OK", "<!doctype html><p>Welcome")));
    assert!(message.contains("a web page instead of JSON"), "{message}");
    let (message, _) = said(&fails(answer("200 OK", r#"{"data": [{"embed"#)));
    assert!(message.contains("cut off"), "{message}");
    let (message, _) = said(&fails("HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{\"data\":".to_owned()));
    assert!(message.contains("cut off"), "{message}");
    let (message, _) = said(&fails(answer("200 OK", r#"{"data": []}"#)));
    assert!(message.contains("1 texts were sent and 0 vectors came"), "{message}");
    let (message, _) = said(&fails(answer("200 OK", r#"{"data": [{"embedding": []}]}"#)));
    assert!(message.contains("empty"), "{message}");
    let (message, _) = said(&fails(answer("200 OK", r#"{"data": [{"embedding": [1e60]}]}"#)));
    assert!(message.contains("no number") || message.contains("no list of vectors"), "{message}");
    let (message, _) = said(&fails(answer("200 OK", r#"{"choices": []}"#)));
    assert!(message.contains("no list of vectors"), "{message}");
    let (message, _) = said(&fails(answer("302 Found\r\nlocation: http://127.0.0.2:9/", "")));
    assert!(message.contains("answers 302, which is a redirect"), "{message}");
    let echo = r#"{"error": {"message": "cannot read: a text that nobody should see again"}}"#;
    let (message, _) = said(&fails(answer("400 Bad Request", echo)));
    assert!(message.ends_with("answers 400"), "{message}");
}

#[test]
fn vectors_of_two_lengths_are_no_answer() {
    let body = r#"{"data": [{"index": 0, "embedding": [1, 0]}, {"index": 1, "embedding": [1, 0, 0]}]}"#;
    let (base, _server) = serve(vec![answer("200 OK", body)]);
    let error = at(&base).embed(&texts(&["a", "b"]), PATIENCE).unwrap_err();
    assert!(error.to_string().contains("not all of one length"), "{error}");
}

#[test]
fn a_server_that_is_silent_or_away_is_waited_for_no_longer_than_asked() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let error = at(&base).embed(&texts(&["a"]), Duration::from_millis(300)).unwrap_err();
    assert!(matches!(error, ModelError::Timeout { .. }), "{error}");
    drop(listener);
    let error = at(&base).embed(&texts(&["a"]), PATIENCE).unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error}");
    assert!(error.hints()[0].contains("start the server"), "{:?}", error.hints());
}

#[test]
fn too_much_is_not_sent() {
    let models = at("http://127.0.0.1:9/v1");
    let many = vec![String::new(); MAX_TEXTS + 1];
    assert!(matches!(models.embed(&many, PATIENCE), Err(ModelError::Request(_))));
    assert!(matches!(models.embed(&["я".repeat(MAX_CHARS + 1)], PATIENCE), Err(ModelError::Request(_))));
}

/// A key is for the address that it belongs to.
#[test]
fn an_address_of_its_own_gets_a_key_of_its_own() {
    let both = "[model]\nbase_url = 'https://paid.example/v1'\nembedding_base_url = 'http://localhost:1/v1'\n\
                embedding = 'e'\nchat = 'c'\n";
    let models = models(both, "HERMES_MODEL_API_KEY=sk-paid-one\n");
    let (embedding, chat) = (models.target(Use::Embed).unwrap(), models.target(Use::Chat).unwrap());
    assert_eq!((embedding.place(), chat.place()), ("http://localhost:1/v1".into(), "https://paid.example/v1".into()));
    assert!(embedding.key.is_none() && chat.key.is_some());
    let none = self::models("[model]\nembedding = 'e'\nchat = ''\n", "");
    assert!(none.target(Use::Embed).is_none() && none.target(Use::Chat).is_none());
    let error = none.embed(&texts(&["a"]), PATIENCE).unwrap_err();
    assert!(error.to_string().contains("`model.embedding`"), "{error}");
}
