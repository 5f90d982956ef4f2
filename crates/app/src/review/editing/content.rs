//! The contents that people write together: those of change requests, and the main content.

use bindery_model::{ChangeRequestId, Error, Result, RevisionId, SpaceId, UserId};
use bindery_store::Tx;
use bindery_store::change_requests::{self as rows, ChangeRequest, Contribution};
use bindery_store::editing::EditingSession;
use bindery_store::spaces::{self, Space};
use bindery_store::{amended_revisions, revisions};

use super::history::{self, Place};
use crate::Context;
use crate::content::content_changes::ContentChange;
use crate::content::spaces::require_unlocked;
use crate::review::change_requests::{
    ChangeRequestTarget, change_content_as, change_main_content_as, editable,
};

/// A content whose pages people write together.
#[derive(Clone, Debug)]
pub struct EditedContent {
    /// The space.
    pub space: Space,
    /// The change request; `None` for the main content.
    pub change_request: Option<ChangeRequest>,
}

impl From<&ChangeRequestTarget> for EditedContent {
    fn from(target: &ChangeRequestTarget) -> Self {
        let ChangeRequestTarget { space, change_request } = target.clone();
        Self { space, change_request: Some(change_request) }
    }
}

impl From<&Space> for EditedContent {
    fn from(space: &Space) -> Self {
        Self { space: space.clone(), change_request: None }
    }
}

impl EditedContent {
    /// Returns the content of a session; `None` if it was deleted.
    pub(super) fn of_session(tx: &Tx<'_>, session: &EditingSession) -> Result<Option<Self>> {
        let Some(space) = spaces::get(tx, session.space)? else { return Ok(None) };
        let Some(id) = session.change_request else {
            return Ok(Some(Self { space, change_request: None }));
        };
        let found = rows::get(tx, space.id, id)?;
        Ok(found.map(|change_request| Self { space, change_request: Some(change_request) }))
    }

    /// Returns the revision that is the content.
    #[must_use]
    pub fn head(&self) -> RevisionId {
        self.change_request.as_ref().map_or(self.space.head, |row| row.head)
    }

    /// Returns the space, and the change request unless it is the main content.
    pub(super) fn key(&self) -> (SpaceId, Option<ChangeRequestId>) {
        (self.space.id, self.change_request.as_ref().map(|row| row.id))
    }

    /// Checks that the content can be changed.
    pub(super) fn require_editable(&self) -> Result<()> {
        match &self.change_request {
            Some(row) => editable(row.status),
            None => require_unlocked(&self.space),
        }
    }

    /// Loads the content again after a change in this transaction.
    pub(super) fn reload(&self, tx: &Tx<'_>) -> Result<Self> {
        let missing = || Error::internal("a changed content is missing");
        let space = spaces::get(tx, self.space.id)?.ok_or_else(missing)?;
        let change_request = match &self.change_request {
            Some(row) => Some(rows::get(tx, space.id, row.id)?.ok_or_else(missing)?),
            None => None,
        };
        Ok(Self { space, change_request })
    }

    /// Changes the content in the name of its authors, of whom the last one is that of the
    /// revision. Returns the revision with the changes.
    pub(super) fn change(
        &self,
        cx: &Context<'_>,
        authors: &[UserId],
        changes: Vec<ContentChange>,
    ) -> Result<RevisionId> {
        self.change_after(cx, authors, vec![self.head()], changes)
    }

    /// Does the same as [`Self::change`] with what people typed. In a change request, the revision
    /// can take the place of the head ([`history::place`]).
    pub(super) fn change_as_typed(
        &self,
        cx: &Context<'_>,
        authors: &[UserId],
        changes: Vec<ContentChange>,
    ) -> Result<RevisionId> {
        let Some(change_request) = &self.change_request else {
            return self.change(cx, authors, changes);
        };
        let Place { parents, amendment } = history::place(cx, &self.space, change_request)?;
        let revision = self.change_after(cx, authors, parents, changes)?;
        if revision != self.head() {
            amended_revisions::set(cx.tx, self.space.id, revision, amendment)?;
        }
        Ok(revision)
    }

    fn change_after(
        &self,
        cx: &Context<'_>,
        authors: &[UserId],
        parents: Vec<RevisionId>,
        changes: Vec<ContentChange>,
    ) -> Result<RevisionId> {
        let (author, others) =
            authors.split_last().ok_or_else(|| Error::internal("a text without an author"))?;
        let Some(change_request) = self.change_request.clone() else {
            let (revision, _) = change_main_content_as(cx, &self.space, *author, changes)?;
            if revision != self.space.head {
                revisions::add_authors(cx.tx, self.space.id, revision, others)?;
            }
            return Ok(revision);
        };
        let id = change_request.id;
        let target = ChangeRequestTarget { space: self.space.clone(), change_request };
        let (revision, _) = change_content_as(cx, &target, *author, parents, changes)?;
        for other in others {
            rows::record_contribution(cx.tx, id, *other, Contribution::Edit, cx.now())?;
        }
        Ok(revision)
    }
}
