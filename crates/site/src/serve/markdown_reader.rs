//! Writes the Markdown of a page for visitors of a site.

use bindery_app::content::markdown::Reader;
use bindery_app::content::snapshot::broken_object;
use bindery_model::{FileId, PageId, Result};

use super::page::PageContext;

/// Writes absolute addresses, so that the links work wherever the text is read.
impl Reader for PageContext<'_> {
    fn page(&self, page: PageId) -> Result<Option<String>> {
        let href = self.tree.href_of_present(page);
        Ok(href.map(|href| format!("{}{href}", self.site.origin(&self.app.urls))))
    }

    fn file(&self, file: FileId) -> Result<Option<String>> {
        let content = &self.space.snapshot.revision.content;
        let found = content.file(self.objects, file).map_err(broken_object)?;
        Ok(found.map(|_| format!("{}{}", self.site.origin(&self.app.urls), self.file_href(file))))
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn may_read(&self, bytes: usize) -> bool {
        self.budget.read(bytes)
    }
}
