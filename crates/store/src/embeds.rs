//! Descriptions of addresses that pages embed, and the pages that embed them.
//!
//! The descriptions belong to an organization. Their uses are derived from the main content of the
//! spaces that sites show, see `embed_uses` and `spaces.embeds_behind`.

use bindery_model::{
    EmbedPictureId, OrganizationId, SiteId, SiteSectionId, SiteSpaceId, SpaceId, Timestamp,
    closed_set,
};
use bindery_revision::Hash;

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::value::placeholders;
use crate::{StoreError, Tx, Value, sites};

closed_set! {
    /// The status of the description of an embed.
    EmbedStatus {
        /// It was not fetched yet.
        Waiting = "waiting",
        /// It is stored.
        Described = "described",
        /// The address has none.
        Absent = "none",
    }
}

record! {
    /// An address with its description.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Embed in embeds as e, insert {
        /// The organization whose pages embed it.
        pub organization: OrganizationId,
        /// A hash of the URL.
        pub address: Hash,
        /// The URL.
        pub url: String,
        /// The host and the port of the URL.
        pub host: String,
        /// The status of the description.
        pub status: EmbedStatus,
        /// The title; empty unless described.
        pub title: String,
        /// The name of the site; empty if unknown.
        pub site: String,
        /// A sentence about the page; empty if there is none.
        pub description: String,
        /// A number that grows when the description changes.
        pub version: i64,
        /// The number of attempts since the last one that ended.
        pub failures: u32,
        /// The time of the next attempt.
        pub next_at: Timestamp,
        /// Time of creation.
        pub created_at: Timestamp,
    }
}

record! {
    /// The picture of an address.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct EmbedPicture in embed_pictures as p, insert {
        /// Its id, which pages name. Other bytes get another id.
        pub id: EmbedPictureId,
        /// The organization whose pages embed the address.
        pub organization: OrganizationId,
        /// The hash of the address.
        pub address: Hash,
        /// The bytes.
        pub object: Hash,
        /// The media type.
        pub content_type: String,
        /// The number of bytes.
        pub size: i64,
        /// The width in pixels.
        pub width: u32,
        /// The height in pixels.
        pub height: u32,
    }
}

record! {
    /// A description as pages show it.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct EmbedDescription in embeds as e {
        /// The hash of the address.
        pub address: Hash,
        /// The title.
        pub title: String,
        /// The name of the site; empty if unknown.
        pub site: String,
        /// A sentence about the page; empty if there is none.
        pub description: String,
        /// The picture.
        pub picture: Option<EmbedPictureId> = "p.id",
        /// The width of the picture in pixels.
        pub width: Option<u32> = "p.width",
        /// The height of the picture in pixels.
        pub height: Option<u32> = "p.height",
    }
}

record! {
    /// The state of the stored uses of a space.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub struct EmbedScan in embed_scans as s {
        /// The object of the revision that they belong to; `None` if they are incomplete.
        pub base: Option<Hash>,
        /// A number that grows when the descriptions that the space uses change.
        pub changes: i64,
    }
}

/// Condition for the addresses in `embeds e` that a space of their organization uses.
const IS_USED: &str = "EXISTS (SELECT 1 FROM embed_uses u JOIN spaces s ON s.id = u.space \
                       WHERE u.address = e.address AND s.organization = e.organization)";

/// Marks the space of a site space as changed: a site may begin or cease to show it.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn mark_spaces_of(tx: &Tx<'_>, place: SiteSpaceId) -> Result<(), StoreError> {
    mark(tx, "p.id", place.into())
}

/// Marks the spaces of a section of a site as changed.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn mark_spaces_of_section(
    tx: &Tx<'_>,
    section: SiteSectionId,
) -> Result<(), StoreError> {
    mark(tx, "p.section", section.into())
}

/// Marks the spaces of a site as changed.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn mark_spaces_of_site(tx: &Tx<'_>, site: SiteId) -> Result<(), StoreError> {
    mark(tx, "p.site", site.into())
}

fn mark(tx: &Tx<'_>, column: &str, value: Value<'_>) -> Result<(), StoreError> {
    // A later time is the claim of a worker, which must not end as if nothing had changed.
    let sql = format!(
        "UPDATE spaces SET embeds_behind = $2 WHERE (embeds_behind IS NULL OR embeds_behind > $2) \
         AND id IN (SELECT p.space FROM site_spaces p WHERE {column} = $1)"
    );
    tx.execute(&sql, &[value, tx.now().into()])?;
    Ok(())
}

/// Returns the state of the uses of a space.
///
/// # Errors
/// Returns an error if the store fails.
pub fn scan(tx: &Tx<'_>, space: SpaceId) -> Result<EmbedScan, StoreError> {
    let found = tx.query_opt(
        sql!(EmbedScan::SELECT, " WHERE s.space = $1"),
        &[space.into()],
        EmbedScan::from_row,
    )?;
    Ok(found.unwrap_or_default())
}

/// Sets the revision that the uses of a space belong to.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_base(tx: &Tx<'_>, space: SpaceId, base: Option<&Hash>) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO embed_scans (space, base, changes) VALUES ($1, $2, 0) \
         ON CONFLICT (space) DO UPDATE SET base = excluded.base",
        &[space.into(), base.map_or(Value::Null, Value::from)],
    )?;
    Ok(())
}

/// Removes the uses of a space, which must be found anew.
///
/// # Errors
/// Returns an error if the store fails.
pub fn forget_space(tx: &Tx<'_>, space: SpaceId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM embed_uses WHERE space = $1", &[space.into()])?;
    tx.execute(
        "UPDATE embed_scans SET base = NULL, changes = changes + 1 WHERE space = $1",
        &[space.into()],
    )?;
    Ok(())
}

/// Replaces the addresses that a text of a space embeds. Returns those that it did not embed before.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_uses(
    tx: &Tx<'_>,
    space: SpaceId,
    holder: &[u8],
    addresses: &[Hash],
) -> Result<Vec<Hash>, StoreError> {
    let known: Vec<Hash> = tx.query(
        "SELECT u.address FROM embed_uses u WHERE u.space = $1 AND u.holder = $2",
        &[space.into(), holder.into()],
        FromRow::from_row,
    )?;
    for gone in known.iter().filter(|known| !addresses.contains(known)) {
        tx.execute(
            "DELETE FROM embed_uses WHERE space = $1 AND holder = $2 AND address = $3",
            &[space.into(), holder.into(), gone.into()],
        )?;
    }
    let added: Vec<Hash> = addresses.iter().filter(|one| !known.contains(one)).copied().collect();
    for address in &added {
        tx.execute(
            "INSERT INTO embed_uses (space, holder, address) VALUES ($1, $2, $3) \
             ON CONFLICT DO NOTHING",
            &[space.into(), holder.into(), address.into()],
        )?;
    }
    Ok(added)
}

/// Inserts an address, unless the organization has it. Returns `true` if it was inserted.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, embed: &Embed) -> Result<bool, StoreError> {
    let sql = sql!(insert!(Embed), " ON CONFLICT (organization, address) DO NOTHING");
    Ok(tx.execute(sql, &embed.values())? > 0)
}

/// Returns the number of addresses of an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count(tx: &Tx<'_>, organization: OrganizationId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT COUNT(*) FROM embeds e WHERE e.organization = $1",
        &[organization.into()],
        FromRow::from_row,
    )
}

/// Returns the bytes of all pictures of an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn picture_bytes(tx: &Tx<'_>, organization: OrganizationId) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT CAST(COALESCE(SUM(p.size), 0) AS BIGINT) FROM embed_pictures p \
         WHERE p.organization = $1",
        &[organization.into()],
        FromRow::from_row,
    )
}

/// Returns an address of an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(
    tx: &Tx<'_>,
    organization: OrganizationId,
    address: &Hash,
) -> Result<Option<Embed>, StoreError> {
    tx.query_opt(
        sql!(Embed::SELECT, " WHERE e.organization = $1 AND e.address = $2"),
        &[organization.into(), address.into()],
        Embed::from_row,
    )
}

/// Returns organizations with an address whose next attempt is due, without those that have a job
/// for that already.
///
/// # Errors
/// Returns an error if the store fails.
pub fn organizations_due(tx: &Tx<'_>, limit: u32) -> Result<Vec<OrganizationId>, StoreError> {
    let sql = format!(
        "SELECT DISTINCT e.organization FROM embeds e WHERE e.next_at <= $1 AND {IS_USED} \
         AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = 'embed-descriptions' \
         AND j.organization = e.organization AND j.status IN ('queued', 'running')) LIMIT $2"
    );
    tx.query(&sql, &[tx.now().into(), limit.into()], FromRow::from_row)
}

/// Returns addresses of an organization whose next attempt is due, of each host only some, and sets
/// the time of the attempt after this one. A worker that dies therefore counts as a failure.
///
/// # Errors
/// Returns an error if the store fails.
pub fn claim_due(
    tx: &Tx<'_>,
    organization: OrganizationId,
    per_host: u32,
    limit: u32,
    next_at: Timestamp,
) -> Result<Vec<Embed>, StoreError> {
    let sql = format!(
        "SELECT {} FROM (SELECT e.*, ROW_NUMBER() OVER (PARTITION BY e.host \
         ORDER BY e.next_at, e.address) AS place FROM embeds e \
         WHERE e.organization = $1 AND e.next_at <= $2 AND {IS_USED}) e \
         WHERE e.place <= $3 ORDER BY e.next_at, e.address LIMIT $4",
        Embed::COLUMNS
    );
    let values = [organization.into(), tx.now().into(), per_host.into(), limit.into()];
    let claimed = tx.query(&sql, &values, Embed::from_row)?;
    for one in &claimed {
        tx.execute(
            "UPDATE embeds SET next_at = $3, failures = failures + 1 \
             WHERE organization = $1 AND address = $2",
            &[organization.into(), (&one.address).into(), next_at.into()],
        )?;
    }
    Ok(claimed)
}

/// Postpones the attempts of an organization that are due: of one host, or all.
///
/// # Errors
/// Returns an error if the store fails.
pub fn postpone(
    tx: &Tx<'_>,
    organization: OrganizationId,
    host: Option<&str>,
    until: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE embeds SET next_at = $4 \
         WHERE organization = $1 AND host = COALESCE($2, host) AND next_at <= $3",
        &[organization.into(), host.into(), tx.now().into(), until.into()],
    )?;
    Ok(())
}

/// Stores the description of an address, its status, and its next attempt.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, embed: &Embed) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE embeds SET status = $3, title = $4, site = $5, description = $6, version = $7, \
         failures = $8, next_at = $9 WHERE organization = $1 AND address = $2",
        &[
            embed.organization.into(),
            (&embed.address).into(),
            embed.status.into(),
            embed.title.as_str().into(),
            embed.site.as_str().into(),
            embed.description.as_str().into(),
            embed.version.into(),
            embed.failures.into(),
            embed.next_at.into(),
        ],
    )?;
    Ok(())
}

/// Returns the picture of an address.
///
/// # Errors
/// Returns an error if the store fails.
pub fn picture_of(
    tx: &Tx<'_>,
    organization: OrganizationId,
    address: &Hash,
) -> Result<Option<EmbedPicture>, StoreError> {
    tx.query_opt(
        sql!(EmbedPicture::SELECT, " WHERE p.organization = $1 AND p.address = $2"),
        &[organization.into(), address.into()],
        EmbedPicture::from_row,
    )
}

/// Replaces the picture of an address.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_picture(
    tx: &Tx<'_>,
    organization: OrganizationId,
    address: &Hash,
    picture: Option<&EmbedPicture>,
) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM embed_pictures WHERE organization = $1 AND address = $2",
        &[organization.into(), address.into()],
    )?;
    if let Some(picture) = picture {
        tx.execute(insert!(EmbedPicture), &picture.values())?;
    }
    Ok(())
}

/// Returns a picture of an address that a space uses.
///
/// # Errors
/// Returns an error if the store fails.
pub fn picture_in(
    tx: &Tx<'_>,
    space: SpaceId,
    id: EmbedPictureId,
) -> Result<Option<EmbedPicture>, StoreError> {
    tx.query_opt(
        sql!(
            EmbedPicture::SELECT,
            " WHERE p.id = $1 AND EXISTS (SELECT 1 FROM embed_uses u JOIN spaces s \
             ON s.id = u.space WHERE u.space = $2 AND u.address = p.address \
             AND s.organization = p.organization)"
        ),
        &[id.into(), space.into()],
        EmbedPicture::from_row,
    )
}

/// Records that the description of an address has changed: the sites that show a page with it have
/// a new version.
///
/// # Errors
/// Returns an error if the store fails.
pub fn record_change(
    tx: &Tx<'_>,
    organization: OrganizationId,
    address: &Hash,
) -> Result<(), StoreError> {
    let spaces: Vec<SpaceId> = tx.query(
        "SELECT DISTINCT u.space FROM embed_uses u JOIN spaces s ON s.id = u.space \
         WHERE u.address = $1 AND s.organization = $2",
        &[address.into(), organization.into()],
        FromRow::from_row,
    )?;
    spaces.into_iter().try_for_each(|space| record_change_in(tx, space))
}

/// Records that the descriptions that a space uses have changed.
///
/// # Errors
/// Returns an error if the store fails.
pub fn record_change_in(tx: &Tx<'_>, space: SpaceId) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO embed_scans (space, base, changes) VALUES ($1, NULL, 1) \
         ON CONFLICT (space) DO UPDATE SET changes = embed_scans.changes + 1",
        &[space.into()],
    )?;
    sites::increment_versions_of_space(tx, space)
}

/// Returns the addresses with a description that a space uses, in order, each with the version of
/// the description.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_described(tx: &Tx<'_>, space: SpaceId) -> Result<Vec<(Hash, i64)>, StoreError> {
    tx.query(
        "SELECT DISTINCT e.address, e.version FROM embed_uses u JOIN spaces s ON s.id = u.space \
         JOIN embeds e ON e.organization = s.organization AND e.address = u.address \
         WHERE u.space = $1 AND e.status = 'described' ORDER BY e.address",
        &[space.into()],
        FromRow::from_row,
    )
}

/// Returns the descriptions of these addresses in an organization, in no particular order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn descriptions(
    tx: &Tx<'_>,
    organization: OrganizationId,
    addresses: &[Hash],
) -> Result<Vec<EmbedDescription>, StoreError> {
    if addresses.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = vec![organization.into()];
    let places = placeholders(&mut values, addresses);
    let sql = format!(
        "{} LEFT JOIN embed_pictures p ON p.organization = e.organization \
         AND p.address = e.address \
         WHERE e.organization = $1 AND e.status = 'described' AND e.address IN ({places})",
        EmbedDescription::SELECT
    );
    tx.query(&sql, &values, EmbedDescription::from_row)
}

/// Deletes the addresses that no text has used since a time, and their pictures. Returns the number
/// of addresses.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_unused(tx: &Tx<'_>, before: Timestamp) -> Result<u64, StoreError> {
    let unused: Vec<(OrganizationId, Hash)> = tx.query(
        &format!(
            "SELECT e.organization, e.address FROM embeds e \
             WHERE e.created_at < $1 AND NOT {IS_USED} LIMIT 10000"
        ),
        &[before.into()],
        FromRow::from_row,
    )?;
    for (organization, address) in &unused {
        set_picture(tx, *organization, address, None)?;
        tx.execute(
            "DELETE FROM embeds WHERE organization = $1 AND address = $2",
            &[organization.into(), address.into()],
        )?;
    }
    Ok(unused.len() as u64)
}

/// Returns the objects of pictures in the order of their ids, starting after `after`, with those
/// ids.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_objects(
    tx: &Tx<'_>,
    after: Option<EmbedPictureId>,
    limit: u32,
) -> Result<Vec<(EmbedPictureId, Hash)>, StoreError> {
    let after = after.map(|id| id.to_string()).unwrap_or_default();
    tx.query(
        "SELECT id, object FROM embed_pictures WHERE id > $1 ORDER BY id LIMIT $2",
        &[after.into(), limit.into()],
        FromRow::from_row,
    )
}
