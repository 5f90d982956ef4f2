//! Templates: contents to begin with. Some are carried in the binary; the others are the main
//! contents of spaces that are marked as templates.

mod builtin;
mod graft;
mod places;

use bindery_content::reference::ContentRef;
use bindery_model::{Error, Result, SpaceId};
use bindery_revision::{Content, MemoryObjects, Objects, Staging};
use bindery_store::spaces::{self as rows, Space};

use crate::Context;
use crate::access::{Action, authorize_target};
use crate::content::Snapshot;
use crate::{organizations, spaces};

pub use builtin::Param;

/// Organizations whose templates are listed.
const ORGANIZATIONS: u32 = 1_000;
/// Templates of an organization that are listed.
const TEMPLATES: u32 = 1_000;

/// A template that can be applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateSummary {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The purpose.
    pub description: String,
    /// The places in it that can be filled.
    pub params: Vec<Param>,
    /// The space whose content it is; absent for one that the binary carries.
    pub space: Option<SpaceId>,
}

/// A request to apply a template.
#[derive(Clone, PartialEq, Debug)]
pub struct TemplateRequest {
    /// The id of the template.
    pub id: String,
    /// The targets of its placeholders by their names.
    pub references: Vec<(String, ContentRef)>,
    /// The JSON pointer of the template in the request.
    pub pointer: &'static str,
}

/// The templates that the caller may apply: first those of the binary, then spaces.
///
/// # Errors
/// When the store fails.
pub fn list(cx: &Context<'_>) -> Result<Vec<TemplateSummary>> {
    let mut listed: Vec<TemplateSummary> =
        builtin::ALL.iter().map(builtin::Builtin::listed).collect();
    let (organizations, _) = organizations::list(cx, None, ORGANIZATIONS)?;
    for organization in organizations {
        let Some(filter) = spaces::filter(cx, organization.id)? else { continue };
        let found = rows::list_templates(cx.tx, &filter, TEMPLATES)?;
        listed.extend(found.into_iter().filter(|space| space.deleted_at.is_none()).map(|space| {
            TemplateSummary {
                id: space.id.to_string(),
                title: space.title,
                description: String::new(),
                params: Vec::new(),
                space: Some(space.id),
            }
        }));
    }
    Ok(listed)
}

/// A content with a template beside what it has: pages at the end, with numbered slugs where theirs
/// are taken. Nothing that is there changes.
///
/// # Errors
/// 404 for a template that the caller cannot see; 400 for a place that it does not have, or that is
/// filled by what is not there; 409 for a template that is too large.
pub(crate) fn apply(
    cx: &Context<'_>,
    before: &Content,
    staging: &mut Staging<'_>,
    wanted: &TemplateRequest,
) -> Result<Content> {
    let TemplateRequest { id, references, pointer } = wanted;
    let graft =
        |staging: &mut Staging<'_>, content: &Content, objects: &dyn Objects, name: &str| {
            let template = graft::Template { content, objects, name };
            graft::graft(cx, before, staging, &template, (references, pointer))
        };
    if let Some(builtin) = builtin::ALL.iter().find(|builtin| builtin.id == id) {
        let (content, objects): (Content, MemoryObjects) = builtin.content(cx)?;
        return graft(staging, &content, &objects, builtin.id);
    }
    let missing = || Error::not_found(&format!("body at {pointer}/id: template {id:?}"));
    let space = SpaceId::parse(id).ok_or_else(missing)?;
    let space = authorize_target::<Space>(cx.tx, cx.caller, Action::ReadSpace, Some(&space));
    let space = space.map_err(|_| missing())?;
    if !space.template || space.deleted_at.is_some() {
        return Err(missing());
    }
    let snapshot = Snapshot::of(cx.app, cx.tx, &space, None)?;
    graft(staging, &snapshot.revision.content, &cx.tx.objects(), "template")
}
