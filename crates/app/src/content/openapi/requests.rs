//! Changes of specifications on request.

use bindery_model::{
    Error, FieldPath, Location, OpenApiSpecId, OpenApiState, OpenApiVisibility, OrganizationId,
    Result,
};
use bindery_openapi::MAX_BYTES;
use bindery_outbound::Url;
use bindery_revision::Hash;
use bindery_store::organizations::Organization;
use bindery_store::{Event, NewEvent, openapi, sites};

use super::{OpenApiSpec, SpecView, find, job, messages};
use crate::access::Authorized;
use crate::content::computed::{self, Prepared};
use crate::{App, Context};

/// Maximum number of specifications of an organization.
const MAX_SPECS: i64 = 1_000;

/// Maximum length of a slug in characters.
const MAX_SLUG: usize = 100;

/// The source of a specification in a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Source {
    /// Its address.
    pub url: Option<String>,
    /// Its text.
    pub text: Option<String>,
}

/// A source that was checked, and whose text is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sourced(Place);

/// The place of a checked source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Url(String),
    Text(Hash),
}

impl Place {
    /// Returns the address and the text, of which one exists.
    pub(super) fn columns(&self) -> (Option<String>, Option<Hash>) {
        match self {
            Self::Url(url) => (Some(url.clone()), None),
            Self::Text(text) => (None, Some(*text)),
        }
    }
}

/// Checks a source and stores its text.
///
/// # Errors
/// Returns 400 unless the source has either an address that the server may reach, or a text.
pub async fn stage(app: &App, source: Source) -> Result<Sourced> {
    stage_at(app, source, FieldPath::new("/source")).await.map(Sourced)
}

/// Checks a source at a place in a request and stores its text.
pub(super) async fn stage_at(app: &App, source: Source, at: FieldPath) -> Result<Place> {
    match source {
        Source { url: Some(url), text: None } => {
            let place = checked_url(app, &url);
            Ok(Place::Url(place.map_err(|reason| at.field("url").invalid(reason))?))
        }
        Source { url: None, text: Some(text) } => {
            if text.len() > MAX_BYTES {
                let (found, limit) = (text.len(), MAX_BYTES);
                return Err(at.field("text").invalid(format!(
                    "found a text of {found} bytes, allowed: at most {limit} bytes"
                )));
            }
            Ok(Place::Text(app.store.put_blob(text.into()).await?))
        }
        Source { url: None, text: None } => Err(at.invalid("allowed: either \"url\" or \"text\"")),
        Source { .. } => Err(at.invalid("found \"url\" and \"text\", allowed: one of them")),
    }
}

/// Checks the address of a source in a query parameter.
///
/// # Errors
/// Returns 400 unless the server may reach the address.
pub fn source_of_parameter(app: &App, name: &'static str, url: &str) -> Result<Sourced> {
    let place = checked_url(app, url);
    let place = place.map_err(|reason| Error::invalid(reason).at(Location::Query(name)))?;
    Ok(Sourced(Place::Url(place)))
}

/// Checks the address of a source. Returns its normal form, or what is wrong with it.
fn checked_url(app: &App, text: &str) -> std::result::Result<String, String> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let url =
        url.ok_or_else(|| format!("found {text:?}, allowed: an address with http or https"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("found an address with a password, allowed: one without".to_owned());
    }
    app.client.guard().check_url(&url).map_err(|refusal| refusal.to_string())?;
    Ok(url.to_string())
}

/// Creates a specification, whose source is read afterwards.
///
/// # Errors
/// Returns 409 if the slug is taken, or if the organization has the maximum number.
pub fn create(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
    source: &Sourced,
) -> Result<SpecView> {
    if openapi::get_by_slug(cx.tx, organization.id, slug)?.is_some() {
        return Err(Error::conflict(format!(
            "this organization has an OpenAPI specification with the slug {slug:?}"
        ))
        .at(FieldPath::new("/slug")));
    }
    let spec = insert(cx, organization.id, slug, source)?;
    SpecView::of(cx, organization, spec)
}

/// Inserts a specification and requests its first run.
///
/// # Errors
/// Returns 409 if the organization has the maximum number.
pub(crate) fn insert(
    cx: &Context<'_>,
    organization: OrganizationId,
    slug: &str,
    source: &Sourced,
) -> Result<OpenApiSpec> {
    if openapi::count(cx.tx, organization)? >= MAX_SPECS {
        return Err(Error::conflict(format!(
            "this organization has {MAX_SPECS} OpenAPI specifications, the maximum: delete some \
             first"
        )));
    }
    let mut spec = OpenApiSpec {
        id: OpenApiSpecId::random(&cx.app.entropy),
        organization,
        slug: slug.to_owned(),
        url: None,
        upload: None,
        visibility: OpenApiVisibility::Private,
        state: OpenApiState::Pending,
        run: 0,
        version: None,
        error: None,
        messages: messages::write(&[])?,
        processed_at: None,
        next_at: None,
        hook: None,
        hook_at: None,
        again: false,
        created_at: cx.now(),
        updated_at: cx.now(),
    };
    set_source(&mut spec, source);
    openapi::create(cx.tx, &spec)?;
    job::request(cx.tx, &mut spec, cx.user())?;
    let (id, slug) = (spec.id, spec.slug.clone());
    record(cx, &spec, Event::OpenApiSpecCreated { spec: id, slug })?;
    Ok(spec)
}

fn set_source(spec: &mut OpenApiSpec, source: &Sourced) {
    (spec.url, spec.upload) = source.0.columns();
}

fn is_slug(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    text.len() <= MAX_SLUG && text.split('-').all(is_part)
}

/// Sets the source of a specification, which is read again even if it is the same, or creates the
/// specification. Returns `true` with a new one.
///
/// # Errors
/// Returns 400 for a new specification whose slug is invalid, and 409 if the organization has the
/// maximum number.
pub fn put(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
    source: &Sourced,
) -> Result<(SpecView, bool)> {
    let Some(mut spec) = openapi::get_by_slug(cx.tx, organization.id, slug)? else {
        if !is_slug(slug) {
            let reason = format!(
                "found {slug:?}, allowed: 1 to {MAX_SLUG} small letters and digits, with single \
                 hyphens between them"
            );
            return Err(Error::invalid(reason).at(Location::Path("specSlug")));
        }
        let spec = insert(cx, organization.id, slug, source)?;
        return Ok((SpecView::of(cx, organization, spec)?, true));
    };
    set_source(&mut spec, source);
    spec.updated_at = cx.now();
    job::request(cx.tx, &mut spec, cx.user())?;
    let (id, slug) = (spec.id, spec.slug.clone());
    record(cx, &spec, Event::OpenApiSpecSourceUpdated { spec: id, slug })?;
    Ok((SpecView::of(cx, organization, spec)?, false))
}

/// Sets the people who can read a specification.
///
/// # Errors
/// Returns 404 if there is no such specification.
pub fn set_visibility(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
    visibility: OpenApiVisibility,
) -> Result<SpecView> {
    let mut spec = find(cx.tx, organization.id, slug)?;
    if spec.visibility != visibility {
        spec.visibility = visibility;
        spec.updated_at = cx.now();
        openapi::update(cx.tx, &spec)?;
        // Pages link to a public description.
        computed::refresh(cx.tx, organization.id, &Prepared::default())?;
        sites::increment_versions_of_organization(cx.tx, organization.id)?;
        let (id, slug) = (spec.id, spec.slug.clone());
        record(cx, &spec, Event::OpenApiSpecVisibilityUpdated { spec: id, slug, visibility })?;
    }
    SpecView::of(cx, organization, spec)
}

/// Deletes a specification with its versions. Returns `false` if there is none.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
) -> Result<bool> {
    let Some(spec) = openapi::get_by_slug(cx.tx, organization.id, slug)? else {
        return Ok(false);
    };
    openapi::delete(cx.tx, spec.id)?;
    computed::refresh(cx.tx, organization.id, &Prepared::default())?;
    sites::increment_versions_of_organization(cx.tx, organization.id)?;
    let (id, slug) = (spec.id, spec.slug.clone());
    record(cx, &spec, Event::OpenApiSpecDeleted { spec: id, slug })?;
    Ok(true)
}

pub(super) fn record(cx: &Context<'_>, spec: &OpenApiSpec, event: Event) -> Result<()> {
    cx.tx.record(&NewEvent::new(event).by(cx.user()).organization(spec.organization))?;
    Ok(())
}
