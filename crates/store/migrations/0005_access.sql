-- Teams, collections and permissions.

-- members: the number of members, updated by the statements that change them.
CREATE TABLE teams (
    id TEXT NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL REFERENCES organizations (id),
    title TEXT NOT NULL,
    title_folded TEXT NOT NULL,
    members INTEGER NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE INDEX teams_by_organization ON teams (organization, created_at, id);

-- role: owner, member.
CREATE TABLE team_members (
    team TEXT NOT NULL REFERENCES teams (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    role TEXT NOT NULL,
    joined_at INTEGER NOT NULL,
    PRIMARY KEY (team, user_id)
);
CREATE INDEX team_members_by_user ON team_members (user_id, team);
CREATE INDEX team_members_by_time ON team_members (team, joined_at, user_id);

-- default_level: NULL for no access. effective_level: the nearest default_level, from here upwards,
-- that is not inherit, or inherit if there is none. position: the order key among siblings, in
-- hexadecimal; empty if none is set yet.
CREATE TABLE collections (
    id TEXT NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL REFERENCES organizations (id),
    parent TEXT REFERENCES collections (id),
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    default_level TEXT,
    effective_level TEXT,
    position TEXT NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE INDEX collections_by_organization ON collections (organization, created_at, id);
CREATE INDEX collections_by_parent ON collections (parent, organization, position, id);

ALTER TABLE spaces ADD COLUMN effective_level TEXT;
UPDATE spaces SET effective_level = default_level;
ALTER TABLE spaces ADD COLUMN position TEXT NOT NULL DEFAULT '';
CREATE INDEX spaces_by_parent ON spaces (parent, organization, position, id);
-- Spaces that members see without a grant.
CREATE INDEX spaces_by_default ON spaces (organization, created_at, id)
    WHERE effective_level IS NOT NULL AND deleted_at IS NULL;

CREATE TABLE space_teams (
    space TEXT NOT NULL REFERENCES spaces (id),
    team TEXT NOT NULL REFERENCES teams (id),
    role TEXT NOT NULL,
    PRIMARY KEY (space, team)
);
CREATE INDEX space_teams_by_team ON space_teams (team, space);

CREATE TABLE collection_users (
    collection TEXT NOT NULL REFERENCES collections (id),
    user_id TEXT NOT NULL REFERENCES users (id),
    role TEXT NOT NULL,
    PRIMARY KEY (collection, user_id)
);
CREATE INDEX collection_users_by_user ON collection_users (user_id, collection);

CREATE TABLE collection_teams (
    collection TEXT NOT NULL REFERENCES collections (id),
    team TEXT NOT NULL REFERENCES teams (id),
    role TEXT NOT NULL,
    PRIMARY KEY (collection, team)
);
CREATE INDEX collection_teams_by_team ON collection_teams (team, collection);
