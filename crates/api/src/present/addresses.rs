//! Resolves the links in a page's Markdown to addresses.

use bindery_app::content::markdown::Reader;
use bindery_app::content::snapshot::{self, broken_object, broken_tree};
use bindery_content::reference::relative;
use bindery_model::{FileId, PageId, Result};
use bindery_revision::{ContentRef, PageKind};

use super::ContentView;

/// Addresses relative to the page that holds the links: other pages by relative path, files by
/// their download addresses.
pub(crate) struct FromPage<'a> {
    pub(crate) view: ContentView<'a>,
    /// The path of the page that holds the links.
    pub(crate) path: &'a str,
}

impl Reader for FromPage<'_> {
    fn page(&self, page: PageId) -> Result<Option<String>> {
        let content = &self.view.presented.snapshot.revision.content;
        let found = content.page(self.view.objects, page).map_err(broken_object)?;
        let Some(found) = found else { return Ok(None) };
        if !self.view.is_present(&found)? {
            return Ok(None);
        }
        if let PageKind::Link { target: ContentRef::Url(url) } = found.kind {
            return Ok(Some(url));
        }
        let path = self.view.tree().path(page).map_err(broken_tree)?;
        Ok(Some(relative(self.path, &path, false)))
    }

    fn file(&self, file: FileId) -> Result<Option<String>> {
        let ContentView { app, objects, presented } = self.view;
        let found =
            presented.snapshot.revision.content.file(objects, file).map_err(broken_object)?;
        Ok(found
            .map(|file| snapshot::download_url(app, &presented.snapshot, &file, presented.public)))
    }
}
