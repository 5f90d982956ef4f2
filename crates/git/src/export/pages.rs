//! The sources of pages and reusable contents.

use bindery_content::{Identity, Page, front_matter, page, source};
use bindery_revision::{Hash, Objects, PageBody, PageRecord, Record, ReusableRecord};
use bytes::Bytes;

use super::front::Paths;
use super::{After, Export, ExportError, Pair};

/// Returns the source in the object of a text.
pub(super) fn source_of(objects: &dyn Objects, body: &Hash) -> Result<Bytes, ExportError> {
    Ok(PageBody::decode(&objects.get(body)?)?.source)
}

impl Export<'_> {
    /// Returns the source of a page at `path`, or `None` if it is not written.
    pub(super) fn page(
        &self,
        pair: &Pair<PageRecord>,
        path: &str,
    ) -> Result<Option<After>, ExportError> {
        let Some(new) = &pair.new else { return Ok(None) };
        let Some(body) = new.body else { return Ok(None) };
        let old = pair.old.as_ref();
        let is_renamed = old.is_none_or(|old| old.title != new.title);
        let has_head = old.is_some_and(|old| has_same_head(old, new));
        let is_same =
            old.is_some_and(|old| old.body == new.body && old.source_path.as_deref() == Some(path));
        if has_head && !is_renamed {
            return Ok(match (is_same, self.complete) {
                (true, false) => None,
                _ => Some(After::Body(body)),
            });
        }
        let stored = PageBody::decode(&self.objects.get(&body)?)?;
        let text = source::decode(&stored.source);
        let mut written = text.clone().into_owned();
        if is_renamed {
            let identity = Identity::decode(&stored.identity);
            written = page::set_title(&written, &identity, &new.title);
        }
        if !has_head {
            let (front, warnings) = Page::split(&written).metadata(&written);
            let paths = Paths { content: self.now, objects: self.objects };
            // A front matter that cannot be read stays as it is.
            if warnings.is_empty() {
                let front = paths.front_matter(front, old, new, path);
                written = front_matter::update(&written, &front)
                    .map_err(|source| ExportError::Yaml { path: path.to_owned(), source })?;
            }
        }
        if written == *text {
            return Ok((!is_same || self.complete).then_some(After::Body(body)));
        }
        Ok(Some(After::Text(source::restore(&stored.source, &text, &written).into())))
    }

    /// Returns the source of a reusable content at `path`, or `None` if it is not written.
    pub(super) fn reusable_text(
        &self,
        pair: &Pair<ReusableRecord>,
        path: &str,
    ) -> Result<Option<After>, ExportError> {
        let Some(ReusableRecord { title, body: Some(body), .. }) = &pair.new else {
            return Ok(None);
        };
        let old = pair.old.as_ref();
        let is_same = old.is_some_and(|old| {
            old.body.as_ref() == Some(body) && old.path.as_deref() == Some(path)
        });
        if old.is_some_and(|old| old.title == *title) {
            return Ok((!is_same || self.complete).then_some(After::Body(*body)));
        }
        let stored = PageBody::decode(&self.objects.get(body)?)?;
        let text = source::decode(&stored.source);
        let (mut front, _) = Page::split(&text).metadata(&text);
        front.title = Some(title.clone());
        let written = front_matter::update(&text, &front)
            .map_err(|source| ExportError::Yaml { path: path.to_owned(), source })?;
        Ok(Some(After::Text(source::restore(&stored.source, &text, &written).into())))
    }
}

/// Returns `true` if two records have equal front matters.
fn has_same_head(old: &PageRecord, new: &PageRecord) -> bool {
    old.description == new.description
        && old.hidden == new.hidden
        && old.no_index == new.no_index
        && old.no_robots_index == new.no_robots_index
        && old.icon == new.icon
        && old.condition == new.condition
        && old.variables == new.variables
        && old.cover == new.cover
        && old.layout == new.layout
        && old.tags == new.tags
        && old.meta_links == new.meta_links
}
