-- Networks from which a person signed in. network: a keyed hash of the address.
CREATE TABLE known_networks (
    user_id TEXT NOT NULL REFERENCES users (id),
    network BLOB NOT NULL,
    last_used_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, network)
);
CREATE INDEX known_networks_by_time ON known_networks (last_used_at);

-- onboarding: the preferences that an organization's founder set, as JSON.
ALTER TABLE organizations ADD COLUMN onboarding TEXT;
