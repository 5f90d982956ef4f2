-- Roles on sites that are granted to people and teams.
CREATE TABLE site_users (
    site TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id),
    role TEXT NOT NULL,
    PRIMARY KEY (site, user_id)
) STRICT;
CREATE INDEX site_users_by_user ON site_users (user_id, site);

CREATE TABLE site_teams (
    site TEXT NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
    team TEXT NOT NULL REFERENCES teams (id),
    role TEXT NOT NULL,
    PRIMARY KEY (site, team)
) STRICT;
CREATE INDEX site_teams_by_team ON site_teams (team, site);
