//! Texts that a person picks in a client: what the memory knows, and the wish that it learn from this conversation.

use rmcp::model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};

use super::args;
use super::connection::Connection;

const SYSTEM_BLOCK: &str = "system-block";
const REMEMBER: &str = "remember-conversation";
/// What the review should look at above all.
const FOCUS: &str = "focus";

const NOTHING_YET: &str = "The long-term memory holds nothing yet.";
const REVIEW: &str = "\
Look back over our conversation, from its beginning, and decide what of it will still matter in a later one: what I \
am like and how I want you to work, what was decided and why, what I corrected, facts about my projects and the people \
around me that took effort to learn.
Keep each of these with the memory tools that you have, in the language that we speak, as a short statement that can \
be understood without this conversation. Look first whether it is known already: put what has changed in the place of \
what was, and do not write anything down twice.
Leave out passwords and keys, what is true only today, what is easily looked up, and what was merely tried. Nothing is \
a good answer too.
At the end, tell me in a few lines what you kept, what you changed, and what you were unsure about.";

/// Those that are offered.
pub(super) fn list() -> Vec<Prompt> {
    let focus = PromptArgument::new(FOCUS)
        .with_title("Focus")
        .with_description("What should be remembered above all")
        .with_required(false);
    vec![
        Prompt::new(SYSTEM_BLOCK, Some("What the memory knows at the start of a conversation"), None)
            .with_title("What I know"),
        Prompt::new(
            REMEMBER,
            Some("Goes through the conversation and keeps what will matter later"),
            Some(vec![focus]),
        )
        .with_title("Remember this conversation"),
    ]
}

/// A prompt, filled in. The error says what is wrong with the request.
pub(super) fn get(connection: &Connection, request: GetPromptRequestParams) -> Result<GetPromptResult, String> {
    let GetPromptRequestParams { name, arguments, .. } = request;
    let text = match name.as_str() {
        SYSTEM_BLOCK => {
            let [] = args::texts(arguments, [])?;
            let prompt = connection.system_prompt();
            if prompt.is_empty() { NOTHING_YET.to_owned() } else { prompt }
        }
        REMEMBER => match arguments.filter(|arguments| !arguments.is_empty()) {
            None => REVIEW.to_owned(),
            Some(arguments) => {
                let [focus] = args::texts(Some(arguments), [FOCUS])?;
                format!("{REVIEW}\n\nAbove all, remember: {focus}")
            }
        },
        other => return Err(format!("there is no prompt `{}`", other.escape_debug())),
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}
