//! Redirects from paths of sites.

use bindery_model::{PageId, SiteId, SiteRedirectId, SiteSectionId, SiteSpaceId, Timestamp};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::sites::like_containing;
use crate::{StoreError, Tx, Value};

record! {
    /// A redirect as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct SiteRedirect in site_redirects as r, insert {
        /// Its id.
        pub id: SiteRedirectId,
        /// The site.
        pub site: SiteId,
        /// The path below the site, as its author wrote it.
        pub source: String,
        /// The path in its canonical spelling.
        pub source_key: String,
        /// `true` if the redirect is not in effect.
        pub draft: bool,
        /// The section that it leads to.
        pub section: Option<SiteSectionId>,
        /// The site space that it, or whose page it, leads to.
        pub site_space: Option<SiteSpaceId>,
        /// The page that it leads to.
        pub page: Option<PageId>,
        /// `true` if paths below the source follow the redirect too.
        pub wildcard: bool,
        /// `true` if clients may remember the redirect.
        pub permanent: bool,
        /// Time of creation.
        pub created_at: Timestamp,
    }
}

/// Inserts a new redirect.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, redirect: &SiteRedirect) -> Result<(), StoreError> {
    tx.execute(insert!(SiteRedirect), &redirect.values())?;
    Ok(())
}

/// Returns a redirect of a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    site: SiteId,
    id: SiteRedirectId,
) -> Result<Option<SiteRedirect>, StoreError> {
    tx.query_opt(
        sql!(SiteRedirect::SELECT, " WHERE r.id = $1 AND r.site = $2"),
        &[id.into(), site.into()],
        SiteRedirect::from_row,
    )
}

/// Returns the redirect in effect, or the draft, with this canonical source.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_key(
    tx: &Tx<'_>,
    site: SiteId,
    key: &str,
    draft: bool,
) -> Result<Option<SiteRedirect>, StoreError> {
    tx.query_opt(
        sql!(SiteRedirect::SELECT, " WHERE r.site = $1 AND r.source_key = $2 AND r.draft = $3"),
        &[site.into(), key.into(), draft.into()],
        SiteRedirect::from_row,
    )
}

/// Returns the redirects in effect with one of these canonical sources.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_by_keys(
    tx: &Tx<'_>,
    site: SiteId,
    keys: &[&str],
) -> Result<Vec<SiteRedirect>, StoreError> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut values: Vec<Value<'_>> = vec![site.into()];
    let places = keys.iter().map(|key| {
        values.push((*key).into());
        format!("${}", values.len())
    });
    let places: Vec<String> = places.collect();
    let sql = format!(
        "{} WHERE r.site = $1 AND r.draft = 0 AND r.source_key IN ({})",
        SiteRedirect::SELECT,
        places.join(", ")
    );
    tx.query(&sql, &values, SiteRedirect::from_row)
}

/// Returns the redirects in effect whose source contains `search`, ignoring case, oldest first,
/// starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    site: SiteId,
    search: &str,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<SiteRedirect>, StoreError> {
    let (time, id) = after.unwrap_or((Timestamp::from_millis(i64::MIN), ""));
    tx.query(
        sql!(
            SiteRedirect::SELECT,
            " WHERE r.site = $1 AND r.draft = 0 AND LOWER(r.source) LIKE $2 ESCAPE '\\' \
             AND (r.created_at > $3 OR (r.created_at = $3 AND r.id > $4)) \
             ORDER BY r.created_at, r.id LIMIT $5"
        ),
        &[
            site.into(),
            like_containing(&search.to_ascii_lowercase()).into(),
            time.into(),
            id.into(),
            limit.into(),
        ],
        SiteRedirect::from_row,
    )
}

/// Returns the number of redirects in effect whose source contains `search`, ignoring case.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, site: SiteId, search: &str) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM site_redirects r WHERE r.site = $1 AND r.draft = 0 \
         AND LOWER(r.source) LIKE $2 ESCAPE '\\'",
        &[site.into(), like_containing(&search.to_ascii_lowercase()).into()],
        FromRow::from_row,
    )
}

/// Returns the number of redirects and drafts of a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_all(tx: &Tx<'_>, site: SiteId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM site_redirects r WHERE r.site = $1",
        &[site.into()],
        FromRow::from_row,
    )
}

/// Stores the source, the destination and the state of a redirect.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, redirect: &SiteRedirect) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE site_redirects SET source = $1, source_key = $2, draft = $3, section = $4, \
         site_space = $5, page = $6, wildcard = $7, permanent = $8 WHERE id = $9",
        &[
            (&redirect.source).into(),
            (&redirect.source_key).into(),
            redirect.draft.into(),
            redirect.section.into(),
            redirect.site_space.into(),
            redirect.page.into(),
            redirect.wildcard.into(),
            redirect.permanent.into(),
            redirect.id.into(),
        ],
    )?;
    Ok(())
}

/// Deletes a redirect.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, id: SiteRedirectId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM site_redirects WHERE id = $1", &[id.into()])?;
    Ok(())
}
