//! OpenAPI specifications of organizations: their sources, the runs that read them, and their
//! versions.

mod calls;
mod checks;
mod comparison;
mod current;
mod fetch;
mod files;
mod hook;
mod job;
mod markdown;
mod messages;
mod overlays;
mod overview;
mod parts;
mod pieces;
mod requests;
mod shown;
mod versions;

use bindery_model::{Error, OrganizationId, Result, Timestamp};
use bindery_store::organizations::Organization;
use bindery_store::{Tx, openapi};

pub use bindery_store::openapi::{OpenApiFile, OpenApiSpec, OpenApiVersion};

pub use self::calls::{CallAnswer, call, refusal_of_server};
pub(crate) use self::checks::BlockChecks;
pub use self::comparison::{
    ChangeLevel, StoredChange, VersionChanges, changes, public_changes, summary,
};
pub(crate) use self::comparison::{OpenApiComparisonJob, change_log};
pub use self::current::CurrentSpecs;
pub(crate) use self::files::BlockSpecs;
pub use self::files::{FileSpec, FileSpecs};
pub use self::hook::{Hook, NewHook, create_hook, delete_hook, get_hook, receive};
pub(crate) use self::job::{OpenApiJob, read_due};
pub use self::markdown::markdown;
pub(in crate::content) use self::markdown::undialected;
pub use self::messages::Message;
pub use self::overlays::{Overlay, StagedOverlays, overlays, set_overlays, stage_overlays};
pub use self::parts::{SpecOperation, SpecPart, parts};
pub use self::pieces::Pieces;
pub(crate) use self::pieces::root_of;
pub(crate) use self::requests::insert;
pub use self::requests::{
    Source, Sourced, create, delete, put, set_visibility, source_of_parameter, stage,
};
pub use self::versions::{
    Format, PUBLIC_PATH, files, format_of, latest, latest_for_reader, public_file, root, text_of,
    version,
};
use crate::Context;
use crate::access::{self, Action, Authorized};

/// A specification as a caller sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpecView {
    /// The specification.
    pub spec: OpenApiSpec,
    /// The findings of the last run.
    pub messages: Vec<Message>,
    /// The path of its root if everybody may read it.
    pub public_path: Option<String>,
    /// `true` if the caller may change it.
    pub can_edit: bool,
}

impl SpecView {
    fn of(
        cx: &Context<'_>,
        organization: &Authorized<Organization>,
        spec: OpenApiSpec,
    ) -> Result<Self> {
        let messages = messages::read(&spec.messages)?;
        let public_path = versions::public_path(cx.tx, &spec)?;
        let can_edit = organization.role() >= Action::ManageOpenApi.requirements().role;
        Ok(Self { spec, messages, public_path, can_edit })
    }
}

/// A page of a list, and the number of all items.
pub type Counted<T> = (Vec<T>, i64);

/// Returns specifications of an organization, oldest first, starting after `after`, and the number
/// of all.
///
/// # Errors
/// Returns 403 for guests.
pub fn list(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Counted<SpecView>> {
    require_member(cx, organization)?;
    let specs = openapi::list(cx.tx, organization.id, after, limit)?;
    let specs = specs.into_iter().map(|spec| SpecView::of(cx, organization, spec));
    Ok((specs.collect::<Result<_>>()?, openapi::count(cx.tx, organization.id)?))
}

/// Returns the specification of an organization with this slug.
///
/// # Errors
/// Returns 403 for guests, and 404 if there is none.
pub fn get(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
) -> Result<SpecView> {
    require_member(cx, organization)?;
    SpecView::of(cx, organization, find(cx.tx, organization.id, slug)?)
}

/// Returns the specification of an organization with this slug; `None` if there is none, or if the
/// caller is no member.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn find_for_caller(
    cx: &Context<'_>,
    organization: OrganizationId,
    slug: &str,
) -> Result<Option<SpecView>> {
    let Some(person) = cx.caller.person() else { return Ok(None) };
    if !access::sees_members(cx.tx, person, organization)? {
        return Ok(None);
    }
    let Some(spec) = openapi::get_by_slug(cx.tx, organization, slug)? else { return Ok(None) };
    let view = Action::ViewOrganization;
    let organization =
        access::authorize_target::<Organization>(cx.tx, cx.caller, view, Some(&organization))?;
    SpecView::of(cx, &organization, spec).map(Some)
}

/// Returns versions of a specification, newest first, starting after `after`, and the number of all.
///
/// # Errors
/// Returns 403 for guests, and 404 if there is no such specification.
pub fn list_versions(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
    after: Option<(Timestamp, &str)>,
    limit: u32,
) -> Result<Counted<OpenApiVersion>> {
    let spec = get(cx, organization, slug)?.spec.id;
    let versions = openapi::list_versions(cx.tx, spec, after, limit)?;
    Ok((versions, openapi::count_versions(cx.tx, spec)?))
}

fn find(tx: &Tx<'_>, organization: OrganizationId, slug: &str) -> Result<OpenApiSpec> {
    let spec = openapi::get_by_slug(tx, organization, slug)?;
    spec.ok_or_else(|| Error::not_found("OpenAPI specification"))
}

/// Refuses callers without a role in the organization.
fn require_member(cx: &Context<'_>, organization: &Authorized<Organization>) -> Result<()> {
    let what = "read the OpenAPI specifications of this organization";
    access::require_member(cx.tx, cx.caller.person(), organization.id, what)
}
