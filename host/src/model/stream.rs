//! Answers of a model that come piece by piece.

use std::io::Read as _;
use std::time::{Duration, Instant};

use hermes_provider_api::records::ToolSchema;
use serde_json::{Value, json};
use ureq::Body;
use ureq::http::Response;
use ureq::http::header::CONTENT_TYPE;

use super::exchange::Patience;
use super::wire::{Answer, Event, Events, Form, WireMessage, tool};
use super::{ModelError, Models, Target, Use};

const ROUTE: &str = "chat/completions";
/// What a server sends when an answer is over.
const DONE: &str = "[DONE]";

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// The whole conversation.
    pub messages: Vec<WireMessage>,
    /// The tools that it may call.
    pub tools: Vec<ToolSchema>,
    /// Whether it may call them now: in a loop without an end it has to answer.
    pub may_call: bool,
    /// How long the answer may take to begin, and each of its pieces after that to follow.
    pub patience: Duration,
}

impl Models {
    /// Has the model answer. Each piece of its text is handed over as it comes, until `piece` wants no more: the answer
    /// is what there was by then, and `finish` is None in it, as it is when the server breaks off.
    ///
    /// # Errors
    /// When there is no answer that begins as one. What comes from then on is an answer, however it ends, unless the
    /// server says that it is an error.
    pub fn stream(&self, question: &Question, mut piece: impl FnMut(&str) -> bool) -> Result<Answer, ModelError> {
        let target = self.wanted(Use::Chat)?;
        let body = body(target, question);
        let limit = question.patience;
        let deadline = Instant::now() + limit;
        let response = target.send(ROUTE, &body, Patience::Begin(limit))?;
        if !response.status().is_success() || !is_stream(&response) {
            let whole = target.whole(ROUTE, &body, response, deadline, limit)?;
            let answer = Answer::of_choice(&whole["choices"][0]);
            if is_nothing(&answer) {
                return Err(target.odd("there is no text in the answer"));
            }
            piece(answer.text());
            return Ok(answer);
        }
        gather(target, response, &mut piece)
    }
}

fn body(target: &Target, question: &Question) -> Value {
    let messages: Vec<_> = question.messages.iter().map(WireMessage::raw).collect();
    let mut body = json!({"model": target.name, "messages": messages, "stream": true});
    if !question.tools.is_empty() {
        body["tools"] = question.tools.iter().map(|offered| tool(Form::Chat, offered)).collect();
        if !question.may_call {
            body["tool_choice"] = json!("none");
        }
    }
    body
}

fn is_stream(response: &Response<Body>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.starts_with("text/event-stream")
}

fn gather(
    target: &Target,
    response: Response<Body>,
    piece: &mut dyn FnMut(&str) -> bool,
) -> Result<Answer, ModelError> {
    let mut reader = response.into_body().into_reader();
    let (mut answer, mut events, mut bytes) = (Answer::default(), Events::default(), [0; 16 << 10]);
    loop {
        // What was said before a connection broke was said.
        let read = match reader.read(&mut bytes) {
            Ok(read) => read,
            Err(error) if is_nothing(&answer) => return Err(target.unreadable(&error, Duration::ZERO)),
            Err(_) => return Ok(answer),
        };
        events.push(&bytes[..read]).map_err(|error| target.odd(error.to_string()))?;
        let rest = if read == 0 { events.rest() } else { None };
        for event in events.by_ref().chain(rest) {
            match take(target, &event, &mut answer)? {
                Taken::Over => return Ok(answer),
                Taken::Text(text) if !text.is_empty() && !piece(&text) => return Ok(answer),
                Taken::Text(_) => {}
            }
        }
        if read == 0 {
            return match is_nothing(&answer) {
                true => Err(target.odd("the answer is cut off")),
                false => Ok(answer),
            };
        }
    }
}

fn is_nothing(answer: &Answer) -> bool {
    answer.text().is_empty() && answer.finish.is_none() && answer.calls().is_empty()
}

enum Taken {
    Text(String),
    Over,
}

fn take(target: &Target, event: &Event, answer: &mut Answer) -> Result<Taken, ModelError> {
    let nothing = Ok(Taken::Text(String::new()));
    let Some(data) = event.data.as_deref() else { return nothing };
    if data.trim() == DONE {
        return Ok(Taken::Over);
    }
    let Ok(chunk) = serde_json::from_str::<Value>(data) else {
        return Err(target.odd("a piece of the answer is not JSON"));
    };
    if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
        let said = error["message"].as_str().or(error.as_str()).unwrap_or("an error");
        let said: String = said.chars().filter(|c| !c.is_control()).take(200).collect();
        return Err(target.odd(format!("it broke off with: {said}")));
    }
    // A chunk of counts alone has no choice.
    let Some(choice) = chunk["choices"].get(0) else { return nothing };
    answer.add(&choice["delta"]);
    if let Some(finish) = choice["finish_reason"].as_str() {
        answer.finish = Some(finish.to_owned());
    }
    Ok(Taken::Text(choice["delta"]["content"].as_str().unwrap_or_default().to_owned()))
}
