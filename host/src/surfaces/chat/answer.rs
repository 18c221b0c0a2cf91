//! One answer of the model, read on a thread of its own: a person who wants no more of it does not wait for the next
//! piece, and a model that falls silent is given up.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::Watch;
use crate::guard::Scrubber;
use crate::model::wire::Answer;
use crate::model::{ModelError, Models, Question, Use};

/// How soon a wish to stop is seen.
const TICK: Duration = Duration::from_millis(50);

enum Came {
    Piece(String),
    All(Result<Answer, ModelError>),
}

/// Waits for the answer. Its `finish` is None where it was broken off, by whomever; its text is then what was shown.
pub(super) fn gather(models: &Arc<Models>, question: Question, watch: &mut dyn Watch) -> Result<Answer, ModelError> {
    let patience = question.patience;
    let (send, pieces) = channel();
    let models = Arc::clone(models);
    let place = models.target(Use::Chat).map(|target| target.place()).unwrap_or_default();
    // Nobody waits for its end: once nothing is wanted of it any more, it ends with the next piece or its own limits.
    let reader = thread::Builder::new().name("hermes-model".to_owned()).spawn(move || {
        let answer = models.stream(&question, |piece| send.send(Came::Piece(piece.to_owned())).is_ok());
        let _ = send.send(Came::All(answer));
    });
    let no_thread = |error| ModelError::Request(format!("no thread for the model: {error}"));
    drop(reader.map_err(no_thread)?);
    let (mut said, mut scrubber, mut last) = (String::new(), Scrubber::default(), Instant::now());
    loop {
        let came = pieces.recv_timeout(TICK);
        if watch.is_stopped() {
            return Ok(Answer::of_text(&said));
        }
        match came {
            Ok(Came::Piece(piece)) => {
                last = Instant::now();
                show(&scrubber.push(&piece), &mut said, watch);
            }
            Ok(Came::All(answer)) => {
                show(&scrubber.finish(), &mut said, watch);
                let answer = match answer {
                    Ok(answer) if answer.finish.is_none() && answer.calls().is_empty() => Answer::of_text(&said),
                    // What was said stays said: the person has read it.
                    Err(error) if !said.is_empty() => {
                        tracing::warn!(%error, "an answer of the model broke off");
                        Answer::of_text(&said)
                    }
                    answer => answer?.with_text(&said),
                };
                return Ok(answer);
            }
            Err(RecvTimeoutError::Timeout) if last.elapsed() < patience => {}
            Err(_) if said.is_empty() => return Err(ModelError::Timeout { place, limit: patience }),
            Err(_) => return Ok(Answer::of_text(&said)),
        }
    }
}

fn show(piece: &str, said: &mut String, watch: &mut dyn Watch) {
    if !piece.is_empty() {
        said.push_str(piece);
        watch.piece(piece);
    }
}
