//! Where the links of submitted texts lead, and how they are written in what is stored.

use std::collections::HashMap;

use bindery_content::reference::{ContentRef, Lookup, Names};
use bindery_model::{FileId, PageId, ReusableContentId};
use bindery_revision::tree::Tree;
use bindery_revision::{Content, Objects, PathEntry};

use crate::texts::{file_id, page_id, reusable_id};

/// Paths and names as a content has them.
#[derive(Clone, Copy)]
pub(crate) struct InContent<'a> {
    pub(crate) content: &'a Content,
    pub(crate) objects: &'a dyn Objects,
}

impl InContent<'_> {
    fn at(&self, path: &str) -> Option<PathEntry> {
        self.content.at_path(self.objects, path).ok().flatten()
    }

    fn by_path(&self, path: &str) -> Option<PageId> {
        let path = path.trim_matches('/');
        let found = Tree::new(self.content, self.objects).by_path(path).ok().flatten();
        found.filter(|_| !path.is_empty())
    }

    /// Whether a reference leads to something that is there, or out of the content.
    pub(crate) fn leads_somewhere(&self, target: &ContentRef) -> bool {
        match target {
            ContentRef::Page { page, space: None }
            | ContentRef::Anchor { page: Some(page), space: None, .. } => {
                PageId::parse(page).is_some_and(|page| self.has_page(page))
            }
            _ => true,
        }
    }

    fn has_page(&self, id: PageId) -> bool {
        self.content.page(self.objects, id).ok().flatten().is_some()
    }
}

impl Lookup for InContent<'_> {
    fn page(&self, path: &str) -> Option<String> {
        self.at(path).and_then(page_id)
    }

    fn file(&self, path: &str) -> Option<String> {
        self.at(path).and_then(file_id)
    }

    fn reusable_content(&self, path: &str) -> Option<String> {
        self.at(path).and_then(reusable_id)
    }

    fn page_at(&self, url_path: &str) -> Option<String> {
        self.by_path(url_path).map(|id| id.to_string())
    }
}

impl Names for InContent<'_> {
    fn page_path(&self, page: &str) -> Option<String> {
        let page = self.content.page(self.objects, PageId::parse(page)?).ok().flatten()?;
        page.source_path
    }

    fn file_path(&self, file: &str) -> Option<String> {
        self.content.file(self.objects, FileId::parse(file)?).ok().flatten()?.path
    }

    fn reusable_content_path(&self, reusable_content: &str) -> Option<String> {
        let id = ReusableContentId::parse(reusable_content)?;
        self.content.reusable(self.objects, id).ok().flatten()?.path
    }
}

/// What the links of a submitted text may name besides: ids, places in the tree, and the names
/// of the request.
pub(super) struct Submitted<'a> {
    pub(super) around: InContent<'a>,
    /// The path of the page that the text is for.
    pub(super) holder: &'a str,
    pub(super) references: &'a HashMap<String, PathEntry>,
}

impl Submitted<'_> {
    fn entry(&self, path: &str) -> Option<PathEntry> {
        let folder = self.holder.rsplit_once('/').map_or("", |(folder, _)| folder);
        let local = path.strip_prefix(folder).map(|local| local.trim_start_matches('/'));
        let named = local.and_then(|local| {
            let page = local.strip_suffix(".md").and_then(|name| self.references.get(name));
            page.or_else(|| self.references.get(local)).copied()
        });
        named.or_else(|| self.by_id(path)).or_else(|| self.around.at(path)).or_else(|| {
            let place = path.strip_prefix("pages/").unwrap_or(path);
            self.by_place(place).map(PathEntry::Page)
        })
    }

    fn by_id(&self, path: &str) -> Option<PathEntry> {
        if let Some(id) = path.strip_prefix("pages/").and_then(PageId::parse) {
            return self.around.has_page(id).then_some(PathEntry::Page(id));
        }
        let id = FileId::parse(path.strip_prefix("files/")?)?;
        let found = self.around.content.file(self.around.objects, id).ok().flatten();
        found.map(|_| PathEntry::File(id))
    }

    /// The page at a place in the tree that is spelled as a file.
    fn by_place(&self, path: &str) -> Option<PageId> {
        let path = path.strip_suffix(".md").unwrap_or(path);
        let path = path.strip_suffix("README").unwrap_or(path);
        self.around.by_path(path)
    }
}

impl Lookup for Submitted<'_> {
    fn page(&self, path: &str) -> Option<String> {
        self.entry(path).and_then(page_id)
    }

    fn file(&self, path: &str) -> Option<String> {
        self.entry(path).and_then(file_id)
    }

    fn reusable_content(&self, path: &str) -> Option<String> {
        self.entry(path).and_then(reusable_id)
    }

    fn page_at(&self, url_path: &str) -> Option<String> {
        self.around.page_at(url_path)
    }
}
