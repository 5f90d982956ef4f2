-- Notifications of users. verdict: that of the review. mail_job: the job whose mail contains it.
CREATE TABLE notifications (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    actor TEXT NOT NULL REFERENCES users (id),
    space TEXT NOT NULL REFERENCES spaces (id),
    change_request TEXT REFERENCES change_requests (id),
    comment TEXT,
    reply TEXT,
    verdict TEXT,
    created_at INTEGER NOT NULL,
    read_at INTEGER,
    mail_job TEXT
) STRICT;
CREATE INDEX notifications_by_user ON notifications (user_id, created_at, id);
CREATE INDEX notifications_unread ON notifications (user_id, created_at, id) WHERE read_at IS NULL;
CREATE INDEX notifications_by_space ON notifications (space);
CREATE INDEX notifications_by_change_request ON notifications (change_request);
CREATE INDEX notifications_by_comment ON notifications (comment) WHERE comment IS NOT NULL;
CREATE INDEX notifications_by_mail ON notifications (mail_job) WHERE mail_job IS NOT NULL;
CREATE INDEX notifications_by_time ON notifications (created_at);

-- Settings of the notifications of users. A user without a row has the defaults. mail: 1 if
-- notifications are sent by mail too.
CREATE TABLE notification_settings (
    user_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id),
    mail INTEGER NOT NULL
) STRICT;
