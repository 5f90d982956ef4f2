//! `getReusableContentById`, the same operation on a revision, and its document.

use bindery_app::access::{Action, Authorized};
use bindery_app::content::snapshot::broken_object;
use bindery_app::publishing::published::ReadableSpace;
use bindery_app::{Context, content::documents};
use bindery_model::{Error, Result, ReusableContentId};
use bindery_revision::ReusableRecord;

use super::{HasContent, LoadedRevision};
use crate::call::Call;
use crate::operation::{Operation, read_long};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_long("getReusableContentById", Action::ReadSpace, by_id::<ReadableSpace>),
        read_long("getReusableContentInRevisionById", Action::ReadSpace, by_id::<ReadableSpace>),
        read_long(
            "getReusableContentDocumentInRevisionById",
            Action::ReadSpace,
            document::<ReadableSpace>,
        ),
    ]
}

fn find(loaded: &LoadedRevision<'_>, call: &Call) -> Result<ReusableRecord> {
    let missing = || Error::not_found("reusable content");
    let id = ReusableContentId::parse(call.path("reusableContentId")).ok_or_else(missing)?;
    let content = &loaded.snapshot().revision.content;
    content.reusable(&loaded.objects, id).map_err(broken_object)?.ok_or_else(missing)
}

pub(in crate::groups) fn by_id<T: HasContent>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let loaded = LoadedRevision::of(cx, &**target, call)?;
    let record = find(&loaded, call)?;
    Reply::json(200, &present::reusable_content(&loaded.view(), record)?)
}

pub(in crate::groups) fn document<T: HasContent>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let loaded = LoadedRevision::of(cx, &**target, call)?;
    let record = find(&loaded, call)?;
    let json = documents::of_reusable(
        cx.app,
        &loaded.objects,
        loaded.snapshot(),
        &record,
        loaded.evaluated(call),
        loaded.answers(),
    )?;
    Ok(Reply::raw_json(200, json))
}
