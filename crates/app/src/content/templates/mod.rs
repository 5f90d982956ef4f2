//! Templates: initial contents for spaces and change requests. Some are embedded in the binary; the
//! others are the main contents of spaces that are marked as templates.

mod builtin;
mod graft;
mod places;

use bindery_content::reference::ContentRef;
use bindery_model::{Error, FieldPath, Result, SpaceId};
use bindery_revision::{Content, MemoryObjects, Objects, Staging};
use bindery_store::spaces::{self as rows, Space};

use crate::Context;
use crate::access::{Action, authorize_target};
use crate::content::snapshot::Snapshot;
use crate::{content::spaces, people::organizations};

pub use builtin::Param;

/// Maximum number of organizations whose templates are listed.
const ORGANIZATIONS: u32 = 1_000;
/// Maximum number of listed templates per organization.
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
    /// The placeholders in it.
    pub params: Vec<Param>,
    /// The space that provides its content; `None` for an embedded template.
    pub space: Option<SpaceId>,
}

/// A request to apply a template.
#[derive(Clone, PartialEq, Debug)]
pub struct TemplateRequest {
    /// The id of the template.
    pub id: String,
    /// The targets of the placeholders by their names.
    pub references: Vec<(String, ContentRef)>,
    /// The path of the template in the request.
    pub pointer: FieldPath,
}

/// Returns the templates that the caller can apply: first the embedded ones, then spaces.
///
/// # Errors
/// Returns an error if the store fails.
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

/// Returns a content with a template added to its existing items. The pages of the template are
/// added at the end, with numbered slugs if theirs are in use.
///
/// # Errors
/// Returns 404 if the caller cannot see the template; 400 if the template does not have a
/// placeholder of the request, or if a target does not exist; 409 if the template is too large.
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
    let missing = || Error::not_found(&format!("template {id:?}")).at(pointer.field("id"));
    let space = SpaceId::parse(id).ok_or_else(missing)?;
    let space = authorize_target::<Space>(cx.tx, cx.caller, Action::ReadSpace, Some(&space));
    let space = space.map_err(|_| missing())?;
    if !space.template || space.deleted_at.is_some() {
        return Err(missing());
    }
    let snapshot = Snapshot::of(cx.app, cx.tx, &space, None)?;
    graft(staging, &snapshot.revision.content, &cx.tx.objects(), "template")
}
