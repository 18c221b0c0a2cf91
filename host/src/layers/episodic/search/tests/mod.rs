//! The search over archives that are written here, in memory.

mod filler;
mod index;
mod scope;
mod walk;
mod words;

use std::sync::Arc;

use hermes_provider_api::records::{ChatKind, Context, Role, Scope};

use super::*;
use crate::layers::episodic::{NewMessage, SessionHead, append};

const DAY: u64 = 86_400_000;
const NOW: u64 = 1_780_000_000_000;

struct Scene {
    db: Arc<Db>,
    searcher: Searcher,
    filter: Filter,
    reader: Reader,
}

impl Scene {
    fn new() -> Self {
        Self::with(Settings::default())
    }

    fn with(settings: Settings) -> Self {
        let db = Arc::new(Db::in_memory().unwrap());
        let searcher = Searcher::new(Arc::clone(&db), settings);
        Self { db, searcher, filter: Filter::default(), reader: Reader::Owner }
    }

    /// Each text is a session of its own.
    fn of(texts: &[&str]) -> Self {
        let scene = Self::new();
        for (at, text) in texts.iter().enumerate() {
            scene.say(&format!("s{at}"), &[(Role::User, text)]);
        }
        scene.catch_up();
        scene
    }

    fn say(&self, session: &str, said: &[(Role, &str)]) -> Vec<i64> {
        self.say_to(&head(session), NOW, said)
    }

    fn say_to(&self, head: &SessionHead, at_ms: u64, said: &[(Role, &str)]) -> Vec<i64> {
        let message = |(role, text): &(Role, &str)| NewMessage {
            turn: 1,
            role: *role,
            content: (*text).to_owned(),
            at_ms,
            ..NewMessage::default()
        };
        self.write(head, &said.iter().map(message).collect::<Vec<_>>())
    }

    fn write(&self, head: &SessionHead, messages: &[NewMessage]) -> Vec<i64> {
        let settings = *self.searcher.settings();
        let write = |db: &mut Connection| {
            let transaction = db.transaction()?;
            let ids = append(&transaction, head, messages)?.messages;
            settle(&transaction, &settings, i64::MAX)?;
            transaction.commit()?;
            Ok(ids)
        };
        self.db.with(write).unwrap()
    }

    fn catch_up(&self) {
        let settings = *self.searcher.settings();
        self.db.with(|db| catch_up(db, &settings, i64::MAX)).unwrap();
    }

    fn ask(&self, query: &str) -> Vec<SessionFound> {
        let ask = Discover { query, filter: &self.filter, sessions: 10, passages: 3, chars: 300, thorough: false };
        self.searcher.discover(&self.reader, &ask).unwrap().sessions
    }

    /// The names of the sessions, the best first.
    fn names(&self, query: &str) -> Vec<String> {
        self.ask(query).into_iter().map(|found| found.session.name).collect()
    }

    #[track_caller]
    fn finds(&self, query: &str, names: &[&str]) {
        assert_eq!(self.names(query), names, "{query}");
    }

    /// What the words are that were found in the best passage.
    fn marked(&self, query: &str) -> Vec<String> {
        let found = self.ask(query);
        let excerpt = &found[0].passages[0].excerpt;
        excerpt.hits.iter().map(|(from, to)| excerpt.text[*from..*to].to_owned()).collect()
    }
}

fn head(session: &str) -> SessionHead {
    let scope = Scope { profile: "default".into(), platform: "cli".into(), ..Scope::default() };
    SessionHead { name: session.to_owned(), scope, started_ms: NOW, ..SessionHead::default() }
}

fn in_context(session: &str, context: Context) -> SessionHead {
    SessionHead { context, ..head(session) }
}

fn group(session: &str, chat: &str, user: &str) -> SessionHead {
    let mut head = head(session);
    (head.scope.chat, head.scope.chat_kind, head.scope.user) = (chat.to_owned(), ChatKind::Group, user.to_owned());
    head
}
