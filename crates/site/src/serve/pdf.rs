//! Serves the pages and spaces of a site as PDFs, if the customization offers them.
//!
//! The first request for a PDF starts a job. Requests wait some seconds for it; then they receive a
//! page that reloads itself and shows the progress.

use std::sync::Arc;
use std::time::Duration;

use bindery_app::content::pdf::{
    self, PdfAudience, PdfFile, PdfPart, PdfRequest, PdfState, disposition,
};
use bindery_app::content::spaces::Space;
use bindery_app::jobs::Progress;
use bindery_app::publishing::adaptive::Answers;
use bindery_app::{App, Tx};
use bindery_http::{Body, Response, query_pairs};
use bindery_model::{Error, ErrorKind, Result, RevisionId};
use bindery_revision::FileRecord;
use bindery_revision::tree::Tree;
use http::StatusCode;
use http::header::{self, HeaderName, HeaderValue};
use maud::html;
use serde_json::{Map, Value};

use super::files::{self, FoundFile};
use super::navigation::{SpaceTree, first_page};
use super::page::PageContext;
use super::site_cache::LoadedSite;
use super::validity::ReadTracker;
use super::visitors::Admitted;
use super::{Answer, PageRequest, plain};
use crate::i18n::{Messages, messages};
use crate::urls::{self, Route};
use crate::view::Direction;

/// The part before the path of the page in the address of a PDF, below the base of the site.
pub(super) const FOLDER: &str = "~pdf/";
/// Maximum time that a request waits for its PDF.
const WAIT: Duration = Duration::from_secs(8);
/// Number of seconds after which the page that shows the progress reloads itself.
const RELOAD_SECONDS: u32 = 2;

/// Returns `true` if the pages with this customization offer PDFs.
fn is_offered(settings: &Value) -> bool {
    settings.pointer("/pdf/enabled").and_then(Value::as_bool).unwrap_or(false)
}

/// Returns the address of the PDF of the page at `href`; `None` if the site offers none. The PDF of
/// the whole space is at the same address with [`EVERYTHING`].
pub(super) fn address(context: &PageContext<'_>, href: &str) -> Option<String> {
    is_offered(&context.space.customization)
        .then(|| urls::of_page(&context.site.base(), FOLDER, href))
}

/// The query of the address of the PDF of a whole space.
pub(super) const EVERYTHING: &str = "part=all";

/// A requested PDF that the visitor may have.
#[derive(Clone)]
struct Wanted {
    site: bindery_model::SiteId,
    space: Space,
    revision: RevisionId,
    part: PdfPart,
    claims: Option<(Map<String, Value>, Map<String, Value>)>,
    title: String,
    subtitle: String,
    base: String,
    files: String,
    /// The texts of the page that shows the progress.
    messages: &'static Messages,
}

impl Wanted {
    fn request(&self) -> PdfRequest<'_> {
        PdfRequest {
            space: &self.space,
            revision: self.revision,
            part: self.part,
            audience: PdfAudience::Site(self.site),
            claims: self.claims.clone(),
            title: self.title.clone(),
            subtitle: self.subtitle.clone(),
            base: self.base.clone(),
            files: Some(self.files.clone()),
            actor: None,
        }
    }
}

/// Responds to a request for the PDF at a path below [`FOLDER`], from a visitor who was admitted.
pub(super) async fn serve(
    app: &Arc<App>,
    site: Arc<LoadedSite>,
    admitted: &Arc<Admitted>,
    path: &str,
    request: PageRequest<'_>,
) -> Result<Answer> {
    let Some(part) = asked_part(request.query) else { return Ok(absent()) };
    let Route::Page(path) = urls::route(path) else { return Ok(absent()) };
    let (held, site_id) = (Arc::clone(app), site.site.id);
    let admitted = Arc::clone(admitted);
    let read = move |tx: &Tx<'_>| {
        let Some(wanted) = find(&held, tx, &site, &admitted, &path, part)? else {
            return Ok(None);
        };
        let made = pdf::find(tx, &wanted.request())?;
        Ok::<_, Error>(Some((wanted, made)))
    };
    let Some((wanted, made)) = app.store.read_blocking(read).await? else { return Ok(absent()) };
    if let Some(file) = made {
        return Ok(ready(app, &file, request));
    }
    let (held, space, messages) = (Arc::clone(app), wanted.space.id, wanted.messages);
    let started = app.store.write(move |tx| pdf::start(&held, tx, &wanted.request())).await;
    let file = match started {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::Unavailable => {
            let text = "Many PDFs are being made. Try again in a minute.\n";
            return Ok(with_retry(plain(503, text), 60).into());
        }
        Err(error) => return Err(error),
    };
    let audience = PdfAudience::Site(site_id);
    Ok(match pdf::wait(app, space, audience, file.id, WAIT).await? {
        PdfState::Ready(file) => ready(app, &file, request),
        PdfState::Waiting(_, job) => waiting(job.progress.as_ref(), messages).into(),
        PdfState::Failed(_, job) => {
            let is_too_large = job.error.is_some_and(|error| error.code == "too-large");
            plain(
                500,
                match is_too_large {
                    true => "This content is too large for one PDF.\n",
                    false => "This PDF could not be made. The server's log says why.\n",
                },
            )
            .into()
        }
    })
}

/// The part of a space that an address names.
#[derive(Clone, Copy)]
enum AskedPart {
    Page,
    Section,
    Everything,
}

fn asked_part(query: &str) -> Option<AskedPart> {
    let pairs = query_pairs(query).unwrap_or_default();
    let part = pairs.iter().find(|(name, _)| name == "part").map(|(_, value)| value.as_str());
    match part {
        None | Some("page") => Some(AskedPart::Page),
        Some("section") => Some(AskedPart::Section),
        Some("all") => Some(AskedPart::Everything),
        Some(_) => None,
    }
}

fn absent() -> Answer {
    plain(404, "not found\n").into()
}

/// Returns the PDF of the page at a path, if the visitor may read the page and the site offers it.
fn find(
    app: &App,
    tx: &Tx<'_>,
    site: &LoadedSite,
    admitted: &Admitted,
    path: &str,
    part: AskedPart,
) -> Result<Option<Wanted>> {
    let answers = Answers::new(admitted.claims.clone());
    let shown = site.for_visitor(&answers);
    let site = shown.as_ref().unwrap_or(site);
    let Some((space, rest)) = site.resolve(urls::page_of(path)) else { return Ok(None) };
    if !is_offered(&space.customization) {
        return Ok(None);
    }
    let objects = tx.objects();
    let objects = ReadTracker::without_record(&objects, space.space.id);
    let content = &space.snapshot.revision.content;
    let tree = Tree::new(content, &objects);
    let first = first_page(&tree, &content.variables, &answers)?;
    let base = site.space_base(space);
    let pages = SpaceTree::new(content, &objects, base.clone(), first, &answers);
    let page = match rest {
        "" => first,
        rest => pages.tree.by_path(rest).map_err(bindery_app::content::snapshot::broken_object)?,
    };
    let Some(page) = page else { return Ok(None) };
    if !pages.is_present(page)? {
        return Ok(None);
    }
    let title = pages.tree.page(page).map_err(bindery_app::content::snapshot::broken_tree)?.title;
    let site_title = site.site.title.clone();
    let (part, title, subtitle) = match part {
        AskedPart::Page => (PdfPart::Page(page), title, site_title),
        AskedPart::Section => (PdfPart::Section(page), title, site_title),
        AskedPart::Everything if site.spaces.len() > 1 => {
            (PdfPart::Everything, space.site_space.title.clone(), site_title)
        }
        AskedPart::Everything => (PdfPart::Everything, site_title, String::new()),
    };
    let origin = site.origin(&app.urls);
    let file_base = if site.is_private() || answers.is_adaptive() {
        site.base()
    } else {
        site.root().to_owned()
    };
    let visitor = &admitted.visitor;
    Ok(Some(Wanted {
        site: site.site.id,
        space: space.space.clone(),
        revision: space.snapshot.row.id,
        part,
        claims: answers
            .is_adaptive()
            .then(|| (visitor.claims.clone(), visitor.unsigned_claims.clone())),
        title,
        subtitle,
        base: format!("{origin}{base}"),
        files: format!("{origin}{file_base}~files/{}/", space.space.id),
        messages: messages(space.interface_language()),
    }))
}

/// Responds with a finished PDF.
fn ready(app: &Arc<App>, file: &PdfFile, request: PageRequest<'_>) -> Answer {
    let PageRequest { method, headers, .. } = request;
    let Some((hash, size)) = file.object.zip(file.size) else { return absent() };
    let record = FileRecord {
        id: bindery_model::FileId::random(&app.entropy),
        name: file.name.clone(),
        path: None,
        content_type: "application/pdf".to_owned(),
        size: u64::try_from(size).unwrap_or_default(),
        hash,
        dimensions: None,
    };
    let mut response = files::send(app, FoundFile { record, public: false }, method, headers);
    set(&mut response, header::CONTENT_DISPOSITION, &disposition(file));
    set(&mut response, header::CACHE_CONTROL, "private, no-cache");
    set(&mut response, HeaderName::from_static("x-robots-tag"), "noindex");
    response.into()
}

/// Returns a page that shows the progress of a job and reloads itself.
fn waiting(progress: Option<&Progress>, messages: &Messages) -> Response {
    let total = progress.and_then(|progress| progress.total).filter(|total| *total > 0);
    let done = progress.map(|progress| progress.done).unwrap_or_default();
    let page = html! {
        (maud::DOCTYPE)
        html lang=(messages.language) dir=(Direction::of_language(messages.language).attribute()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                meta http-equiv="refresh" content=(RELOAD_SECONDS);
                meta name="robots" content="noindex";
                title { "PDF" }
            }
            body {
                p { (messages.pdf_waiting) }
                @if let Some(total) = total {
                    p { progress max=(total) value=(done.min(total)) {} " " (done.min(total)) " / " (total) }
                }
            }
        }
    };
    let mut response = Response::new(Body::from(page.into_string()));
    *response.status_mut() = StatusCode::ACCEPTED;
    set(&mut response, header::CONTENT_TYPE, "text/html; charset=utf-8");
    set(&mut response, header::CACHE_CONTROL, "no-store");
    set(&mut response, header::CONTENT_SECURITY_POLICY, "default-src 'none'");
    with_retry(response, RELOAD_SECONDS)
}

fn with_retry(mut response: Response, seconds: u32) -> Response {
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

fn set(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}
