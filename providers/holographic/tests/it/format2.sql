CREATE TABLE facts (
    fact_id INTEGER PRIMARY KEY AUTOINCREMENT,
    content TEXT NOT NULL,
    digest INTEGER NOT NULL,
    terms TEXT NOT NULL,
    category TEXT NOT NULL,
    tags TEXT NOT NULL,
    trust REAL NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    retrieval_count INTEGER NOT NULL DEFAULT 0,
    helpful_count INTEGER NOT NULL DEFAULT 0,
    unhelpful_count INTEGER NOT NULL DEFAULT 0,
    audience TEXT NOT NULL,
    platform TEXT NOT NULL,
    scope TEXT NOT NULL,
    origin TEXT NOT NULL
, bag INTEGER NOT NULL DEFAULT 0, source TEXT NOT NULL DEFAULT 'tool', used_ms INTEGER NOT NULL DEFAULT 0, valid_from_ms INTEGER NOT NULL DEFAULT 0, valid_to_ms INTEGER, recorded_ms INTEGER NOT NULL DEFAULT 0, merged_into INTEGER, merge_gain REAL, extra TEXT) STRICT;
CREATE INDEX facts_by_digest ON facts (audience, digest);
CREATE TABLE entities (
    entity_id INTEGER PRIMARY KEY,
    stems TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE entity_sounds (
    sound TEXT NOT NULL,
    script TEXT NOT NULL,
    entity_id INTEGER NOT NULL,
    PRIMARY KEY (sound, script, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_sounds_by_entity ON entity_sounds (entity_id);
CREATE TABLE fact_entities (
    fact_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    entity_id INTEGER NOT NULL,
    PRIMARY KEY (fact_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_entities_by_entity ON fact_entities (entity_id, fact_id);
CREATE INDEX facts_by_bag ON facts (audience, bag);
CREATE INDEX facts_merged ON facts (merged_into) WHERE merged_into IS NOT NULL;
CREATE TABLE versions (
    version_id INTEGER PRIMARY KEY,
    fact_id INTEGER NOT NULL,
    content TEXT NOT NULL,
    terms TEXT NOT NULL,
    category TEXT NOT NULL,
    tags TEXT NOT NULL,
    origin TEXT NOT NULL,
    source TEXT NOT NULL,
    valid_from_ms INTEGER NOT NULL,
    valid_to_ms INTEGER NOT NULL,
    recorded_ms INTEGER NOT NULL,
    replaced_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX versions_by_fact ON versions (fact_id);
CREATE TABLE mirrored_tags (
    entry INTEGER NOT NULL,
    audience TEXT NOT NULL,
    fact_id INTEGER NOT NULL,
    tags TEXT NOT NULL,
    PRIMARY KEY (entry, audience, fact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mirrored_tags_by_fact ON mirrored_tags (fact_id);
CREATE TABLE reading (version INTEGER NOT NULL) STRICT;
CREATE TABLE claims (
    subject TEXT NOT NULL,
    attribute TEXT NOT NULL,
    fact_id INTEGER NOT NULL,
    said TEXT NOT NULL,
    value TEXT NOT NULL,
    negated INTEGER NOT NULL,
    PRIMARY KEY (subject, attribute, fact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_fact ON claims (fact_id);
CREATE TABLE claim_words (
    word TEXT NOT NULL,
    subject TEXT NOT NULL,
    PRIMARY KEY (word, subject)
) STRICT, WITHOUT ROWID;
CREATE TABLE aliases (
    name TEXT NOT NULL,
    other TEXT NOT NULL,
    fact_id INTEGER NOT NULL,
    PRIMARY KEY (name, other, fact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_by_fact ON aliases (fact_id);
CREATE VIRTUAL TABLE facts_fts USING fts5 (
                 terms, content = 'facts', content_rowid = 'fact_id', tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co M*'");
CREATE VIRTUAL TABLE versions_fts USING fts5 (
                 terms, content = 'versions', content_rowid = 'version_id', tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co M*'");
INSERT INTO facts_fts (facts_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO versions_fts (versions_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO reading VALUES (1);
PRAGMA user_version = 2;
