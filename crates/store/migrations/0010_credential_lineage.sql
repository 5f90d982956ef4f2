-- Credentials end with the token that made them.

-- parent: the token that made this one, or that began the session in which it was made.
ALTER TABLE tokens ADD COLUMN parent TEXT;
CREATE INDEX tokens_by_parent ON tokens (parent);

-- token: the token that began the session. ends_at: the expiry of that token.
ALTER TABLE sessions ADD COLUMN token TEXT;
ALTER TABLE sessions ADD COLUMN ends_at INTEGER;
CREATE INDEX sessions_by_token ON sessions (token);
-- The token that began an earlier session is not known.
DELETE FROM sessions WHERE way = 'token';

-- token: the token with which it was made.
ALTER TABLE sign_in_links ADD COLUMN token TEXT;
CREATE INDEX sign_in_links_by_token ON sign_in_links (token);
ALTER TABLE invitations ADD COLUMN token TEXT;
CREATE INDEX invitations_by_token ON invitations (token);
ALTER TABLE invite_links ADD COLUMN token TEXT;
ALTER TABLE invite_links ADD COLUMN expires_at INTEGER;
CREATE INDEX invite_links_by_token ON invite_links (token);

-- Answers were stored for a person, and some hold secrets.
DELETE FROM idempotency;
