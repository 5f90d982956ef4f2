//! Feedback of readers on pages of sites.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::page_feedback::{self, Filter, PageFeedbackRating};
use bindery_app::publishing::sites::SiteTarget;
use bindery_model::{PageId, Result};

use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listSitePageFeedback", Action::ReadPageFeedback, list_site_page_feedback),
        write("deleteSitePageFeedbackById", Action::ManageSite, delete_site_page_feedback_by_id),
    ]
}

/// `listSitePageFeedback`: lists the feedback of readers on the pages of a site.
fn list_site_page_feedback(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let id = call.query.text("pageId").map(PageId::parse);
    let filter = Filter {
        rating: call.query.text("rating").and_then(PageFeedbackRating::parse),
        page: id.flatten(),
        commented: call.query.flag("commented"),
    };
    // No page has an id that is none.
    let (found, count) = match id {
        Some(None) => (Vec::new(), 0),
        _ => page_feedback::list(cx, site, filter, page.after_time(), page.rows())?,
    };
    let position =
        |feedback: &page_feedback::PageFeedback| time_position(feedback.created_at, feedback.id);
    let list =
        page.list(found, count, position, |feedback| Ok(present::page_feedback(feedback)))?;
    Reply::json(200, &list)
}

/// `deleteSitePageFeedbackById`: deletes the feedback of a reader.
fn delete_site_page_feedback_by_id(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    call: &Call,
) -> Result<Reply> {
    let deleted = page_feedback::delete(cx, site, call.path("pageFeedbackId"))?;
    Ok(Reply::empty(if deleted { 205 } else { 204 }))
}
