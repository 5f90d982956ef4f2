//! Writes the Markdown of a page for visitors of a site.

use bindery_app::content::markdown::{Reader, SeenPage};

use super::document::PageLinks;

/// Writes the page as its visitors see it, with absolute addresses, so that the links work wherever
/// the text is read.
pub(super) struct MarkdownReader<'a> {
    pub(super) links: PageLinks<'a>,
    /// The address of the page.
    pub(super) address: String,
}

impl Reader for MarkdownReader<'_> {
    fn seen(&self) -> Option<SeenPage<'_>> {
        Some(SeenPage { links: &self.links, address: &self.address })
    }

    fn may_read(&self, bytes: usize) -> bool {
        self.links.may_read(bytes)
    }
}
