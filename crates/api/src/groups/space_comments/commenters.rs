//! Lists the members who have commented or replied.

use bindery_app::Context;
use bindery_app::access::Authorized;
use bindery_app::review::comments::{self, Discussion, HasComments};
use bindery_model::Result;

use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::present;
use crate::reply::Reply;

pub(in crate::groups) fn list<T: HasComments>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (rows, count) =
        comments::commenters(cx, &Discussion::of(target), page.after_time(), page.rows())?;
    let list = page.list(
        rows,
        count,
        |commenter| time_position(commenter.member.joined_at, commenter.user.id),
        |commenter| Ok(present::member(cx.app, commenter.member, commenter.user)),
    )?;
    Reply::json(200, &list)
}
