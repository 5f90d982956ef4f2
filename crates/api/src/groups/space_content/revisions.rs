//! `getCurrentRevision`, `getRevisionById`: a whole revision.

use bindery_app::Cx;
use bindery_app::access::{Action, Authorized};
use bindery_model::Result;
use bindery_store::spaces::Space;

use super::{At, Held};
use crate::call::Call;
use crate::operation::{Operation, read_long};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_long("getCurrentRevision", Action::ReadSpace, |cx, space, call| {
            run(cx, space, call, At::Head)
        }),
        read_long("getRevisionById", Action::ReadSpace, |cx, space, call| {
            run(cx, space, call, At::Path)
        }),
    ]
}

fn run(cx: &Cx<'_>, space: &Authorized<Space>, call: &Call, at: At) -> Result<Reply> {
    let held = Held::of(cx, space, call, at)?;
    let revision = present::revision(&held.shown())?;
    Ok(Reply::json(200, &revision)?.of_revision(&revision.id))
}
