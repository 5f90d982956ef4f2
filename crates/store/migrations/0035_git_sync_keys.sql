-- Keys of a synchronisation. public_key: that of the private key for SSH, which is in credentials.
-- host_keys: the keys of the SSH server, as lines; NULL until they are known. signing_key: the
-- private key that signs commits, sealed; signing_public_key: its public key.
ALTER TABLE git_syncs ADD COLUMN public_key TEXT;
ALTER TABLE git_syncs ADD COLUMN host_keys TEXT;
ALTER TABLE git_syncs ADD COLUMN signing_key TEXT;
ALTER TABLE git_syncs ADD COLUMN signing_public_key TEXT;
