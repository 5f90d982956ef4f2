-- pull_request_draft: 1 if the pull request of the branch was marked as not ready for review when it
-- was read last.
ALTER TABLE git_branches ADD COLUMN pull_request_draft INTEGER;
