//! What is around a space, as far as the caller may see it: other spaces that references lead to,
//! and people.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use bindery_model::{
    CollectionId, Error, OrganizationId, PageId, Result, ReusableContentId, SpaceId, UserId,
};
use bindery_revision::Content;
use bindery_revision::tree::Tree;
use bindery_store::collections::Collection;
use bindery_store::spaces::Space;
use bindery_store::{TxObjects, link_indexes, members, space_references, users};

use super::kept::{self, Made};
use super::resolve::Found;
use super::written::Within;
use crate::Context;
use crate::access::{Loaded, Target as _};
use crate::content::{Snapshot, broken_object};
use crate::spaces::Seen;

/// So many spaces are looked through whose texts changed a moment ago; those that changed last.
const BEHIND: u32 = 50;

/// Whether what a reference leads to is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It is.
    Ok,
    /// It is not.
    Broken,
    /// It leads into the application, and more is not to be told.
    InApp,
}

/// What a reference leads to, as far as it can be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lead {
    /// Nothing that has a name.
    Nothing,
    /// An address, or what was written.
    Url(String),
    /// A page or a place on it; of another space if one is named.
    Page(Option<SpaceId>, PageId, Option<String>),
    /// A file.
    File(bindery_model::FileId),
    /// A reusable content; of another space if one is named.
    Reusable(Option<SpaceId>, ReusableContentId),
    /// Another space.
    Space(SpaceId),
    /// A collection.
    Collection(CollectionId),
    /// A person.
    User(UserId),
}

/// Another space, at its head.
#[derive(Debug)]
pub struct Neighbour {
    /// The space and the caller's level on it.
    pub seen: Seen,
    /// Its main content.
    pub snapshot: Snapshot,
}

/// What is around a space; each other space is loaded once.
pub struct Around<'a> {
    cx: &'a Context<'a>,
    own: SpaceId,
    organization: OrganizationId,
    objects: TxObjects<'a>,
    spaces: RefCell<HashMap<SpaceId, Option<Rc<Neighbour>>>>,
}

impl std::fmt::Debug for Around<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Around").field("organization", &self.organization).finish_non_exhaustive()
    }
}

impl<'a> Around<'a> {
    /// Around a space.
    pub fn new(cx: &'a Context<'a>, space: &Space) -> Self {
        Self {
            cx,
            own: space.id,
            organization: space.organization,
            objects: cx.tx.objects(),
            spaces: RefCell::default(),
        }
    }

    /// The space that this is around.
    pub(super) const fn own(&self) -> SpaceId {
        self.own
    }

    pub(super) fn objects(&self) -> &TxObjects<'a> {
        &self.objects
    }

    /// The spaces that may refer to this one and that the caller sees, in the order of their ids:
    /// those that did, and those of which that is not known yet.
    pub(super) fn referring(&self) -> Result<Vec<Rc<Neighbour>>> {
        let mut sources = BTreeSet::from_iter(space_references::list(self.cx.tx, self.own)?);
        sources.extend(link_indexes::list_outdated(self.cx.tx, self.organization, BEHIND)?);
        sources.remove(&self.own);
        let mut seen = Vec::new();
        for source in sources {
            seen.extend(self.space(source)?);
        }
        Ok(seen)
    }

    /// The index of a content of this space.
    pub(super) fn index_of(&self, content: &Content) -> Result<Arc<Made>> {
        let Context { app, tx, .. } = *self.cx;
        let mut all = u64::MAX;
        let made = kept::index_of(app, tx, self.own, content, &mut all)?;
        made.ok_or_else(|| Error::internal("a content differs in more texts than there can be"))
    }

    /// The index of another space's main content; of an earlier one where more texts came since
    /// than are to be read.
    pub(super) fn index_near(
        &self,
        other: &Neighbour,
        most: &mut u64,
    ) -> Result<Option<Arc<Made>>> {
        let Context { app, tx, .. } = *self.cx;
        let (space, content) = (other.seen.space.id, &other.snapshot.revision.content);
        match kept::index_of(app, tx, space, content, most)? {
            Some(made) => Ok(Some(made)),
            None => kept::stored(app, tx, space),
        }
    }

    /// A space of the organization that the caller sees.
    ///
    /// # Errors
    /// When the store fails.
    pub fn space(&self, id: SpaceId) -> Result<Option<Rc<Neighbour>>> {
        if let Some(known) = self.spaces.borrow().get(&id) {
            return Ok(known.clone());
        }
        let found = match Space::load(self.cx.tx, self.cx.caller.person(), &id)? {
            Some(Loaded { target: space, role: Some(role) })
                if space.deleted_at.is_none() && space.organization == self.organization =>
            {
                let snapshot = Snapshot::of(self.cx.app, self.cx.tx, &space, None)?;
                Some(Rc::new(Neighbour { seen: Seen { space, role }, snapshot }))
            }
            _ => None,
        };
        self.spaces.borrow_mut().insert(id, found.clone());
        Ok(found)
    }

    /// The status and the lead of what the content alone says nothing about.
    pub(super) fn look(&self, found: &Found) -> Result<(Status, Lead)> {
        Ok(match found {
            Found::OfSpace(space, within) => self.of_space(*space, within)?,
            Found::Url(url) => {
                let ours = format!("{}/app/", self.cx.app.urls.base());
                let status = if url.starts_with(&ours) { Status::InApp } else { Status::Ok };
                (status, Lead::Url(url.clone()))
            }
            Found::User(user) => match UserId::parse(user) {
                Some(user) if self.is_member(user)? => (Status::Ok, Lead::User(user)),
                _ => (Status::Broken, Lead::Nothing),
            },
            Found::Collection(id) => self.of_collection(id)?,
            // This installation has none.
            Found::OpenApi(_) => (Status::Broken, Lead::Nothing),
            Found::Page(page, anchor) => (Status::Ok, Lead::Page(None, *page, anchor.clone())),
            Found::File(file) => (Status::Ok, Lead::File(*file)),
            Found::Reusable(id) => (Status::Ok, Lead::Reusable(None, *id)),
            Found::Nothing(written) => (Status::Broken, Lead::Url(written.clone())),
        })
    }

    fn is_member(&self, user: UserId) -> Result<bool> {
        Ok(members::get_membership(self.cx.tx, self.organization, user)?.is_some()
            && users::get(self.cx.tx, user)?.is_some())
    }

    /// A collection of the organization. One that the caller does not see is not told from one
    /// that is not there.
    fn of_collection(&self, id: &str) -> Result<(Status, Lead)> {
        let person = self.cx.caller.person();
        let found = match CollectionId::parse(id) {
            Some(id) => Collection::load(self.cx.tx, person, &id)?,
            None => return Ok((Status::Broken, Lead::Nothing)),
        };
        Ok(match found {
            Some(Loaded { target, role: Some(_) }) if target.organization == self.organization => {
                (Status::Ok, Lead::Collection(target.id))
            }
            _ => (Status::InApp, Lead::Url(format!("https://app.gitbook.com/c/{id}"))),
        })
    }

    fn of_space(&self, id: SpaceId, within: &Within) -> Result<(Status, Lead)> {
        let Some(space) = self.space(id)? else {
            return Ok((Status::InApp, Lead::Url(address(id, within))));
        };
        let content = &space.snapshot.revision.content;
        let broken = || (Status::Broken, Lead::Url(address(id, within)));
        let on_page = |page: Option<PageId>, anchor: &Option<String>| match page {
            Some(page) => (Status::Ok, Lead::Page(Some(id), page, anchor.clone())),
            None => broken(),
        };
        Ok(match within {
            Within::Whole => (Status::Ok, Lead::Space(id)),
            // A place on the page that the space opens with.
            Within::Path(path, _) if path.is_empty() => (Status::Ok, Lead::Space(id)),
            Within::Path(path, anchor) => {
                let tree = Tree::new(content, &self.objects);
                on_page(tree.by_path(path).map_err(broken_object)?, anchor)
            }
            Within::Page(page, anchor) => {
                let found = content.page(&self.objects, *page).map_err(broken_object)?;
                on_page(found.map(|page| page.id), anchor)
            }
            Within::Reusable(reusable) => match ReusableContentId::parse(reusable) {
                Some(reusable)
                    if content
                        .reusable(&self.objects, reusable)
                        .map_err(broken_object)?
                        .is_some() =>
                {
                    (Status::Ok, Lead::Reusable(Some(id), reusable))
                }
                _ => broken(),
            },
        })
    }
}

/// How texts write something of another space.
fn address(space: SpaceId, within: &Within) -> String {
    let base = format!("https://app.gitbook.com/s/{space}");
    let place = |anchor: &Option<String>| match anchor {
        Some(anchor) => format!("#{anchor}"),
        None => String::new(),
    };
    match within {
        Within::Whole => base,
        Within::Path(path, anchor) => format!("{base}/{path}{}", place(anchor)),
        Within::Page(page, anchor) => format!("{base}/~/pages/{page}{}", place(anchor)),
        Within::Reusable(id) => format!("{base}/~/reusable/{id}"),
    }
}
