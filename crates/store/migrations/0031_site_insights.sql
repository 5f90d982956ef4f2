-- Events of the readers of sites, read by time. id: a random number, for an order. visitor, session:
-- digests of the ids that were sent or derived; NULL if the reader does not want to be recognised.
-- properties: the values of the other columns as JSON. The table does not refer to sites: the events
-- of a deleted site are removed in several steps.
CREATE TABLE site_insights_events (
    site TEXT NOT NULL,
    at INTEGER NOT NULL,
    id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    visitor INTEGER,
    session INTEGER,
    properties TEXT NOT NULL,
    PRIMARY KEY (site, at, id)
) STRICT, WITHOUT ROWID;

-- The numbers of events of a site by day, counted in days since 1970. stored: events with a time in
-- the day. sent, observed: events that arrived on the day, sent by programs or observed by the pages
-- of the site.
CREATE TABLE site_insights_days (
    site TEXT NOT NULL,
    day INTEGER NOT NULL,
    stored INTEGER NOT NULL,
    sent INTEGER NOT NULL,
    observed INTEGER NOT NULL,
    PRIMARY KEY (site, day)
) STRICT, WITHOUT ROWID;

-- The random values from which ids of visitors are derived, by day. They are deleted with the day.
CREATE TABLE site_insights_salts (
    day INTEGER NOT NULL PRIMARY KEY,
    salt BLOB NOT NULL
) STRICT;
