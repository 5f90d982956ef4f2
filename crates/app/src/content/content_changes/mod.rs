//! Changes of content that a request sends. They are applied in order, all or none, and each has a
//! location in the request that an error can name.

mod decided;
mod files;
pub(crate) mod links;
mod navigation;
mod pages;
pub(crate) mod redirects;
mod revert;
mod texts;

pub use files::{FileSource, NewFile, PreparedFile, prepare};
pub use navigation::{LayoutChange, LookChange, NavigationPage, NewCover, PageTarget};
pub use pages::Metadata;

use std::collections::HashMap;

use bindery_model::{Error, FieldPath, PageId, Result, SpaceId, Timestamp};
use bindery_revision::tree::TreeError;
use bindery_revision::{Content, FileRecord, PageRecord, PathEntry, Staging, merge};
use bindery_store::PreparedObject;
use serde_json::Value;

use crate::content::snapshot::{broken_object, broken_tree};
use crate::content::texts::DocumentBodies;
use crate::{App, Context};

/// One change.
#[derive(Debug)]
pub enum ContentChange {
    /// Inserts a page.
    InsertPage {
        /// The parent of the page.
        into: Option<PageId>,
        /// The number of siblings before it; `None` inserts it after all siblings.
        at: Option<u64>,
        /// The name by which the other changes of the request refer to the page.
        reference: Option<String>,
        /// The metadata.
        metadata: Metadata,
        /// The text.
        document: NewDocument,
    },
    /// Changes the text, the metadata or the position of a page.
    UpdatePage {
        /// The page.
        page: PageId,
        /// The new parent; `None` keeps the current one.
        into: Option<Option<PageId>>,
        /// The number of siblings before it.
        at: Option<u64>,
        /// The metadata.
        metadata: Metadata,
        /// The new text; `None` keeps the current one.
        document: Option<NewDocument>,
    },
    /// Deletes a page with its descendants.
    DeletePage(PageId),
    /// Restores a page to an earlier state.
    RevertPage {
        /// The page.
        page: PageId,
        /// The content to restore it from; `None` for the base.
        to: Option<Box<Content>>,
        /// The keys of the blocks to restore; `None` restores the whole page.
        blocks: Option<Vec<String>>,
    },
    /// Inserts prepared files.
    InsertFiles(Vec<PreparedFile>),
    /// Inserts a group or a link. It is the only change of its request, so the location of its
    /// fields is the body.
    InsertNavigationPage(NavigationPage),
    /// Changes how a page looks. It is the only change of its request.
    ChangeLook(PageId, LookChange),
}

/// The text of a page in a request.
#[derive(Clone, Debug)]
pub enum NewDocument {
    /// Markdown in the dialect of Bindery.
    Markdown(String),
    /// A document in the JSON format of the contract.
    Json(Value),
    /// An empty text.
    Empty,
}

/// The result of the changes.
#[derive(Debug)]
pub struct ChangeResult {
    /// The changed content.
    pub content: Content,
    /// The affected pages, in the order in which they were first changed.
    pub touched: Vec<(PageId, PageChange)>,
    /// The files that were inserted.
    pub files: Vec<FileRecord>,
    /// The bytes of the files, to be stored with the content.
    pub objects: Vec<PreparedObject>,
    /// The pages whose texts were sent, in the order of the request.
    pub texts: Vec<PageId>,
}

/// The contents that changes refer to.
#[derive(Clone, Copy, Debug)]
pub struct Changing<'c> {
    /// The space.
    pub space: SpaceId,
    /// The content to change.
    pub content: &'c Content,
    /// The content that pages are restored from by default.
    pub base: &'c Content,
    /// The contents whose merge caused the open conflicts. A sent text that equals one of theirs
    /// resolves the conflicts about it.
    pub sides: &'c [Content],
}

/// The effect of the changes on a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PageChange {
    /// The page was inserted; holds its name in the request.
    Inserted(Option<String>),
    /// The page was changed.
    Updated,
    /// The page was deleted.
    Deleted,
}

/// Applies changes to a content and returns the result. Adds new objects to `staging`.
///
/// # Errors
/// Returns the error of the first change that cannot be applied, with its location in the request.
/// The caller then discards all changes.
pub fn apply(
    cx: &Context<'_>,
    changing: Changing<'_>,
    staging: &mut Staging<'_>,
    changes: Vec<ContentChange>,
) -> Result<ChangeResult> {
    let Changing { space, content, base, sides } = changing;
    let mut work = Work {
        app: cx.app,
        now: cx.now(),
        space,
        base,
        sides,
        content: content.clone(),
        staging,
        touched: Vec::new(),
        files: Vec::new(),
        objects: Vec::new(),
        references: HashMap::new(),
        texts: Vec::new(),
        written: Vec::new(),
        decided: Vec::new(),
    };
    for (index, change) in changes.into_iter().enumerate() {
        work.change(&FieldPath::new("/changes").field(index), change)?;
    }
    work.write_texts()?;
    work.leave_redirects()?;
    let Work { content: after, staging, touched, files, objects, written, decided, .. } = work;
    let mut content =
        merge::settle(content, &after, staging, &mut DocumentBodies).map_err(broken_object)?;
    for decided in decided {
        content = decided.end(&content, staging)?;
    }
    Ok(ChangeResult { content, touched, files, objects, texts: written })
}

/// The state while changes are applied.
struct Work<'w, 's> {
    app: &'w App,
    now: Timestamp,
    space: SpaceId,
    base: &'w Content,
    sides: &'w [Content],
    content: Content,
    staging: &'w mut Staging<'s>,
    touched: Vec<(PageId, PageChange)>,
    files: Vec<FileRecord>,
    /// The items of this request by their names.
    references: HashMap<String, PathEntry>,
    /// The bytes of inserted files.
    objects: Vec<PreparedObject>,
    /// Texts to write after all pages are in their final positions.
    texts: Vec<texts::Pending>,
    /// The pages whose texts were written.
    written: Vec<PageId>,
    /// The conflicts that the request resolves by sending current values.
    decided: Vec<decided::Decided>,
}

impl Work<'_, '_> {
    fn change(&mut self, at: &FieldPath, change: ContentChange) -> Result<()> {
        match change {
            ContentChange::InsertPage { into, at: position, reference, metadata, document } => {
                self.insert(at, into, position, reference, metadata, document)
            }
            ContentChange::UpdatePage { page, into, at: position, metadata, document } => {
                self.update(at, page, into, position, metadata, document)
            }
            ContentChange::DeletePage(page) => self.delete(at, page),
            ContentChange::RevertPage { page, to, blocks } => {
                let to = to.as_deref().unwrap_or(self.base).clone();
                match blocks {
                    None => self.revert(at, page, &to),
                    Some(blocks) => self.revert_blocks(at, page, &to, blocks),
                }
            }
            ContentChange::InsertFiles(files) => self.insert_files(at, files),
            ContentChange::InsertNavigationPage(page) => self.insert_navigation_page(page),
            ContentChange::ChangeLook(page, look) => self.change_look(page, look),
        }
    }

    /// Returns a page, or an error if it does not exist.
    fn page(&self, at: &FieldPath, id: PageId) -> Result<PageRecord> {
        let found = self.content.page(&*self.staging, id).map_err(broken_object)?;
        found.ok_or_else(|| at.not_found(format_args!("page {id}")))
    }

    fn touch(&mut self, page: PageId, touch: PageChange) {
        match self.touched.iter_mut().find(|(known, _)| *known == page) {
            None => self.touched.push((page, touch)),
            Some((_, known)) => match (&*known, &touch) {
                // A new page is reported as inserted even if later changes update it.
                (PageChange::Inserted(_), PageChange::Updated) => {}
                _ => *known = touch,
            },
        }
    }

    /// Records the item that a name of this request refers to.
    fn name(&mut self, at: &FieldPath, reference: Option<String>, entry: PathEntry) -> Result<()> {
        let Some(name) = reference else { return Ok(()) };
        let at = at.field("ref");
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > 200 || !name.chars().all(plain) || name.starts_with('.')
        {
            return Err(at.invalid(format_args!(
                "found {name:?}, allowed: 1 to 200 letters, digits, `-`, `_` and `.`, the first \
                 of which is not `.`"
            )));
        }
        for path in [name.clone(), format!("{name}.md")] {
            let taken = self.content.at_path(&*self.staging, &path).map_err(broken_object)?;
            if taken.is_some_and(|taken| taken != entry) {
                return Err(
                    at.invalid(format_args!("found {name:?}, which is taken: {path} exists"))
                );
            }
        }
        if self.references.insert(name.clone(), entry).is_some() {
            return Err(at.invalid(format_args!(
                "found {name:?}, which another change of this request uses already"
            )));
        }
        Ok(())
    }

    /// Returns a free path: the wanted one, or one with a number before the extension.
    fn free_path(&self, wanted: &str) -> Result<String> {
        let free = |path: &str| {
            self.content.at_path(&*self.staging, path).map_err(broken_object).map(|at| at.is_none())
        };
        if free(wanted)? {
            return Ok(wanted.to_owned());
        }
        let (stem, ending) = match wanted.rsplit_once('.') {
            Some((stem, ending)) if !ending.contains('/') => (stem, format!(".{ending}")),
            _ => (wanted, String::new()),
        };
        let numbered = |number: u64| format!("{stem}-{number}{ending}");
        // A binary search finds the number, so that a thousand equal names cost about ten lookups
        // each.
        let (mut taken, mut high) = (0, 1);
        while !free(&numbered(high))? {
            taken = high;
            high *= 2;
        }
        while high - taken > 1 {
            let middle = u64::midpoint(taken, high);
            if free(&numbered(middle))? { high = middle } else { taken = middle }
        }
        Ok(numbered(high))
    }
}

/// Converts an error of the tree into an error of the request.
fn refused(at: &FieldPath, error: TreeError) -> Error {
    match error {
        TreeError::NotFound(id) => at.not_found(format_args!("page {id}")),
        TreeError::Cycle(_) => at.invalid("a page cannot stand under itself or its subpages"),
        TreeError::SlugTaken(slug) => at.conflict(format_args!("the slug {slug:?} is taken")),
        other => broken_tree(other),
    }
}
