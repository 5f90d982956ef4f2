//! Sites. Each change of a site's pages increments its version.

use std::collections::HashMap;

use bindery_model::{
    OrganizationId, SiteAgentsContext, SiteId, SiteType, SiteVisibility, SpaceId, Timestamp, UserId,
};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::value::placeholders;
use crate::{StoreError, Tx, Value, embeds, git_installations, site_insights};

/// Number of events of readers that are deleted together with their site. The others are removed
/// later, so that the deletion of a large site does not make other changes wait.
const MAX_EVENTS_OF_DELETION: u32 = 10_000;

record! {
    /// A site as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Site in sites as s, insert {
        /// Its id.
        pub id: SiteId,
        /// The organization that owns it.
        pub organization: OrganizationId,
        /// Its type.
        pub site_type: SiteType = type,
        /// Its title.
        pub title: String,
        /// Its path on the main host.
        pub basename: String,
        /// The audience.
        pub visibility: SiteVisibility,
        /// `true` if readers can access it.
        pub published: bool,
        /// The address under which another server passes the site on: a host and a path.
        pub proxy: Option<String>,
        /// The host on which readers find the site, if it has one of its own.
        pub hostname: Option<String>,
        /// `true` if conditions see the claims of visitors.
        pub adaptive: bool,
        /// The permission of agents to use the site as context.
        pub agents_context: SiteAgentsContext,
        /// Number of changes to its pages.
        pub version: i64,
        /// Time of creation.
        pub created_at: Timestamp,
    }
}

/// Inserts a new site. Returns `false` if its basename is taken.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, site: &Site) -> Result<bool, StoreError> {
    let mut values = site.values();
    values.push(site.title.to_lowercase().into());
    let sql = sql!(insert!(Site, title_folded), " ON CONFLICT (basename) DO NOTHING");
    let added = tx.execute(sql, &values)? > 0;
    if added {
        forget_former_basename(tx, &site.basename)?;
    }
    Ok(added)
}

/// Returns the site with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, id: SiteId) -> Result<Option<Site>, StoreError> {
    tx.query_opt(sql!(Site::SELECT, " WHERE s.id = $1"), &[id.into()], Site::from_row)
}

/// Returns the site at this path of the main host.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_basename(tx: &Tx<'_>, basename: &str) -> Result<Option<Site>, StoreError> {
    tx.query_opt(sql!(Site::SELECT, " WHERE s.basename = $1"), &[basename.into()], Site::from_row)
}

/// Returns the site that had this basename last, before it got another one.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_former_basename(tx: &Tx<'_>, basename: &str) -> Result<Option<Site>, StoreError> {
    tx.query_opt(
        sql!(Site::SELECT, " JOIN former_basenames f ON f.site = s.id WHERE f.basename = $1"),
        &[basename.into()],
        Site::from_row,
    )
}

/// Returns the site with this hostname.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_hostname(tx: &Tx<'_>, hostname: &str) -> Result<Option<Site>, StoreError> {
    tx.query_opt(sql!(Site::SELECT, " WHERE s.hostname = $1"), &[hostname.into()], Site::from_row)
}

/// Returns the site that another server passes on under this address, a host and a path.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_proxy(tx: &Tx<'_>, proxy: &str) -> Result<Option<Site>, StoreError> {
    tx.query_opt(sql!(Site::SELECT, " WHERE s.proxy = $1"), &[proxy.into()], Site::from_row)
}

record! {
    /// A published site on which readers find a space.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct PublishedSite in sites as s {
        /// The site's path on the main host.
        pub basename: String,
        /// The site's own host.
        pub hostname: Option<String>,
        /// The address under which another server passes the site on.
        pub proxy: Option<String>,
        /// The audience.
        pub visibility: SiteVisibility,
    }
}

/// The place at which readers find a space. If several sites show it, it is the one with the widest
/// audience.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublishedSpace {
    /// The site.
    pub site: PublishedSite,
    /// The path of the space below the site: empty, or with a slash at the end.
    pub path: String,
}

/// Returns the places at which all readers of a site find these spaces. Omits spaces that are not
/// published, or only under a condition.
///
/// # Errors
/// Returns an error if the store fails.
pub fn published_sites(
    tx: &Tx<'_>,
    ids: &[SpaceId],
) -> Result<HashMap<SpaceId, PublishedSpace>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let mut values = Vec::new();
    let sql = format!(
        "SELECT p.space, {}, \
         (SELECT d.path FROM site_sections d WHERE d.id = p.section AND d.is_default = 0), \
         CASE WHEN p.is_default = 1 THEN NULL ELSE p.path END \
         FROM site_spaces p JOIN sites s ON s.id = p.site \
         WHERE p.space IN ({}) AND s.published = 1 AND p.condition IS NULL \
         AND NOT EXISTS (SELECT 1 FROM site_sections e \
                         WHERE e.id = p.section AND e.condition IS NOT NULL) \
         ORDER BY CASE s.visibility WHEN 'public' THEN 0 WHEN 'unlisted' THEN 1 \
         WHEN 'share-link' THEN 2 ELSE 3 END, s.created_at, s.id",
        PublishedSite::COLUMNS,
        placeholders(&mut values, ids)
    );
    type Row = (SpaceId, PublishedSite, Option<String>, Option<String>);
    let rows = tx.query(&sql, &values, Row::from_row)?;
    let mut first = HashMap::with_capacity(rows.len());
    for (space, site, section, variant) in rows {
        let parts = [section, variant].into_iter().flatten();
        let path = parts.map(|part| format!("{part}/")).collect();
        first.entry(space).or_insert(PublishedSpace { site, path });
    }
    Ok(first)
}

/// A setting of a site that no two sites have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SiteAddressKind {
    /// The path on the main host.
    Basename,
    /// The site's own host.
    Hostname,
    /// The address under which another server passes the site on.
    Proxy,
}

/// Updates the settings of a site and increments its version. Returns the setting that another site
/// has, without a change. A basename that the site gives up leads to the site until another site
/// takes it.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, site: &Site) -> Result<Option<SiteAddressKind>, StoreError> {
    let find = |text: Option<&str>, get: fn(&Tx<'_>, &str) -> Result<Option<Site>, StoreError>| {
        let found = text.map(|text| get(tx, text)).transpose()?.flatten();
        Ok::<_, StoreError>(found.is_some_and(|other| other.id != site.id))
    };
    for (kind, is_taken) in [
        (SiteAddressKind::Basename, find(Some(&site.basename), get_by_basename)?),
        (SiteAddressKind::Hostname, find(site.hostname.as_deref(), get_by_hostname)?),
        (SiteAddressKind::Proxy, find(site.proxy.as_deref(), get_by_proxy)?),
    ] {
        if is_taken {
            return Ok(Some(kind));
        }
    }
    forget_former_basename(tx, &site.basename)?;
    tx.execute(
        "INSERT INTO former_basenames (basename, site) \
         SELECT basename, id FROM sites WHERE id = $1 AND basename <> $2",
        &[site.id.into(), site.basename.as_str().into()],
    )?;
    tx.execute(
        "UPDATE sites SET title = $2, title_folded = $3, basename = $4, visibility = $5, \
         proxy = $6, adaptive = $7, agents_context = $8, hostname = $9, version = version + 1 \
         WHERE id = $1",
        &[
            site.id.into(),
            site.title.as_str().into(),
            site.title.to_lowercase().into(),
            site.basename.as_str().into(),
            site.visibility.into(),
            site.proxy.as_deref().into(),
            site.adaptive.into(),
            site.agents_context.into(),
            site.hostname.as_deref().into(),
        ],
    )?;
    Ok(None)
}

/// Removes a basename from those that lead to a site that had them before.
fn forget_former_basename(tx: &Tx<'_>, basename: &str) -> Result<(), StoreError> {
    tx.execute("DELETE FROM former_basenames WHERE basename = $1", &[basename.into()])?;
    Ok(())
}

/// Deletes a site with everything that belongs to it. Its spaces remain.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(tx: &Tx<'_>, id: SiteId) -> Result<(), StoreError> {
    embeds::mark_spaces_of_site(tx, id)?;
    git_installations::delete_of_site(tx, id)?;
    site_insights::delete_oldest(tx, id, None, MAX_EVENTS_OF_DELETION)?;
    for sql in [
        "DELETE FROM site_images WHERE site = $1",
        "DELETE FROM page_feedback WHERE site = $1",
        "DELETE FROM site_external_links WHERE site = $1",
        "DELETE FROM site_ads WHERE site = $1",
        "DELETE FROM former_basenames WHERE site = $1",
        "DELETE FROM site_users WHERE site = $1",
        "DELETE FROM site_teams WHERE site = $1",
        "DELETE FROM site_redirects WHERE site = $1",
        "DELETE FROM site_share_links WHERE site = $1",
        "DELETE FROM site_publishing_auth WHERE site = $1",
        "DELETE FROM site_customizations WHERE site = $1",
        "DELETE FROM site_adaptive_schemas WHERE site = $1",
        "DELETE FROM site_spaces WHERE site = $1",
        "DELETE FROM site_sections WHERE site = $1",
        "DELETE FROM site_section_groups WHERE site = $1",
        "DELETE FROM sites WHERE id = $1",
    ] {
        tx.execute(sql, &[id.into()])?;
    }
    Ok(())
}

/// Publishes or unpublishes a site.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_published(tx: &Tx<'_>, id: SiteId, published: bool) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE sites SET published = $1, version = version + 1 WHERE id = $2",
        &[i64::from(published).into(), id.into()],
    )?;
    Ok(())
}

/// Increments a site's version after a change of its pages.
///
/// # Errors
/// Returns an error if the store fails.
pub fn increment_version(tx: &Tx<'_>, id: SiteId) -> Result<(), StoreError> {
    tx.execute("UPDATE sites SET version = version + 1 WHERE id = $1", &[id.into()])?;
    Ok(())
}

/// Increments the version of all sites of an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn increment_versions_of_organization(
    tx: &Tx<'_>,
    organization: OrganizationId,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE sites SET version = version + 1 WHERE organization = $1",
        &[organization.into()],
    )?;
    Ok(())
}

/// Increments the version of all sites that include a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn increment_versions_of_space(tx: &Tx<'_>, space: SpaceId) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE sites SET version = version + 1 \
         WHERE id IN (SELECT p.site FROM site_spaces p WHERE p.space = $1)",
        &[space.into()],
    )?;
    Ok(())
}

/// Selects the sites in a list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SiteFilter {
    /// Sites that include this space.
    pub space: Option<SpaceId>,
    /// Sites whose title contains this text, ignoring case.
    pub title: Option<String>,
    /// `true` selects published sites, `false` the others.
    pub published: Option<bool>,
    /// Sites of one of these types; empty for all types.
    pub types: Vec<SiteType>,
    /// Sites on which this person has a grant, directly or through a team.
    pub granted_to: Option<UserId>,
}

struct Query {
    sql: String,
    values: Vec<Value<'static>>,
}

impl Query {
    fn bind(&mut self, value: impl Into<Value<'static>>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    fn of(select: &str, organization: OrganizationId, filter: &SiteFilter) -> Self {
        let mut query = Self { sql: select.to_owned(), values: Vec::new() };
        let organization = query.bind(organization);
        query.sql.push_str(&format!(" WHERE s.organization = {organization}"));
        if let Some(space) = filter.space {
            let space = query.bind(space);
            query.sql.push_str(&format!(
                " AND EXISTS (SELECT 1 FROM site_spaces p WHERE p.site = s.id AND p.space = {space})"
            ));
        }
        if let Some(title) = &filter.title {
            let like = query.bind(like_containing(&title.to_lowercase()));
            query.sql.push_str(&format!(" AND s.title_folded LIKE {like} ESCAPE '\\'"));
        }
        if let Some(published) = filter.published {
            let published = query.bind(i64::from(published));
            query.sql.push_str(&format!(" AND s.published = {published}"));
        }
        if !filter.types.is_empty() {
            let types: Vec<String> = filter.types.iter().map(|one| query.bind(*one)).collect();
            query.sql.push_str(&format!(" AND s.type IN ({})", types.join(", ")));
        }
        if let Some(user) = filter.granted_to {
            let user = query.bind(user);
            query.sql.push_str(&format!(
                " AND s.id IN (SELECT g.site FROM site_users g WHERE g.user_id = {user} \
                 UNION SELECT g.site FROM team_members m CROSS JOIN site_teams g \
                 WHERE m.user_id = {user} AND g.team = m.team)"
            ));
        }
        query
    }
}

/// Returns a LIKE pattern for texts that contain `text`.
pub(crate) fn like_containing(text: &str) -> String {
    let mut pattern = String::from("%");
    for char in text.chars() {
        if matches!(char, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern.push('%');
    pattern
}

/// Returns the matching sites of an organization, oldest first, starting after `after`.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list(
    tx: &Tx<'_>,
    organization: OrganizationId,
    filter: &SiteFilter,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Site>, StoreError> {
    let mut query = Query::of(Site::SELECT, organization, filter);
    let (time, id) = after.unwrap_or((Timestamp::from_millis(i64::MIN), ""));
    let time = query.bind(time);
    let id = query.bind(id.to_owned());
    let limit = query.bind(i64::from(limit));
    query.sql.push_str(&format!(
        " AND (s.created_at > {time} OR (s.created_at = {time} AND s.id > {id})) \
         ORDER BY s.created_at, s.id LIMIT {limit}"
    ));
    tx.query(&query.sql, &query.values, Site::from_row)
}

/// Returns the number of matching sites of an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(
    tx: &Tx<'_>,
    organization: OrganizationId,
    filter: &SiteFilter,
) -> Result<i64, StoreError> {
    let query = Query::of("SELECT COUNT(*) FROM sites s", organization, filter);
    tx.query_one(&query.sql, &query.values, FromRow::from_row)
}

/// Returns the published sites with a public audience, oldest first: those of an organization, or of
/// all.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_public(
    tx: &Tx<'_>,
    organization: Option<OrganizationId>,
    limit: u32,
) -> Result<Vec<Site>, StoreError> {
    tx.query(
        sql!(
            Site::SELECT,
            " WHERE s.published = 1 AND s.visibility = 'public' \
             AND s.organization = COALESCE($2, s.organization) \
             ORDER BY s.created_at, s.id LIMIT $1"
        ),
        &[limit.into(), organization.into()],
        Site::from_row,
    )
}

/// Returns the oldest published site with a public audience.
///
/// # Errors
/// Returns an error if the store fails.
pub fn first_public(tx: &Tx<'_>) -> Result<Option<Site>, StoreError> {
    Ok(list_public(tx, None, 1)?.into_iter().next())
}
