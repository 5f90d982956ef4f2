//! `getCurrentRevision`, `getRevisionById`: a whole revision.

use bindery_app::Cx;
use bindery_app::access::{Action, Authorized};
use bindery_model::Result;
use bindery_store::spaces::Space;

use super::Held;
use crate::call::Call;
use crate::operation::{Operation, read_long};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_long("getCurrentRevision", Action::ReadSpace, run),
        read_long("getRevisionById", Action::ReadSpace, run),
    ]
}

fn run(cx: &Cx<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let held = Held::of(cx, space, call)?;
    let revision = present::revision(&held.shown())?;
    Ok(Reply::json(200, &revision)?.of_revision(&revision.id))
}
