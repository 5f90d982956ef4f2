//! Feedback of readers on pages of sites.

use bindery_app::publishing::page_feedback::PageFeedback;
use bindery_wire::response;

use crate::closed_sets::page_feedback_rating;

pub(crate) fn page_feedback(feedback: PageFeedback) -> response::PageFeedback {
    let PageFeedback {
        id,
        site: _,
        site_space,
        space,
        page,
        rating,
        comment,
        url,
        reader: _,
        network: _,
        created_at,
    } = feedback;
    response::PageFeedback {
        id: id.to_string(),
        site_space: site_space.to_string(),
        space: space.to_string(),
        page: page.to_string(),
        rating: page_feedback_rating(rating),
        comment,
        url,
        created_at,
    }
}
