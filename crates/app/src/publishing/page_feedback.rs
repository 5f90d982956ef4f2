//! Ratings and comments of readers on pages of published sites.

use std::net::IpAddr;

pub use bindery_model::PageFeedbackRating;
use bindery_model::{
    Error, FieldPath, PageFeedbackId, PageId, Result, SiteId, SiteSpaceId, SpaceId, Timestamp,
};
pub use bindery_store::page_feedback::{Filter, PageFeedback};
use bindery_store::{Event, NewEvent, page_feedback};

use crate::access::Authorized;
use crate::publishing::sites::SiteTarget;
use crate::{App, Context, Tx};

/// Maximum length of a comment in characters.
pub const MAX_COMMENT: usize = 512;
/// Maximum number of ratings that readers in one network can give on the pages of one site in a
/// day.
const MAX_OF_NETWORK: i64 = 100;
/// Maximum number of ratings on the pages of one site within 24 hours.
const MAX_OF_SITE: i64 = 10_000;
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1_000;

/// A rating, and the page that it concerns.
#[derive(Clone, Debug)]
pub struct NewFeedback {
    /// The site.
    pub site: SiteId,
    /// The site space that shows the page.
    pub site_space: SiteSpaceId,
    /// The space of the page.
    pub space: SpaceId,
    /// The page.
    pub page: PageId,
    /// The address of the page without the origin.
    pub url: String,
    /// The rating.
    pub rating: PageFeedbackRating,
    /// The comment.
    pub comment: Option<String>,
}

/// The reader who gives feedback. Neither value is stored.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    /// The address of the reader's network.
    pub network: IpAddr,
    /// The name of the reader's browser.
    pub user_agent: &'a str,
}

/// Returns a comment without surrounding white space; `None` if nothing is left.
///
/// # Errors
/// Returns 400 if the comment is too long.
pub fn checked_comment(comment: &str) -> Result<Option<String>> {
    // Forms send line ends as CRLF.
    let comment = comment.replace("\r\n", "\n");
    let comment = comment.trim();
    let length = comment.chars().count();
    if length > MAX_COMMENT {
        let text = format!("has {length} characters, at most {MAX_COMMENT} are allowed");
        return Err(Error::invalid(text).at(FieldPath::new("comment")));
    }
    Ok((!comment.is_empty()).then(|| comment.to_owned()))
}

/// Stores the feedback of a reader and returns its id. A second rating of the same page by the same
/// reader on the same day replaces the first.
///
/// # Errors
/// Returns 429 if too many readers of the network or the site gave feedback that day.
pub fn create(
    app: &App,
    tx: &Tx<'_>,
    new: &NewFeedback,
    reader: Reader<'_>,
) -> Result<PageFeedbackId> {
    let now = app.clock.now();
    let NewFeedback { site, site_space, space, page, url, rating, comment } = new.clone();
    let day = now.millis().div_euclid(DAY_MILLIS).to_string();
    let (of_site, from) = (site.to_string(), reader.network.to_string());
    let network = app.secrets.reader_digest(&[&of_site, &day, &from]);
    let reader = app.secrets.reader_digest(&[&of_site, &day, &from, reader.user_agent]);
    let since = Timestamp::from_millis(now.millis() - DAY_MILLIS);
    if page_feedback::count_of_network(tx, site, &network)? >= MAX_OF_NETWORK
        || page_feedback::count_since(tx, site, since)? >= MAX_OF_SITE
    {
        let text = "too much feedback was given on this site today; try again tomorrow";
        return Err(Error::rate_limited(text).retry_after(3_600));
    }
    let id = PageFeedbackId::random(&app.entropy);
    let feedback = PageFeedback {
        id,
        site,
        site_space,
        space,
        page,
        rating,
        comment,
        url,
        reader,
        network,
        created_at: now,
    };
    page_feedback::create(tx, &feedback)?;
    Ok(id)
}

/// Adds a comment to feedback that has none, and returns the rating. Has no effect if the feedback
/// does not exist or has a comment.
///
/// # Errors
/// Returns an error if the store fails.
pub fn add_comment(
    tx: &Tx<'_>,
    site: SiteId,
    id: PageFeedbackId,
    comment: &str,
) -> Result<Option<PageFeedbackRating>> {
    let found = page_feedback::get(tx, site, id)?.filter(|found| found.comment.is_none());
    if found.is_some() {
        page_feedback::set_comment(tx, id, comment)?;
    }
    Ok(found.map(|found| found.rating))
}

/// Lists the feedback on a site, newest first, after the given position, and returns its total
/// number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    cx: &Context<'_>,
    site: &Authorized<SiteTarget>,
    filter: Filter,
    after: Option<(Timestamp, &str)>,
    rows: u32,
) -> Result<(Vec<PageFeedback>, i64)> {
    let found = page_feedback::list(cx.tx, site.0.id, filter, after, rows)?;
    Ok((found, page_feedback::count(cx.tx, site.0.id, filter)?))
}

/// Deletes feedback. Returns `false` if it does not exist.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(cx: &Context<'_>, site: &Authorized<SiteTarget>, id: &str) -> Result<bool> {
    let Some(id) = PageFeedbackId::parse(id) else { return Ok(false) };
    let site = &site.0;
    let deleted = page_feedback::delete(cx.tx, site.id, id)?;
    if deleted {
        let event = NewEvent::new(Event::PageFeedbackDeleted { feedback: id }).by(cx.user());
        cx.tx.record(&event.organization(site.organization).site(site.id))?;
    }
    Ok(deleted)
}
