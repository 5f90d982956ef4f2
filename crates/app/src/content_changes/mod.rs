//! Changes of content as programs send them: in order, all or nothing, each in one place of the
//! request that an error can name.

mod decided;
mod files;
pub(crate) mod links;
mod pages;
pub(crate) mod redirects;
mod revert;
mod texts;

pub use files::{FileSource, NewFile, PreparedFile, prepare};
pub use pages::Metadata;

use std::collections::HashMap;

use bindery_model::{Error, PageId, Result, SpaceId, Timestamp};
use bindery_revision::tree::TreeError;
use bindery_revision::{Content, FileRecord, PageRecord, PathEntry, Staging, merge};
use bindery_store::PreparedObject;
use serde_json::Value;

use crate::content::{broken_object, broken_tree};
use crate::texts::DocumentBodies;
use crate::{App, Context};

/// One change.
#[derive(Debug)]
pub enum ContentChange {
    /// A new page.
    InsertPage {
        /// The page it stands under.
        into: Option<PageId>,
        /// Number of siblings before it; absent means all.
        at: Option<u64>,
        /// The name of the item in the other changes of the request.
        reference: Option<String>,
        /// The metadata.
        metadata: Metadata,
        /// Its text.
        document: NewDocument,
    },
    /// Another text, other metadata or another place for a page.
    UpdatePage {
        /// The page.
        page: PageId,
        /// The page it stands under from now on; `None`: as it is.
        into: Option<Option<PageId>>,
        /// Number of siblings before it.
        at: Option<u64>,
        /// The metadata.
        metadata: Metadata,
        /// Its text, if that changes.
        document: Option<NewDocument>,
    },
    /// The end of a page and of all below it.
    DeletePage(PageId),
    /// A page as it was.
    RevertPage {
        /// The page.
        page: PageId,
        /// The content to restore it from; absent means the base.
        to: Option<Box<Content>>,
        /// The keys of the only blocks that are brought back.
        blocks: Option<Vec<String>>,
    },
    /// Files that were gathered before.
    InsertFiles(Vec<PreparedFile>),
}

/// A text as it is sent.
#[derive(Clone, Debug)]
pub enum NewDocument {
    /// Markdown of the dialect.
    Markdown(String),
    /// The contract's document.
    Json(Value),
    /// Nothing.
    Empty,
}

/// The result of the changes.
#[derive(Debug)]
pub struct ChangeResult {
    /// The content now.
    pub content: Content,
    /// The pages that were touched, in the order in which they were first.
    pub touched: Vec<(PageId, PageChange)>,
    /// The files that were inserted.
    pub files: Vec<FileRecord>,
    /// Their bytes, to be stored with the content.
    pub objects: Vec<PreparedObject>,
    /// The pages whose texts were sent, in their order.
    pub texts: Vec<PageId>,
}

/// The contents that a change works on.
#[derive(Clone, Copy, Debug)]
pub struct Changing<'c> {
    /// The space.
    pub space: SpaceId,
    /// The content that is changed.
    pub content: &'c Content,
    /// The content that reverting goes back to.
    pub base: &'c Content,
    /// The contents whose merge left the conflicts that are open. A text that is sent as one of
    /// them has it decides the conflicts about it.
    pub sides: &'c [Content],
}

/// The effect of the changes on a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PageChange {
    /// It is new; with what it was called in the request.
    Inserted(Option<String>),
    /// It changed.
    Updated,
    /// It is gone.
    Deleted,
}

/// Makes changes to a content. New objects go to `staging`.
///
/// # Errors
/// The first change that is not possible, with its place in the request; then nothing is to be kept
/// of the others.
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
        work.change(&BodyLocation(format!("/changes/{index}")), change)?;
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

/// A place in the request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BodyLocation(String);

impl BodyLocation {
    /// The whole request's changes from this JSON pointer on.
    pub fn new(pointer: impl Into<String>) -> Self {
        Self(pointer.into())
    }

    /// A field of what is here.
    #[must_use]
    pub fn field(&self, name: impl std::fmt::Display) -> Self {
        Self(format!("{}/{name}", self.0))
    }

    /// The pointer.
    pub fn pointer(&self) -> &str {
        &self.0
    }

    pub(crate) fn invalid(&self, what: impl std::fmt::Display) -> Error {
        Error::invalid(format!("body at {}: {what}", self.0))
    }

    pub(crate) fn conflict(&self, what: impl std::fmt::Display) -> Error {
        Error::conflict(format!("body at {}: {what}", self.0))
    }

    pub(crate) fn missing(&self, what: impl std::fmt::Display) -> Error {
        Error::not_found(&format!("body at {}: {what}", self.0))
    }
}

/// Changes at work.
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
    /// The items that the names of this request refer to.
    references: HashMap<String, PathEntry>,
    /// The bytes of inserted files.
    objects: Vec<PreparedObject>,
    /// Texts to be written once all pages are where they will be.
    texts: Vec<texts::Pending>,
    /// The pages whose texts were written.
    written: Vec<PageId>,
    /// The conflicts that the request decides by sending text that is already there.
    decided: Vec<decided::Decided>,
}

impl Work<'_, '_> {
    fn change(&mut self, at: &BodyLocation, change: ContentChange) -> Result<()> {
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
        }
    }

    /// A page that must be there.
    fn page(&self, at: &BodyLocation, id: PageId) -> Result<PageRecord> {
        let found = self.content.page(&*self.staging, id).map_err(broken_object)?;
        found.ok_or_else(|| at.missing(format_args!("page {id}")))
    }

    fn touch(&mut self, page: PageId, touch: PageChange) {
        match self.touched.iter_mut().find(|(known, _)| *known == page) {
            None => self.touched.push((page, touch)),
            Some((_, known)) => match (&*known, &touch) {
                // A new page stays one whatever else is done to it.
                (PageChange::Inserted(_), PageChange::Updated) => {}
                _ => *known = touch,
            },
        }
    }

    /// Gives a name of this request its meaning.
    fn name(
        &mut self,
        at: &BodyLocation,
        reference: Option<String>,
        entry: PathEntry,
    ) -> Result<()> {
        let Some(name) = reference else { return Ok(()) };
        let at = at.field("ref");
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > 200 || !name.chars().all(plain) || name.starts_with('.')
        {
            return Err(at.invalid(format_args!(
                "found {name:?}, allowed: 1 to 200 letters, digits, `-`, `_` and `.`, the first \
                 of them no `.`"
            )));
        }
        for path in [name.clone(), format!("{name}.md")] {
            let taken = self.content.at_path(&*self.staging, &path).map_err(broken_object)?;
            if taken.is_some_and(|taken| taken != entry) {
                return Err(at.invalid(format_args!("found {name:?}, which {path} has already")));
            }
        }
        if self.references.insert(name.clone(), entry).is_some() {
            return Err(at.invalid(format_args!(
                "found {name:?}, which another change of this request has already"
            )));
        }
        Ok(())
    }

    /// A path that nothing has: the wanted one, or with a number before its ending.
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
        // Numbers are found by halving, so that a thousand equal names cost ten looks each.
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
fn refused(at: &BodyLocation, error: TreeError) -> Error {
    match error {
        TreeError::NotFound(id) => at.missing(format_args!("page {id}")),
        TreeError::Cycle(_) => at.invalid("a page cannot stand under itself or its subpages"),
        TreeError::SlugTaken(slug) => at.conflict(format_args!("the slug {slug:?} is taken")),
        other => broken_tree(other),
    }
}
