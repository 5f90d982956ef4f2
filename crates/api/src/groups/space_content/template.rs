//! `applyTemplateToSpace`: adds the pages of a template to a space.

use bindery_app::access::{Action, Authorized, authorize_target};
use bindery_app::content::spaces::Space;
use bindery_app::content::templates::TemplateRequest;
use bindery_app::review::change_requests::{self, ChangeRequestKey, ChangeRequestTarget};
use bindery_app::{Context, content::templates};
use bindery_content::reference::ContentRef as Target;
use bindery_model::{FieldPath, Result, SpaceId};
use bindery_wire::request::{
    ApplySpaceTemplate, ApplyTemplateToSpaceBody, ContentRef, ContentRefAnchor,
    ContentRefCollection, ContentRefFile, ContentRefOpenAPI, ContentRefPage,
    ContentRefReusableContent, ContentRefSpace, ContentRefURL, ContentRefUser,
};

use crate::call::Call;
use crate::operation::{Operation, write};
use crate::reply::Reply;

pub(super) fn operation() -> Operation {
    write("applyTemplateToSpace", Action::EditContent, run)
}

fn run(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let ApplyTemplateToSpaceBody { id, params, change_request_id } = call.body()?;
    let request = template_request(ApplySpaceTemplate { id, params }, "", space.id);
    let revision = match change_request_id {
        None => {
            call.check_if_match(space.head)?;
            change_requests::apply_template_to_main(cx, space, &request)?
        }
        Some(id) => {
            let missing = || FieldPath::new("/changeRequestId").not_found("change request");
            let key = ChangeRequestKey::parse(&id).ok_or_else(missing)?;
            let target = authorize_target::<ChangeRequestTarget>(
                cx.tx,
                cx.caller,
                Action::EditChangeRequest,
                Some(&(space.id, key)),
            );
            let target = target.map_err(|_| missing())?;
            call.check_if_match(target.change_request.head)?;
            change_requests::apply_template(cx, &target, &request)?
        }
    };
    Ok(Reply::empty(201).with_revision_etag(revision))
}

/// Reads a template of a request about a space; `pointer` is its location in the body.
pub(in crate::groups) fn template_request(
    template: ApplySpaceTemplate,
    pointer: &'static str,
    space: SpaceId,
) -> templates::TemplateRequest {
    let ApplySpaceTemplate { id, params } = template;
    let references = params.and_then(|params| params.content_refs).unwrap_or_default();
    let references = references.into_iter().map(|(name, to)| (name, target(to, space)));
    TemplateRequest { id, references: references.collect(), pointer: FieldPath::new(pointer) }
}

fn target(reference: ContentRef, own: SpaceId) -> Target {
    let other = |space: Option<String>| space.filter(|space| space != own.as_str());
    match reference {
        ContentRef::File(ContentRefFile { file }) => Target::File { file },
        ContentRef::URL(ContentRefURL { url }) => Target::Url { url },
        ContentRef::Page(ContentRefPage { page, space }) => {
            Target::Page { page, space: other(space) }
        }
        ContentRef::Anchor(ContentRefAnchor { anchor, space, page }) => {
            Target::Anchor { anchor, page, space: other(space) }
        }
        ContentRef::User(ContentRefUser { user }) => Target::User { user },
        ContentRef::Collection(ContentRefCollection { collection }) => {
            Target::Collection { collection }
        }
        ContentRef::Space(ContentRefSpace { space }) => Target::Space { space },
        ContentRef::ReusableContent(ContentRefReusableContent { reusable_content, space }) => {
            Target::ReusableContent { reusable_content, space: other(space) }
        }
        ContentRef::OpenAPI(ContentRefOpenAPI { spec }) => Target::OpenApi { spec },
    }
}
