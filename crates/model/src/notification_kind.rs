//! The kinds of notifications.

crate::closed_set! {
    /// The reason of a notification.
    NotificationKind {
        /// A comment or a reply mentions the user.
        Mention = "mention",
        /// A comment was posted on a change request of the user.
        Comment = "comment",
        /// A reply was posted in a discussion that the user takes part in.
        Reply = "reply",
        /// The user was asked to review a change request.
        ReviewRequested = "review-requested",
        /// A change request of the user was reviewed.
        Reviewed = "reviewed",
        /// A change request of the user was merged.
        Merged = "merged",
    }
}
