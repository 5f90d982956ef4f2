//! PDFs of a space, of a page with its subpages, of a page, and of the content of a change request.
//!
//! A request for a PDF finds the file that an equal request has made, or enqueues a job that makes
//! it. The job renders the pages as their readers see them, translates them with `bindery_paper`,
//! and runs the typesetter in a process of its own. Files expire when nobody asks for them.

mod compose;
mod job;
mod links;
mod typesetter;

use std::fmt::Write as _;
use std::time::Duration;

use bindery_model::{Error, Id, PageId, PdfFileId, Result, RevisionId, SiteId, SpaceId, UserId};
use bindery_revision::{Hash, Record as _, Revision};
pub use bindery_store::pdf_files::PdfFile;
use bindery_store::spaces::Space;
use bindery_store::{JobStatus, NewJob, StoreError, Tx, pdf_files, revisions};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(crate) use self::job::PdfJob;
use crate::App;
use crate::content::computed;
use crate::content::openapi::CurrentSpecs;
use crate::content::snapshot::broken_object;
use crate::jobs::{self, Job};

/// Time in milliseconds for which a PDF is kept after the last request for it: 7 days.
const RETENTION_MILLIS: i64 = 7 * 24 * 60 * 60 * 1000;
/// Time in milliseconds after which a request for a PDF prolongs its retention: one day.
const PROLONG_MILLIS: i64 = 24 * 60 * 60 * 1000;
/// Maximum number of PDFs of one organization that wait for their job.
const MAX_WAITING: i64 = 20;
/// Interval between two looks at a PDF that is awaited.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

/// A request for a PDF.
#[derive(Clone, Debug)]
pub struct PdfRequest<'a> {
    /// The space.
    pub space: &'a Space,
    /// The revision: the main content, or that of a change request.
    pub revision: RevisionId,
    /// The part of the content.
    pub part: PdfPart,
    /// The readers whom the content is for.
    pub audience: PdfAudience,
    /// The claims of the visitor for whom conditions are evaluated: the signed ones, and those that
    /// the visitor states. `None` if the content does not depend on visitors.
    pub claims: Option<(Map<String, Value>, Map<String, Value>)>,
    /// The title.
    pub title: String,
    /// The line below the title on the title page.
    pub subtitle: String,
    /// The address with which those of pages begin, for links to pages outside of the PDF. The path
    /// of the page follows on a site, and its id otherwise.
    pub base: String,
    /// The address with which those of files begin; `None` if they are not public.
    pub files: Option<String>,
    /// The person who asks.
    pub actor: Option<UserId>,
}

/// The part of a content that a PDF shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PdfPart {
    /// All pages.
    Everything,
    /// A page and the pages below it.
    Section(PageId),
    /// One page.
    Page(PageId),
}

impl PdfPart {
    /// Returns the page at the top; `None` for all pages.
    pub const fn page(self) -> Option<PageId> {
        match self {
            Self::Everything => None,
            Self::Section(page) | Self::Page(page) => Some(page),
        }
    }
}

/// The readers whom the content of a PDF is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PdfAudience {
    /// People with a role on the space, who see every page.
    Member,
    /// Readers of the API who see what a site shows to everyone.
    Visitor,
    /// Readers of the API with the token of a site with adaptive content, who have the claims with
    /// this fingerprint.
    VisitorWith(Hash),
    /// Visitors of a site.
    Site(SiteId),
}

impl PdfAudience {
    /// Returns the stored form.
    fn text(self) -> String {
        match self {
            Self::Member => "member".to_owned(),
            Self::Visitor => "visitor".to_owned(),
            Self::VisitorWith(claims) => format!("visitor {}", Id::derived(claims.as_bytes())),
            Self::Site(site) => site.to_string(),
        }
    }

    /// Returns `true` if hidden pages and pages whose condition does not hold are left out.
    const fn is_restricted(self) -> bool {
        matches!(self, Self::Visitor | Self::VisitorWith(_) | Self::Site(_))
    }
}

/// The payload of a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PdfPayload {
    file: PdfFileId,
    space: SpaceId,
    revision: RevisionId,
    part: PdfPart,
    audience: PdfAudience,
    /// The claims of the visitor, encrypted because they describe a person.
    claims: Option<String>,
    title: String,
    subtitle: String,
    language: Option<String>,
    base: String,
    files: Option<String>,
}

/// The state of a PDF.
#[derive(Clone, Debug)]
pub enum PdfState {
    /// The file is ready.
    Ready(PdfFile),
    /// The job waits or runs.
    Waiting(PdfFile, Box<Job>),
    /// The job failed or was cancelled.
    Failed(PdfFile, Box<Job>),
}

/// Returns the digest of everything that a PDF depends on.
fn key(tx: &Tx<'_>, request: &PdfRequest<'_>) -> Result<Hash> {
    let PdfRequest {
        space, revision, part, audience, claims, title, subtitle, base, files, ..
    } = request;
    let row = revisions::get(tx, space.id, *revision)?;
    let row = row.ok_or_else(|| Error::not_found("revision"))?;
    let revision = Revision::decode(&tx.object(&row.object)?).map_err(broken_object)?;
    let shown = computed::shown(tx, &row.object, &revision)?;
    let specs = CurrentSpecs::of(tx, space.organization)?;
    let all = (
        bindery_paper::VERSION,
        (space.organization, space.id, shown, specs.versions(), part, audience),
        (claims, title, subtitle, &space.language, base, files),
    );
    let bytes = serde_json::to_vec(&all)
        .map_err(|error| Error::internal(format!("a request for a PDF: {error}")))?;
    Ok(Hash::of(&bytes))
}

/// Returns the PDF of a request, from an earlier request or with a new job.
///
/// # Errors
/// Returns 404 if the revision does not exist, and an error to retry later if too many PDFs of the
/// organization wait.
pub fn start(app: &App, tx: &Tx<'_>, request: &PdfRequest<'_>) -> Result<PdfFile> {
    let key = key(tx, request)?;
    if let Some(known) = pdf_files::get_by_key(tx, &key)? {
        let job = tx.job(known.job)?;
        let is_waiting = job.is_some_and(|job| !job.status.is_final());
        if known.object.is_some() || is_waiting {
            prolong(tx, &known)?;
            return Ok(known);
        }
    }
    let organization = request.space.organization;
    if pdf_files::count_waiting(tx, organization)? >= MAX_WAITING {
        let text = format!("{MAX_WAITING} PDFs of this organization are being made, the maximum");
        return Err(Error::unavailable(text).retry_after(30));
    }
    let claims = request.claims.as_ref().map(|claims| {
        let text = serde_json::to_string(claims)
            .map_err(|error| Error::internal(format!("claims are not JSON: {error}")))?;
        app.secrets.seal(&app.entropy, &text)
    });
    let id = PdfFileId::random(&app.entropy);
    let payload = PdfPayload {
        file: id,
        space: request.space.id,
        revision: request.revision,
        part: request.part,
        audience: request.audience,
        claims: claims.transpose()?,
        title: request.title.clone(),
        subtitle: request.subtitle.clone(),
        language: request.space.language.clone(),
        base: request.base.clone(),
        files: request.files.clone(),
    };
    let job = tx.enqueue(&NewJob {
        organization: Some(organization),
        space: Some(request.space.id),
        actor: request.actor,
        ..jobs::new_job::<PdfJob>(&payload)?
    })?;
    let file = PdfFile {
        id,
        key,
        organization,
        space: request.space.id,
        audience: request.audience.text(),
        name: file_name(&request.title),
        job,
        input: None,
        object: None,
        size: None,
        created_at: tx.now(),
        expires_at: tx.now().plus_millis(RETENTION_MILLIS),
    };
    pdf_files::create(tx, &file)?;
    Ok(file)
}

/// Returns the PDF of a request if an equal request has made it.
///
/// # Errors
/// Returns 404 if the revision does not exist.
pub fn find(tx: &Tx<'_>, request: &PdfRequest<'_>) -> Result<Option<PdfFile>> {
    let known = pdf_files::get_by_key(tx, &key(tx, request)?)?;
    Ok(known.filter(|known| {
        let remaining = known.expires_at.millis().saturating_sub(tx.now().millis());
        known.object.is_some() && remaining > RETENTION_MILLIS - PROLONG_MILLIS
    }))
}

/// Returns a PDF of a space that readers of an audience may have, with its state.
///
/// # Errors
/// Returns 404 if there is no such PDF, or if it is for other readers.
pub fn get(tx: &Tx<'_>, space: SpaceId, audience: PdfAudience, id: PdfFileId) -> Result<PdfState> {
    let missing = || Error::not_found("PDF");
    let file = pdf_files::get(tx, id)?.ok_or_else(missing)?;
    // People with a role on the space may see more than visitors.
    let visitor = PdfAudience::Visitor.text();
    let is_for = file.audience == audience.text()
        || audience == PdfAudience::Member && file.audience.starts_with(&visitor);
    if file.space != space || !is_for {
        return Err(missing());
    }
    if file.object.is_some() {
        return Ok(PdfState::Ready(file));
    }
    let job = Box::new(tx.job(file.job)?.ok_or_else(missing)?);
    Ok(match job.status {
        JobStatus::Failed | JobStatus::Cancelled => PdfState::Failed(file, job),
        JobStatus::Queued | JobStatus::Running | JobStatus::Done => PdfState::Waiting(file, job),
    })
}

/// Returns the state of a PDF, after waiting until it is ready or `time` is over.
///
/// # Errors
/// Returns the errors of [`get`].
pub async fn wait(
    app: &App,
    space: SpaceId,
    audience: PdfAudience,
    id: PdfFileId,
    time: Duration,
) -> Result<PdfState> {
    let looks = time.as_millis() / LOOK_INTERVAL.as_millis();
    for _ in 0..looks {
        match app.store.read(move |tx| get(tx, space, audience, id)).await? {
            PdfState::Waiting(..) => tokio::time::sleep(LOOK_INTERVAL).await,
            state => return Ok(state),
        }
    }
    app.store.read(move |tx| get(tx, space, audience, id)).await
}

/// Deletes the PDFs that have expired. Returns their number.
///
/// # Errors
/// Returns an error if the store fails.
pub fn delete_expired(tx: &Tx<'_>) -> std::result::Result<u64, StoreError> {
    pdf_files::delete_expired(tx, tx.now())
}

fn prolong(tx: &Tx<'_>, file: &PdfFile) -> Result<()> {
    let until = tx.now().plus_millis(RETENTION_MILLIS);
    if until.millis() - file.expires_at.millis() > PROLONG_MILLIS {
        pdf_files::keep_until(tx, file.id, until)?;
    }
    Ok(())
}

/// Returns the value of `Content-Disposition` for a PDF, which browsers show and save under its
/// name.
pub fn disposition(file: &PdfFile) -> String {
    let mut value = "inline; filename*=UTF-8''".to_owned();
    for byte in file.name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_') {
            value.push(char::from(byte));
        } else {
            let _ = write!(value, "%{byte:02X}");
        }
    }
    value
}

/// Returns the name under which browsers save a PDF.
fn file_name(title: &str) -> String {
    let name: String = title
        .chars()
        .map(|char| match char {
            '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => ' ',
            char if char.is_control() => ' ',
            char => char,
        })
        .take(100)
        .collect();
    let words: Vec<&str> = name.split_whitespace().collect();
    if words.is_empty() { "document.pdf".to_owned() } else { format!("{}.pdf", words.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_have_no_special_characters() {
        for (title, expect) in [
            ("User guide", "User guide.pdf"),
            ("a/b\\c: \"d\"\n", "a b c d.pdf"),
            ("../..", ".. ...pdf"),
            ("  ", "document.pdf"),
            ("手册", "手册.pdf"),
        ] {
            assert_eq!(file_name(title), expect, "{title}");
        }
    }
}
