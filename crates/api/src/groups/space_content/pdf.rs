//! `getSpacePDF`, `getChangeRequestPDF` and `getPDFFile`: PDFs of a content.
//!
//! The first two return the address of a PDF and start its job if nobody has asked for the same PDF
//! before. The address answers to callers who may read the content.

use std::sync::Arc;
use std::time::Duration;

use bindery_app::access::{Action, Authorized, Caller, authorize_target};
use bindery_app::content::pdf::{
    self, PdfAudience, PdfFile, PdfPart, PdfRequest, PdfState, disposition,
};
use bindery_app::publishing::adaptive::ClaimsOf;
use bindery_app::publishing::published::ReadableSpace;
use bindery_app::review::change_requests::ChangeRequestTarget;
use bindery_app::{App, Context, ObjectPieces, Tx};
use bindery_model::{Error, Location, PageId, PdfFileId, Result};
use bindery_wire::response::{GetChangeRequestPDFResponse, GetSpacePDFResponse};
use serde::Serialize;

use super::{HasContent, LoadedRevision};
use crate::call::Call;
use crate::operation::{Operation, PathTarget, act, write};
use crate::present;
use crate::reply::Reply;

/// Maximum time that a request for a file waits until the file is ready.
const WAIT: Duration = Duration::from_secs(20);
/// Number of seconds after which a caller may ask again for a file that is not ready.
const RETRY_SECONDS: u32 = 2;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("getSpacePDF", Action::ReadSpace, of_space).expensive(),
        act::<ReadableSpace, _>("getPDFFile", Action::ReadSpace, file),
    ]
}

/// Returns the operation on a change request.
pub(in crate::groups) fn of_change_request() -> Operation {
    write("getChangeRequestPDF", Action::ReadSpace, of_proposal).expensive()
}

fn of_space(cx: &Context<'_>, target: &Authorized<ReadableSpace>, call: &Call) -> Result<Reply> {
    let file = start(cx, &**target, call, String::new())?;
    let url = address(cx, &file);
    answer(cx, &file, &GetSpacePDFResponse { url })
}

fn of_proposal(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    call: &Call,
) -> Result<Reply> {
    let proposal = &target.change_request;
    let subtitle = format!("#{} {}", proposal.number, proposal.subject);
    let file = start(cx, &**target, call, subtitle)?;
    let url = address(cx, &file);
    answer(cx, &file, &GetChangeRequestPDFResponse { url })
}

/// Returns the address at which callers find a PDF.
fn address(cx: &Context<'_>, file: &PdfFile) -> String {
    cx.app.urls.api(format_args!("/bindery/spaces/{}/pdfs/{}", file.space, file.id))
}

fn answer(cx: &Context<'_>, file: &PdfFile, response: &impl Serialize) -> Result<Reply> {
    let job = cx.app.urls.api(format_args!("/bindery/jobs/{}", file.job));
    Ok(Reply::json(200, response)?.with_link(&job, "monitor"))
}

/// Returns the PDF that a request asks for, and starts its job if it is new.
fn start(
    cx: &Context<'_>,
    target: &impl HasContent,
    call: &Call,
    subtitle: String,
) -> Result<PdfFile> {
    let space = target.space();
    let loaded = LoadedRevision::of(cx, target, call)?;
    let page = match call.query().text("page") {
        Some(id) => {
            let id = PageId::parse(id).ok_or_else(|| Error::not_found("page"))?;
            Some(loaded.record(id)?)
        }
        None => None,
    };
    let only = call.flag("only", false);
    let part = match (&page, only) {
        (None, false) => PdfPart::Everything,
        (Some(page), false) => PdfPart::Section(page.id),
        (Some(page), true) => PdfPart::Page(page.id),
        (None, true) => {
            let text = "needs the query parameter \"page\": the page that the PDF contains";
            return Err(Error::invalid(text).at(Location::Query("only")));
        }
    };
    let title = page.map_or_else(|| space.title.clone(), |page| page.title);
    let title = if title.trim().is_empty() { "Untitled".to_owned() } else { title };
    let public = loaded.presented.public && target.is_for_visitor();
    let base = format!("{}/", cx.app.urls.app_space(space.organization, space.id));
    let files = public.then(|| format!("{}/~files/{}/", cx.app.urls.base(), space.id));
    let request = PdfRequest {
        space,
        revision: target.revision(call)?,
        part,
        audience: audience(cx.caller, target)?,
        claims: cx
            .caller
            .adaptive_visitor()
            .map(|visitor| (visitor.claims.clone(), visitor.unsigned_claims.clone())),
        title,
        subtitle,
        base,
        files,
        actor: cx.user(),
    };
    pdf::start(cx.app, cx.tx, &request)
}

fn audience(caller: &Caller, target: &impl HasContent) -> Result<PdfAudience> {
    Ok(match caller.adaptive_visitor() {
        _ if !target.is_for_visitor() => PdfAudience::Member,
        Some(visitor) => PdfAudience::VisitorWith(ClaimsOf::visitor(visitor)?.digest()),
        None => PdfAudience::Visitor,
    })
}

/// Answers with the file as soon as it is ready, or with the progress of its job.
async fn file(app: Arc<App>, call: Arc<Call>) -> Result<Reply> {
    let missing = || Error::not_found("PDF");
    let id = PdfFileId::parse(call.path("pdfId")).ok_or_else(missing)?;
    let (held, asked) = (Arc::clone(&app), Arc::clone(&call));
    let authorize = move |tx: &Tx<'_>| {
        let caller = asked.caller(tx, &held)?;
        let key = ReadableSpace::key(&asked);
        let target =
            authorize_target::<ReadableSpace>(tx, &caller, Action::ReadSpace, key.as_ref())?;
        Ok::<_, Error>((target.space.id, audience(&caller, &*target)?))
    };
    let (space, audience) = app.store.read(authorize).await?;
    match pdf::wait(&app, space, audience, id, WAIT).await? {
        PdfState::Ready(file) => ready(&app, &file).await,
        PdfState::Waiting(_, job) => {
            let reply = Reply::json(202, &present::job(&app, *job))?;
            Ok(reply.without_caching().with_retry_after(RETRY_SECONDS))
        }
        PdfState::Failed(_, job) => {
            let reason = job.error.map_or_else(
                || "the job that makes the PDF was cancelled".to_owned(),
                |error| error.message,
            );
            Err(Error::conflict(format!("{reason}; ask for the PDF again to make it anew")))
        }
    }
}

async fn ready(app: &App, file: &PdfFile) -> Result<Reply> {
    let broken = || Error::internal("a finished PDF has no bytes");
    let object = file.object.ok_or_else(broken)?;
    let size = file.size.and_then(|size| u64::try_from(size).ok()).ok_or_else(broken)?;
    let mut pieces = ObjectPieces::new(object, 0..size);
    let first = pieces.next(&app.store).await?.unwrap_or_default();
    let reply = Reply::stream("application/pdf", first, Box::new(pieces));
    Ok(reply.with_disposition(disposition(file)))
}
