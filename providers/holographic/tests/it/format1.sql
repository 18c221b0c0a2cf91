CREATE TABLE facts (
    fact_id INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice: a model may still remember an old one
    content TEXT NOT NULL,
    digest INTEGER NOT NULL,       -- of the normalised content, to find equal ones
    terms TEXT NOT NULL,           -- hermes_text::index_terms of content and tags
    category TEXT NOT NULL,
    tags TEXT NOT NULL,            -- JSON array
    trust REAL NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    retrieval_count INTEGER NOT NULL DEFAULT 0,
    helpful_count INTEGER NOT NULL DEFAULT 0,
    unhelpful_count INTEGER NOT NULL DEFAULT 0,
    audience TEXT NOT NULL,        -- see `audience`
    platform TEXT NOT NULL,
    scope TEXT NOT NULL,           -- JSON
    origin TEXT NOT NULL           -- JSON
) STRICT;
CREATE INDEX facts_by_digest ON facts (audience, digest);
CREATE TABLE entities (
    entity_id INTEGER PRIMARY KEY,
    stems TEXT NOT NULL UNIQUE     -- stems of the name, sorted
) STRICT;
CREATE TABLE entity_sounds (
    sound TEXT NOT NULL,           -- of one word of the name, the same in Latin and Cyrillic
    script TEXT NOT NULL,
    entity_id INTEGER NOT NULL,
    PRIMARY KEY (sound, script, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_sounds_by_entity ON entity_sounds (entity_id);
CREATE TABLE fact_entities (
    fact_id INTEGER NOT NULL,
    place INTEGER NOT NULL,        -- order in the text, from 0
    entity_id INTEGER NOT NULL,
    PRIMARY KEY (fact_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_entities_by_entity ON fact_entities (entity_id, fact_id);
CREATE VIRTUAL TABLE facts_fts USING fts5 (
    terms, content = 'facts', content_rowid = 'fact_id', tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co M*'");
INSERT INTO facts_fts (facts_fts, rank) VALUES ('secure-delete', 1);
PRAGMA user_version = 1;
