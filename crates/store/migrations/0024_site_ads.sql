-- Whether sites show ads, and the review that decides about it.
CREATE TABLE site_ads (
    site TEXT PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
    status TEXT NOT NULL,
    topic TEXT NOT NULL,
    zone TEXT,
    reporting TEXT,
    reason TEXT,
    submitted_by TEXT NOT NULL REFERENCES users (id),
    submitted_at INTEGER NOT NULL
) STRICT;
CREATE INDEX site_ads_by_status ON site_ads (status, submitted_at, site);
