//! Pages that a source computes. A content has one page for each source; readers see a content in
//! which the pages of the source stand in its place.
//!
//! That content is stored when a revision is stored, and again when a source has changed, so that
//! reading it needs no more than reading any other. Revisions, change requests and Git have the
//! content without computed pages.

mod expand;
mod plan;
mod prepare;
mod source;
mod specifications;

use bindery_model::{
    Entropy, Error, FieldPath, OrganizationId, PageId, Result, RevisionId, SpaceId, Timestamp,
};
use bindery_revision::{
    Author, Content, ContentKind, Hash, MemoryObjects, PageKind, PageRecord, Record, Revision,
    Salt, Staging, carry_over, tree,
};
use bindery_store::computed_contents::ComputedContent;
use bindery_store::spaces::Space;
use bindery_store::{
    Event, NewEvent, StoreError, Tx, change_requests, computed_contents, openapi,
    revisions as rows, spaces,
};
use bytes::Bytes;
use serde_json::Value;

use self::plan::markdown_of;
pub use self::plan::{MAX_MODELS, PlannedPage, plan};
pub(crate) use self::prepare::{Prepared, prepare};
pub use self::source::{Dependency, DocumentPart, DocumentSource, PageSource};
use self::specifications::{Found, Specifications};
use crate::Context;
use crate::content::revisions;
use crate::content::snapshot::{Snapshot, broken_tree, put_staged};

/// Stores the content that readers of a revision see, if it has computed pages. If the parent has the
/// same sources, the cost grows with the differences from it. Returns `true` if another content is
/// seen than before.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn store(
    tx: &Tx<'_>,
    space: SpaceId,
    object: &Hash,
    revision: &Revision,
) -> std::result::Result<bool, StoreError> {
    if revision.content.computed.is_empty() {
        return Ok(false);
    }
    let Some(space) = spaces::get(tx, space)? else { return Ok(false) };
    let base = tx.objects();
    let mut staging = Staging::new(&base);
    let specs = Specifications::of(tx, space.organization);
    let basis = expand::basis(&revision.content, &staging, &specs)?;
    if computed_contents::get(tx, object)?.is_some_and(|stored| stored.basis == basis) {
        return Ok(false);
    }
    let content = match carried(tx, &space, revision, &basis, &mut staging)? {
        Some(content) => content,
        None => expand::expand(&revision.content, &mut staging, &specs)?,
    };
    let (shown, objects) = finish(revision, content, staging)?;
    tx.put_objects(objects)?;
    let entry = ComputedContent { object: *object, space: space.id, basis, shown };
    computed_contents::set(tx, &entry)?;
    Ok(true)
}

/// Returns the object of a revision with another content, and all objects to be stored for it.
fn finish(
    revision: &Revision,
    content: Content,
    mut staging: Staging<'_>,
) -> std::result::Result<(Hash, Vec<(Hash, Bytes)>), StoreError> {
    let shown = Revision { content, ..revision.clone() };
    let object = shown.object().map_err(corrupt)?;
    let mut objects = staging.drain_reachable(shown.content.roots()).map_err(corrupt)?;
    let hash = object.0;
    objects.push(object);
    Ok((hash, objects))
}

/// Returns the content that is shown for the parent of a revision, with the differences between the
/// two; `None` if it has to be made anew.
fn carried(
    tx: &Tx<'_>,
    space: &Space,
    revision: &Revision,
    basis: &Hash,
    staging: &mut Staging<'_>,
) -> std::result::Result<Option<Content>, StoreError> {
    let Some(parent) = revision.parents.first() else { return Ok(None) };
    let Some(row) = rows::get(tx, space.id, *parent)? else { return Ok(None) };
    let shown = computed_contents::get(tx, &row.object)?;
    let Some(shown) = shown.filter(|shown| shown.basis == *basis) else { return Ok(None) };
    let content = |object: &Hash| {
        let revision = Revision::decode(&tx.object(object)?).map_err(corrupt)?;
        Ok::<_, StoreError>(revision.content)
    };
    let (old, shown) = (content(&row.object)?, content(&shown.shown)?);
    carry_over(&old, &revision.content, &shown, staging).map_err(corrupt)
}

fn corrupt(error: impl std::fmt::Display) -> StoreError {
    StoreError::Corrupt(format!("computed pages: {error}"))
}

/// Returns the object of the revision that readers of another one see: itself if it has no computed
/// pages.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn shown(
    tx: &Tx<'_>,
    object: &Hash,
    revision: &Revision,
) -> std::result::Result<Hash, StoreError> {
    if revision.content.computed.is_empty() {
        return Ok(*object);
    }
    Ok(computed_contents::get(tx, object)?.map_or(*object, |entry| entry.shown))
}

/// Computes the pages of all spaces of an organization again whose specifications have changed, as
/// far as they were not prepared.
///
/// # Errors
/// Returns an error if the store fails.
pub(crate) fn refresh(
    tx: &Tx<'_>,
    organization: OrganizationId,
    prepared: &Prepared,
) -> std::result::Result<(), StoreError> {
    let mut changed = prepared.set(tx)?;
    for space in computed_contents::spaces(tx, organization)? {
        for object in heads(tx, space)? {
            let revision = Revision::decode(&tx.object(&object)?).map_err(corrupt)?;
            if store(tx, space, &object, &revision)? {
                changed.insert(space);
            }
        }
    }
    for space in changed {
        let event = NewEvent::new(Event::ComputedPagesUpdated);
        tx.record(&event.organization(organization).space(space))?;
    }
    Ok(())
}

/// Returns the objects of the heads of a space and of its open change requests.
fn heads(tx: &Tx<'_>, space: SpaceId) -> std::result::Result<Vec<Hash>, StoreError> {
    let Some(row) = spaces::get(tx, space)? else { return Ok(Vec::new()) };
    let mut objects = Vec::new();
    for head in change_requests::pending_heads(tx, space)?.into_iter().chain([row.head]) {
        objects.extend(rows::get(tx, space, head)?.map(|head| head.object));
    }
    Ok(objects)
}

/// Gives a new space a page with a source, in whose place the pages of the source are shown. Returns
/// the new head.
///
/// # Errors
/// Returns 404 if the specification of the source does not exist, and 501 for sources of other types.
pub fn begin(cx: &Context<'_>, space: &Space, source: &Value) -> Result<RevisionId> {
    let at = FieldPath::new("/computedSource");
    let Some(named) = PageSource::read(source) else {
        return match source.get("type").and_then(Value::as_str) {
            Some("builtin:translation") => {
                Err(Error::pending("translations are not implemented yet").at(at))
            }
            _ => Err(at.not_found("integration")),
        };
    };
    if openapi::get_by_slug(cx.tx, space.organization, &named.spec)?.is_none() {
        return Err(at.join("/dependencies/spec/ref/spec").not_found("OpenAPI specification"));
    }
    let id = PageId::random(&cx.app.entropy);
    let page = placeholder(id, source, cx.now());
    let before = Snapshot::of(cx.app, cx.tx, space, None)?;
    let base = cx.tx.objects();
    let mut staging = Staging::new(&base);
    let inserted = tree::insert(&before.revision.content, &mut staging, page, tree::Position::Last);
    let (content, _) = inserted.map_err(broken_tree)?;
    put_staged(cx.tx, staging, &content)?;
    let id = RevisionId::random(&cx.app.entropy);
    let revision = Revision {
        parents: vec![space.head],
        kind: ContentKind::Computed,
        author: cx.user().map_or(Author::System, Author::User),
        created_at: cx.now(),
        message: None,
        content,
    };
    revisions::commit(cx.tx, space, id, space.head, &revision)?;
    Ok(id)
}

fn placeholder(id: PageId, source: &Value, at: Timestamp) -> PageRecord {
    PageRecord {
        computed: Some(source.to_string()),
        ..PageRecord::new(id, PageKind::Computed, "", "page", at)
    }
}

/// Returns a content that has the pages of a source only, with its objects; `None` if the source has
/// no pages.
///
/// # Errors
/// Returns an error if the store fails.
pub fn alone(
    tx: &Tx<'_>,
    organization: OrganizationId,
    source: &Value,
) -> std::result::Result<Option<(Content, MemoryObjects)>, StoreError> {
    let id = PageId::random(&Entropy::seeded(expand::seed(source.to_string().as_bytes())));
    let page = placeholder(id, source, tx.now());
    let base = tx.objects();
    let mut staging = Staging::new(&base);
    let empty = Content::empty(Salt::new([0; 16]));
    let holder = tree::insert(&empty, &mut staging, page, tree::Position::Last);
    let (holder, _) = holder.map_err(corrupt)?;
    let specs = Specifications::of(tx, organization);
    let content = expand::expand(&holder, &mut staging, &specs)?;
    if content == holder {
        return Ok(None);
    }
    let mut objects = MemoryObjects::new();
    objects.extend(staging.drain());
    Ok(Some((content, objects)))
}

/// Returns the Markdown of a part of a specification of an organization; `None` if there is no such
/// specification, and `Some(None)` if it has no such part.
///
/// # Errors
/// Returns an error if the store fails.
pub fn markdown(
    tx: &Tx<'_>,
    organization: OrganizationId,
    source: &DocumentSource,
) -> std::result::Result<Option<Option<String>>, StoreError> {
    let specs = Specifications::of(tx, organization);
    let Some(Found { dependency, pieces }) = specs.find(&source.spec)? else { return Ok(None) };
    if source.part == DocumentPart::Changes {
        return specs.change_log(dependency.id).map(|text| Some(Some(text)));
    }
    if source.part == DocumentPart::Overview {
        let overview = pieces.overview(&tx.objects());
        return overview.map(|(_, text)| Some(Some(text))).map_err(corrupt);
    }
    let outline = pieces.outline(&tx.objects()).map_err(corrupt)?;
    Ok(Some(markdown_of(&outline, &source.spec, &source.part)))
}
