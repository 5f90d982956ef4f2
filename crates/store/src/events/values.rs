//! Values in events.

use bindery_model::Level;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::corrupt;
use crate::StoreError;

/// A field's value before and after a change; null if there was or is none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FieldChange {
    /// The field's name in the API contract.
    pub field: String,
    /// The old value.
    pub before: Value,
    /// The new value.
    pub after: Value,
}

impl FieldChange {
    /// Returns the change of a field, or `None` if the values are equal.
    ///
    /// # Errors
    /// Returns an error if a value cannot be written as JSON.
    pub fn of<T: Serialize + PartialEq>(
        field: &str,
        before: &T,
        after: &T,
    ) -> Result<Option<Self>, StoreError> {
        if before == after {
            return Ok(None);
        }
        let json = |value: &T| serde_json::to_value(value).map_err(|error| corrupt(&error));
        let (before, after) = (json(before)?, json(after)?);
        Ok(Some(Self { field: field.to_owned(), before, after }))
    }
}

/// The settings of a collection that can be changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CollectionSettings {
    /// Its title.
    pub title: String,
    /// Its description.
    pub description: String,
    /// The default level of members.
    pub default_level: Level,
}

/// The settings of a space on a site. Events recorded before this type existed lack it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteSpaceSettings {
    /// Its title on the site.
    pub title: String,
    /// Its path below the site's path.
    pub path: String,
    /// `true` if it is served at the site's root.
    pub default: bool,
}

/// The settings of a team.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TeamSettings {
    /// Its title.
    pub title: String,
}

/// The way in which a person became a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum JoinMethod {
    /// An administrator added them.
    #[default]
    Added,
    /// They created the organization.
    Founded,
    /// They followed an invite link.
    Link,
    /// They accepted an invitation to their email address.
    Invitation,
    /// Their email address has a domain that joins automatically.
    EmailDomain,
}
