//! References: their targets and their locations.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use bindery_app::Context;
use bindery_app::content::collections;
use bindery_app::content::links::{
    Holder, LinkContext, ReferenceLocation, Relation, ResolvedTarget, Status, Usage,
};
use bindery_app::content::snapshot::broken_object;
use bindery_app::content::spaces::{VisibleSpace, views};
use bindery_app::people::users;
use bindery_app::publishing::adaptive::Answers;
use bindery_model::{CollectionId, Error, Result, ReusableContentId, SpaceId};
use bindery_wire::response::{
    self, ContentLocation, ContentLocationFileVersionContext as VersionContext,
    ContentLocationPageInternalLocation as Internal, Organization,
};
use bindery_wire::values::{ContentReferenceRelation, ContentReferenceStatus};

use super::{
    ContentView, PresentedRevision, collection, file, openapi_spec, reusable_content, single_page,
    space, user,
};

/// Presents a space with the caller's permissions in it.
pub(crate) fn space_of(cx: &Context<'_>, seen: VisibleSpace) -> Result<response::Space> {
    let view = views(cx, vec![seen])?.pop();
    space(cx.app, view.ok_or_else(|| Error::internal("a space was not presented"))?)
}

/// Presents locations in one space and in spaces that it is linked with. Repeated parts are built
/// once.
pub(crate) struct Locations<'a> {
    pub(crate) cx: &'a Context<'a>,
    pub(crate) links: &'a LinkContext<'a>,
    pub(crate) organization: Organization,
    pub(crate) view: ContentView<'a>,
    pub(crate) space: response::Space,
    /// The change request whose content is shown.
    pub(crate) change_request: Option<response::ChangeRequest>,
    pub(crate) other_spaces: RefCell<HashMap<SpaceId, Rc<OtherSpace>>>,
}

/// Another space, ready for presentation.
pub(crate) struct OtherSpace {
    presented: PresentedRevision,
    space: response::Space,
}

impl Locations<'_> {
    /// Presents a target with the places that refer to it.
    pub(crate) fn usage(&self, usage: Usage) -> Result<response::ContentReferenceUsage> {
        let Usage { place: _, status, relation, resolved_target, places } = usage;
        let places = places.into_iter().map(|place| self.location(place));
        Ok(response::ContentReferenceUsage {
            status: match status {
                Status::Ok => ContentReferenceStatus::Ok,
                Status::Broken => ContentReferenceStatus::Broken,
                Status::InApp => ContentReferenceStatus::InApp,
            },
            relation: match relation {
                Relation::Reference => ContentReferenceRelation::Reference,
                Relation::DependsOn => ContentReferenceRelation::DependsOn,
            },
            target_reference: self.target(resolved_target)?,
            location_references: places.collect::<Result<_>>()?,
        })
    }

    /// Presents the location of a reference.
    pub(crate) fn location(&self, place: ReferenceLocation) -> Result<ContentLocation> {
        let ReferenceLocation { space, holder, node } = place;
        let internal = node.map(|node| {
            let node = response::ContentLocationPageNode { node: node.to_string() };
            Internal::ContentLocationPageNode(node)
        });
        let found = match holder {
            Holder::Page(page) => self.page(space, page, internal)?,
            Holder::Reusable(id) => self.reusable(space, id)?,
        };
        found.ok_or_else(|| Error::internal("the source of a reference does not exist"))
    }

    fn target(&self, resolved_target: ResolvedTarget) -> Result<Option<ContentLocation>> {
        Ok(match resolved_target {
            ResolvedTarget::Nothing => None,
            ResolvedTarget::Url(url) => {
                Some(ContentLocation::URL(response::ContentLocationURL { url }))
            }
            ResolvedTarget::Page(space, page, anchor) => {
                let internal = anchor.map(|anchor| {
                    let anchor = response::ContentLocationPageAnchor { anchor };
                    Internal::ContentLocationPageAnchor(anchor)
                });
                self.page(space, page, internal)?
            }
            ResolvedTarget::File(id) => {
                let content = &self.view.presented.snapshot.revision.content;
                let found = content.file(self.view.objects, id).map_err(broken_object)?;
                let Some(found) = found else { return Ok(None) };
                Some(ContentLocation::File(Box::new(response::ContentLocationFile {
                    organization: self.organization.clone(),
                    space: self.space(None)?,
                    version_context: self.context(None),
                    file: file(&self.view, found)?,
                })))
            }
            ResolvedTarget::Reusable(space, id) => self.reusable(space, id)?,
            ResolvedTarget::Space(id) => {
                Some(ContentLocation::Space(Box::new(response::ContentLocationSpace {
                    organization: self.organization.clone(),
                    space: self.space(Some(id))?,
                })))
            }
            ResolvedTarget::Collection(id) => self.collection(id)?,
            ResolvedTarget::OpenApi(spec) => {
                Some(ContentLocation::OpenAPI(Box::new(response::ContentLocationOpenAPI {
                    organization: self.organization.clone(),
                    open_api_spec: openapi_spec(self.cx.app, *spec),
                })))
            }
            ResolvedTarget::User(id) => users::get(self.cx, id)?.map(|found| {
                let user = user(self.cx.app, found);
                ContentLocation::User(response::ContentLocationUser { user })
            }),
        })
    }

    fn collection(&self, id: CollectionId) -> Result<Option<ContentLocation>> {
        let Some(seen) = collections::get(self.cx, id)? else { return Ok(None) };
        Ok(Some(ContentLocation::Collection(Box::new(response::ContentLocationCollection {
            organization: self.organization.clone(),
            collection: collection(self.cx.app, seen),
        }))))
    }

    fn page(
        &self,
        space: Option<SpaceId>,
        id: bindery_model::PageId,
        internal_location: Option<Internal>,
    ) -> Result<Option<ContentLocation>> {
        let page = self.with_view(space, |view| single_page(view, id))?.flatten();
        let Some(page) = page else { return Ok(None) };
        Ok(Some(ContentLocation::Page(Box::new(response::ContentLocationPage {
            organization: self.organization.clone(),
            page,
            space: self.space(space)?,
            version_context: self.context(space),
            internal_location,
        }))))
    }

    fn reusable(
        &self,
        space: Option<SpaceId>,
        id: ReusableContentId,
    ) -> Result<Option<ContentLocation>> {
        let found = self.with_view(space, |view| {
            let content = &view.presented.snapshot.revision.content;
            let found = content.reusable(view.objects, id).map_err(broken_object)?;
            found.map(|found| reusable_content(view, found)).transpose()
        })?;
        let Some(reusable_content) = found.flatten() else { return Ok(None) };
        let location = response::ContentLocationReusableContent {
            organization: self.organization.clone(),
            space: self.space(space)?,
            version_context: self.context(space),
            reusable_content,
        };
        Ok(Some(ContentLocation::ReusableContent(Box::new(location))))
    }

    /// Presents something from this space's content or another's; `None` if the caller does not see
    /// it.
    fn with_view<T>(
        &self,
        space: Option<SpaceId>,
        make: impl Fn(&ContentView<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let Some(id) = space else { return make(&self.view).map(Some) };
        let Some(other_space) = self.other_space(id)? else { return Ok(None) };
        make(&ContentView { presented: &other_space.presented, ..self.view }).map(Some)
    }

    fn space(&self, id: Option<SpaceId>) -> Result<response::Space> {
        let Some(id) = id else { return Ok(self.space.clone()) };
        let other_space = self.other_space(id)?.ok_or_else(|| Error::not_found("space"))?;
        Ok(other_space.space.clone())
    }

    /// Loads another space once; `None` if the caller does not see it.
    fn other_space(&self, id: SpaceId) -> Result<Option<Rc<OtherSpace>>> {
        if let Some(known) = self.other_spaces.borrow().get(&id) {
            return Ok(Some(Rc::clone(known)));
        }
        let Some(neighbour) = self.links.space(id)? else { return Ok(None) };
        let presented = PresentedRevision {
            organization: neighbour.seen.space.organization,
            snapshot: neighbour.snapshot.clone(),
            public: false,
            published: None,
            commit: None,
            visitor: false,
            answers: Answers::new(None),
            blobs: None,
        };
        let space = space_of(self.cx, neighbour.seen.clone())?;
        let other_space = Rc::new(OtherSpace { presented, space });
        self.other_spaces.borrow_mut().insert(id, Rc::clone(&other_space));
        Ok(Some(other_space))
    }

    /// Returns the change request if the location is in its content. A revision is not included, as
    /// the contract's revision contains all pages of the space.
    fn context(&self, space: Option<SpaceId>) -> Option<VersionContext> {
        let change_request = self.change_request.clone().filter(|_| space.is_none())?;
        let context = response::ContentLocationChangeRequestContext { change_request };
        Some(VersionContext::ContentLocationChangeRequestContext(Box::new(context)))
    }
}
