-- Settings of organizations, activity of members, invite links and invitations.

-- default_content: the kind, a colon and the id.
ALTER TABLE organizations ADD COLUMN hostname TEXT;
ALTER TABLE organizations ADD COLUMN default_content TEXT;
ALTER TABLE organizations ADD COLUMN logo TEXT;
ALTER TABLE organizations ADD COLUMN ai INTEGER NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN invite_links INTEGER NOT NULL DEFAULT 1;
CREATE UNIQUE INDEX organizations_by_hostname ON organizations (hostname);

-- Email domains whose users may join by themselves.
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

-- verified_at: the time at which the user proved that the email address is theirs.
ALTER TABLE users ADD COLUMN display_name_folded TEXT NOT NULL DEFAULT '';
UPDATE users SET display_name_folded = lower(display_name);
ALTER TABLE users ADD COLUMN verified_at INTEGER;

-- seen_before_at: the previous last_seen_at, which keeps lists stable while they are paged.
ALTER TABLE members ADD COLUMN last_seen_at INTEGER;
ALTER TABLE members ADD COLUMN seen_before_at INTEGER;
CREATE INDEX members_by_time ON members (organization, joined_at, user_id);
CREATE INDEX members_by_role ON members (organization, role, joined_at, user_id);
CREATE INDEX members_by_seen ON members (organization, last_seen_at, user_id)
    WHERE last_seen_at IS NOT NULL;

-- Invite links. space, collection: the target; the organization if both are NULL. id is the secret.
-- The target may no longer exist.
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

-- Pending invitations to email addresses. sent_at: the time at which a mail server accepted it.
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
