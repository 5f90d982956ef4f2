//! The ratings that readers give.

crate::closed_set! {
    /// The answer of a reader to the question whether a page was helpful.
    PageFeedbackRating {
        /// The page was not helpful.
        Bad = "bad",
        /// The page was helpful in part.
        Ok = "ok",
        /// The page was helpful.
        Good = "good",
    }
}
