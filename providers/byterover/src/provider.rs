//! The hooks.

use std::path::PathBuf;

use hermes_provider_api::folders::AudienceFolder;
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
use crate::documents::{Document, digest, documents, keep, newest_first, note, tree_for_writing};
use crate::index::Index;
use crate::tools;

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
        // By hand, or from the file of another program, it may be a text.
        let set = config["auto_extract"].to_string().to_lowercase();
        let auto_extract = !["false", "off", "no", "0"].contains(&set.trim_matches('"'));
        let data = host.data_dir()?;
        Ok(Self { brv: Brv::new(host.clone()), host, data, auto_extract, index: Index::default() })
    }

    fn unavailable_reason(&self) -> Option<String> {
        let error = self.brv.find().err()?;
        Some(error.hint.map_or_else(|| error.message.clone(), |hint| format!("{}: {hint}", error.message)))
    }

    fn health(&self, call: &Call<'_>) -> Result<Health> {
        let count = self.count();
        Ok(match self.brv.model(call)? {
            Some(model) => Health::ok(format!("brv works with {model}; documents: {count}")),
            None => Health::degraded(format!("no model is connected in `brv`, so nothing new is curated: {CONNECT}")),
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
        let count = self.count();
        Ok(RecallStatus { detail: format!("documents: {count}"), entries: Some(count), ..RecallStatus::default() })
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
        let kind = match write.target {
            MemoryTarget::User => "user",
            _ => "memory",
        };
        let tree = AudienceFolder::of(&self.data, &write.caller.scope);
        let (old, new) = (note(&tree, kind, &write.previous), note(&tree, kind, &write.content));
        // What a newer host does to the curated memory cannot be repeated here.
        let adds = matches!(write.action, WriteAction::Add | WriteAction::Replace) && !write.content.trim().is_empty();
        if adds && self.auto_extract {
            tree_for_writing(&self.data, &write.caller.scope)?;
            keep(&new, &write.content)?;
        }
        // What is gone is no longer recalled, whatever is mirrored now.
        if matches!(write.action, WriteAction::Remove | WriteAction::Replace) && !(adds && old.id == new.id) {
            old.remove()?;
        }
        Ok(())
    }

    fn on_pre_compress(&self, compress: &PreCompress, call: &Call<'_>) -> Result<CompressNote> {
        let last = &compress.messages[compress.messages.len().saturating_sub(LAST_MESSAGES)..];
        if self.auto_extract && compress.caller.context.may_write() {
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
        let tree = tree_for_writing(&self.data, &wish.caller.scope)?;
        let note = note(&tree, "kept", &wish.text);
        Ok(Remembered { existed: keep(&note, &wish.text)?, id: note.id })
    }

    fn list_entries(&self, list: &ListEntries, call: &Call<'_>) -> Result<EntryPage> {
        let mut all: Vec<(Document, AudienceFolder)> = Vec::new();
        for tree in AudienceFolder::visible(&self.data, &list.caller.scope) {
            all.extend(documents(&tree).into_iter().map(|document| (document, tree.clone())));
        }
        all.sort_by(|(a, _), (b, _)| newest_first(a).cmp(&newest_first(b)));
        if !list.cursor.is_empty() {
            let after =
                list.cursor.split_once(' ').and_then(|(at, id)| Some((std::cmp::Reverse(at.parse().ok()?), id)));
            let after = after.ok_or_else(|| ProviderError::invalid("that is no cursor of this list"))?;
            all.retain(|(document, _)| newest_first(document) > after);
        }
        let (mut page, mut bytes) = (EntryPage::default(), 0);
        for (document, tree) in all.iter().take(list.limit.clamp(1, MAX_PAGE)) {
            call.check()?;
            let item = RecallItem { text: document.text(), ..document.item(tree) };
            bytes += item.text.len();
            page.entries.push(item);
            if bytes > MAX_PAGE_BYTES {
                break;
            }
        }
        let last = all.get(page.entries.len().wrapping_sub(1)).filter(|_| page.entries.len() < all.len());
        page.next = last.map(|(last, _)| format!("{} {}", last.changed, last.id)).unwrap_or_default();
        Ok(page)
    }

    fn delete_entry(&self, id: &str, caller: &Caller, _call: &Call<'_>) -> Result<()> {
        let trees = AudienceFolder::visible(&self.data, &caller.scope);
        let found = trees.iter().flat_map(documents).find(|document| document.id == id);
        found.ok_or_else(|| ProviderError::not_found(format!("there is no document `{id}`")))?.remove()
    }
}

impl ByteRover {
    fn count(&self) -> u64 {
        AudienceFolder::all(&self.data).iter().map(|tree| documents(tree).len() as u64).sum()
    }

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
        let tree = tree_for_writing(&self.data, &caller.scope)?;
        let text = Text { key, wish: CONVERSATION, text: &conversation(messages), queued };
        curate(&self.brv, &tree, &text, call).map(drop)
    }
}
