//! What each scenario does, what a user notices when it fails, and how a provider is mended.
//!
//! The scenarios are listed in the order of the report. Each works in an empty data folder of its own. Its name is what
//! [`Kit::only`](super::Kit::only) takes while one of them is worked on:
//!
//! ```
//! use hermes_provider_api::serde_json::json;
//! use hermes_provider_api::testkit::conformance::Kit;
//!
//! let kit = Kit::new(json!({})).only("deliveries");
//! # let _ = kit;
//! ```
//!
//! # opening
//!
//! Opens the provider with the settings of a user who has just set it up, and asks
//! [`unavailable_reason`](crate::MemoryProvider::unavailable_reason) and [`health`](crate::MemoryProvider::health).
//!
//! * A reason is a note: the provider needs something that the kit cannot give it. Scenarios that need a working store are
//!   then left out. To have them run, play the service with [`Kit::with_http`](super::Kit::with_http),
//!   or its programs with [`Kit::with_command`](super::Kit::with_command).
//! * A health that is not well, without a reason, is a warning: right after setup the user reads that it does not work.
//!
//! What is missing from the outside belongs to `unavailable_reason`, which must not call the service. What is empty, such as
//! a store without an entry, is healthy.
//!
//! # storing
//!
//! Stores one sentence through each way in that is listed (`remember`, `on_memory_write`, `sync_turn`, `import`), and looks
//! for it in a recall and in the listing. The question has the names and the words of the sentence, since the kit does not
//! know how a provider searches.
//!
//! * Not found is an error, but for turns, which a provider may distil later: there it is a note.
//! * The listing is read one entry at a time. A page that leads back to itself, an entry that is missing or comes twice is
//!   an error; one that is not newest first a warning.
//! * An entry that was deleted must not come back by any way out: take it out of every index in the same transaction.
//!
//! A cursor that names a place survives additions and deletions better than one that counts:
//!
//! ```
//! use hermes_provider_api::ProviderError;
//! use hermes_provider_api::records::{EntryPage, ListEntries, RecallItem};
//!
//! /// Entries with ascending ids, oldest first.
//! fn page(entries: &[(u64, &str)], list: &ListEntries) -> Result<EntryPage, ProviderError> {
//!     let before: u64 = match list.cursor.as_str() {
//!         "" => u64::MAX,
//!         cursor => cursor.parse().map_err(|_| ProviderError::invalid("that is no cursor of this list"))?,
//!     };
//!     let mut newest_first = entries.iter().rev().filter(|(id, _)| *id < before);
//!     let page: Vec<_> = newest_first.by_ref().take(list.limit.max(1)).collect();
//!     let more = newest_first.next().is_some();
//!     let next = page.last().filter(|_| more).map(|(id, _)| id.to_string()).unwrap_or_default();
//!     let item = |(id, text): &&(u64, &str)| {
//!         RecallItem { id: id.to_string(), text: (*text).to_owned(), ..RecallItem::default() }
//!     };
//!     Ok(EntryPage { entries: page.iter().map(item).collect(), next })
//! }
//!
//! let entries = [(1, "oldest"), (2, "middle"), (5, "newest")];
//! let first = page(&entries, &ListEntries { limit: 2, ..ListEntries::default() }).unwrap();
//! assert_eq!((first.entries[0].text.as_str(), first.next.as_str()), ("newest", "2"));
//! let last = page(&entries, &ListEntries { cursor: first.next, limit: 2, ..ListEntries::default() }).unwrap();
//! assert_eq!((last.entries.len(), last.next.as_str()), (1, ""));
//! ```
//!
//! # hooks
//!
//! Calls every hook that is listed once, with an ordinary request. The answer must be the hook's record and come within its
//! deadline. A hook that is listed and answers [`Unsupported`](crate::ErrorKind::Unsupported) is an error: hermes offers it
//! to the user and then refuses. Deleting an entry that is not there must fail with
//! [`NotFound`](crate::ErrorKind::NotFound), or a mistyped id looks like a deletion.
//!
//! # unlisted hooks
//!
//! Calls the hooks that are not listed. One that does more than the trait's default was implemented and forgotten in the
//! manifest, so no host will ever call it. Only the type itself shows that: through a loader these hooks are not reached.
//!
//! # deliveries
//!
//! Hermes delivers turns and notes at least once. When a crash or a timeout hides whether one arrived, it comes again, with
//! the same idempotency key, also after hermes was started anew. A user must not see it twice.
//!
//! The key has to be stored with what it brought, all or nothing: in the same transaction, or in the same file.
//!
//! ```
//! use std::collections::BTreeSet;
//!
//! /// What is written to the disk as one file.
//! #[derive(Default)]
//! struct Store {
//!     keys: BTreeSet<String>,
//!     texts: Vec<String>,
//! }
//!
//! impl Store {
//!     /// Answers a delivery that is known as the first time: without an error.
//!     fn take(&mut self, key: &str, text: &str) {
//!         if self.keys.insert(key.to_owned()) {
//!             self.texts.push(text.to_owned());
//!         }
//!     }
//! }
//!
//! let mut store = Store::default();
//! store.take("monday:1", "I moved to Riga");
//! store.take("monday:1", "I moved to Riga");
//! assert_eq!(store.texts.len(), 1);
//! ```
//!
//! `remember` has no key. The same text for the same scope is best answered with the entry that is there and
//! [`existed`](crate::records::Remembered::existed); a second entry is a warning.
//!
//! # sessions
//!
//! Two sessions take turns, with switches between them, each told twice. Both end, twice, and so does one that was never
//! seen. What was learnt must still be there, once: a provider that stores the whole conversation at its end has to leave out
//! what its turns have brought already. None of these notices may be answered with an error: hermes would report it as lost.
//!
//! # texts
//!
//! Empty texts, blanks, NULs, control characters, operators of query languages, scripts from right to left, joiners,
//! combining marks alone, text without spaces, markup of chat templates, and a megabyte: through each hook that takes a text
//! and through the tools.
//!
//! * A crash is an error. Most come from slicing at bytes: `&text[..20]` panics in the middle of a letter.
//! * A delivery that is refused with a retryable error is an error as well: hermes tries it again and again, and what comes
//!   after waits behind it. What will never succeed is [`InvalidInput`](crate::ErrorKind::InvalidInput).
//! * A message or a turn that is refused for its text is a warning. People do paste logs: bound what is worked on.
//! * A text that comes back changed is a warning. Store what was written; fold only what is searched.
//!
//! ```
//! /// The beginning of a text: whole letters, at most so many.
//! fn beginning(text: &str, most: usize) -> &str {
//!     text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
//! }
//!
//! assert_eq!(beginning("Привет", 3), "При");
//! assert_eq!(beginning("hi", 3), "hi");
//! ```
//!
//! # future
//!
//! Sends every request once more as a newer hermes may: with unknown fields at every level, and with a role, a chat kind and
//! a context that nobody knows yet. Where the request of today is answered, that of tomorrow must be as well. The
//! [`records`](crate::records) of this crate see to it, as long as a provider does not match on their values and refuse the
//! rest.
//!
//! # scopes
//!
//! Something is learnt in a private chat, and looked for by another user, in a group, in another profile, by a namesake on
//! another platform and by somebody unknown; something is learnt in a group, and looked for in another group and in private.
//! Each by a recall, by the listing, and by every tool call that says it only reads.
//!
//! Hermes checks the items of a recall once more, so one that carries its true scope is a warning: nothing is given away, but
//! the places of other items are lost. Everything else is an error, since nobody checks after the provider.
//!
//! Narrow by scope in the query where that is possible, and apply the rule itself to each row:
//!
//! ```
//! use hermes_provider_api::records::{PrefetchQuery, Recall, RecallItem, Scope};
//!
//! fn recall(known: &[(Scope, &str)], query: &PrefetchQuery) -> Recall {
//!     let visible = known.iter().filter(|(scope, _)| scope.visible_to(&query.caller.scope));
//!     let fits = visible.filter(|(_, text)| query.query.split(' ').any(|word| text.contains(word)));
//!     // After the filter: what nobody may see must not take the place of what fits.
//!     let items = fits.take(query.limit).map(|(scope, text)| RecallItem {
//!         text: (*text).to_owned(),
//!         scope: Some(scope.clone()),
//!         ..RecallItem::default()
//!     });
//!     Recall { items: items.collect(), ..Recall::default() }
//! }
//!
//! let ann = Scope { user: "ann".into(), ..Scope::default() };
//! let known = [(ann.clone(), "Ann drinks tea")];
//! let mut query = PrefetchQuery { query: "tea".into(), ..PrefetchQuery::default() };
//! assert!(recall(&known, &query).items.is_empty());
//! query.caller.scope = ann;
//! assert_eq!(recall(&known, &query).items.len(), 1);
//! ```
//!
//! Deleting is a look as well: an id that another user sees must be answered as if there were no such entry.
//!
//! # deadlines
//!
//! Calls every hook with a long text and a deadline that has passed, then with the flag up that says the host has gone on.
//! Either must end by itself, with whatever answer. After that an ordinary call must be answered as ever: locks and
//! connections have to be given back on the way out by an error too.
//!
//! ```
//! use std::time::Duration;
//! use hermes_provider_api::{Call, ErrorKind, ProviderError};
//!
//! fn rank(candidates: &[&str], call: &Call<'_>) -> Result<usize, ProviderError> {
//!     let mut best = 0;
//!     for (at, text) in candidates.iter().enumerate() {
//!         call.check()?; // cheap enough for each step
//!         if text.len() > candidates[best].len() {
//!             best = at;
//!         }
//!     }
//!     Ok(best)
//! }
//!
//! let past = Call::new(Some(Duration::ZERO), 0, || false);
//! assert_eq!(rank(&["a", "bb"], &past).unwrap_err().kind, ErrorKind::Cancelled);
//! assert_eq!(rank(&["a", "bb"], &Call::default()).unwrap(), 1);
//! ```
//!
//! # reopening
//!
//! Stores, shuts down, opens again and looks. Then stores, and lets go of the instance without a word, which in a worker is a
//! kill: what was confirmed must be there. A provider that writes at exit, or every few seconds, fails here. In process the
//! provider's drop still runs, so only the worker shows all of it.
//!
//! # together
//!
//! Two instances, in a worker two processes, are open on the same folder and store at the same time. Each memory that was
//! confirmed must be there afterwards. Either may wait for the other, or answer a retryable error and be called again.
//!
//! Reading, changing and writing have to be one step. With a database that is a transaction that locks before it reads; with
//! a plain file, a lock on a file beside it:
//!
//! ```
//! use std::fs::{self, File};
//! use std::io;
//! use std::path::Path;
//!
//! fn append(folder: &Path, line: &str) -> io::Result<()> {
//!     let lock = File::create(folder.join("notes.lock"))?;
//!     lock.lock()?; // given back when it is dropped, also by a crash
//!     let path = folder.join("notes.txt");
//!     let mut notes = match fs::read_to_string(&path) {
//!         Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
//!         other => other?,
//!     };
//!     notes.push_str(line);
//!     notes.push('\n');
//!     // Beside it, and then in its place: a reader or a crash finds the old notes or the new ones.
//!     fs::write(folder.join("notes.new"), notes)?;
//!     fs::rename(folder.join("notes.new"), path)
//! }
//!
//! let folder = std::env::temp_dir().join(format!("hermes-guide-{}", std::process::id()));
//! fs::create_dir_all(&folder)?;
//! append(&folder, "one")?;
//! append(&folder, "two")?;
//! assert_eq!(fs::read_to_string(folder.join("notes.txt"))?, "one\ntwo\n");
//! # fs::remove_dir_all(&folder)?;
//! # io::Result::Ok(())
//! ```
//!
//! # folders
//!
//! Two instances on two folders in one process, as two profiles of an application are. What one stores must not come up in
//! the other: the store belongs into the instance, not into a static.
//!
//! # closing
//!
//! Shuts down twice, calls every hook after that, and closes. Nothing may crash or hang; errors are fine.
//!
//! # uninstalled
//!
//! Stores, closes, deletes the data folder and opens again. The memory must begin anew: it is healthy, knows nothing, and can
//! store. Whatever still comes up was kept outside the folder, where a user who deletes it cannot reach it.
//!
//! # tools
//!
//! Looks at the schemas as model services do. A name with a blank, two tools of one name or parameters that are no schema of
//! an object make them refuse the user's whole turn, not only the tool. Then calls each tool with nothing, with arguments of
//! other types and with numbers beyond all measure; the model may send anything. An answer or a [`ProviderError`] that says
//! what was wrong is right, and a panic is not. A tool that is not there must be an error.
//!
//! ```
//! use hermes_provider_api::ProviderError;
//! use hermes_provider_api::serde_json::{Value, json};
//!
//! fn text_of(args: &Value) -> Result<&str, ProviderError> {
//!     args["text"].as_str().ok_or_else(|| {
//!         ProviderError::invalid("`text` is missing").hint(r#"for example {"action": "search", "text": "tea"}"#)
//!     })
//! }
//!
//! assert!(text_of(&json!([7])).is_err());
//! assert_eq!(text_of(&json!({"text": "tea"})).unwrap(), "tea");
//! ```
//!
//! # lookups
//!
//! Runs every tool call that [`tool_effect`](crate::MemoryProvider::tool_effect) calls a read, and compares what is recalled
//! and listed before and after. Reads are let through for helpers, scheduled jobs and reviews, which must leave no trace.
//! Counting how often something was looked up is fine as long as nobody can see it in the order of the next recall.
//!
//! # settings
//!
//! Opens without each setting, with values of other types, with an unknown setting, and without the keys. A panic is an
//! error. Hermes checks types, choices and bounds itself; what a provider refuses beyond that it must name, for the user looks
//! for the setting in a file. Unknown settings come from another version and are left alone. Without its key a provider should open all the same, so that setup can say what is
//! missing. Reading them with [`Host::config`](crate::Host::config) into a struct with `#[serde(default)]` does most of it.
//!
//! # prompt
//!
//! Asks for the text of the system prompt, stores something, and asks again. It must be the same: a text that changes makes
//! the model service read the whole conversation anew, and bill it. More than 4000 characters are a warning.
//!
//! # capabilities
//!
//! Compares what the provider asked its host for in all scenarios with what its manifest declares. What is not declared is
//! refused, here as by a real host, and is an error. What is declared and was never used is a note: users are asked to agree
//! to it.
//!
//! # In every scenario
//!
//! * The made-up keys must not turn up in an answer, an error or the log; in a file of the data folder they are a warning.
//! * No file may appear beside the data folder, nor in the folder that hermes was started in.
//! * A panic, a process that ends and a call that does not end are errors, with what the user loses by them. The provider is
//!   opened again, and the scenario goes on.
//!
//! # A provider that passes
//!
//! Small, slow, and right: everything above in one place. What a real one does better is to search.
//!
//! ```
//! use std::collections::BTreeSet;
//! use std::fs::{self, File};
//! use std::io;
//! use std::path::PathBuf;
//!
//! use hermes_provider_api::records::{
//!     Caller, EntryPage, Health, ListEntries, OpenRequest, PrefetchQuery, Recall, RecallItem, Remember, Remembered, Scope,
//!     Turn,
//! };
//! use hermes_provider_api::serde_json::{self, json};
//! use hermes_provider_api::testkit::conformance;
//! use hermes_provider_api::{
//!     Call, Host, Interface, Manifest, MemoryProvider, ProviderError, Result, export_provider,
//! };
//!
//! /// A note: its number, where it was learnt, and its text.
//! type Note = (u64, Scope, String);
//!
//! /// What is in the file: the last number, which is never given again; the keys of deliveries, stored with what they
//! /// brought; and the notes.
//! type Notes = (u64, BTreeSet<String>, Vec<Note>);
//!
//! /// Notes in one JSON file. The instance holds no state that another process could miss.
//! struct Diary {
//!     folder: PathBuf,
//! }
//!
//! impl Diary {
//!     fn read(&self) -> Result<Notes> {
//!         match fs::read(self.folder.join("notes.json")) {
//!             Ok(bytes) => serde_json::from_slice(&bytes).map_err(broken),
//!             Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Notes::default()),
//!             Err(error) => Err(broken(error)),
//!         }
//!     }
//!
//!     /// Reads, changes and writes in one step. The lock is given back at every way out.
//!     fn change<T>(&self, change: impl FnOnce(&mut Notes) -> Result<T>) -> Result<T> {
//!         let lock = File::create(self.folder.join("notes.lock")).map_err(broken)?;
//!         lock.lock().map_err(broken)?;
//!         let mut notes = self.read()?;
//!         let done = change(&mut notes)?;
//!         let beside = self.folder.join("notes.new");
//!         fs::write(&beside, serde_json::to_vec(&notes).map_err(broken)?).map_err(broken)?;
//!         fs::rename(beside, self.folder.join("notes.json")).map_err(broken)?;
//!         Ok(done)
//!     }
//!
//!     fn add(&self, who: &Caller, key: Option<&str>, text: &str) -> Result<Remembered> {
//!         self.change(|(last, keys, notes)| {
//!             let same = notes.iter().find(|(_, scope, known)| *scope == who.scope && known == text);
//!             if let Some((number, ..)) = same {
//!                 return Ok(Remembered { id: number.to_string(), existed: true });
//!             }
//!             if key.is_some_and(|key| !keys.insert(key.to_owned())) {
//!                 return Ok(Remembered::default()); // it was brought before, and deleted since
//!             }
//!             *last += 1;
//!             notes.push((*last, who.scope.clone(), text.to_owned()));
//!             Ok(Remembered { id: last.to_string(), existed: false })
//!         })
//!     }
//!
//!     /// What somebody may see, newest first.
//!     fn seen_by(&self, who: &Caller) -> Result<Vec<Note>> {
//!         let (.., notes) = self.read()?;
//!         Ok(notes.into_iter().rev().filter(|(_, scope, _)| scope.visible_to(&who.scope)).collect())
//!     }
//! }
//!
//! impl MemoryProvider for Diary {
//!     fn open(host: Host, _: OpenRequest) -> Result<Self> {
//!         Ok(Self { folder: host.data_dir()? })
//!     }
//!
//!     fn health(&self, _: &Call<'_>) -> Result<Health> {
//!         let (.., notes) = self.read()?;
//!         Ok(Health::ok(format!("{} notes", notes.len())))
//!     }
//!
//!     fn prefetch(&self, query: &PrefetchQuery, call: &Call<'_>) -> Result<Recall> {
//!         call.check()?;
//!         // The first words only: a message may be a pasted log.
//!         let words: Vec<_> = query.query.split_whitespace().take(50).filter(|word| word.len() > 4).collect();
//!         let notes = self.seen_by(&query.caller)?;
//!         let fits = notes.into_iter().filter(|(_, _, text)| words.iter().any(|word| text.contains(word)));
//!         Ok(Recall { items: fits.take(query.limit).map(item).collect(), ..Recall::default() })
//!     }
//!
//!     fn sync_turn(&self, turn: &Turn, call: &Call<'_>) -> Result<()> {
//!         call.check()?;
//!         self.add(&turn.caller, Some(&turn.idempotency_key), turn.user_text()).map(drop)
//!     }
//!
//!     fn remember(&self, wish: &Remember, call: &Call<'_>) -> Result<Remembered> {
//!         call.check()?;
//!         self.add(&wish.caller, None, &wish.text)
//!     }
//!
//!     fn list_entries(&self, list: &ListEntries, _: &Call<'_>) -> Result<EntryPage> {
//!         let before = match list.cursor.as_str() {
//!             "" => u64::MAX,
//!             cursor => cursor.parse().map_err(|_| ProviderError::invalid("that is no cursor of this list"))?,
//!         };
//!         let mut notes = self.seen_by(&list.caller)?;
//!         notes.retain(|(number, ..)| *number < before);
//!         let more = notes.len() > list.limit.max(1);
//!         notes.truncate(list.limit.max(1));
//!         let next = notes.last().filter(|_| more).map(|(number, ..)| number.to_string()).unwrap_or_default();
//!         Ok(EntryPage { entries: notes.into_iter().map(item).collect(), next })
//!     }
//!
//!     fn delete_entry(&self, id: &str, caller: &Caller, _: &Call<'_>) -> Result<()> {
//!         self.change(|(.., notes)| {
//!             let mine = |(number, scope, _): &Note| number.to_string() == id && scope.visible_to(&caller.scope);
//!             let at = notes.iter().position(mine);
//!             let at = at.ok_or_else(|| ProviderError::not_found(format!("there is no note `{id}`")))?;
//!             notes.remove(at);
//!             Ok(())
//!         })
//!     }
//! }
//!
//! fn item((number, scope, text): Note) -> RecallItem {
//!     RecallItem { id: number.to_string(), text, scope: Some(scope), ..RecallItem::default() }
//! }
//!
//! fn broken(error: impl std::fmt::Display) -> ProviderError {
//!     ProviderError::storage(format!("the notes: {error}"))
//! }
//!
//! export_provider!(
//!     Diary,
//!     Manifest::new("diary").title("Diary").interfaces(&[
//!         Interface::Prefetch,
//!         Interface::Sync,
//!         Interface::Remember,
//!         Interface::Browse,
//!     ])
//! );
//!
//! fn main() {
//!     conformance::check::<Diary>(json!({})).assert();
//! }
//! ```
//!
//! [`ProviderError`]: crate::ProviderError
