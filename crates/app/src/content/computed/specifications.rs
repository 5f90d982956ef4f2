//! The specifications that computed pages are made of.

use bindery_model::{OpenApiSpecId, OpenApiVisibility, OrganizationId};
use bindery_store::openapi::{self, OpenApiSpec, OpenApiVersion};
use bindery_store::{StoreError, Tx};

use super::{Dependency, corrupt};
use crate::content::openapi::{PUBLIC_PATH, Pieces, change_log};

/// The specifications of an organization.
#[derive(Clone, Copy)]
pub(super) struct Specifications<'s> {
    pub(super) tx: &'s Tx<'s>,
    pub(super) organization: OrganizationId,
    /// A specification with the version that it will have.
    pub(super) with: Option<(&'s OpenApiSpec, &'s OpenApiVersion)>,
}

/// A specification that was read.
pub(super) struct Found {
    pub(super) dependency: Dependency,
    pub(super) pieces: Pieces,
}

impl<'s> Specifications<'s> {
    pub(super) const fn of(tx: &'s Tx<'s>, organization: OrganizationId) -> Self {
        Self { tx, organization, with: None }
    }

    /// Returns the version that the specification with a slug was read as last; `None` if there is
    /// none.
    pub(super) fn find(&self, slug: &str) -> Result<Option<Found>, StoreError> {
        if let Some((spec, version)) = self.with.filter(|(spec, _)| spec.slug == slug) {
            return found(spec, version).map(Some);
        }
        let Some(spec) = openapi::get_by_slug(self.tx, self.organization, slug)? else {
            return Ok(None);
        };
        let version = openapi::get_current(self.tx, &spec)?;
        version.map(|version| found(&spec, &version)).transpose()
    }

    /// Returns a number that grows with each version of a specification that was compared with the
    /// one before it.
    pub(super) fn compared(&self, spec: OpenApiSpecId) -> Result<i64, StoreError> {
        openapi::count_compared(self.tx, spec)
    }

    /// Returns the address of the description if it is public: that of Bindery's copy, below the
    /// address of any site. That of the source may be private.
    pub(super) fn download(&self, slug: &str) -> Result<Option<String>, StoreError> {
        let spec = openapi::get_by_slug(self.tx, self.organization, slug)?;
        let spec = spec.filter(|spec| spec.visibility == OpenApiVisibility::Public);
        Ok(spec.map(|spec| format!("{PUBLIC_PATH}{}", spec.id)))
    }

    /// Returns the changes of a specification as Markdown.
    pub(super) fn change_log(&self, spec: OpenApiSpecId) -> Result<String, StoreError> {
        change_log(self.tx, spec)
    }
}

fn found(spec: &OpenApiSpec, version: &OpenApiVersion) -> Result<Found, StoreError> {
    let pieces = Pieces::of(version).map_err(corrupt)?;
    Ok(Found { dependency: Dependency::of(spec, version), pieces })
}
