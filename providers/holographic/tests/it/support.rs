//! A provider on a folder of its own, and short ways to call it.

use std::path::Path;

use hermes_provider_api::records::{Caller, OpenRequest, PrefetchQuery, ToolRequest};
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, ChatKind, MemoryProvider as _, ProviderError, Scope};
use hermes_provider_holographic::Holographic;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Case {
    pub(crate) provider: Holographic,
    pub(crate) folder: TempDir,
    pub(crate) caller: Caller,
}

pub(crate) fn open(folder: &Path) -> Holographic {
    Holographic::open(FakeHost::new(folder).host(), OpenRequest::default()).unwrap()
}

impl Case {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { provider: open(folder.path()), folder, caller: Caller::default() }
    }

    /// With these settings.
    pub(crate) fn configured(config: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let host = FakeHost::new(folder.path()).with_config(config).host();
        Self { provider: Holographic::open(host, OpenRequest::default()).unwrap(), folder, caller: Caller::default() }
    }

    /// With these facts, numbered from 1.
    pub(crate) fn with(facts: &[&str]) -> Self {
        let case = Self::new();
        for fact in facts {
            case.add(fact);
        }
        case
    }

    pub(crate) fn try_tool(&self, tool: &str, args: Value) -> Result<Value, ProviderError> {
        let request = ToolRequest { caller: self.caller.clone(), tool: tool.to_owned(), args };
        self.provider.call_tool(&request, &Call::default())
    }

    #[track_caller]
    pub(crate) fn store(&self, args: Value) -> Value {
        match self.try_tool("fact_store", args.clone()) {
            Ok(answer) => answer,
            Err(error) => panic!("{args}: {error:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn add(&self, content: &str) -> i64 {
        self.store(json!({"action": "add", "content": content}))["fact_id"].as_i64().unwrap()
    }

    /// The ids that an action answers, best first.
    #[track_caller]
    pub(crate) fn ids(&self, args: Value) -> Vec<i64> {
        let answer = self.store(args);
        let results = answer["results"].as_array().unwrap();
        assert_eq!(answer["count"], results.len());
        results.iter().map(|fact| fact["fact_id"].as_i64().unwrap()).collect()
    }

    #[track_caller]
    pub(crate) fn search(&self, query: &str) -> Vec<i64> {
        self.ids(json!({"action": "search", "query": query}))
    }

    #[track_caller]
    pub(crate) fn recall(&self, message: &str) -> Vec<String> {
        let query = PrefetchQuery { caller: self.caller.clone(), query: message.to_owned(), limit: 5 };
        let recall = self.provider.prefetch(&query, &Call::default()).unwrap();
        recall.items.into_iter().map(|item| item.text).collect()
    }

    pub(crate) fn speaking_as(mut self, scope: Scope) -> Self {
        self.caller.scope = scope;
        self
    }
}

pub(crate) fn private(user: &str) -> Scope {
    Scope { platform: "telegram".to_owned(), user: user.to_owned(), ..Scope::default() }
}

pub(crate) fn group(chat: &str, user: &str) -> Scope {
    Scope { chat: chat.to_owned(), chat_kind: ChatKind::Group, ..private(user) }
}

/// Numbers that look random and are the same in every run (Knuth's MMIX generator).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}
