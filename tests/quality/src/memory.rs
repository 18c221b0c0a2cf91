//! A store of `holographic` in a throw-away folder, asked through its tools.

use std::collections::HashMap;
use std::time::Duration;

use hermes_provider_api::host::Embeddings;
use hermes_provider_api::records::{OpenRequest, RecallState, ToolRequest};
use hermes_provider_api::testkit::FakeHost;
use hermes_provider_api::{Call, ErrorKind, MemoryProvider as _, ProviderError};
use hermes_provider_holographic::Holographic;
use serde_json::{Value, json};

use crate::{Result, Way};

/// What the test kit's host calls its model.
const NAME: &str = "fake-embeddings";
/// A small model on a busy machine takes its time.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Memory {
    provider: Holographic,
    /// What the data calls a fact, by its id in the store.
    names: HashMap<i64, String>,
    semantic: bool,
    _folder: tempfile::TempDir,
}

impl Memory {
    pub(crate) fn new(way: &Way) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("hermes-quality-").tempdir()?;
        let mut host = FakeHost::new(folder.path());
        if let Some(models) = way.models.clone() {
            host = host.with_config(json!({"semantic": "on"})).with_embeddings(move |request| {
                let found = models.embed(&request.texts, PATIENCE);
                let found = found.map_err(|error| ProviderError::new(ErrorKind::Unavailable, error.to_string()))?;
                Ok(Embeddings { model: NAME.to_owned(), vectors: found.vectors })
            });
        }
        let provider = Holographic::open(host.host(), OpenRequest::default())?;
        Ok(Self { provider, names: HashMap::new(), semantic: way.models.is_some(), _folder: folder })
    }

    /// Waits until every fact can be found in each way.
    pub(crate) fn settle(&self) -> Result<()> {
        let all = format!("{0} of {0} found by meaning", self.names.len());
        if !self.semantic {
            return Ok(());
        }
        loop {
            let status = self.provider.recall_status(&Call::default())?;
            if status.state == RecallState::Degraded {
                return Err(status.detail.into());
            }
            if status.detail.contains(&all) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn add(&mut self, name: &str, content: &str) -> Result<()> {
        let answer = self.tool(json!({"action": "add", "content": content}))?;
        let id = answer["fact_id"].as_i64().ok_or("an added fact has no `fact_id`")?;
        // A text that is there already keeps its first name.
        self.names.entry(id).or_insert_with(|| name.to_owned());
        Ok(())
    }

    /// The names of the facts that are found, best first.
    pub(crate) fn ask(&self, action: &str, args: &Value, limit: usize) -> Result<Vec<String>> {
        let mut args = args.clone();
        args["action"] = json!(action);
        args["limit"] = json!(limit);
        let answer = self.tool(args)?;
        let results = answer["results"].as_array().ok_or("no `results`")?;
        Ok(results.iter().map(|fact| self.name(&fact["fact_id"])).collect())
    }

    /// Pairs of facts that contradict each other, the surest first.
    pub(crate) fn contradictions(&self) -> Result<Vec<[String; 2]>> {
        let answer = self.tool(json!({"action": "contradict", "limit": 100}))?;
        let pairs = answer["contradictions"].as_array().ok_or("no `contradictions`")?;
        Ok(pairs.iter().map(|pair| ["fact_a", "fact_b"].map(|side| self.name(&pair[side]["fact_id"]))).collect())
    }

    fn name(&self, id: &Value) -> String {
        id.as_i64().and_then(|id| self.names.get(&id)).cloned().unwrap_or_default()
    }

    fn tool(&self, args: Value) -> Result<Value> {
        let request = ToolRequest { tool: "fact_store".to_owned(), args, ..ToolRequest::default() };
        Ok(self.provider.call_tool(&request, &Call::default())?)
    }
}
