//! What is read, into the archive: in batches, each message once, without secrets.
//!
//! A session of the same id and source is the same session. Its messages are told apart by what they say, so that a source
//! that has grown adds what is new, one that was read halfway goes on, and one that was read adds nothing.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hermes_provider_api::records::{Role, Scope};
use rusqlite::{TransactionBehavior, params};

use super::clean::redact;
use super::known::{Known, Taken, hash, key};
use super::{ImportError, NewMessage, Session, SessionHead, Sink, Source, Step, Unit};
use crate::clock::UnixMillis;
use crate::db::Db;
use crate::guard::Redactor;
use crate::layers::episodic::append;
use crate::layers::episodic::search::{self, Filler};

/// A transaction holds so many messages or bytes: others who write wait no longer than one takes.
const MESSAGES: usize = 1000;
const BYTES: usize = 4 << 20;
/// Later than now by more than this is no time that a clock has shown.
const DAY_MS: u64 = 86_400_000;
/// No id is longer, in characters.
const LONGEST_ID: usize = 200;
/// So many places are kept to be told; the others are counted.
const TOLD: usize = 1000;

/// What holds where a source tells nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defaults {
    /// The profile, which no source tells.
    pub profile: String,
    /// The platform; None is the name of the source.
    pub platform: Option<String>,
    /// The chat.
    pub chat: String,
    /// The user.
    pub user: String,
    /// The project.
    pub project: String,
}

/// What became of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// Sessions that are new.
    pub sessions: u64,
    /// Sessions that were there and have more messages now.
    pub grown: u64,
    /// Messages that are new.
    pub messages: u64,
    /// Messages that were there.
    pub known: u64,
    /// Messages that the source itself has taken back.
    pub taken_back: u64,
    /// Sessions in which nothing was said.
    pub empty: u64,
    /// How often something was not understood and left out.
    pub left_out: u64,
    /// The first of what was left out, and where it is.
    pub problems: Vec<String>,
    /// What was not as it should be and was taken all the same.
    pub remarks: Vec<String>,
}

/// Takes sessions into an archive.
pub struct Importer<'a> {
    /// None: there is none yet, and nothing is written.
    db: Option<Arc<Db>>,
    is_dry: bool,
    redactor: Option<Redactor>,
    search: search::Settings,
    defaults: Defaults,
    now: UnixMillis,
    show: Box<dyn FnMut(Step) + 'a>,
    /// Sessions of this part of the source by their ids there.
    open: HashMap<(Source, String), Open>,
    current: Option<(Source, String)>,
    /// Ids that sessions have in the source, and the others that they got here.
    renamed: HashMap<String, String>,
    batch: Batch,
    /// Enters what is written into the index.
    filler: Option<Filler>,
    report: Report,
}

/// A session that is being read.
struct Open {
    session: Session,
    /// None until its first message.
    known: Option<Known>,
    turn: u64,
    /// The time of the message before.
    last_ms: UnixMillis,
    is_grown: bool,
}

/// What is written at once.
#[derive(Default)]
struct Batch {
    pieces: Vec<Piece>,
    names: HashSet<String>,
    /// Messages that were folded since they were written.
    folded: Vec<i64>,
    messages: usize,
    bytes: usize,
}

struct Piece {
    head: SessionHead,
    is_pinned: bool,
    messages: Vec<NewMessage>,
}

impl<'a> Importer<'a> {
    /// Into this archive; without a redactor, secrets are kept.
    #[must_use]
    pub fn new(
        db: Option<Arc<Db>>,
        is_dry: bool,
        redactor: Option<Redactor>,
        search: search::Settings,
        defaults: Defaults,
        now: UnixMillis,
        show: impl FnMut(Step) + 'a,
    ) -> Self {
        let (open, renamed, batch, filler, report) = Default::default();
        let show = Box::new(show);
        Self { db, is_dry, redactor, search, defaults, now, show, open, current: None, renamed, batch, filler, report }
    }

    /// Writes the rest, and tells what was done.
    ///
    /// # Errors
    /// When the archive cannot be written. What was written before stays.
    pub fn finish(mut self) -> Result<Report, ImportError> {
        self.part()?;
        self.flush()?;
        if let Some(db) = self.db.as_ref().filter(|_| !self.is_dry) {
            let db = Arc::clone(db);
            self.enter(&db)?;
            db.sync()?;
        }
        Ok(self.report)
    }

    /// Waits until all is in the index, also what an import left that was broken off.
    fn enter(&mut self, db: &Arc<Db>) -> Result<(), ImportError> {
        let progress = db.with(|connection| search::progress(connection, &self.search))?;
        if !progress.on || progress.behind == 0 {
            return Ok(());
        }
        let total = u64::try_from(progress.behind).unwrap_or(0);
        (self.show)(Step::Begins { what: "entering it into the index".to_owned(), unit: Unit::Messages, total });
        let filler = self.filler.take().unwrap_or_else(|| Filler::start(Arc::clone(db), self.search));
        let mut before = None;
        filler.finish(|entered| {
            let entered = u64::try_from(entered).unwrap_or(0);
            (self.show)(Step::At(entered - *before.get_or_insert(entered)));
        })?;
        Ok(())
    }

    /// The session as it is known here: its id, and which of its messages are there.
    fn resolve(&mut self, session: &mut Session, first: Option<&NewMessage>) -> Result<Known, ImportError> {
        self.complete(session, first);
        if let Some(parent) = session.head.parent.as_ref().and_then(|parent| self.renamed.get(parent)) {
            session.head.parent = Some(parent.clone());
        }
        let id = session.head.name.clone();
        for name in [id.clone(), format!("{id}~{}", mark(session, first))] {
            if self.batch.names.contains(&name) {
                self.flush()?;
            }
            let found = match &self.db {
                Some(db) => db.with(|connection| Known::of(connection, &name))?,
                None => None,
            };
            let Some(mut known) = found else {
                self.rename(&id, &name);
                session.head.name = name;
                return Ok(Known::default());
            };
            if known.is_same(session, first) {
                if let Some(db) = &self.db {
                    db.with(|connection| known.load(connection))?;
                }
                self.rename(&id, &name);
                session.head.name = name;
                return Ok(known);
            }
        }
        // The other id is made of what this session is: whoever has it is this one.
        let name = format!("{id}~{}", mark(session, first));
        self.left_out(format!("session `{id}`"), format!("another session is called `{name}`"));
        Ok(Known::refused())
    }

    fn rename(&mut self, id: &str, name: &str) {
        if id != name {
            self.renamed.insert(id.to_owned(), name.to_owned());
        }
    }

    /// What the source did not tell.
    fn complete(&self, session: &mut Session, first: Option<&NewMessage>) {
        let Session { source, head, .. } = session;
        let Defaults { profile, platform, chat, user, project } = &self.defaults;
        head.scope.profile.clone_from(profile);
        if let Some(redactor) = &self.redactor {
            head.title = head.title.take().map(|title| redactor.redact(&title).into_owned());
        }
        if *source == Source::Export {
            return;
        }
        head.source = Some(source.name().to_owned());
        if head.scope.platform.is_empty() {
            head.scope.platform = platform.clone().unwrap_or_else(|| source.name().to_owned());
        }
        let Scope { chat: own_chat, user: own_user, project: own_project, .. } = &mut head.scope;
        for (own, default) in [(own_chat, chat), (own_user, user), (own_project, project)] {
            if own.is_empty() {
                own.clone_from(default);
            }
        }
        let believed = |at: &UnixMillis| *at > 0 && *at <= self.now + DAY_MS;
        let said = first.map(|first| first.at_ms);
        head.started_ms = [Some(head.started_ms), said].into_iter().flatten().find(believed).unwrap_or(self.now);
        head.ended_ms = head.ended_ms.filter(believed);
    }

    fn begin(&mut self, open: &mut Open, first: Option<&NewMessage>) -> Result<(), ImportError> {
        let known = self.resolve(&mut open.session, first)?;
        open.last_ms = open.session.head.started_ms;
        if known.is_new() {
            self.report.sessions += 1;
            self.push(open, None);
        } else if known.ends_with(&open.session.head) {
            self.push(open, None);
        }
        open.known = Some(known);
        Ok(())
    }

    fn push(&mut self, open: &Open, said: Option<NewMessage>) {
        let head = &open.session.head;
        if self.batch.pieces.last().is_none_or(|piece| piece.head.name != head.name) {
            self.batch.names.insert(head.name.clone());
            let is_pinned = open.session.pinned;
            self.batch.pieces.push(Piece { head: head.clone(), is_pinned, messages: Vec::new() });
        }
        if let (Some(piece), Some(said)) = (self.batch.pieces.last_mut(), said) {
            self.batch.messages += 1;
            self.batch.bytes += said.content.len();
            piece.messages.push(said);
        }
    }

    fn flush(&mut self) -> Result<(), ImportError> {
        let batch = std::mem::take(&mut self.batch);
        let Some(db) = self.db.as_ref().filter(|_| !self.is_dry) else { return Ok(()) };
        if batch.pieces.is_empty() && batch.folded.is_empty() {
            return Ok(());
        }
        // A power cut may undo it, and the next import finds it missing; what was reported is on disk.
        db.with_relaxed(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for piece in &batch.pieces {
                let appended = append(&transaction, &piece.head, &piece.messages)?;
                if piece.is_pinned {
                    transaction
                        .prepare_cached("UPDATE sessions SET pinned = 1 WHERE id = ?1")?
                        .execute(params![appended.session])?;
                }
            }
            for id in &batch.folded {
                transaction.prepare_cached("UPDATE messages SET flags = flags | 1 WHERE id = ?1")?.execute([id])?;
            }
            transaction.commit()
        })?;
        if self.search.index && self.filler.is_none() {
            self.filler = Some(Filler::start(Arc::clone(db), self.search));
        }
        Ok(())
    }

    fn with_open(
        &mut self,
        work: impl FnOnce(&mut Self, &mut Open) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let Some((key, mut open)) = self.current.as_ref().and_then(|key| self.open.remove_entry(key)) else {
            return Ok(());
        };
        let done = work(self, &mut open);
        self.open.insert(key, open);
        done
    }

    /// What is not told by the message itself.
    fn place(&mut self, open: &mut Open, said: &mut NewMessage) {
        if said.role == Role::User || open.turn == 0 {
            open.turn += 1;
        }
        if said.turn == 0 {
            said.turn = open.turn;
        }
        if open.session.source == Source::Export {
            return;
        }
        if said.at_ms > self.now + DAY_MS {
            said.at_ms = 0;
            let place = format!("session `{}`", open.session.head.name);
            self.remark(place, "a time in the future was not believed".to_owned());
        }
        if said.at_ms == 0 {
            said.at_ms = open.last_ms;
        }
        open.last_ms = said.at_ms;
    }
}

impl Sink for Importer<'_> {
    fn session(&mut self, mut session: Session) -> Result<(), ImportError> {
        let head = &mut session.head;
        head.name = head.name.chars().filter(|char| !char.is_control()).take(LONGEST_ID).collect();
        let key = (session.source, session.head.name.clone());
        self.open.entry(key.clone()).or_insert_with(|| Open {
            session,
            known: None,
            turn: 0,
            last_ms: 0,
            is_grown: false,
        });
        self.current = Some(key);
        Ok(())
    }

    fn message(&mut self, mut said: NewMessage) -> Result<(), ImportError> {
        self.with_open(|importer, open| {
            if let Some(redactor) = &importer.redactor {
                redact(redactor, &mut said);
            }
            if open.known.is_none() {
                importer.begin(open, Some(&said))?;
            }
            importer.place(open, &mut said);
            if let Some(scope) = &mut said.scope {
                scope.profile.clone_from(&importer.defaults.profile);
            }
            let Some(known) = open.known.as_mut() else { return Ok(()) };
            match known.take(key(&said)) {
                Taken::New => {}
                Taken::Refused => return Ok(()),
                Taken::Known { id, is_folded } => {
                    importer.report.known += 1;
                    if said.folded && !is_folded {
                        importer.batch.folded.push(id);
                    }
                    return Ok(());
                }
            }
            importer.report.messages += 1;
            if !known.is_new() && !open.is_grown {
                open.is_grown = true;
                importer.report.grown += 1;
            }
            importer.push(open, Some(said));
            if importer.batch.messages >= MESSAGES || importer.batch.bytes >= BYTES {
                importer.flush()?;
            }
            Ok(())
        })
    }

    fn part(&mut self) -> Result<(), ImportError> {
        self.current = None;
        for (_, mut open) in std::mem::take(&mut self.open) {
            if open.known.is_some() {
                continue;
            }
            match open.session.source {
                Source::Export => self.begin(&mut open, None)?,
                _ => self.report.empty += 1,
            }
        }
        Ok(())
    }

    fn left_out(&mut self, place: String, reason: String) {
        self.report.left_out += 1;
        if self.report.problems.len() < TOLD {
            self.report.problems.push(format!("{place}: {reason}"));
        }
    }

    fn remark(&mut self, place: String, what: String) {
        let remark = format!("{place}: {what}");
        if self.report.remarks.len() < TOLD && self.report.remarks.last() != Some(&remark) {
            self.report.remarks.push(remark);
        }
    }

    fn taken_back(&mut self, count: u64) {
        self.report.taken_back += count;
    }

    fn step(&mut self, step: Step) {
        (self.show)(step);
    }
}

/// What sets a session apart from another one of the same id: where it comes from, and how it began.
fn mark(session: &Session, first: Option<&NewMessage>) -> String {
    let Session { source, head, .. } = session;
    match source {
        Source::Export => format!("{:08x}", hash(&(&head.source, head.started_ms, &head.scope)) >> 32),
        Source::Messages => format!("{:08x}", first.map_or(0, key) >> 32),
        _ => source.name().to_owned(),
    }
}
