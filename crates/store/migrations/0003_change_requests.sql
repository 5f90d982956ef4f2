-- Change requests with reviews and comments, and the related columns of spaces.

-- merge_rules: JSON; NULL for the organization's rules. The statements that change the counted rows
-- also update the counts.
ALTER TABLE spaces ADD COLUMN merge_rules TEXT;
ALTER TABLE spaces ADD COLUMN icon TEXT;
ALTER TABLE spaces ADD COLUMN template INTEGER NOT NULL DEFAULT 0;
ALTER TABLE spaces ADD COLUMN last_number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE spaces ADD COLUMN change_requests INTEGER NOT NULL DEFAULT 0;
ALTER TABLE spaces ADD COLUMN change_requests_open INTEGER NOT NULL DEFAULT 0;
ALTER TABLE spaces ADD COLUMN change_requests_draft INTEGER NOT NULL DEFAULT 0;
ALTER TABLE spaces ADD COLUMN comments INTEGER NOT NULL DEFAULT 0;
CREATE INDEX spaces_deleted ON spaces (deleted_at) WHERE deleted_at IS NOT NULL;
ALTER TABLE organizations ADD COLUMN merge_rules TEXT;

-- position: the revision's position in the history of the main content, from 1; NULL for revisions
-- of change requests.
ALTER TABLE revisions ADD COLUMN position INTEGER;
ALTER TABLE revisions ADD COLUMN change_request TEXT;
UPDATE revisions SET position = (
    SELECT COUNT(*) FROM revisions earlier WHERE earlier.space = revisions.space
    AND (earlier.created_at < revisions.created_at
        OR (earlier.created_at = revisions.created_at AND earlier.id <= revisions.id))
);
CREATE INDEX revisions_by_position ON revisions (space, position);

-- merged_ancestor: the newest main revision that it contains. extra: custom properties, as JSON.
CREATE TABLE change_requests (
    id TEXT NOT NULL PRIMARY KEY,
    space TEXT NOT NULL REFERENCES spaces (id),
    number INTEGER NOT NULL,
    status TEXT NOT NULL,
    subject TEXT NOT NULL,
    description TEXT,
    extra TEXT,
    created_by TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    head TEXT NOT NULL,
    initial TEXT NOT NULL,
    merged_ancestor TEXT NOT NULL,
    merged TEXT,
    comments INTEGER NOT NULL,
    UNIQUE (space, number)
);
CREATE INDEX change_requests_by_time ON change_requests (space, created_at, id);
CREATE INDEX change_requests_by_status ON change_requests (space, status, created_at, id);
CREATE INDEX change_requests_by_creator ON change_requests (created_by, created_at, id);
CREATE INDEX change_requests_by_merge ON change_requests (space, merged);

-- Contributors to change requests. action: edit, comment. times: the number of contributions.
CREATE TABLE change_request_contributors (
    change_request TEXT NOT NULL REFERENCES change_requests (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    action TEXT NOT NULL,
    times INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (change_request, user_id, action)
);
CREATE INDEX change_request_contributors_by_user
    ON change_request_contributors (user_id, change_request);

CREATE TABLE change_request_reviewers (
    change_request TEXT NOT NULL REFERENCES change_requests (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    requested_by TEXT NOT NULL REFERENCES users (id),
    revision TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (change_request, user_id)
);
CREATE INDEX change_request_reviewers_by_user
    ON change_request_reviewers (user_id, change_request);

-- revision: the content that the reviewer saw. comment: the comment submitted with the review.
CREATE TABLE change_request_reviews (
    id TEXT NOT NULL PRIMARY KEY,
    change_request TEXT NOT NULL REFERENCES change_requests (id),
    revision TEXT NOT NULL,
    reviewer TEXT NOT NULL REFERENCES users (id),
    requested_by TEXT,
    status TEXT NOT NULL,
    comment TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE INDEX change_request_reviews_by_time
    ON change_request_reviews (change_request, created_at, id);

-- change_request: NULL for the space's main content. revision: the content it was made on. node:
-- the key of a block. table_cell, body: JSON. status: open, resolved.
CREATE TABLE comments (
    id TEXT NOT NULL PRIMARY KEY,
    space TEXT NOT NULL REFERENCES spaces (id),
    change_request TEXT,
    review TEXT,
    revision TEXT NOT NULL,
    page TEXT,
    node TEXT,
    table_cell TEXT,
    body TEXT NOT NULL,
    posted_by TEXT NOT NULL REFERENCES users (id),
    posted_at INTEGER NOT NULL,
    edited_at INTEGER,
    status TEXT NOT NULL,
    resolved_at INTEGER,
    resolved_by TEXT,
    replies INTEGER NOT NULL
);
CREATE INDEX comments_by_time ON comments (space, change_request, posted_at, id);

CREATE TABLE comment_replies (
    id TEXT NOT NULL PRIMARY KEY,
    comment TEXT NOT NULL REFERENCES comments (id),
    body TEXT NOT NULL,
    posted_by TEXT NOT NULL REFERENCES users (id),
    posted_at INTEGER NOT NULL,
    edited_at INTEGER
);
CREATE INDEX comment_replies_by_time ON comment_replies (comment, posted_at, id);

-- subject: a comment or a reply.
CREATE TABLE comment_reactions (
    subject TEXT NOT NULL,
    emoji TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id),
    at INTEGER NOT NULL,
    PRIMARY KEY (subject, emoji, user_id)
);
