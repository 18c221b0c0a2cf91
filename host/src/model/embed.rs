//! Vectors of texts.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::{ModelError, Models, Use};

/// How many texts are sent at once at the most.
pub const MAX_TEXTS: usize = 64;
/// How long each may be, in Unicode scalar values.
pub const MAX_CHARS: usize = 8000;
/// No model has more.
const MAX_DIMENSIONS: usize = 8192;

/// One vector for each text, in their order, all of one length.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    /// The model that made them, as the settings name it.
    pub model: String,
    /// The vectors.
    pub vectors: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Models {
    /// Turns texts into vectors.
    ///
    /// # Errors
    /// When the texts are too many or too long, or the model does not answer in time with what it should.
    pub fn embed(&self, texts: &[String], limit: Duration) -> Result<Vectors, ModelError> {
        let target = self.wanted(Use::Embed)?;
        if texts.len() > MAX_TEXTS || texts.iter().any(|text| hermes_text::char_count(text) > MAX_CHARS) {
            let message = format!("at most {MAX_TEXTS} texts of {MAX_CHARS} characters each are embedded at once");
            return Err(ModelError::Request(message));
        }
        let model = target.name.clone();
        if texts.is_empty() {
            return Ok(Vectors { model, vectors: Vec::new() });
        }
        let answer = target.post("embeddings", &json!({"model": model, "input": texts}), limit)?;
        let Answer { mut data } =
            serde_json::from_value(answer).map_err(|_| target.odd("there is no list of vectors in the answer"))?;
        // Servers that work on several texts at once may answer in another order.
        data.sort_by_key(|item| item.index);
        let vectors: Vec<Vec<f32>> = data.into_iter().map(|item| item.embedding).collect();
        if vectors.len() != texts.len() {
            return Err(target.odd(format!("{} texts were sent and {} vectors came", texts.len(), vectors.len())));
        }
        let dimensions = vectors.first().map_or(0, Vec::len);
        if !(1..=MAX_DIMENSIONS).contains(&dimensions) || vectors.iter().any(|vector| vector.len() != dimensions) {
            return Err(target.odd("the vectors are empty, too long, or not all of one length"));
        }
        if vectors.iter().flatten().any(|number| !number.is_finite()) {
            return Err(target.odd("a vector holds what is no number"));
        }
        Ok(Vectors { model, vectors })
    }
}
