//! Conflicts that a request resolves by sending a value that the content already has.
//!
//! An edit that changes the subject of a conflict resolves the conflict. A request that sends the
//! current value, or the text of one of the merged sides, also resolves it.

use bindery_content::Document;
use bindery_model::{PageId, Result};
use bindery_revision::merge::{self, PageSubject};
use bindery_revision::{Content, PageAttribute, PageRecord, Staging};

use super::{Metadata, Work};
use crate::content::documents::{self, Parsed};
use crate::content::snapshot::broken_object;

/// The fields of a page that a request sent.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) page: PageId,
    /// The attributes that the request sent.
    pub(super) attributes: Vec<PageAttribute>,
    /// `true` if the request sent a position.
    pub(super) place: bool,
    /// `true` if the request sent the whole text, and it equals the text of the content or of one
    /// of the merged sides.
    pub(super) text: bool,
}

impl Decided {
    /// Resolves the conflicts about the sent fields.
    pub(super) fn end(&self, content: &Content, staging: &mut Staging<'_>) -> Result<Content> {
        let is_decided = |of: &PageSubject| match of {
            PageSubject::Attribute(PageAttribute::Document)
            | PageSubject::Part(_)
            | PageSubject::Existence => self.text,
            PageSubject::Attribute(attribute) => self.attributes.contains(attribute),
            PageSubject::Position => self.place,
        };
        merge::settle_page(content, staging, self.page, is_decided).map_err(broken_object)
    }
}

impl Metadata {
    /// Returns the attributes that have a value.
    pub(super) fn attributes(&self) -> Vec<PageAttribute> {
        let Self {
            title,
            link_title,
            slug,
            emoji,
            icon,
            description,
            hidden,
            no_index,
            no_robots_index,
            condition,
            tags,
        } = self;
        [
            (title.is_some(), PageAttribute::Title),
            (link_title.is_some(), PageAttribute::LinkTitle),
            (slug.is_some(), PageAttribute::Slug),
            (emoji.is_some(), PageAttribute::Emoji),
            (icon.is_some(), PageAttribute::Icon),
            (description.is_some(), PageAttribute::Description),
            (hidden.is_some(), PageAttribute::Hidden),
            (no_index.is_some(), PageAttribute::NoIndex),
            (no_robots_index.is_some(), PageAttribute::NoRobotsIndex),
            (condition.is_some(), PageAttribute::Condition),
            (tags.is_some(), PageAttribute::Tags),
        ]
        .into_iter()
        .filter_map(|(given, attribute)| given.then_some(attribute))
        .collect()
    }
}

impl Work<'_, '_> {
    /// Records a decision if `after`, the sent text of a page, equals `before`, its current text,
    /// or the text of one of the merged sides.
    pub(super) fn decide_text(
        &mut self,
        record: &PageRecord,
        before: &Document,
        after: &Document,
    ) -> Result<()> {
        if self.content.conflicts.is_empty() {
            return Ok(());
        }
        let mut text = after.has_same_content_as(before);
        for side in self.sides {
            text = text || self.text_on(side, record.id)?.has_same_content_as(after);
        }
        if text {
            let attributes = Vec::new();
            self.decided.push(Decided { page: record.id, attributes, place: false, text });
        }
        Ok(())
    }

    /// Returns the text of a page in a side; an empty document if the side does not have the page.
    fn text_on(&self, side: &Content, page: PageId) -> Result<Document> {
        let found = side.page(&*self.staging, page).map_err(broken_object)?;
        let Some(body) = found.and_then(|page| page.body) else { return Ok(Document::default()) };
        let Parsed { document, .. } =
            documents::parse(self.app, &*self.staging, Some(side), &body)?;
        Ok(document)
    }
}
