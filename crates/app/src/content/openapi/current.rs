//! The specifications of an organization as they are at one moment, for published pages.

use std::collections::BTreeMap;

use bindery_model::{OpenApiVersionId, OrganizationId, Result};
use bindery_store::{Tx, openapi};

use super::Pieces;
use crate::content::snapshot::broken_object;

/// The specifications of an organization that were read, by slug.
#[derive(Clone, Debug, Default)]
pub struct CurrentSpecs(BTreeMap<String, (OpenApiVersionId, Pieces)>);

impl CurrentSpecs {
    /// Returns the specifications of an organization.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn of(tx: &Tx<'_>, organization: OrganizationId) -> Result<Self> {
        let current = openapi::list_current(tx, organization)?.into_iter();
        let current = current.map(|(slug, version)| {
            let pieces = Pieces::of(&version).map_err(broken_object)?;
            Ok((slug, (version.id, pieces)))
        });
        Ok(Self(current.collect::<Result<_>>()?))
    }

    /// Returns the pieces of the specification with a slug.
    pub fn get(&self, slug: &str) -> Option<&Pieces> {
        self.0.get(slug).map(|(_, pieces)| pieces)
    }

    /// Returns the slugs of the specifications that differ between two moments.
    pub fn differences<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a str> {
        let version = |specs: &'a Self, slug: &str| specs.0.get(slug).map(|(version, _)| *version);
        let slugs = self.0.keys().chain(other.0.keys());
        slugs.map(String::as_str).filter(move |slug| version(self, slug) != version(other, slug))
    }
}
