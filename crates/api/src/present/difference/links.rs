//! Resolves the references of a content that is being compared.

use bindery_app::content::download_url;
use bindery_content::html::{FileLink, Links, PageLink};
use bindery_model::{FileId, PageId};

use crate::present::Shown;

/// Resolves references to addresses of the application. Expressions are shown in their source form.
pub(super) struct ContentLinks<'a>(pub(super) &'a Shown<'a>);

impl Links for ContentLinks<'_> {
    fn page(&self, page: &str, space: Option<&str>) -> Option<PageLink> {
        let Self(shown) = self;
        let own = shown.of.snapshot.space;
        if space.is_some_and(|space| space != own.as_str()) {
            return None;
        }
        let record = shown.tree().page(PageId::parse(page)?).ok()?;
        let space = shown.app.urls.app_space(shown.of.organization, own);
        Some(PageLink { href: format!("{space}/{}", record.id), title: record.title })
    }

    fn file(&self, file: &str) -> Option<FileLink> {
        let Self(shown) = self;
        let content = &shown.of.snapshot.revision.content;
        let record = content.file(shown.objects, FileId::parse(file)?).ok()??;
        Some(FileLink {
            href: download_url(shown.app, &shown.of.snapshot, &record, shown.of.public),
            size: Some(record.size),
            dimensions: record.dimensions.map(|size| (size.width, size.height)),
            name: record.name,
        })
    }

    fn expression(&self, expression: &str) -> Option<String> {
        Some(format!("{{{{ {expression} }}}}"))
    }
}
