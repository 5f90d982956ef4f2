-- Audit events for the administrators of an organization: changes of access, publication, tokens
-- and settings. They are written with the change, never change, and are deleted after a retention
-- period.

-- id: a UUID. stamp: as in events. source: api, workflow. token: the credential of the request.
CREATE TABLE audit_events (
    id TEXT NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL,
    stamp INTEGER NOT NULL,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    actor TEXT,
    source TEXT NOT NULL,
    address TEXT,
    token TEXT,
    target_kind TEXT NOT NULL,
    target TEXT NOT NULL,
    target_label TEXT,
    payload TEXT NOT NULL
);
CREATE INDEX audit_events_by_time ON audit_events (at);
CREATE INDEX audit_events_by_organization ON audit_events (organization, stamp, id);
CREATE INDEX audit_events_by_action ON audit_events (organization, action, stamp, id);
CREATE INDEX audit_events_by_actor ON audit_events (organization, actor, stamp, id);
CREATE INDEX audit_events_by_target ON audit_events (organization, target, stamp, id);
