-- Lineage of credentials, which end with the token that created them.

-- parent: the token that created this one, directly or through a session.
ALTER TABLE tokens ADD COLUMN parent TEXT;
CREATE INDEX tokens_by_parent ON tokens (parent);

-- token: the token that started the session. ends_at: the expiry of that token.
ALTER TABLE sessions ADD COLUMN token TEXT;
ALTER TABLE sessions ADD COLUMN ends_at INTEGER;
CREATE INDEX sessions_by_token ON sessions (token);
-- The tokens that started the existing sessions are not known.
DELETE FROM sessions WHERE way = 'token';

-- token: the token that created it.
ALTER TABLE sign_in_links ADD COLUMN token TEXT;
CREATE INDEX sign_in_links_by_token ON sign_in_links (token);
ALTER TABLE invitations ADD COLUMN token TEXT;
CREATE INDEX invitations_by_token ON invitations (token);
ALTER TABLE invite_links ADD COLUMN token TEXT;
ALTER TABLE invite_links ADD COLUMN expires_at INTEGER;
CREATE INDEX invite_links_by_token ON invite_links (token);

-- Responses were stored per user, and some of them contain secrets.
DELETE FROM idempotency;
