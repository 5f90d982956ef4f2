//! Overlays of specifications: documents that change a description when it is read.

use bindery_model::{Error, FieldPath, OpenApiSpecId, Result};
use bindery_openapi::Overlay as Checked;
use bindery_store::openapi::{self, OpenApiOverlay};
use bindery_store::organizations::Organization;
use bindery_store::{Event, Tx};

use tokio::sync::Semaphore;

use super::requests::{self, Place};
use super::{Source, find, get, job};
use crate::access::Authorized;
use crate::own_thread::in_own_thread;
use crate::{App, Context};

/// Maximum number of overlays of a specification.
const MAX: usize = 10;
/// Maximum size of the texts of all overlays of a specification in bytes.
const MAX_TEXTS: usize = 8 << 20;
/// Limits the requests whose overlays are checked at once, because each takes a thread and memory.
static CHECKS: Semaphore = Semaphore::const_new(2);

/// An overlay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overlay {
    /// Its source.
    pub source: Source,
}

/// Overlays that were checked, and whose texts are stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StagedOverlays(Vec<Place>);

/// Checks the sources of overlays and stores their texts.
///
/// # Errors
/// Returns 400 unless each source has either an address that the server may reach, or the text of a
/// valid overlay.
pub async fn stage_overlays(app: &App, sources: Vec<Source>) -> Result<StagedOverlays> {
    let list = FieldPath::new("/overlays");
    if sources.len() > MAX {
        let found = sources.len();
        return Err(list.invalid(format!("found {found} overlays, allowed: at most {MAX}")));
    }
    let size: usize = sources.iter().filter_map(|source| Some(source.text.as_ref()?.len())).sum();
    if size > MAX_TEXTS {
        let (found, most) = (size.div_ceil(1 << 20), MAX_TEXTS >> 20);
        let message = format!("found texts of {found} MiB, allowed: at most {most} MiB together");
        return Err(list.invalid(message));
    }
    let _turn = CHECKS.acquire().await;
    let checked = in_own_thread("overlays", move || check(&sources).map(|()| sources)).await;
    let sources = checked.map_err(|error| Error::internal(error.to_string()))??;
    let mut places = Vec::new();
    for (index, source) in sources.into_iter().enumerate() {
        let at = list.field(index).field("source");
        places.push(requests::stage_at(app, source, at).await?);
    }
    Ok(StagedOverlays(places))
}

/// Checks that the texts are overlays.
fn check(sources: &[Source]) -> Result<()> {
    let list = FieldPath::new("/overlays");
    for (index, source) in sources.iter().enumerate() {
        let Some(text) = &source.text else { continue };
        let Err(problems) = Checked::read("overlay", text) else { continue };
        let problems: Vec<String> = problems.iter().take(5).map(ToString::to_string).collect();
        let at = list.field(index).field("source").field("text");
        return Err(at.invalid(problems.join("; ")));
    }
    Ok(())
}

/// Returns the overlays of a specification, in the order in which they are applied.
///
/// # Errors
/// Returns 403 for guests, and 404 if there is no such specification.
pub fn overlays(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
) -> Result<Vec<Overlay>> {
    list(cx.tx, get(cx, organization, slug)?.spec.id)
}

fn list(tx: &Tx<'_>, spec: OpenApiSpecId) -> Result<Vec<Overlay>> {
    let stored = openapi::list_overlays(tx, spec)?.into_iter();
    let overlays = stored.map(|OpenApiOverlay { url, upload, .. }| {
        let text = upload.map(|upload| super::versions::text_of_object(tx, &upload)).transpose()?;
        Ok(Overlay { source: Source { url, text } })
    });
    overlays.collect()
}

/// Replaces the overlays of a specification, whose source is read again.
///
/// # Errors
/// Returns 404 if there is no such specification.
pub fn set_overlays(
    cx: &Context<'_>,
    organization: &Authorized<Organization>,
    slug: &str,
    staged: &StagedOverlays,
) -> Result<Vec<Overlay>> {
    let mut spec = find(cx.tx, organization.id, slug)?;
    let rows = (0..).zip(&staged.0).map(|(position, place)| {
        let (url, upload) = place.columns();
        OpenApiOverlay { spec: spec.id, position, url, upload }
    });
    let rows: Vec<OpenApiOverlay> = rows.collect();
    if rows != openapi::list_overlays(cx.tx, spec.id)? {
        openapi::set_overlays(cx.tx, spec.id, &rows)?;
        spec.updated_at = cx.now();
        let (id, slug) = (spec.id, spec.slug.clone());
        let overlays = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        requests::record(cx, &spec, Event::OpenApiOverlaysUpdated { spec: id, slug, overlays })?;
    }
    job::request(cx.tx, &mut spec, cx.user())?;
    list(cx.tx, spec.id)
}
