//! Who a sentence is about.

use hermes_text::is_stop_word;

use super::patterns::Match;
use super::words::{ARTICLES, FILLERS, OF, POSSESSIVES, PRONOUNS, Word, has_case, is_negation, joined};
use crate::entities::names::{self, USER, is_user};

/// Who a match is about.
pub(super) fn subject(words: &[Word], found: &Match) -> Option<String> {
    let free = |place: usize| !found.value.contains(&place) && !found.literals.contains(&place);
    let cue = found.literals.iter().copied().chain(std::iter::once(found.value.start)).min().unwrap_or(0);
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let opens = place == 0 && (word.is(&FILLERS) || is_stop_word(&word.low) && !is_user(&word.low));
        if !free(place) || !word.names() || opens {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.end == place && !word.breaks && !word.low.is_empty() => {
                // A name with an ending after its apostrophe is complete.
                let complete = words.get(place - 1).is_some_and(|before| before.low.contains(['\'', '’']));
                if complete { runs.push(place..place + 1) } else { run.end = place + 1 }
            }
            _ => runs.push(place..place + 1),
        }
    }
    let statement = found.attribute.is_empty();
    let run = runs.iter().find(|run| run.start < cue || statement).or_else(|| runs.first());
    let Some(run) = run else {
        let before = words.iter().enumerate().take(found.value.start).filter(|(place, _)| free(*place));
        return noun_phrase(before.map(|(_, word)| word), 2);
    };
    let mut said = names::bare(&joined(words.get(run.clone())?));
    // "Ada's sister", «la hermana de Ada»: it is about somebody else.
    let possessive =
        words.get(run.end - 1).is_some_and(|word| word.low.contains(['\'', '’']) || word.low.ends_with('\''));
    let mut others: Vec<&str> = Vec::new();
    let is_other = |place: usize, word: &Word| {
        free(place) && !word.is(&FILLERS) && !is_stop_word(&word.low) && !is_negation(word) && !word.is(&ARTICLES)
    };
    let cue = if found.literals.is_empty() { found.value.start } else { cue };
    if possessive && !statement {
        let between = words.iter().enumerate().take(cue).skip(run.end);
        others.extend(between.filter(|(place, word)| is_other(*place, word)).map(|(_, word)| word.low.as_str()));
    }
    let of = run.start.checked_sub(1).and_then(|place| words.get(place)).is_some_and(|word| word.is(&OF));
    if of && !statement {
        let before = words.iter().enumerate().take(run.start - 1);
        others.extend(before.filter(|(place, word)| is_other(*place, word)).map(|(_, word)| word.low.as_str()));
    }
    for other in others {
        said.push(' ');
        said.push_str(other);
    }
    Some(said)
}

/// A subject without a capital: the words for the user, or what stands first; nobody for a pronoun.
pub(super) fn noun_phrase<'a>(words: impl Iterator<Item = &'a Word>, most: usize) -> Option<String> {
    let mut said: Vec<String> = Vec::new();
    for (at, word) in words.enumerate() {
        if word.is(&PRONOUNS) {
            return None;
        }
        if at > 0 && word.breaks {
            break;
        }
        if word.is(&ARTICLES) && !is_user(&word.low)
            || word.is(&FILLERS)
            || is_negation(word)
            || names::is_title(&word.low)
        {
            continue;
        }
        let bare = names::bare(&word.low);
        if is_user(&word.low) || bare == USER {
            said.push(USER.to_owned());
        } else if !is_stop_word(&word.low) || (at == 0 && !has_case(&word.low)) {
            said.push(bare);
        }
        let possessed = is_user(&word.low) && word.is(&POSSESSIVES);
        if said.len() == most || (said.len() == 1 && said.first().is_some_and(|word| word == USER) && !possessed) {
            break;
        }
    }
    // "my brother" is somebody else, and "the user likes" begins with the subject.
    Some(if said.is_empty() { USER.to_owned() } else { said.join(" ") })
}
