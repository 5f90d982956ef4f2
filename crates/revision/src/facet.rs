//! The parts of a content that somebody can look at by themselves, and which of them differ
//! between two contents: so that what was made from a content can be kept until what it looked at
//! changes.

use bindery_model::{FileId, PageId, ReusableContentId, Timestamp};
use bytes::Bytes;

use crate::content::Content;
use crate::map::{Difference, Map};
use crate::object::{ObjectError, Objects};
use crate::record::{PageRecord, Record};
use crate::tree;

/// A part of a content that can be looked at by itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Facet<'k> {
    /// A page's record, but for what [`Facet::Text`] is about; also whether it is there.
    Page(PageId),
    /// Which text a page has, and when it changed.
    Text(PageId),
    /// What navigation shows of a page.
    Entry(PageId),
    /// Which pages stand under a parent (`None`: at top level), and in which order.
    Children(Option<PageId>),
    /// Which page has a slug under a parent: the key of both.
    Slug(&'k [u8]),
    /// A file's record.
    File(FileId),
    /// A reusable content's record.
    Reusable(ReusableContentId),
    /// What a path in the repository stands for.
    Path(&'k [u8]),
    /// Where an old path leads.
    Redirect(&'k [u8]),
}

impl Content {
    /// Tells `seen` every facet in which `new` differs, reading only where the two do; a facet may
    /// come more than once. False when not all of them were told: because `seen` wanted no more,
    /// or because variables, which may be anywhere, or the salt differ.
    ///
    /// # Errors
    /// When an object cannot be read.
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

/// Tells the facets that one differing entry of a map is about.
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
    /// The same for every text and time of change.
    fn without_text(mut self) -> Self {
        self.body = None;
        self.created_at = Timestamp::from_millis(0);
        self.updated_at = self.created_at;
        self
    }
}
