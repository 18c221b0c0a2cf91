//! What a service says of a failure, in any of the shapes that services have for it.

use serde_json::Value;

/// The most that is repeated of an answer, in characters.
const REPEATED: usize = 200;

/// The code and the sentence of an error.
pub(super) fn said(body: &str) -> (String, String) {
    let json: Value = serde_json::from_str(body).unwrap_or_default();
    let error = &json["error"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let code = [&error["code"], &json["code"]].into_iter().map(text).find(|code| !code.is_empty());
    let sentences = [error, &error["message"], &json["message"], &json["detail"]].map(text);
    let sentence = match sentences.into_iter().find(|sentence| !sentence.is_empty()) {
        Some(sentence) => sentence,
        None => match fault(&error["issues"][0], "path", "message").or(fault(&json["detail"][0], "loc", "msg")) {
            Some(fault) => fault,
            None if body.trim_start().starts_with('<') => "a web page, as something on the way does".to_owned(),
            None if body.trim().is_empty() => "nothing".to_owned(),
            None if json.is_null() => format!("what is no JSON: {body}"),
            None => body.to_owned(),
        },
    };
    (code.unwrap_or_default(), sentence.chars().take(REPEATED).collect())
}

/// One of a list of faults, with the path of the field: what checks of Zod and of FastAPI answer.
fn fault(fault: &Value, path: &str, message: &str) -> Option<String> {
    let message = fault[message].as_str()?;
    let part = |part: &Value| part.as_str().map_or_else(|| part.to_string(), str::to_owned);
    let path: Vec<_> = fault[path].as_array().into_iter().flatten().map(part).collect();
    Some(format!("`{}`: {message}", path.join(".")))
}

#[cfg(test)]
mod tests {
    use super::said;

    /// Every shape that an error has, as a sentence and never as a dump.
    #[test]
    fn errors_are_read_in_every_shape() {
        let told = |body: &str| said(body).1;
        assert_eq!(told(r#"{"error": "one"}"#), "one");
        assert_eq!(told(r#"{"error": {"message": "two"}}"#), "two");
        assert_eq!(told(r#"{"message": "three"}"#), "three");
        assert_eq!(told(r#"{"detail": "four"}"#), "four");
        let zod = r#"{"error": {"issues": [{"path": ["a", "b"], "message": "too big"}]}}"#;
        assert_eq!(told(zod), "`a.b`: too big");
        let fastapi = r#"{"detail": [{"loc": ["body", "notes", 0], "msg": "Field required", "type": "missing"}]}"#;
        assert_eq!(told(fastapi), "`body.notes.0`: Field required");
        assert_eq!(told(""), "nothing");
        assert_eq!(told("upstream connect error"), "what is no JSON: upstream connect error");
        assert_eq!(told(&serde_json::json!({"error": "я".repeat(900)}).to_string()), "я".repeat(200));
        assert_eq!(said(r#"{"error": {"code": "A"}, "code": "B"}"#).0, "A");
        assert_eq!(said(r#"{"error": "no", "code": "B"}"#).0, "B");
    }
}
