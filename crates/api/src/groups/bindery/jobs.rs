//! `listJobs`, `getJob`, `cancelJob`: jobs, their progress and their cancellation.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::jobs::{self, JobQuery, JobStatus, JobTarget};
use bindery_model::{JobKind, Result};

use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("listJobs", Action::ActAsSelf, list),
        read("getJob", Action::ViewJobs, get),
        write("cancelJob", Action::CancelJob, cancel),
    ]
}

fn list(cx: &Context<'_>, caller: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let text = |name: &str| call.query().text(name).map(str::to_owned);
    let query = JobQuery {
        organization: text("organization"),
        space: text("space"),
        kind: call.query().text("kind").and_then(JobKind::parse),
        status: call.query().text("status").and_then(JobStatus::parse),
    };
    let (rows, count) = jobs::list(cx, caller, &query, page.after_time(), page.rows())?;
    let list = page.list(
        rows,
        count,
        |job| time_position(job.created_at, job.id),
        |job| Ok(present::job(cx.app, job)),
    )?;
    Reply::json(200, &list)
}

fn get(cx: &Context<'_>, job: &Authorized<JobTarget>, _: &Call) -> Result<Reply> {
    Reply::json(200, &present::job(cx.app, job.0.clone()))
}

fn cancel(cx: &Context<'_>, job: &Authorized<JobTarget>, _: &Call) -> Result<Reply> {
    jobs::cancel(cx, job)?;
    Ok(Reply::empty(205))
}
