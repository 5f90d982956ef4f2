//! A small repository, so that references resolve and can be written back.

use crate::document::Reference;
use crate::reference::{self, ContentRef, Lookup, Names};
use crate::source::Span;

/// A few pages, files and reusable contents, with names that need escaping.
#[derive(Debug, Clone, Copy, Default)]
pub struct World;

/// The path of the file that contains generated documents.
pub const PAGE_PATH: &str = "guide/page.md";

pub(super) const PAGES: [(&str, &str); 4] = [
    ("README.md", "page-root"),
    ("guide/README.md", "page-guide"),
    ("guide/start_here.md", "page-start"),
    ("a b/ü (1).md", "page-odd"),
];
pub(super) const FILES: [(&str, &str); 3] = [
    (".gitbook/assets/a.png", "file-a"),
    (".gitbook/assets/b c (1)@2x.png", "file-b"),
    ("spec/api.yaml", "file-spec"),
];
pub(super) const REUSABLE: (&str, &str) = (".gitbook/includes/note.md", "reusable-note");
pub(super) const SPACE: &str = "space-other";
pub(super) const SPACE_PAGE: (&str, &str) = ("intro/first", "page-elsewhere");

fn id(list: &[(&str, &str)], path: &str) -> Option<String> {
    list.iter().find(|(known, _)| *known == path).map(|(_, id)| (*id).to_owned())
}

fn path(list: &[(&str, &str)], id: &str) -> Option<String> {
    list.iter().find(|(_, known)| *known == id).map(|(path, _)| (*path).to_owned())
}

impl Lookup for World {
    fn page(&self, path: &str) -> Option<String> {
        id(&PAGES, path)
    }
    fn file(&self, path: &str) -> Option<String> {
        id(&FILES, path)
    }
    fn reusable_content(&self, path: &str) -> Option<String> {
        id(&[REUSABLE], path)
    }
    fn space(&self, space: &str) -> bool {
        space == SPACE
    }
    fn page_of_space(&self, space: &str, url_path: &str) -> Option<String> {
        if space == SPACE { id(&[SPACE_PAGE], url_path) } else { None }
    }
}

impl Names for World {
    fn page_path(&self, page: &str) -> Option<String> {
        path(&PAGES, page)
    }
    fn file_path(&self, file: &str) -> Option<String> {
        path(&FILES, file)
    }
    fn reusable_content_path(&self, reusable_content: &str) -> Option<String> {
        path(&[REUSABLE], reusable_content)
    }
    fn page_path_in_space(&self, space: &str, page: &str) -> Option<String> {
        if space == SPACE { path(&[SPACE_PAGE], page) } else { None }
    }
}

/// Returns a reference to a target as written in the file [`PAGE_PATH`].
pub(super) fn reference(target: ContentRef) -> Reference {
    let raw = reference::write(&target, PAGE_PATH, &World).unwrap_or_default();
    Reference { raw, span: Span::default(), target, name: None }
}
