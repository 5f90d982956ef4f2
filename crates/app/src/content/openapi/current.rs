//! The specifications of an organization as they are at one moment, for published pages.

use std::collections::{BTreeMap, HashMap};

use bindery_content::reference::ContentRef;
use bindery_model::{OpenApiVersionId, OrganizationId, Result};
use bindery_store::{Tx, openapi};

use super::Pieces;
use crate::content::snapshot::broken_object;

/// The specifications of an organization that were read.
#[derive(Clone, Debug, Default)]
pub struct CurrentSpecs {
    by_slug: BTreeMap<String, CurrentSpec>,
    /// The slugs by the addresses of the sources.
    by_url: HashMap<String, String>,
}

#[derive(Clone, Debug)]
struct CurrentSpec {
    version: OpenApiVersionId,
    url: Option<String>,
    pieces: Pieces,
}

impl CurrentSpecs {
    /// Returns the specifications of an organization.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn of(tx: &Tx<'_>, organization: OrganizationId) -> Result<Self> {
        let mut specs = Self::default();
        for (slug, url, version) in openapi::list_current(tx, organization)? {
            let pieces = Pieces::of(&version).map_err(broken_object)?.read_from(url.as_deref());
            specs.by_url.extend(url.clone().map(|url| (url, slug.clone())));
            specs.by_slug.insert(slug, CurrentSpec { version: version.id, url, pieces });
        }
        Ok(specs)
    }

    /// Returns the names of all specifications with their versions, which decide what blocks show.
    #[must_use]
    pub fn versions(&self) -> Vec<(&str, Option<&str>, OpenApiVersionId)> {
        let specs = self.by_slug.iter();
        specs.map(|(slug, spec)| (slug.as_str(), spec.url.as_deref(), spec.version)).collect()
    }

    /// Returns the slug or the address with which a block names a specification.
    #[must_use]
    pub fn name_in(target: &ContentRef) -> Option<&str> {
        match target {
            ContentRef::OpenApi { spec } => Some(spec),
            ContentRef::Url { url } => Some(url),
            _ => None,
        }
    }

    /// Returns the pieces of the specification that a block names with its slug or with the address
    /// of its source.
    pub fn get(&self, target: &ContentRef) -> Option<&Pieces> {
        self.named(Self::name_in(target)?)
    }

    /// Returns the pieces of the specification with a slug or with the address of its source.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Pieces> {
        self.spec(name).map(|spec| &spec.pieces)
    }

    /// Returns the version of the specification with a slug or with the address of its source.
    #[must_use]
    pub fn version(&self, name: &str) -> Option<OpenApiVersionId> {
        self.spec(name).map(|spec| spec.version)
    }

    fn spec(&self, name: &str) -> Option<&CurrentSpec> {
        let slug = self.by_url.get(name).map_or(name, String::as_str);
        self.by_slug.get(slug)
    }

    /// Returns the slugs and the addresses of the specifications that differ between two moments.
    pub fn differences<'a>(&'a self, other: &'a Self) -> Vec<&'a str> {
        let mut names = Vec::new();
        for (slug, spec) in self.by_slug.iter().chain(&other.by_slug) {
            let state = |specs: &'a Self| {
                specs.by_slug.get(slug).map(|spec| (spec.version, spec.url.as_deref()))
            };
            if state(self) != state(other) {
                names.push(slug.as_str());
                names.extend(spec.url.as_deref());
            }
        }
        names
    }
}
