//! Ratings and comments that readers gave on pages of sites.

use bindery_model::{
    PageFeedbackId, PageFeedbackRating, PageId, SiteId, SiteSpaceId, SpaceId, Timestamp,
};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{StoreError, Tx, Value};

record! {
    /// The feedback of a reader on a page as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct PageFeedback in page_feedback as f, insert {
        /// Its id.
        pub id: PageFeedbackId,
        /// The site.
        pub site: SiteId,
        /// The site space that showed the page.
        pub site_space: SiteSpaceId,
        /// The space of the page.
        pub space: SpaceId,
        /// The page.
        pub page: PageId,
        /// The rating.
        pub rating: PageFeedbackRating,
        /// The comment.
        pub comment: Option<String>,
        /// The address of the page without the origin.
        pub url: String,
        /// A digest of the reader's network, browser, site and day.
        pub reader: String,
        /// A digest of the reader's network, site and day.
        pub network: String,
        /// Time of the rating.
        pub created_at: Timestamp,
    }
}

/// Selects feedback of a site.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    /// The rating; `None` for all.
    pub rating: Option<PageFeedbackRating>,
    /// The page; `None` for all.
    pub page: Option<PageId>,
    /// `true` for ratings with a comment, `false` for those without one; `None` for both.
    pub commented: Option<bool>,
}

impl Filter {
    /// Returns the condition, whose values are appended.
    fn sql<'v>(&self, site: SiteId, values: &mut Vec<Value<'v>>) -> String {
        values.push(site.into());
        let mut sql = String::from(" WHERE f.site = $1");
        if let Some(rating) = self.rating {
            values.push(rating.into());
            sql.push_str(&format!(" AND f.rating = ${}", values.len()));
        }
        if let Some(page) = self.page {
            values.push(page.into());
            sql.push_str(&format!(" AND f.page = ${}", values.len()));
        }
        match self.commented {
            Some(true) => sql.push_str(" AND f.comment IS NOT NULL"),
            Some(false) => sql.push_str(" AND f.comment IS NULL"),
            None => {}
        }
        sql
    }
}

/// Inserts feedback. Earlier feedback of the same reader on the same page is replaced.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, feedback: &PageFeedback) -> Result<(), StoreError> {
    let PageFeedback { site, page, reader, .. } = feedback;
    tx.execute(
        "DELETE FROM page_feedback WHERE site = $1 AND reader = $2 AND page = $3",
        &[site.into(), reader.as_str().into(), page.into()],
    )?;
    tx.execute(insert!(PageFeedback), &feedback.values())?;
    Ok(())
}

/// Returns feedback of a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    site: SiteId,
    id: PageFeedbackId,
) -> Result<Option<PageFeedback>, StoreError> {
    tx.query_opt(
        sql!(PageFeedback::SELECT, " WHERE f.id = $1 AND f.site = $2"),
        &[id.into(), site.into()],
        PageFeedback::from_row,
    )
}

/// Returns the feedback of a site that passes a filter, newest first, after a position.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    site: SiteId,
    filter: Filter,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<PageFeedback>, StoreError> {
    let mut values = Vec::new();
    let condition = filter.sql(site, &mut values);
    let mut sql = format!("{}{condition}", PageFeedback::SELECT);
    if let Some((time, id)) = after {
        values.push(time.into());
        let at = values.len();
        values.push(id.into());
        let last = values.len();
        sql.push_str(&format!(
            " AND (f.created_at < ${at} OR (f.created_at = ${at} AND f.id < ${last}))"
        ));
    }
    values.push(limit.into());
    sql.push_str(&format!(" ORDER BY f.created_at DESC, f.id DESC LIMIT ${}", values.len()));
    tx.query(&sql, &values, PageFeedback::from_row)
}

/// Returns the number of items of feedback of a site that pass a filter.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, site: SiteId, filter: Filter) -> Result<i64, StoreError> {
    let mut values = Vec::new();
    let condition = filter.sql(site, &mut values);
    let sql = format!("SELECT COUNT(*) FROM page_feedback f{condition}");
    tx.query_one(&sql, &values, FromRow::from_row)
}

/// Returns the number of items of feedback of a site since a time.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_since(tx: &Tx<'_>, site: SiteId, since: Timestamp) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM page_feedback f WHERE f.site = $1 AND f.created_at >= $2",
        &[site.into(), since.into()],
        FromRow::from_row,
    )
}

/// Returns the number of items of feedback of a site from a network.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_of_network(tx: &Tx<'_>, site: SiteId, network: &str) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM page_feedback f WHERE f.site = $1 AND f.network = $2",
        &[site.into(), network.into()],
        FromRow::from_row,
    )
}

/// Stores the comment of feedback.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_comment(tx: &Tx<'_>, id: PageFeedbackId, comment: &str) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE page_feedback SET comment = $2 WHERE id = $1",
        &[id.into(), comment.into()],
    )?;
    Ok(())
}

/// Deletes feedback of a site. Returns `false` if there is none with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, site: SiteId, id: PageFeedbackId) -> Result<bool, StoreError> {
    let deleted = tx.execute(
        "DELETE FROM page_feedback WHERE id = $1 AND site = $2",
        &[id.into(), site.into()],
    )?;
    Ok(deleted > 0)
}
