//! Resolution of links in submitted texts, and their form in stored texts.

use std::collections::HashMap;

use bindery_content::Page;
use bindery_content::rebase::retarget;
use bindery_content::reference::{ContentRef, Lookup, Names, Target, resolve, with_anchor};
use bindery_model::{FileId, PageId, ReusableContentId};
use bindery_revision::tree::Tree;
use bindery_revision::{Content, Objects, PathEntry};

use crate::content::texts::{file_id, page_id, reusable_id};

/// Resolves paths and names in a content.
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

    /// Returns `true` unless the target of a reference is a missing page of the content.
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

/// Resolves the additional link targets that a submitted text may use: ids, positions in the tree,
/// and the names in the request.
pub(super) struct Submitted<'a> {
    pub(super) around: InContent<'a>,
    /// The source path of the page that the text belongs to.
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

    /// Returns `true` if a relative link is the name of another change in the request.
    fn is_named(&self, raw: &str) -> bool {
        let name = raw.split('#').next().unwrap_or_default();
        let name = name.strip_prefix("./").unwrap_or(name);
        let page = name.strip_suffix(".md").unwrap_or(name);
        self.references.contains_key(name) || self.references.contains_key(page)
    }

    fn by_id(&self, path: &str) -> Option<PathEntry> {
        if let Some(id) = path.strip_prefix("pages/").and_then(PageId::parse) {
            return self.around.has_page(id).then_some(PathEntry::Page(id));
        }
        let id = FileId::parse(path.strip_prefix("files/")?)?;
        let found = self.around.content.file(self.around.objects, id).ok().flatten();
        found.map(|_| PathEntry::File(id))
    }

    /// Returns the page at a path in the tree that is written like the path of a file.
    fn by_place(&self, path: &str) -> Option<PageId> {
        let path = path.strip_suffix(".md").unwrap_or(path);
        let path = path.strip_suffix("README").unwrap_or(path);
        self.around.by_path(path)
    }
}

/// The start of a block that shows a file, before its target.
const FILE_BLOCK: &str = "{% file src=\"";

/// Links as the Markdown of a page shows them to readers: relative paths to pages, and download
/// addresses of files. A text that was read and is sent back keeps its targets.
pub(super) struct AsReader<'a> {
    pub(super) submitted: &'a Submitted<'a>,
    /// The path of the page that the text belongs to.
    pub(super) place: &'a str,
    /// The start of the download addresses of the space's files.
    pub(super) files: &'a str,
}

impl AsReader<'_> {
    /// Replaces such links by ids; returns `None` if the text has none.
    pub(super) fn apply(&self, source: &str) -> Option<String> {
        let filed = self.file_blocks(source);
        let source = filed.as_deref().unwrap_or(source);
        let body = Page::split(source).body;
        let holder = self.submitted.holder;
        let text = retarget(body.of(source), holder, self.submitted, &|raw| self.target(raw));
        let text =
            text.map(|text| format!("{}{text}", source.get(..body.start).unwrap_or_default()));
        text.or(filed)
    }

    /// Replaces the download addresses in blocks of files. The parser would read such a block as an
    /// embed and not as a reference.
    fn file_blocks(&self, source: &str) -> Option<String> {
        let block = format!("{FILE_BLOCK}{}", self.files);
        let mut parts = source.split(&block);
        let mut written = parts.next()?.to_owned();
        let mut found = false;
        for part in parts {
            let (id, rest) = part.split_once('"')?;
            let address = format!("{}{id}", self.files);
            let target = self.target(&address);
            found |= target.is_some();
            written.push_str(FILE_BLOCK);
            written.push_str(target.as_deref().unwrap_or(&address));
            written.push('"');
            written.push_str(rest);
        }
        found.then_some(written)
    }

    fn target(&self, raw: &str) -> Option<String> {
        if let Some(rest) = raw.strip_prefix(self.files) {
            let id = rest.split(['?', '#']).next()?;
            let id = FileId::parse(id)?;
            return self.submitted.by_id(&format!("files/{id}")).map(|_| format!("/files/{id}"));
        }
        if raw.starts_with('/') {
            return None;
        }
        // Links that resolve as paths of files, as in imported content, take precedence over paths
        // of pages.
        let is_file = |path: &str| path.is_empty() || path.ends_with('/') || path.ends_with(".md");
        let Target::Path { path, anchor } = Target::parse(raw, self.place) else { return None };
        if self.submitted.is_named(raw)
            || is_file(raw.split('#').next().unwrap_or_default()) && self.leads_somewhere(raw)
        {
            return None;
        }
        let target = format!("/pages/{}", self.submitted.by_place(&path)?);
        Some(match anchor {
            Some(anchor) => with_anchor(target, &anchor),
            None => target,
        })
    }

    /// Returns `true` if the target of a link exists, relative to the page's file.
    fn leads_somewhere(&self, raw: &str) -> bool {
        let found = resolve(raw, self.submitted.holder, self.submitted);
        !matches!(found, ContentRef::Url { .. })
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
