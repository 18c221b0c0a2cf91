//! The schema, as the steps that led to it. A step that was released is never changed; a change is a new step.

use rusqlite::{Connection, TransactionBehavior};

/// Step *n*, from 1, brings schema *n* − 1 to *n*; `user_version` holds the number.
const STEPS: &[&str] = &[
    // Times are Unix milliseconds; `total_ms` may have fractions.
    "CREATE TABLE hook_health (
        provider TEXT NOT NULL,
        hook TEXT NOT NULL,
        calls INTEGER NOT NULL DEFAULT 0,
        ok INTEGER NOT NULL DEFAULT 0,
        errors INTEGER NOT NULL DEFAULT 0,
        timeouts INTEGER NOT NULL DEFAULT 0,
        hits INTEGER NOT NULL DEFAULT 0,
        total_ms NUMERIC NOT NULL DEFAULT 0,
        last_ok_ms INTEGER,
        last_error_ms INTEGER,
        last_error TEXT,
        PRIMARY KEY (provider, hook)
    ) WITHOUT ROWID;
    CREATE TABLE incidents (
        id INTEGER PRIMARY KEY,
        provider TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        kind TEXT NOT NULL,
        reason TEXT NOT NULL
    );
    CREATE INDEX incidents_by_time ON incidents (provider, at_ms);",
    // Failures of a hook in a row; `until_ms` is NULL while they are too few for a pause.
    "CREATE TABLE pauses (
        provider TEXT NOT NULL,
        hook TEXT NOT NULL,
        failures INTEGER NOT NULL,
        timeouts INTEGER NOT NULL,
        since_ms INTEGER NOT NULL,
        until_ms INTEGER,
        reason TEXT NOT NULL,
        PRIMARY KEY (provider, hook)
    ) WITHOUT ROWID;",
    // Calls by how long they took; what the steps mean is in `plugins/health/latency.rs` and never changes.
    "ALTER TABLE hook_health ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE hook_latency (
        provider TEXT NOT NULL,
        hook TEXT NOT NULL,
        step INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        PRIMARY KEY (provider, hook, step)
    ) WITHOUT ROWID;",
    // A row of the outbox has a payload of its own, or that of its turn. It stands in every lane that it has to wait in,
    // and `open` is 0 there once it is a dead letter. A lease says which process delivers for a provider.
    "CREATE TABLE turns (
        id INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        number INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        record TEXT NOT NULL
    );
    CREATE INDEX turns_by_session ON turns (session, number);
    CREATE TABLE outbox (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        provider TEXT NOT NULL,
        key TEXT NOT NULL,
        kind TEXT NOT NULL,
        what TEXT NOT NULL,
        turn INTEGER REFERENCES turns (id),
        payload TEXT,
        added_ms INTEGER NOT NULL,
        tries INTEGER NOT NULL DEFAULT 0,
        failures INTEGER NOT NULL DEFAULT 0,
        not_before_ms INTEGER,
        last_error TEXT,
        dead_ms INTEGER,
        UNIQUE (provider, key)
    );
    CREATE INDEX outbox_open ON outbox (provider, id) WHERE dead_ms IS NULL;
    CREATE TABLE outbox_lanes (
        provider TEXT NOT NULL,
        lane TEXT NOT NULL,
        row INTEGER NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
        open INTEGER NOT NULL DEFAULT 1,
        PRIMARY KEY (provider, lane, open, row)
    ) WITHOUT ROWID;
    CREATE INDEX outbox_lanes_of_row ON outbox_lanes (row);
    CREATE TABLE outbox_providers (
        provider TEXT PRIMARY KEY,
        owner TEXT,
        lease_until_ms INTEGER,
        held_until_ms INTEGER,
        held_reason TEXT,
        held_asked INTEGER NOT NULL DEFAULT 0,
        refusals INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;",
    // A row of the outbox has its payload to itself, which goes with it; of a turn that was told stays only its number.
    // The archive: a session may be heard by another audience later, so each message has its own. `context` is that of
    // the hooks; `source` says where an imported session came from, and is NULL for one that was recorded here.
    // `parent` is the name of the session that it goes on from, which may be missing. `tool_calls` is a list of the
    // boundary's `ToolCall`s, `tool_call` the id of the one that a result answers. `flags`: 1 folded into a summary, 2
    // broken off. What was on record as turns is taken over, without a title.
    "CREATE TABLE last_turns (
        session TEXT PRIMARY KEY,
        number INTEGER NOT NULL,
        at_ms INTEGER NOT NULL
    ) WITHOUT ROWID;
    INSERT INTO last_turns SELECT session, max(number), max(at_ms) FROM turns GROUP BY session;
    UPDATE outbox SET payload = (SELECT record FROM turns t WHERE t.id = outbox.turn) WHERE turn IS NOT NULL;
    ALTER TABLE outbox DROP COLUMN turn;
    CREATE TABLE audiences (
        id INTEGER PRIMARY KEY,
        profile TEXT NOT NULL,
        platform TEXT NOT NULL,
        chat TEXT NOT NULL,
        chat_kind TEXT NOT NULL,
        user TEXT NOT NULL,
        project TEXT NOT NULL,
        UNIQUE (profile, platform, chat, chat_kind, user, project)
    );
    CREATE TABLE sessions (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        audience INTEGER NOT NULL REFERENCES audiences (id),
        context TEXT NOT NULL,
        source TEXT,
        parent TEXT,
        title TEXT,
        model TEXT,
        started_ms INTEGER NOT NULL,
        last_ms INTEGER NOT NULL,
        ended_ms INTEGER,
        reason TEXT,
        messages INTEGER NOT NULL DEFAULT 0,
        tokens INTEGER NOT NULL DEFAULT 0,
        last_turn INTEGER NOT NULL DEFAULT 0,
        pinned INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX sessions_by_time ON sessions (last_ms);
    CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;
    CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        audience INTEGER NOT NULL REFERENCES audiences (id),
        turn INTEGER NOT NULL,
        role TEXT NOT NULL,
        content TEXT NOT NULL,
        tool_calls TEXT,
        tool_call TEXT,
        tool TEXT,
        at_ms INTEGER NOT NULL,
        tokens INTEGER,
        flags INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX messages_by_session ON messages (session, id);
    CREATE TEMP TABLE told AS
        SELECT id, session, number, at_ms, record ->> '$.interrupted' AS interrupted, record -> '$.messages' AS messages,
            coalesce(record ->> '$.caller.scope.profile', '') AS profile,
            coalesce(record ->> '$.caller.scope.platform', '') AS platform,
            coalesce(record ->> '$.caller.scope.chat', '') AS chat,
            coalesce(record ->> '$.caller.scope.chat_kind', 'private') AS chat_kind,
            coalesce(record ->> '$.caller.scope.user', '') AS user,
            coalesce(record ->> '$.caller.scope.project', '') AS project
        FROM turns WHERE json_valid(record) AND json_type(record, '$.messages') = 'array';
    INSERT INTO audiences (profile, platform, chat, chat_kind, user, project)
        SELECT DISTINCT profile, platform, chat, chat_kind, user, project FROM told;
    INSERT INTO sessions (name, audience, context, started_ms, last_ms, messages, last_turn)
        SELECT session, audience, 'primary', min(at_ms), max(at_ms), sum(json_array_length(messages)), max(number)
        FROM (
            SELECT t.*, first_value(a.id) OVER (PARTITION BY session ORDER BY t.id) AS audience
            FROM told t JOIN audiences a USING (profile, platform, chat, chat_kind, user, project))
        GROUP BY session, audience;
    INSERT INTO messages (session, audience, turn, role, content, tool_calls, tool_call, at_ms, flags)
        SELECT s.id, a.id, t.number, m.value ->> '$.role', coalesce(m.value ->> '$.content', ''),
            m.value -> '$.tool_calls', m.value ->> '$.tool_call_id', t.at_ms, iif(t.interrupted, 2, 0)
        FROM told t JOIN audiences a USING (profile, platform, chat, chat_kind, user, project)
            JOIN sessions s ON s.name = t.session, json_each(t.messages) m
        ORDER BY t.id, m.key;
    DROP TABLE told;
    DROP TABLE turns;",
    // The first index of the archive, see the last step.
    "CREATE TABLE search_words (
        word TEXT PRIMARY KEY,
        messages INTEGER NOT NULL,
        newest BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE search_blocks (
        word TEXT NOT NULL,
        first INTEGER NOT NULL,
        ids BLOB NOT NULL,
        PRIMARY KEY (word, first)
    ) WITHOUT ROWID;
    CREATE TABLE search_forms (form TEXT NOT NULL, word TEXT NOT NULL, PRIMARY KEY (form, word)) WITHOUT ROWID;
    CREATE TABLE search_ends (ending TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE search_state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;",
    // The curated memory. A snapshot is what a session was given of the files when it started; `set_up` is how they were
    // set up then. What is in `unmirrored` may have changed a file and is not in the outbox yet: it is noted before the
    // file is changed, and goes in the transaction in which its delivery is written.
    "CREATE TABLE snapshots (
        id INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        audience TEXT NOT NULL,
        set_up TEXT NOT NULL,
        text TEXT NOT NULL,
        at_ms INTEGER NOT NULL,
        UNIQUE (session, audience)
    );
    CREATE TABLE unmirrored (
        id INTEGER PRIMARY KEY,
        provider TEXT NOT NULL,
        key TEXT NOT NULL,
        target TEXT NOT NULL,
        write TEXT NOT NULL,
        UNIQUE (provider, key)
    );
    CREATE TRIGGER mirrored AFTER INSERT ON outbox BEGIN
        DELETE FROM unmirrored WHERE provider = NEW.provider AND key = NEW.key;
    END;",
    CLIENT_CONVERSATIONS,
    SEARCH,
];

/// Conversations of clients that send everything each time, and what they were given: `turn/conversations/store`. `key`
/// says who speaks and how they call it, `at` is the hash of who speaks and of a beginning, `heads` and `answered` are two
/// such hashes, `kept` is what the model was given there and the client does not know. It goes with the session.
const CLIENT_CONVERSATIONS: &str = "
    CREATE TABLE client_conversations (
        key TEXT PRIMARY KEY,
        session TEXT NOT NULL,
        heads BLOB NOT NULL,
        answered BLOB,
        last_ms INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX client_conversations_of ON client_conversations (session);
    CREATE TABLE client_beginnings (
        at BLOB NOT NULL,
        key TEXT NOT NULL REFERENCES client_conversations (key) ON DELETE CASCADE,
        kept TEXT,
        PRIMARY KEY (at, key)
    ) WITHOUT ROWID;
    CREATE INDEX client_beginnings_of ON client_beginnings (key);
    CREATE TRIGGER client_forgotten AFTER DELETE ON sessions BEGIN
        DELETE FROM client_conversations WHERE session = OLD.name;
    END;";

/// The index of the archive, derived from it: `layers/episodic/search/index`. The newest messages of a word stand with
/// it, older ones in blocks; numbers of messages ascend. `languages` tells by whose rules a word's forms are there.
/// `ending` is a word backwards. `search_state` says up to which message all are entered, and by what settings.
///
/// What was entered by the rules of an earlier build is thrown away and entered again by itself.
const SEARCH: &str = "
    DROP TABLE search_words;
    DROP TABLE search_forms;
    DELETE FROM search_blocks;
    DELETE FROM search_ends;
    DELETE FROM search_state;
    CREATE TABLE search_words (
        word TEXT PRIMARY KEY,
        messages INTEGER NOT NULL,
        languages INTEGER NOT NULL,
        newest BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE search_forms (form TEXT PRIMARY KEY, words BLOB NOT NULL) WITHOUT ROWID;";

/// The newest schema.
pub(super) fn known() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

/// What the oldest schema was made by.
#[cfg(test)]
pub(super) fn first() -> &'static str {
    STEPS[0]
}

/// Makes an empty database one of an older schema.
#[cfg(test)]
pub(crate) fn up_to(connection: &Connection, version: usize) {
    STEPS[..version].iter().for_each(|step| connection.execute_batch(step).unwrap());
    connection.pragma_update(None, "user_version", version.to_string().parse::<i64>().unwrap()).unwrap();
}

/// Takes all steps that are missing, in one transaction; the inner error is a schema that is newer than the newest.
pub(super) fn run(connection: &mut Connection) -> rusqlite::Result<Result<(), i64>> {
    let version = |connection: &Connection| connection.pragma_query_value(None, "user_version", |row| row.get(0));
    if version(connection)? == known() {
        return Ok(Ok(()));
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = version(&transaction)?;
    let Ok(done) = usize::try_from(found) else { return Ok(Err(found)) };
    let Some(missing) = STEPS.get(done..) else { return Ok(Err(found)) };
    for step in missing {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", known())?;
    transaction.commit()?;
    Ok(Ok(()))
}
