//! Resolves the references of a content that is being compared.

use bindery_app::content::snapshot::download_url;
use bindery_content::html::{FileLink, Links, PageLink};
use bindery_model::{FileId, PageId};

use crate::present::ContentView;

/// Resolves references to addresses of the application. Expressions are shown in their source form.
pub(super) struct ContentLinks<'a>(pub(super) &'a ContentView<'a>);

impl Links for ContentLinks<'_> {
    fn page(&self, page: &str, space: Option<&str>) -> Option<PageLink> {
        let Self(view) = self;
        let own = view.presented.snapshot.space;
        if space.is_some_and(|space| space != own.as_str()) {
            return None;
        }
        let record = view.tree().page(PageId::parse(page)?).ok()?;
        let space = view.app.urls.app_space(view.presented.organization, own);
        Some(PageLink { href: format!("{space}/{}", record.id), title: record.title })
    }

    fn file(&self, file: &str) -> Option<FileLink> {
        let Self(view) = self;
        let content = &view.presented.snapshot.revision.content;
        let record = content.file(view.objects, FileId::parse(file)?).ok()??;
        Some(FileLink {
            href: download_url(view.app, &view.presented.snapshot, &record, view.presented.public),
            size: Some(record.size),
            dimensions: record.dimensions.map(|size| (size.width, size.height)),
            name: record.name,
        })
    }

    fn expression(&self, expression: &str) -> Option<String> {
        Some(format!("{{{{ {expression} }}}}"))
    }
}
