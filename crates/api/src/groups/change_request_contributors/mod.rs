//! Group `change-request-contributors`.

use bindery_app::access::{Action, Authorized};
use bindery_app::review::change_requests::ChangeRequestTarget;
use bindery_app::{Context, review::change_request_contributors};
use bindery_model::Result;
use bindery_wire::List;

use crate::call::Call;
use crate::operation::{Operation, read};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![read("getContributorsByChangeRequestId", Action::ReadSpace, list)]
}

fn list(cx: &Context<'_>, target: &Authorized<ChangeRequestTarget>, _: &Call) -> Result<Reply> {
    let views = change_request_contributors::list(cx, target)?.into_iter();
    let items: Vec<_> = views.map(|view| present::contributor(cx.app, view)).collect();
    let count = Some(u64::try_from(items.len()).unwrap_or_default());
    Reply::json(200, &List { next: None, count, items })
}
