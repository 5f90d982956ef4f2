//! Group `space-content`: the same reads on a space's head and on its revisions.

pub(super) mod changes;
mod computed;
mod documents;
pub(super) mod files;
pub(super) mod pages;
pub(super) mod pdf;
pub(super) mod reusable_contents;
pub(super) mod revisions;
pub(super) mod template;

use bindery_app::content::documents::Evaluation;
use bindery_app::content::git::{self, BlobState};
use bindery_app::content::snapshot::{self, Snapshot, broken_tree};
use bindery_app::content::spaces::Space;
use bindery_app::publishing::adaptive::Answers;
use bindery_app::publishing::published::{self, ReadableSpace};
use bindery_app::{App, Context, TxObjects};
use bindery_model::{Error, PageId, Result, RevisionId};
use bindery_revision::PageRecord;
use bindery_revision::tree::Tree;
use serde::Serialize;

use crate::call::Call;
use crate::operation::Operation;
use crate::present::{ContentView, PresentedRevision};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = revisions::operations();
    operations.push(template::operation());
    operations.extend(changes::operations());
    operations.extend(pages::operations());
    operations.extend(files::operations());
    operations.extend(documents::operations());
    operations.extend(reusable_contents::operations());
    operations.extend(computed::operations());
    operations.extend(pdf::operations());
    operations
}

/// A target with content that the operations of this group read: a space or a change request.
pub(super) trait HasContent {
    /// Returns the space.
    fn space(&self) -> &Space;

    /// Returns the revision to read.
    ///
    /// # Errors
    /// 404 if the request contains a malformed revision id.
    fn revision(&self, call: &Call) -> Result<RevisionId>;

    /// Returns `true` if the caller sees only the content that a site shows to the public.
    fn is_for_visitor(&self) -> bool {
        false
    }
}

impl HasContent for Space {
    fn space(&self) -> &Space {
        self
    }

    /// Returns the revision of the path, or the head if the path has none.
    fn revision(&self, call: &Call) -> Result<RevisionId> {
        call.get_path("revisionId").map_or(Ok(self.head), |id| {
            RevisionId::parse(id).ok_or_else(|| Error::not_found("revision"))
        })
    }
}

impl HasContent for ReadableSpace {
    fn space(&self) -> &Space {
        &self.space
    }

    /// Like the revision of a space, except that a visitor can read only the head, and in a preview
    /// the revision of the change request.
    fn revision(&self, call: &Call) -> Result<RevisionId> {
        let revision = self.space.revision(call)?;
        let is_shown = revision == self.space.head || self.previewed == Some(revision);
        if self.visitor && !is_shown {
            return Err(Error::not_found("revision"));
        }
        Ok(revision)
    }

    fn is_for_visitor(&self) -> bool {
        self.visitor
    }
}

/// A space at one revision, loaded for an answer.
pub(super) struct LoadedRevision<'a> {
    app: &'a App,
    objects: TxObjects<'a>,
    presented: PresentedRevision,
}

impl<'a> LoadedRevision<'a> {
    fn of(cx: &Context<'a>, target: &impl HasContent, call: &Call) -> Result<Self> {
        let (space, revision) = (target.space(), target.revision(call)?);
        Self::load(cx, space, call, revision, target.is_for_visitor())
    }

    /// Loads the space at this revision.
    pub(super) fn at(
        cx: &Context<'a>,
        space: &Space,
        call: &Call,
        revision: RevisionId,
    ) -> Result<Self> {
        Self::load(cx, space, call, revision, false)
    }

    fn load(
        cx: &Context<'a>,
        space: &Space,
        call: &Call,
        revision: RevisionId,
        visitor: bool,
    ) -> Result<Self> {
        let mut snapshot = Snapshot::of(cx.app, cx.tx, space, Some(revision))?;
        if call.flag("computed", true) {
            snapshot = snapshot.as_shown(cx.app, cx.tx)?;
        }
        let outlet = published::site_of(cx, space)?;
        let metadata = !visitor && call.flag("metadata", true);
        let commit = match metadata {
            true => git::commit(cx, &snapshot)?,
            false => None,
        };
        let objects = cx.tx.objects();
        let blobs = if metadata { Some(BlobState::of(cx, &snapshot)?) } else { None };
        let presented = PresentedRevision {
            organization: space.organization,
            public: snapshot::is_open(outlet.as_ref()),
            published: outlet.map(|outlet| cx.app.urls.space(&outlet)),
            blobs,
            commit,
            visitor,
            answers: Answers::new(cx.visitor_claims()?),
            snapshot,
        };
        Ok(Self { app: cx.app, objects, presented })
    }

    pub(super) fn view(&self) -> ContentView<'_> {
        ContentView { app: self.app, objects: &self.objects, presented: &self.presented }
    }

    fn answers(&self) -> &Answers {
        &self.presented.answers
    }

    fn snapshot(&self) -> &Snapshot {
        &self.presented.snapshot
    }

    /// Returns a page of the revision.
    fn record(&self, page: PageId) -> Result<PageRecord> {
        let tree = Tree::new(&self.snapshot().revision.content, &self.objects);
        let record = tree.page(page).map_err(broken_tree)?;
        if !self.view().is_present(&record)? {
            return Err(Error::not_found("page"));
        }
        Ok(record)
    }

    /// Returns the evaluation mode. For a visitor all expressions are evaluated, so that nothing
    /// beyond the site's content is disclosed.
    fn evaluated(&self, call: &Call) -> Evaluation {
        if self.presented.visitor { Evaluation::All } else { documents::evaluated(call) }
    }

    /// Answers with the page tree in place of the empty list of pages in `whole`.
    fn page_list(self, whole: &impl Serialize) -> Result<Reply> {
        Reply::pages(self.app, &self.objects, self.presented, whole)
    }
}
