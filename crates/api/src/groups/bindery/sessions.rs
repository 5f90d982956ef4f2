//! `getCurrentSession`, `listSessions`, `deleteSession`, `deleteOtherSessions`: the caller's own
//! sessions.

use bindery_app::access::credentials::Credentials;
use bindery_app::access::{Action, Authorized, SignedIn};
use bindery_app::{Context, people::sessions, people::users};
use bindery_model::{Error, Result};

use crate::call::Call;
use crate::lists::{Page, time_position};
use crate::operation::{Operation, read, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read("getCurrentSession", Action::ActAsSelf, current),
        read("listSessions", Action::ActAsSelf, list),
        write("deleteSession", Action::ManageSelf, delete),
        write("deleteOtherSessions", Action::ManageSelf, delete_others),
    ]
}

fn current(cx: &Context<'_>, _: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let session = sessions::current(cx)?;
    let Some(Credentials::Session { secret, .. }) = &call.credentials else {
        return Err(Error::not_found("session"));
    };
    let user = users::caller(cx)?;
    Ok(Reply::json(200, &present::current_session(cx.app, user, session, secret))?
        .without_caching())
}

fn list(cx: &Context<'_>, _: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let (found, count) = sessions::list(cx, page.after_time(), page.rows())?;
    let current = sessions::current_id(cx);
    let list = page.list(
        found,
        count,
        |session| time_position(session.created_at, session.id),
        |session| Ok(present::session(session, current)),
    )?;
    Reply::json(200, &list)
}

fn delete(cx: &Context<'_>, caller: &Authorized<SignedIn>, call: &Call) -> Result<Reply> {
    sessions::end(cx, caller, call.path("sessionId"))?;
    Ok(Reply::empty(205))
}

fn delete_others(cx: &Context<'_>, caller: &Authorized<SignedIn>, _: &Call) -> Result<Reply> {
    sessions::end_others(cx, caller)?;
    Ok(Reply::empty(205))
}
