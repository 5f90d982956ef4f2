//! `getCurrentRevision`, `getRevisionById`: complete revisions.

use bindery_app::access::{Action, Authorized};
use bindery_app::publishing::published::ReadableSpace;
use bindery_app::{Context, review::change_requests};
use bindery_model::Result;

use super::{HasContent, LoadedRevision};
use crate::call::Call;
use crate::operation::{Operation, read_long};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_long("getCurrentRevision", Action::ReadSpace, run::<ReadableSpace>),
        read_long("getRevisionById", Action::ReadSpace, run::<ReadableSpace>),
    ]
}

pub(in crate::groups) fn run<T: HasContent>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let loaded = LoadedRevision::of(cx, &**target, call)?;
    let merged_from = match loaded.presented.visitor {
        true => None,
        false => change_requests::merged_into(cx.tx, loaded.snapshot())?,
    };
    let merged_from = merged_from.map(|view| present::change_request(cx.app, view)).transpose()?;
    let revision = present::revision(&loaded.view(), merged_from)?;
    loaded.page_list(&revision)
}
