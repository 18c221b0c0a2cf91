//! The tools `fact_store` and `fact_feedback`: from a model's arguments to an answer.

mod args;
mod find;
mod keep;
mod past;
mod schema;

use hermes_provider_api::records::{Effect, ToolRequest};
use hermes_provider_api::{Call, ProviderError};
use serde_json::Value;

use crate::audience::Audience;
use crate::config::Settings;
use crate::error::Result;
use crate::semantic::Semantic;
use crate::store::Store;
use args::{Args, wrong};

pub(crate) use schema::{GUIDANCE, schemas};

/// The tools' names.
pub(crate) const FACT_STORE: &str = "fact_store";
pub(crate) const FACT_FEEDBACK: &str = "fact_feedback";

/// What `fact_store` can do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Add,
    Search,
    Probe,
    Related,
    Reason,
    Contradict,
    Alias,
    Update,
    Forget,
    List,
    Timeline,
    AsOf,
    Duplicates,
    Merge,
    Unmerge,
}

impl Action {
    /// All of them with their names in the arguments, in the order in which the model is told.
    pub(crate) const ALL: [(&'static str, Self); 16] = [
        ("add", Self::Add),
        ("search", Self::Search),
        ("probe", Self::Probe),
        ("related", Self::Related),
        ("reason", Self::Reason),
        ("contradict", Self::Contradict),
        ("alias", Self::Alias),
        ("update", Self::Update),
        ("forget", Self::Forget),
        // As it was called at first, and as other fact stores call it.
        ("remove", Self::Forget),
        ("list", Self::List),
        ("timeline", Self::Timeline),
        ("as_of", Self::AsOf),
        ("duplicates", Self::Duplicates),
        ("merge", Self::Merge),
        ("unmerge", Self::Unmerge),
    ];

    fn of(args: &Args) -> Result<Self> {
        let names = || Self::ALL.map(|(name, _)| name).join(", ");
        let Some(given) = args.text("action")? else {
            return Err(wrong(&format!("`action` is missing; it is one of {}", names()), SEARCH_EXAMPLE));
        };
        let action = Self::ALL.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(given.trim()));
        action
            .map(|(_, action)| action)
            .ok_or_else(|| wrong(&format!("there is no action `{given}`; the actions are {}", names()), SEARCH_EXAMPLE))
    }
}

const SEARCH_EXAMPLE: &str = r#"{"action": "search", "query": "the user's cat"}"#;

/// What a call would do to the store.
pub(crate) fn effect(tool: &str, args: &Value) -> Effect {
    if tool != FACT_STORE {
        return Effect::Write;
    }
    match Args::new(args).and_then(|args| Action::of(&args)) {
        Ok(Action::Add | Action::Alias | Action::Update | Action::Merge | Action::Unmerge) => Effect::Write,
        Ok(Action::Forget) => Effect::Delete,
        Ok(_) => Effect::Read,
        // It will be refused, so it changes nothing; and a reader should be told what was wrong with it.
        Err(_) => Effect::Read,
    }
}

/// What a tool needs to run.
pub(crate) struct Tools<'a> {
    pub store: &'a Store,
    pub semantic: &'a Semantic,
    pub settings: &'a Settings,
    pub now: u64,
    pub call: &'a Call<'a>,
}

impl Tools<'_> {
    /// Runs a tool.
    pub(crate) fn run(&self, request: &ToolRequest) -> Result<Value> {
        let args = Args::new(&request.args)?;
        let (caller, audience) = (&request.caller, Audience::of(&request.caller.scope));
        let mut answer = match request.tool.as_str() {
            FACT_FEEDBACK => self.feedback(&args, &audience)?,
            FACT_STORE => match Action::of(&args)? {
                Action::Add => self.add(&args, caller)?,
                Action::Alias => self.alias(&args, caller)?,
                Action::Update => self.update(&args, &audience)?,
                Action::Forget => self.forget(&args, &audience)?,
                Action::Merge => self.merge(&args, &audience)?,
                Action::Unmerge => self.unmerge(&args, &audience)?,
                Action::List => self.list(&args, &audience)?,
                Action::Search => self.search(&args, &audience)?,
                Action::Probe => self.probe(&args, &audience)?,
                Action::Related => self.related(&args, &audience)?,
                Action::Reason => self.reason(&args, &audience)?,
                Action::Contradict => self.contradict(&args, &audience)?,
                Action::Duplicates => self.duplicates(&args, &audience)?,
                Action::Timeline => self.timeline(&args, &audience)?,
                Action::AsOf => self.as_of(&args, &audience)?,
            },
            other => return Err(ProviderError::unsupported(&format!("tool `{other}`")).into()),
        };
        if let (Some(notice), Value::Object(answer)) = (self.store.kept(), &mut answer) {
            answer.insert("notice".to_owned(), Value::String(format!("tell the user: {notice}")));
        }
        Ok(answer)
    }
}
