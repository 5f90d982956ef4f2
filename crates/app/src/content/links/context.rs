//! The targets of references outside a space, as far as the caller may see them: other spaces,
//! collections and people.

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

use super::cache::{self, ContentIndex};
use super::resolve::Found;
use super::written::Within;
use crate::Context;
use crate::access::{Loaded, Target as _};
use crate::content::openapi::{self, SpecView};
use crate::content::snapshot::{Snapshot, broken_object};
use crate::content::spaces::VisibleSpace;

/// Maximum number of spaces with an outdated index that are searched, the last changed ones first.
const MAX_OUTDATED: u32 = 50;

/// The status of a reference's target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// The target exists.
    Ok,
    /// The target does not exist.
    Broken,
    /// The target is in the application, and the caller must not learn more about it.
    InApp,
}

/// The target of a reference, as far as the caller may see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResolvedTarget {
    /// No presentable target.
    Nothing,
    /// An address, or the target as written.
    Url(String),
    /// A page and an anchor on it; in another space if one is named.
    Page(Option<SpaceId>, PageId, Option<String>),
    /// A file.
    File(bindery_model::FileId),
    /// A reusable content; in another space if one is named.
    Reusable(Option<SpaceId>, ReusableContentId),
    /// Another space.
    Space(SpaceId),
    /// A collection.
    Collection(CollectionId),
    /// A person.
    User(UserId),
    /// An OpenAPI specification.
    OpenApi(Box<SpecView>),
}

/// Another space at its head.
#[derive(Debug)]
pub struct Neighbour {
    /// The space with the caller's role on it.
    pub seen: VisibleSpace,
    /// Its main content.
    pub snapshot: Snapshot,
}

/// Resolves references that lead out of a space. Each other space is loaded once.
pub struct LinkContext<'a> {
    cx: &'a Context<'a>,
    own: SpaceId,
    organization: OrganizationId,
    objects: TxObjects<'a>,
    spaces: RefCell<HashMap<SpaceId, Option<Rc<Neighbour>>>>,
}

impl std::fmt::Debug for LinkContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LinkContext")
            .field("organization", &self.organization)
            .finish_non_exhaustive()
    }
}

impl<'a> LinkContext<'a> {
    /// Creates the context of a space.
    pub fn new(cx: &'a Context<'a>, space: &Space) -> Self {
        Self {
            cx,
            own: space.id,
            organization: space.organization,
            objects: cx.tx.objects(),
            spaces: RefCell::default(),
        }
    }

    /// Returns the space of this context.
    pub(super) const fn own(&self) -> SpaceId {
        self.own
    }

    pub(super) fn objects(&self) -> &TxObjects<'a> {
        &self.objects
    }

    /// Returns the spaces that may refer to this one and that the caller sees, ordered by id: those
    /// that are known to refer to it, and those whose index is outdated.
    pub(super) fn referring(&self) -> Result<Vec<Rc<Neighbour>>> {
        let mut sources = BTreeSet::from_iter(space_references::list(self.cx.tx, self.own)?);
        sources.extend(link_indexes::list_outdated(self.cx.tx, self.organization, MAX_OUTDATED)?);
        sources.remove(&self.own);
        let mut seen = Vec::new();
        for source in sources {
            seen.extend(self.space(source)?);
        }
        Ok(seen)
    }

    /// Returns the index of a content of this space.
    pub(super) fn index_of(&self, content: &Content) -> Result<Arc<ContentIndex>> {
        let Context { app, tx, .. } = *self.cx;
        let mut all = u64::MAX;
        let made = cache::index_of(app, tx, self.own, content, &mut all)?;
        made.ok_or_else(|| Error::internal("two contents differ in too many texts"))
    }

    /// Returns the index of another space's main content. If more than `most` texts have changed
    /// since the stored index, returns the stored one.
    pub(super) fn index_near(
        &self,
        other: &Neighbour,
        most: &mut u64,
    ) -> Result<Option<Arc<ContentIndex>>> {
        let Context { app, tx, .. } = *self.cx;
        let (space, content) = (other.seen.space.id, &other.snapshot.revision.content);
        match cache::index_of(app, tx, space, content, most)? {
            Some(made) => Ok(Some(made)),
            None => cache::stored(app, tx, space),
        }
    }

    /// Returns a space of the organization, if the caller sees it.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn space(&self, id: SpaceId) -> Result<Option<Rc<Neighbour>>> {
        if let Some(known) = self.spaces.borrow().get(&id) {
            return Ok(known.clone());
        }
        let found = match Space::load(self.cx.tx, self.cx.caller.person(), &id)? {
            Some(Loaded { target: space, role: Some(role) })
                if space.deleted_at.is_none() && space.organization == self.organization =>
            {
                let snapshot = Snapshot::of(self.cx.app, self.cx.tx, &space, None)?;
                Some(Rc::new(Neighbour { seen: VisibleSpace { space, role }, snapshot }))
            }
            _ => None,
        };
        self.spaces.borrow_mut().insert(id, found.clone());
        Ok(found)
    }

    /// Resolves a target whose status does not follow from the content alone.
    pub(super) fn resolve(&self, found: &Found) -> Result<(Status, ResolvedTarget)> {
        Ok(match found {
            Found::OfSpace(space, within) => self.of_space(*space, within)?,
            Found::Url(url) => {
                let ours = format!("{}/app/", self.cx.app.urls.base());
                let status = if url.starts_with(&ours) { Status::InApp } else { Status::Ok };
                (status, ResolvedTarget::Url(url.clone()))
            }
            Found::User(user) => match UserId::parse(user) {
                Some(user) if self.is_member(user)? => (Status::Ok, ResolvedTarget::User(user)),
                _ => (Status::Broken, ResolvedTarget::Nothing),
            },
            Found::Collection(id) => self.of_collection(id)?,
            Found::OpenApi(slug) => {
                match openapi::find_for_caller(self.cx, self.organization, slug)? {
                    Some(spec) => (Status::Ok, ResolvedTarget::OpenApi(Box::new(spec))),
                    None => (Status::Broken, ResolvedTarget::Nothing),
                }
            }
            Found::Page(page, anchor) => {
                (Status::Ok, ResolvedTarget::Page(None, *page, anchor.clone()))
            }
            Found::File(file) => (Status::Ok, ResolvedTarget::File(*file)),
            Found::Reusable(id) => (Status::Ok, ResolvedTarget::Reusable(None, *id)),
            Found::Nothing(written) => (Status::Broken, ResolvedTarget::Url(written.clone())),
        })
    }

    fn is_member(&self, user: UserId) -> Result<bool> {
        Ok(members::get_membership(self.cx.tx, self.organization, user)?.is_some()
            && users::get(self.cx.tx, user)?.is_some())
    }

    /// Resolves a collection of the organization. A collection that the caller does not see has the
    /// same result as one that does not exist.
    fn of_collection(&self, id: &str) -> Result<(Status, ResolvedTarget)> {
        let person = self.cx.caller.person();
        let found = match CollectionId::parse(id) {
            Some(id) => Collection::load(self.cx.tx, person, &id)?,
            None => return Ok((Status::Broken, ResolvedTarget::Nothing)),
        };
        Ok(match found {
            Some(Loaded { target, role: Some(_) }) if target.organization == self.organization => {
                (Status::Ok, ResolvedTarget::Collection(target.id))
            }
            _ => (Status::InApp, ResolvedTarget::Url(format!("https://app.gitbook.com/c/{id}"))),
        })
    }

    fn of_space(&self, id: SpaceId, within: &Within) -> Result<(Status, ResolvedTarget)> {
        let Some(space) = self.space(id)? else {
            return Ok((Status::InApp, ResolvedTarget::Url(address(id, within))));
        };
        let content = &space.snapshot.revision.content;
        let broken = || (Status::Broken, ResolvedTarget::Url(address(id, within)));
        let on_page = |page: Option<PageId>, anchor: &Option<String>| match page {
            Some(page) => (Status::Ok, ResolvedTarget::Page(Some(id), page, anchor.clone())),
            None => broken(),
        };
        Ok(match within {
            Within::Whole => (Status::Ok, ResolvedTarget::Space(id)),
            // An anchor on the start page of the space.
            Within::Path(path, _) if path.is_empty() => (Status::Ok, ResolvedTarget::Space(id)),
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
                    (Status::Ok, ResolvedTarget::Reusable(Some(id), reusable))
                }
                _ => broken(),
            },
        })
    }
}

/// Returns the address by which texts refer to content of another space.
fn address(space: SpaceId, within: &Within) -> String {
    let base = format!("https://app.gitbook.com/s/{space}");
    let fragment = |anchor: &Option<String>| match anchor {
        Some(anchor) => format!("#{anchor}"),
        None => String::new(),
    };
    match within {
        Within::Whole => base,
        Within::Path(path, anchor) => format!("{base}/{path}{}", fragment(anchor)),
        Within::Page(page, anchor) => format!("{base}/~/pages/{page}{}", fragment(anchor)),
        Within::Reusable(id) => format!("{base}/~/reusable/{id}"),
    }
}
