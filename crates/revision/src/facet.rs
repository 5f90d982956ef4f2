//! Parts of a content that can be read independently, and their comparison between two contents. A
//! cached result is valid as long as the parts that it was computed from are unchanged.

use bindery_model::{FileId, PageId, ReusableContentId, Timestamp};
use bytes::Bytes;

use crate::content::Content;
use crate::map::{Difference, Map};
use crate::object::{Hash, ObjectError, Objects};
use crate::record::{PageRecord, Record};
use crate::tree;

/// A part of a content that can be read independently.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Facet<'k> {
    /// A page's existence and its record, except for the fields of [`Facet::Text`].
    Page(PageId),
    /// A page's text and the times of its creation and last change.
    Text(PageId),
    /// A page's navigation entry.
    Entry(PageId),
    /// The pages under a parent (`None`: at the top level) and their order.
    Children(Option<PageId>),
    /// The page with a slug under a parent, by its key in the map of slugs.
    Slug(&'k [u8]),
    /// A file's record.
    File(FileId),
    /// A reusable content's record.
    Reusable(ReusableContentId),
    /// The item at a path in the repository.
    Path(&'k [u8]),
    /// The target of an old path.
    Redirect(&'k [u8]),
    /// The source without a page at a path.
    Source(&'k [u8]),
}

impl Content {
    /// Calls `visit` with every facet in which `new` differs; equal parts are not read, and a facet
    /// can be reported more than once. Returns `false` if the report is incomplete: because `visit`
    /// returned `false`, or because the salts or the variables differ (variables can be used
    /// anywhere).
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn changed_facets(
        &self,
        new: &Self,
        on: &dyn Objects,
        visit: &mut dyn FnMut(Facet<'_>) -> bool,
    ) -> Result<bool, ObjectError> {
        if self.salt() != new.salt() || self.variables != new.variables {
            return Ok(false);
        }
        let differs = |(path, hash): &&(String, Hash), others: &[(String, Hash)]| {
            !others.iter().any(|(other, same)| other == path && same == hash)
        };
        let removed = self.sources.iter().filter(|one| differs(one, &new.sources));
        let added = new.sources.iter().filter(|one| differs(one, &self.sources));
        if !removed.chain(added).all(|(path, _)| visit(Facet::Source(path.as_bytes()))) {
            return Ok(false);
        }
        let mut report = |old: &Map, new: &Map, of: ReportFacets| -> Result<bool, ObjectError> {
            for difference in old.diff(new, on) {
                if !of(&difference?, visit)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        Ok(report(&self.pages, &new.pages, page_facets)?
            && report(&self.children, &new.children, child_facets)?
            && report(&self.slugs, &new.slugs, |one, visit| Ok(visit(Facet::Slug(&one.key))))?
            && report(&self.files, &new.files, |one, visit| {
                Ok(visit(Facet::File(require_id(FileId::from_bytes(&one.key))?)))
            })?
            && report(&self.reusable, &new.reusable, |one, visit| {
                Ok(visit(Facet::Reusable(require_id(ReusableContentId::from_bytes(&one.key))?)))
            })?
            && report(&self.paths, &new.paths, |one, visit| Ok(visit(Facet::Path(&one.key))))?
            && report(&self.redirects, &new.redirects, |one, visit| {
                Ok(visit(Facet::Redirect(&one.key)))
            })?)
    }
}

/// Reports the facets that a differing map entry belongs to.
type ReportFacets = fn(&Difference, &mut dyn FnMut(Facet<'_>) -> bool) -> Result<bool, ObjectError>;

fn page_facets(
    one: &Difference,
    visit: &mut dyn FnMut(Facet<'_>) -> bool,
) -> Result<bool, ObjectError> {
    let page = require_id(PageId::from_bytes(&one.key))?;
    let rest = |value: &Option<Bytes>| -> Result<Option<PageRecord>, ObjectError> {
        let record = value.as_deref().map(PageRecord::decode).transpose()?;
        Ok(record.map(PageRecord::without_text))
    };
    let same = rest(&one.old)? == rest(&one.new)?;
    Ok(visit(Facet::Text(page)) && (same || visit(Facet::Page(page))))
}

fn child_facets(
    one: &Difference,
    visit: &mut dyn FnMut(Facet<'_>) -> bool,
) -> Result<bool, ObjectError> {
    let (parent, page) = tree::parse_parent_and_page(&one.key)?;
    let stays = one.old.is_some() && one.new.is_some();
    Ok(visit(Facet::Entry(page)) && (stays || visit(Facet::Children(parent))))
}

fn require_id<K>(id: Option<K>) -> Result<K, ObjectError> {
    id.ok_or(ObjectError::Corrupt("an id"))
}

impl PageRecord {
    /// Returns the record with its text and times reset, so that records differing only in these
    /// are equal.
    fn without_text(mut self) -> Self {
        self.body = None;
        self.created_at = Timestamp::from_millis(0);
        self.updated_at = self.created_at;
        self
    }
}
