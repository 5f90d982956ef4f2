-- What organizations say of themselves, who was seen when, and how people come in.

-- default_content: its kind, a colon, its id.
ALTER TABLE organizations ADD COLUMN hostname TEXT;
ALTER TABLE organizations ADD COLUMN default_content TEXT;
ALTER TABLE organizations ADD COLUMN logo TEXT;
ALTER TABLE organizations ADD COLUMN ai INTEGER NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN invite_links INTEGER NOT NULL DEFAULT 1;
CREATE UNIQUE INDEX organizations_by_hostname ON organizations (hostname);

-- Mail domains whose people may join by themselves.
CREATE TABLE organization_email_domains (
    organization TEXT NOT NULL REFERENCES organizations (id),
    domain TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (organization, domain)
);
CREATE INDEX organization_email_domains_by_domain
    ON organization_email_domains (domain, organization);

CREATE TABLE agent_instructions (
    organization TEXT NOT NULL PRIMARY KEY REFERENCES organizations (id),
    document TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    updated_by TEXT NOT NULL REFERENCES users (id)
);

-- verified_at: when the person showed that the mail address is theirs.
ALTER TABLE users ADD COLUMN display_name_folded TEXT NOT NULL DEFAULT '';
UPDATE users SET display_name_folded = lower(display_name);
ALTER TABLE users ADD COLUMN verified_at INTEGER;

-- seen_before_at: the last_seen_at before the present one, for lists that are being read.
ALTER TABLE members ADD COLUMN last_seen_at INTEGER;
ALTER TABLE members ADD COLUMN seen_before_at INTEGER;
CREATE INDEX members_by_time ON members (organization, joined_at, user_id);
CREATE INDEX members_by_role ON members (organization, role, joined_at, user_id);
CREATE INDEX members_by_seen ON members (organization, last_seen_at, user_id)
    WHERE last_seen_at IS NOT NULL;

-- Links that let in whoever follows them. space, collection: what it is a link to; neither: the
-- organization. id is the secret. What it is a link to may be gone.
CREATE TABLE invite_links (
    id TEXT NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL REFERENCES organizations (id),
    space TEXT,
    collection TEXT,
    role TEXT,
    created_by TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL
);
CREATE INDEX invite_links_by_organization ON invite_links (organization, created_at, id);
CREATE INDEX invite_links_by_space ON invite_links (space);
CREATE INDEX invite_links_by_collection ON invite_links (collection);

-- Invitations of a mail address that wait to be accepted. sent_at: when the mail was handed over.
CREATE TABLE invitations (
    id TEXT NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL REFERENCES organizations (id),
    email TEXT NOT NULL,
    email_folded TEXT NOT NULL,
    role TEXT,
    invited_by TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    sent_at INTEGER,
    UNIQUE (organization, email_folded)
);
CREATE INDEX invitations_by_time ON invitations (organization, created_at, id);
CREATE INDEX invitations_by_expiry ON invitations (expires_at);
