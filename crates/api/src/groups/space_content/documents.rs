//! `getPageDocumentInRevisionById`, `getDocumentById`: single documents.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::documents::{self, Evaluation};
use bindery_app::content::spaces::Space;
use bindery_app::publishing::published::ReadableSpace;
use bindery_model::{Error, PageId, Result};
use serde_json::Value;

use super::{HasContent, LoadedRevision};
use crate::call::Call;
use crate::operation::{Operation, read_long};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_long("getPageDocumentInRevisionById", Action::ReadSpace, of_page::<ReadableSpace>),
        read_long("getDocumentById", Action::ReadSpace, by_id),
    ]
}

/// Returns the evaluation mode of expressions.
pub(super) fn evaluated(call: &Call) -> Evaluation {
    match call.query().get("evaluated") {
        Some(Value::Bool(true)) => Evaluation::All,
        Some(Value::String(text)) if text == "true" => Evaluation::All,
        Some(Value::String(text)) if text == "deterministic-only" => Evaluation::DeterministicOnly,
        _ => Evaluation::No,
    }
}

pub(in crate::groups) fn of_page<T: HasContent>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let page = PageId::parse(call.path("pageId")).ok_or_else(|| Error::not_found("page"))?;
    let loaded = LoadedRevision::of(cx, &**target, call)?;
    let record = loaded.record(page)?;
    let json = documents::of_page(
        cx.app,
        &loaded.objects,
        loaded.snapshot(),
        &record,
        loaded.evaluated(call),
        loaded.answers(),
    )?;
    Ok(Reply::raw_json(200, json))
}

fn by_id(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let object = cx
        .app
        .secrets
        .document(space.id, call.path("documentId"))
        .ok_or_else(|| Error::not_found("document"))?;
    Ok(Reply::raw_json(200, documents::of_object(cx.app, &cx.tx.objects(), &object)?))
}
