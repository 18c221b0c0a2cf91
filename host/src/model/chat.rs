//! Answers of a model.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{ModelError, Models, Target, Use};

/// What was said.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// The words.
    pub content: String,
}

/// What the model says to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The model, as the settings name it.
    pub model: String,
    /// The words.
    pub text: String,
}

impl Models {
    /// Has the model go on with a conversation, by so many tokens at the most.
    ///
    /// # Errors
    /// When the model does not answer in time with a text.
    pub fn chat(&self, messages: &[Message], max_tokens: u32, limit: Duration) -> Result<Reply, ModelError> {
        let target = self.wanted(Use::Chat)?;
        let began = std::time::Instant::now();
        let answer = match ask(target, messages, "max_tokens", max_tokens, limit) {
            // Newer models of the API's author know the limit by another name alone.
            Err(ModelError::Status { status: 400, said, .. }) if said.contains("max_completion_tokens") => {
                let left = limit.saturating_sub(began.elapsed());
                ask(target, messages, "max_completion_tokens", max_tokens, left)?
            }
            answer => answer?,
        };
        let text = answer["choices"][0]["message"]["content"].as_str();
        let text = text.ok_or_else(|| target.odd("there is no text in the answer"))?;
        Ok(Reply { model: target.name.clone(), text: text.to_owned() })
    }
}

fn ask(target: &Target, messages: &[Message], bound: &str, most: u32, limit: Duration) -> Result<Value, ModelError> {
    let mut body = json!({"model": target.name, "messages": messages, "stream": false});
    body[bound] = json!(most);
    target.post("chat/completions", &body, limit)
}
