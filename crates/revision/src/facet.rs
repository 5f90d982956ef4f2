//! Parts of a content that can be read independently, and their comparison between two contents. A
//! cached result is valid as long as the parts that it was computed from are unchanged.

use bindery_model::{FileId, PageId, ReusableContentId, Timestamp};
use bytes::Bytes;

use crate::content::Content;
use crate::map::{Difference, Map};
use crate::object::{ObjectError, Objects};
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
}

impl Content {
    /// Calls `seen` with every facet in which `new` differs; equal parts are not read, and a facet
    /// can be reported more than once. Returns `false` if the report is incomplete: because `seen`
    /// returned `false`, or because the salts or the variables differ (variables can be used
    /// anywhere).
    ///
    /// # Errors
    /// Returns an error if an object cannot be read.
    pub fn differences(
        &self,
        new: &Self,
        on: &dyn Objects,
        seen: &mut dyn FnMut(Facet<'_>) -> bool,
    ) -> Result<bool, ObjectError> {
        if self.salt() != new.salt() || self.variables != new.variables {
            return Ok(false);
        }
        let mut tell = |old: &Map, new: &Map, of: Facets| -> Result<bool, ObjectError> {
            for difference in old.diff(new, on) {
                if !of(&difference?, seen)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        Ok(tell(&self.pages, &new.pages, of_page)?
            && tell(&self.children, &new.children, of_child)?
            && tell(&self.slugs, &new.slugs, |one, seen| Ok(seen(Facet::Slug(&one.key))))?
            && tell(&self.files, &new.files, |one, seen| {
                Ok(seen(Facet::File(known(FileId::from_bytes(&one.key))?)))
            })?
            && tell(&self.reusable, &new.reusable, |one, seen| {
                Ok(seen(Facet::Reusable(known(ReusableContentId::from_bytes(&one.key))?)))
            })?
            && tell(&self.paths, &new.paths, |one, seen| Ok(seen(Facet::Path(&one.key))))?
            && tell(&self.redirects, &new.redirects, |one, seen| {
                Ok(seen(Facet::Redirect(&one.key)))
            })?)
    }
}

/// Reports the facets that a differing map entry belongs to.
type Facets = fn(&Difference, &mut dyn FnMut(Facet<'_>) -> bool) -> Result<bool, ObjectError>;

fn of_page(one: &Difference, seen: &mut dyn FnMut(Facet<'_>) -> bool) -> Result<bool, ObjectError> {
    let page = known(PageId::from_bytes(&one.key))?;
    let rest = |value: &Option<Bytes>| -> Result<Option<PageRecord>, ObjectError> {
        let record = value.as_deref().map(PageRecord::decode).transpose()?;
        Ok(record.map(PageRecord::without_text))
    };
    let same = rest(&one.old)? == rest(&one.new)?;
    Ok(seen(Facet::Text(page)) && (same || seen(Facet::Page(page))))
}

fn of_child(
    one: &Difference,
    seen: &mut dyn FnMut(Facet<'_>) -> bool,
) -> Result<bool, ObjectError> {
    let (parent, page) = tree::parse_place(&one.key)?;
    let stays = one.old.is_some() && one.new.is_some();
    Ok(seen(Facet::Entry(page)) && (stays || seen(Facet::Children(parent))))
}

fn known<K>(id: Option<K>) -> Result<K, ObjectError> {
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
