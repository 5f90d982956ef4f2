//! The sources of pages and reusable contents.

use bindery_content::{Identity, Page, front_matter, page, source};
use bindery_revision::{Hash, Objects, PageBody, PageRecord, Record, ReusableRecord};
use bytes::Bytes;

use super::front::Paths;
use super::{After, Export, ExportError, Pair};
use crate::folder::BlobId;
use crate::import::{clean_text, title_of_path};

/// Returns the source in the object of a text.
pub(super) fn source_of(objects: &dyn Objects, body: &Hash) -> Result<Bytes, ExportError> {
    Ok(PageBody::decode(&objects.get(body)?)?.source)
}

impl Export<'_> {
    /// Returns the source of a page at `path`, or `None` if it is not written.
    ///
    /// Titles and other attributes are compared with those that an import would read from the
    /// source, because sources keep their head when attributes change.
    pub(super) fn page(
        &self,
        pair: &Pair<PageRecord>,
        path: &str,
    ) -> Result<Option<After>, ExportError> {
        let Some(PageRecord { title, body: Some(body), .. }) = &pair.new else { return Ok(None) };
        let stored = PageBody::decode(&self.objects.get(body)?)?;
        if pair.is_unchanged() && self.is_known(path, &stored.source)? {
            return Ok(Some(After::Body(*body)));
        }
        let text = source::decode(&stored.source);
        let mut written = text.clone().into_owned();
        let identity = Identity::decode(&stored.identity);
        let heading = Page::split_as(&text, &identity).title;
        if heading.is_some_and(|heading| heading.differs_from(title)) {
            written = page::set_title(&written, &identity, title);
        }
        let (front, warnings) = Page::split(&written).metadata(&written);
        // A front matter that cannot be read stays as it is.
        if let (Some(new), true) = (&pair.new, warnings.is_empty()) {
            let paths = Paths { content: self.now, objects: self.objects };
            let front = paths.front_matter(front, &stored.references, new, path);
            written = front_matter::update(&written, &front)
                .map_err(|source| ExportError::Yaml { path: path.to_owned(), source })?;
        }
        self.if_written(path, &stored.source, after(*body, &stored.source, &text, &written))
    }

    /// Returns a content unless the repository was given it by the last synchronisation and only
    /// differences are wanted.
    fn if_written(
        &self,
        path: &str,
        source: &[u8],
        after: After,
    ) -> Result<Option<After>, ExportError> {
        let bytes = if let After::Text(text) = &after { text } else { source };
        Ok((self.complete || !self.is_known(path, bytes)?).then_some(after))
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
        let stored = PageBody::decode(&self.objects.get(body)?)?;
        if pair.is_unchanged() && self.is_known(path, &stored.source)? {
            return Ok(Some(After::Body(*body)));
        }
        let text = source::decode(&stored.source);
        let (mut front, warnings) = Page::split(&text).metadata(&text);
        let written = front.title.as_deref().map(clean_text).filter(|title| !title.is_empty());
        if written.unwrap_or_else(|| title_of_path(path)) == *title || !warnings.is_empty() {
            return self.if_written(path, &stored.source, After::Body(*body));
        }
        front.title = Some(title.clone());
        let written = front_matter::update(&text, &front)
            .map_err(|source| ExportError::Yaml { path: path.to_owned(), source })?;
        self.if_written(path, &stored.source, after(*body, &stored.source, &text, &written))
    }

    /// Returns `true` if a source is the one that was synchronised last.
    fn is_known(&self, path: &str, source: &[u8]) -> Result<bool, ExportError> {
        let known = self.known(path)?.map(|(known, _)| known);
        Ok(known.is_some() && BlobId::of(source) == known)
    }
}

/// Returns the content of a file whose source was edited.
fn after(body: Hash, bytes: &[u8], text: &str, written: &str) -> After {
    if written == text {
        return After::Body(body);
    }
    After::Text(source::restore(bytes, text, written).into())
}
