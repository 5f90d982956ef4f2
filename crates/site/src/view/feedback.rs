//! The form with which readers rate a page, and the answer to it.

use bindery_model::PageFeedbackRating;
use maud::{Markup, html};

use super::SiteView;
use super::states::state;
use crate::i18n::Messages;

/// The answer to a rating or a comment.
#[derive(Clone, Copy, Debug)]
pub struct FeedbackView<'a> {
    /// The address of the form.
    pub form: &'a str,
    /// The address of the page.
    pub page: &'a str,
    /// The id of the rating, if the reader can add a comment to it.
    pub commentable: Option<&'a str>,
}

/// Renders the question whether a page was helpful. In previews, it cannot be answered.
pub(super) fn question(address: &str, is_preview: bool, messages: &Messages) -> Markup {
    let answers = [
        (PageFeedbackRating::Good, messages.helpful),
        (PageFeedbackRating::Ok, messages.partly_helpful),
        (PageFeedbackRating::Bad, messages.not_helpful),
    ];
    html! {
        form.feedback method="post" action=(address) {
            fieldset disabled[is_preview] {
                legend { (messages.was_helpful) }
                @for (rating, label) in answers {
                    button.button.button-secondary type="submit" name="rating" value=(rating.as_str()) { (label) }
                }
            }
        }
    }
}

/// Renders the answer to a rating or a comment.
pub fn render_feedback(site: &SiteView, feedback: &FeedbackView<'_>) -> String {
    let messages = site.messages();
    let FeedbackView { form, page, commentable } = *feedback;
    let more = html! {
        @if let Some(id) = commentable {
            form.feedback method="post" action=(form) {
                input type="hidden" name="feedback" value=(id);
                label for="B--comment" { (messages.comment) }
                textarea id="B--comment" name="comment" rows="4" maxlength="512" required {}
                button.button.button-primary type="submit" { (messages.send) }
            }
        }
        p { a.button.button-secondary href=(page) { (messages.back_to_page) } }
    };
    let text = if commentable.is_some() { messages.comment_text } else { "" };
    state(site, &[], messages.thanks, text, &more, false)
}
