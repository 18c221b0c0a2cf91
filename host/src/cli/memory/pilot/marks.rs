//! Marks: what a recall should hold, written into the recording beside the question.
//!
//! A line of the user may have a field `expects`. A replay passes over it. All that it lists has to be there, and a list
//! within the list is one thing in several wordings:
//!
//! ```json
//! {"role": "user", "session_id": "b", "content": "When do we deliver?", "expects": ["Typst", ["May", "мае"]]}
//! ```
//!
//! A text alone is a list of one. Texts are compared in the form that [`hermes_text::normalize`] gives them: NFKC, without
//! case, with single spaces. They are looked for within the memories, not as whole words.

use serde_json::Value;

/// What a recall should hold: of each of these one wording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark(Vec<Vec<String>>);

impl Mark {
    /// Reads the field; None where there is none.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn read(field: &Value) -> Result<Option<Self>, String> {
        let wordings = |value: &Value| match value {
            Value::Array(texts) if !texts.is_empty() => texts.iter().map(text).collect(),
            other => text(other).map(|text| vec![text]),
        };
        match field {
            Value::Null => Ok(None),
            Value::Array(things) if !things.is_empty() => {
                things.iter().map(wordings).collect::<Result<_, _>>().map(|things| Some(Self(things)))
            }
            other => Ok(Some(Self(vec![vec![text(other)?]]))),
        }
    }

    /// Whether all of it is in a text that was [normalized](hermes_text::normalize).
    pub(super) fn is_in(&self, normal: &str) -> bool {
        let has = |wording: &String| normal.contains(&hermes_text::normalize(wording));
        self.0.iter().all(|wordings| wordings.iter().any(has))
    }
}

/// For people: `Typst and (May or мае)`.
impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let things = self.0.iter().map(|wordings| match wordings.as_slice() {
            [one] => one.clone(),
            several => format!("({})", several.join(" or ")),
        });
        f.write_str(&things.collect::<Vec<_>>().join(" and "))
    }
}

fn text(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) if !hermes_text::normalize(text).is_empty() => Ok(text.clone()),
        _ => {
            Err("`expects` is neither a text nor a list of texts, or of lists of texts, none of them empty".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(field: Value, shown: &str, text: &str, expected: bool) {
        let mark = Mark::read(&field).unwrap().unwrap();
        assert_eq!((mark.to_string().as_str(), mark.is_in(&hermes_text::normalize(text))), (shown, expected), "{text}");
    }

    #[test]
    fn all_of_it_in_any_wording() {
        check(json!("Typst"), "Typst", "They write in TYPST.", true);
        check(json!(["Typst", ["May", "мае"]]), "Typst and (May or мае)", "Typst; сдача в Мае", true);
        check(json!(["Typst", ["May", "мае"]]), "Typst and (May or мае)", "Typst in June", false);
        check(json!(["May", "June"]), "May and June", "in May", false);
        // Full-width letters, other blanks and ligatures are the same text.
        check(json!("ｇｒｅｅｎ tea"), "ｇｒｅｅｎ tea", "Green\u{a0}\nTEA", true);
        check(json!("office"), "office", "the oﬃce", true);
        check(json!("緑茶"), "緑茶", "お茶", false);
    }

    #[test]
    fn what_is_no_mark() {
        assert_eq!(Mark::read(&Value::Null), Ok(None));
        for field in [json!([]), json!(""), json!([""]), json!([[]]), json!(1), json!({"any": ["x"]}), json!([[["x"]]])]
        {
            assert!(Mark::read(&field).unwrap_err().starts_with("`expects` is neither"), "{field}");
        }
    }
}
