//! Organizations.

use bindery_model::{CollectionId, OrganizationId, Role, SiteId, SpaceId, Timestamp, UserId};

use crate::record::{FromRow, Insert, Record, insert, record, sql};
use crate::{Column, FromColumn, StoreError, Tx, Value};

record! {
    /// An organization as stored.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct Organization in organizations as o, insert {
        /// Its id.
        pub id: OrganizationId,
        /// Its title.
        pub title: String,
        /// The role of members on resources without a default level of their own.
        pub default_role: Option<Role>,
        /// The merge rules of spaces without rules of their own, as JSON in the form of the API
        /// contract.
        pub merge_rules: Option<String>,
        /// The organization's own hostname for its published content.
        pub hostname: Option<String>,
        /// The content that members see first.
        pub default_content: Option<DefaultContent>,
        /// The URL of its logo.
        pub logo: Option<String>,
        /// `true` if features that use AI are enabled.
        pub ai: bool,
        /// `true` if invite links are allowed.
        pub invite_links: bool,
        /// The preferences that its founder set, as JSON in the form of the API contract.
        pub onboarding: Option<String>,
        /// Time of creation.
        pub created_at: Timestamp,
    }
}

impl Organization {
    /// Creates an organization with the default settings. Members can read by default.
    pub const fn new(id: OrganizationId, title: String, created_at: Timestamp) -> Self {
        Self {
            id,
            title,
            default_role: Some(Role::Read),
            merge_rules: None,
            hostname: None,
            default_content: None,
            logo: None,
            ai: false,
            invite_links: true,
            onboarding: None,
            created_at,
        }
    }
}

/// The content that members see first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefaultContent {
    /// A site.
    Site(SiteId),
    /// A space.
    Space(SpaceId),
    /// A collection.
    Collection(CollectionId),
}

impl DefaultContent {
    /// Returns the stored form: `kind:id`.
    pub fn stored(self) -> String {
        match self {
            Self::Site(id) => format!("site:{id}"),
            Self::Space(id) => format!("space:{id}"),
            Self::Collection(id) => format!("collection:{id}"),
        }
    }

    fn parse(stored: &str) -> Option<Self> {
        let (kind, id) = stored.split_once(':')?;
        match kind {
            "site" => SiteId::parse(id).map(Self::Site),
            "space" => SpaceId::parse(id).map(Self::Space),
            "collection" => CollectionId::parse(id).map(Self::Collection),
            _ => None,
        }
    }
}

impl From<&DefaultContent> for Value<'_> {
    fn from(content: &DefaultContent) -> Self {
        Value::from(content.stored())
    }
}

impl FromColumn for DefaultContent {
    const EXPECTED: &'static str = "a site, space or collection with its id";
    const SHOWS_TEXT: bool = true;

    fn from_column(column: Column<'_>) -> Option<Self> {
        match column {
            Column::Text(text) => Self::parse(text),
            _ => None,
        }
    }
}

/// Inserts a new organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn create(tx: &Tx<'_>, organization: &Organization) -> Result<(), StoreError> {
    tx.execute(insert!(Organization), &organization.values())?;
    Ok(())
}

/// Updates the settings of an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn update(tx: &Tx<'_>, organization: &Organization) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE organizations SET title = $1, default_role = $2, merge_rules = $3, hostname = $4, \
         default_content = $5, logo = $6, ai = $7, invite_links = $8 WHERE id = $9",
        &[
            organization.title.as_str().into(),
            organization.default_role.into(),
            organization.merge_rules.as_deref().into(),
            organization.hostname.as_deref().into(),
            organization.default_content.map(DefaultContent::stored).into(),
            organization.logo.as_deref().into(),
            organization.ai.into(),
            organization.invite_links.into(),
            organization.id.into(),
        ],
    )?;
    Ok(())
}

/// Returns the organization with this hostname.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get_by_hostname(tx: &Tx<'_>, hostname: &str) -> Result<Option<Organization>, StoreError> {
    tx.query_opt(
        sql!(Organization::SELECT, " WHERE o.hostname = $1"),
        &[hostname.into()],
        Organization::from_row,
    )
}

/// Returns the email domains whose users may join, in their stored order.
///
/// # Errors
/// Returns an error if the store fails.
pub fn email_domains(tx: &Tx<'_>, id: OrganizationId) -> Result<Vec<String>, StoreError> {
    tx.query(
        "SELECT d.domain FROM organization_email_domains d WHERE d.organization = $1 \
         ORDER BY d.position",
        &[id.into()],
        FromRow::from_row,
    )
}

/// Replaces the email domains whose users may join.
///
/// # Errors
/// Returns an error if the store fails.
pub fn set_email_domains(
    tx: &Tx<'_>,
    id: OrganizationId,
    domains: &[String],
) -> Result<(), StoreError> {
    tx.execute("DELETE FROM organization_email_domains WHERE organization = $1", &[id.into()])?;
    for (domain, position) in domains.iter().zip(0_u32..) {
        tx.execute(
            "INSERT INTO organization_email_domains (organization, domain, position) \
             VALUES ($1, $2, $3)",
            &[id.into(), domain.as_str().into(), position.into()],
        )?;
    }
    Ok(())
}

/// Returns the organizations that users of an email domain may join, oldest first.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_by_email_domain(tx: &Tx<'_>, domain: &str) -> Result<Vec<Organization>, StoreError> {
    tx.query(
        sql!(
            "SELECT ",
            Organization::COLUMNS,
            " FROM organization_email_domains d \
             JOIN organizations o ON o.id = d.organization WHERE d.domain = $1 \
             ORDER BY o.created_at, o.id"
        ),
        &[domain.into()],
        Organization::from_row,
    )
}

/// Returns the organization with this id.
///
/// # Errors
/// Returns an error if the store fails.
pub fn get(tx: &Tx<'_>, id: OrganizationId) -> Result<Option<Organization>, StoreError> {
    tx.query_opt(
        sql!(Organization::SELECT, " WHERE o.id = $1"),
        &[id.into()],
        Organization::from_row,
    )
}

fn of_user(
    select: &str,
    user: UserId,
    within: Option<&[OrganizationId]>,
) -> (String, Vec<Value<'static>>) {
    let mut values = vec![Value::from(user)];
    let mut sql = format!(
        "SELECT {select} FROM members m JOIN organizations o ON o.id = m.organization \
         WHERE m.user_id = $1 AND m.disabled = 0"
    );
    if let Some(within) = within {
        let ids: Vec<String> = within
            .iter()
            .map(|id| {
                values.push(Value::from(*id));
                format!("${}", values.len())
            })
            .collect();
        sql.push_str(&format!(" AND o.id IN ({})", ids.join(", ")));
    }
    (sql, values)
}

/// Returns the organizations in which a person is an enabled member, oldest first, starting after
/// `after`. Considers only the organizations in `within`, if given.
///
/// # Errors
/// Returns an error if the store fails.
pub fn list_of_user(
    tx: &Tx<'_>,
    user: UserId,
    within: Option<&[OrganizationId]>,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Vec<Organization>, StoreError> {
    let (mut sql, mut values) = of_user(Organization::COLUMNS, user, within);
    if let Some((time, id)) = after {
        values.extend([Value::from(time), Value::from(id.to_owned())]);
        let (time, id) = (values.len() - 1, values.len());
        sql.push_str(&format!(
            " AND (o.created_at > ${time} OR (o.created_at = ${time} AND o.id > ${id}))"
        ));
    }
    values.push(Value::from(limit));
    sql.push_str(&format!(" ORDER BY o.created_at, o.id LIMIT ${}", values.len()));
    tx.query(&sql, &values, Organization::from_row)
}

/// Returns the number of organizations in which a person is an enabled member.
///
/// # Errors
/// Returns an error if the store fails.
pub fn count_of_user(
    tx: &Tx<'_>,
    user: UserId,
    within: Option<&[OrganizationId]>,
) -> Result<i64, StoreError> {
    let (sql, values) = of_user("COUNT(*)", user, within);
    tx.query_one(&sql, &values, FromRow::from_row)
}

/// Returns `true` if the store contains an organization.
///
/// # Errors
/// Returns an error if the store fails.
pub fn any_exists(tx: &Tx<'_>) -> Result<bool, StoreError> {
    Ok(tx.query_opt("SELECT o.id FROM organizations o LIMIT 1", &[], |_| Ok(()))?.is_some())
}

/// Returns `true` if this content belongs to the organization and is not deleted.
///
/// # Errors
/// Returns an error if the store fails.
pub fn contains(
    tx: &Tx<'_>,
    organization: OrganizationId,
    content: DefaultContent,
) -> Result<bool, StoreError> {
    let (sql, id) = match content {
        DefaultContent::Site(id) => {
            ("SELECT s.id FROM sites s WHERE s.id = $1 AND s.organization = $2", Value::from(id))
        }
        DefaultContent::Space(id) => (
            "SELECT s.id FROM spaces s WHERE s.id = $1 AND s.organization = $2 \
             AND s.deleted_at IS NULL",
            Value::from(id),
        ),
        DefaultContent::Collection(id) => (
            "SELECT c.id FROM collections c WHERE c.id = $1 AND c.organization = $2",
            Value::from(id),
        ),
    };
    Ok(tx.query_opt(sql, &[id, organization.into()], |_| Ok(()))?.is_some())
}
