//! Markdown files that are not pages of the tree, but that readers can read like pages.

use bindery_content::reference::{ParseContext, is_markdown};
use bindery_content::{Document, FrontMatter, Identity, Page, source};
use bindery_git::import;
use bindery_model::Result;
use bindery_revision::{Content, FileRecord, Objects, PathEntry, Variables};

use super::documents::Known;
use super::snapshot::broken_object;
use super::texts::Paths;

/// Maximum bytes of a file that is shown as a page.
pub const MAX_BYTES: u64 = 1 << 20;
const README: &str = "README.md";

/// A Markdown file read as a page.
#[derive(Debug)]
pub struct UnlistedPage {
    /// The title.
    pub title: String,
    /// The metadata at the beginning of the file.
    pub front: FrontMatter,
    /// The variables that the metadata define.
    pub variables: Variables,
    /// The text without its metadata and title.
    pub body: String,
    /// The parsed text.
    pub document: Document,
}

/// Returns the path, below that of the space, under which a file is shown as a page; `None` if it
/// is not shown as one. Does not consider pages that have this path.
///
/// For example, `docs/style.md` has the path `docs/style`, and `docs/README.md` the path `docs`.
#[must_use]
pub fn path_of(file: &FileRecord) -> Option<&str> {
    let path = file.path.as_deref()?;
    if file.size > MAX_BYTES || !is_markdown(&path.to_ascii_lowercase()) {
        return None;
    }
    let folder = path.strip_suffix(README).and_then(|folder| folder.strip_suffix('/'));
    folder.or_else(|| path.strip_suffix(".md")).or(Some(path)).filter(|path| !path.is_empty())
}

/// Returns the file that is shown as a page under a path.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn find(content: &Content, objects: &dyn Objects, path: &str) -> Result<Option<FileRecord>> {
    for candidate in [format!("{path}.md"), format!("{path}/{README}"), path.to_owned()] {
        let entry = content.at_path(objects, &candidate).map_err(broken_object)?;
        if let Some(PathEntry::File(id)) = entry
            && let Some(file) = content.file(objects, id).map_err(broken_object)?
            && path_of(&file) == Some(path)
        {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

/// Reads a file that [`path_of`] has a path for. Its links lead to the pages and files that the
/// content has now.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn read(content: &Content, objects: &dyn Objects, file: &FileRecord) -> Result<UnlistedPage> {
    let path = file.path.as_deref().unwrap_or_default();
    let bytes = objects.get(&file.hash).map_err(broken_object)?;
    let text = source::decode(&bytes);
    let page = Page::split(&text);
    let (front, _) = page.metadata(&text);
    let heading = page.title.as_ref().map(|title| title.text.trim().to_owned());
    let title = front.title.clone().or(heading).filter(|title| !title.is_empty());
    let body = page.body.of(&text).to_owned();
    let known = Known::beside(Paths::default(), content, objects);
    let context = ParseContext { path, lookup: &known };
    let document = page.parse(&text, &body, &context, &Identity::default());
    let title = title.unwrap_or_else(|| file.name.clone());
    let variables = import::variables(&front.variables);
    Ok(UnlistedPage { title, front, variables, body, document })
}
