//! The types of events of a site's readers.

crate::closed_set! {
    /// The type of an event.
    SiteInsightsEventType {
        /// A page was opened.
        PageView = "page_view",
        /// The search was opened.
        SearchOpen = "search_open",
        /// A query was typed.
        SearchTypeQuery = "search_type_query",
        /// A result of a search was opened.
        SearchOpenResult = "search_open_result",
        /// A page was rated.
        PagePostFeedback = "page_post_feedback",
        /// A rated page was commented on.
        PagePostFeedbackComment = "page_post_feedback_comment",
        /// A question was asked.
        AskQuestion = "ask_question",
        /// The questions were opened.
        AskView = "ask_view",
        /// The answer to a question was rated.
        AskRateResponse = "ask_rate_response",
        /// A link was followed.
        LinkClick = "link_click",
        /// The client for an API was opened.
        ApiClientOpen = "api_client_open",
        /// A request was sent with the client for an API.
        ApiClientRequest = "api_client_request",
        /// An ad was followed.
        AdClick = "ad_click",
        /// An ad was shown.
        AdDisplay = "ad_display",
        /// A trademark was followed.
        TrademarkClick = "trademark_click",
    }
}
