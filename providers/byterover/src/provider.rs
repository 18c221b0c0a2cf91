//! The hooks.

use std::path::PathBuf;

use hermes_provider_api::records::{
    Caller, CompressNote, Effect, EntryPage, Health, ListEntries, MemoryTarget, MemoryWrite, OpenRequest, PreCompress,
    PrefetchQuery, Recall, RecallItem, RecallStatus, Remember, Remembered, ToolRequest, ToolSchema, Turn, WriteAction,
};
use hermes_provider_api::records::{Message, Role};
use hermes_provider_api::{Call, Host, MemoryProvider, ProviderError, Result, Scope};
use hermes_text::{is_command, is_trivial};
use serde_json::Value;

use crate::brv::{Brv, CONNECT};
use crate::curate::{CONVERSATION, Text, conversation, curate};
use crate::documents::{Document, documents, keep, newest_first, note};
use crate::index::Index;
use crate::tools;
use crate::tree::{Tree, digest};

/// Pages of entries are not longer, nor is their text.
const MAX_PAGE: usize = 500;
const MAX_PAGE_BYTES: usize = 8 << 20;
/// Of a window that is about to be folded, the end.
const LAST_MESSAGES: usize = 20;

/// The provider.
pub struct ByteRover {
    pub(crate) host: Host,
    pub(crate) brv: Brv,
    pub(crate) data: PathBuf,
    pub(crate) auto_extract: bool,
    index: Index,
}

impl MemoryProvider for ByteRover {
    fn open(host: Host, _request: OpenRequest) -> Result<Self> {
        let config: Value = host.config()?;
        let auto_extract = match &config["auto_extract"] {
            Value::Null => true,
            Value::Bool(on) => *on,
            // By hand, or from the file of another program.
            other => !matches!(
                other.to_string().trim_matches('"').trim().to_lowercase().as_str(),
                "false" | "off" | "no" | "0"
            ),
        };
        let data = host.data_dir()?;
        Ok(Self { brv: Brv::new(host.clone()), host, data, auto_extract, index: Index::default() })
    }

    fn unavailable_reason(&self) -> Option<String> {
        let error = self.brv.find().err()?;
        Some(error.hint.map_or_else(|| error.message.clone(), |hint| format!("{}: {hint}", error.message)))
    }

    fn health(&self, call: &Call<'_>) -> Result<Health> {
        let count: usize = Tree::all(&self.data).iter().map(|tree| documents(tree).len()).sum();
        let count = if count == 1 { "1 document".to_owned() } else { format!("{count} documents") };
        Ok(match self.brv.model(call)? {
            Some(model) => Health::ok(format!("{count}; brv works with {model}")),
            None => Health::degraded(format!(
                "{count}; no model is connected in `brv`, so nothing new is curated: {CONNECT}"
            )),
        })
    }

    fn system_prompt_block(&self, _caller: &Caller) -> Result<String> {
        Ok(tools::GUIDANCE.to_owned())
    }

    fn prefetch(&self, query: &PrefetchQuery, call: &Call<'_>) -> Result<Recall> {
        let items = self.search(&query.caller.scope, &query.query, query.limit, call)?;
        Ok(Recall { preface: None, items })
    }

    fn recall_status(&self, _call: &Call<'_>) -> Result<RecallStatus> {
        let count: usize = Tree::all(&self.data).iter().map(|tree| documents(tree).len()).sum();
        Ok(RecallStatus {
            detail: format!("{count} documents"),
            entries: u64::try_from(count).ok(),
            ..RecallStatus::default()
        })
    }

    fn sync_turn(&self, turn: &Turn, call: &Call<'_>) -> Result<()> {
        let (said, answer) = (turn.user_text(), turn.assistant_text());
        // A group without an id has no memory, and what was broken off before an answer comes again.
        let is_said = turn.caller.scope.visible_to(&turn.caller.scope) && !(turn.interrupted && answer.is_empty());
        if !self.auto_extract || !is_said || is_trivial(said) || is_command(said) {
            return Ok(());
        }
        // What the model said between the two was about its own progress.
        let messages = [Message::new(Role::User, said), Message::new(Role::Assistant, answer)];
        self.hand_over(&turn.caller, &turn.idempotency_key, &messages, false, call)
    }

    fn on_memory_write(&self, write: &MemoryWrite, _call: &Call<'_>) -> Result<()> {
        if !self.auto_extract {
            return Ok(());
        }
        let kind = match write.target {
            MemoryTarget::User => "user",
            _ => "memory",
        };
        let tree = Tree::for_writing(&self.data, &write.caller.scope)?;
        let (old, new) = (note(&tree, kind, &write.previous), note(&tree, kind, &write.content));
        let adds = matches!(write.action, WriteAction::Add | WriteAction::Replace) && !write.content.trim().is_empty();
        if adds {
            keep(&new, &write.content)?;
        }
        // What a newer host does to the curated memory cannot be repeated here.
        if matches!(write.action, WriteAction::Remove | WriteAction::Replace) && !(adds && old.id == new.id) {
            old.remove()?;
        }
        Ok(())
    }

    fn on_pre_compress(&self, compress: &PreCompress, call: &Call<'_>) -> Result<CompressNote> {
        let last = &compress.messages[compress.messages.len().saturating_sub(LAST_MESSAGES)..];
        if self.auto_extract && compress.caller.context.may_write() && !conversation(last).is_empty() {
            let key = format!("compress {}", digest(&conversation(last)));
            // The agent waits, so it is left to the daemon.
            self.hand_over(&compress.caller, &key, last, true, call)?;
        }
        Ok(CompressNote::default())
    }

    fn tool_schemas(&self) -> Result<Vec<ToolSchema>> {
        Ok(tools::schemas())
    }

    fn call_tool(&self, request: &ToolRequest, call: &Call<'_>) -> Result<Value> {
        tools::run(self, request, call)
    }

    fn tool_effect(&self, tool: &str, _args: &Value) -> Effect {
        tools::effect(tool)
    }

    fn remember(&self, wish: &Remember, _call: &Call<'_>) -> Result<Remembered> {
        if wish.text.trim().is_empty() {
            return Err(ProviderError::invalid("there is nothing to remember"));
        }
        let tree = Tree::for_writing(&self.data, &wish.caller.scope)?;
        let note = note(&tree, "kept", &wish.text);
        Ok(Remembered { existed: keep(&note, &wish.text)?, id: note.id })
    }

    fn list_entries(&self, list: &ListEntries, call: &Call<'_>) -> Result<EntryPage> {
        let mut all: Vec<(Document, Tree)> = Vec::new();
        for tree in Tree::visible(&self.data, &list.caller.scope) {
            all.extend(documents(&tree).into_iter().map(|document| (document, Tree::of(&self.data, &tree.scope))));
        }
        all.sort_by(|(a, _), (b, _)| newest_first(a).cmp(&newest_first(b)));
        if !list.cursor.is_empty() {
            let after =
                list.cursor.split_once(' ').and_then(|(at, id)| Some((std::cmp::Reverse(at.parse().ok()?), id)));
            let after = after.ok_or_else(|| ProviderError::invalid("that is no cursor of this list"))?;
            all.retain(|(document, _)| newest_first(document) > after);
        }
        let (mut page, mut bytes) = (EntryPage::default(), 0);
        let mut left = all.iter().peekable();
        while let Some((document, tree)) = left.next_if(|_| page.entries.len() < list.limit.clamp(1, MAX_PAGE)) {
            call.check()?;
            let item = RecallItem { text: document.text(), ..document.item(tree) };
            bytes += item.text.len();
            page.entries.push(item);
            if left.peek().is_some() {
                page.next = format!("{} {}", document.changed, document.id);
            }
            if bytes > MAX_PAGE_BYTES {
                break;
            }
        }
        if left.peek().is_none() {
            page.next.clear();
        }
        Ok(page)
    }

    fn delete_entry(&self, id: &str, caller: &Caller, _call: &Call<'_>) -> Result<()> {
        let trees = Tree::visible(&self.data, &caller.scope);
        let found = trees.iter().flat_map(documents).find(|document| document.id == id);
        found.ok_or_else(|| ProviderError::not_found(format!("there is no document `{id}`")))?.remove()
    }
}

impl ByteRover {
    /// What fits a message, without `brv`.
    pub(crate) fn search(
        &self,
        audience: &Scope,
        message: &str,
        limit: usize,
        call: &Call<'_>,
    ) -> Result<Vec<RecallItem>> {
        self.index.search(&self.data, audience, message, limit, call)
    }

    fn hand_over(&self, caller: &Caller, key: &str, messages: &[Message], queued: bool, call: &Call<'_>) -> Result<()> {
        let tree = Tree::for_writing(&self.data, &caller.scope)?;
        let text = Text { key, wish: CONVERSATION, text: &conversation(messages), queued };
        curate(&self.brv, &tree, &text, call).map(drop)
    }
}
