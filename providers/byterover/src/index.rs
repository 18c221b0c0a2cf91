//! What in the trees fits a message, without `brv`.
//!
//! A tree has hundreds of files rather than millions, so they are kept in memory, and read again when they change.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hermes_provider_api::folders::AudienceFolder;
use hermes_provider_api::records::RecallItem;
use hermes_provider_api::{Call, Result, Scope};
use hermes_text::{Passages, find_passages, is_trivial};

use crate::documents::{Document, documents};

/// A recalled item is not longer, in characters.
const MAX_ITEM: usize = 1200;

/// The files that were read, and when they had changed last.
#[derive(Default)]
pub(crate) struct Index(Mutex<HashMap<PathBuf, (u128, Arc<Passages>)>>);

impl Index {
    /// The best items for a message, of what `audience` may see.
    pub(crate) fn search(
        &self,
        data: &Path,
        audience: &Scope,
        message: &str,
        limit: usize,
        call: &Call<'_>,
    ) -> Result<Vec<RecallItem>> {
        let (mut items, mut texts) = (Vec::new(), Vec::new());
        if !is_trivial(message) {
            for tree in AudienceFolder::visible(data, audience) {
                for document in documents(&tree) {
                    call.check()?;
                    items.push(document.item(&tree));
                    texts.push(self.read(&document));
                }
            }
        }
        let found = find_passages(message, &texts, MAX_ITEM).into_iter().take(limit);
        Ok(found.map(|found| RecallItem { text: found.text, score: found.score, ..items[found.at].clone() }).collect())
    }

    fn read(&self, document: &Document) -> Arc<Passages> {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((changed, passages)) = known().get(&document.path)
            && *changed == document.changed
        {
            return Arc::clone(passages);
        }
        let text = document.text();
        let passages = if document.is_note() { Passages::whole(&text) } else { Passages::markdown(&text) };
        let passages = Arc::new(passages);
        known().insert(document.path.clone(), (document.changed, Arc::clone(&passages)));
        passages
    }
}
