//! `listSuggestions`, `acceptSuggestions`, `refuseSuggestions`: changes that people suggest for the
//! pages of a change request.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::people::users;
use bindery_app::review::change_requests::ChangeRequestTarget;
use bindery_app::review::editing::{self, Suggestion};
use bindery_model::{Error, Location, PageId, Result};
use bindery_wire::request::ChosenSuggestions;
use bindery_wire::response;

use crate::call::Call;
use crate::closed_sets::suggestion_kind;
use crate::lists::Page;
use crate::operation::{Operation, read_long, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_long("listSuggestions", Action::ReadSpace, list),
        write("acceptSuggestions", Action::EditChangeRequest, accept),
        write("refuseSuggestions", Action::EditChangeRequest, refuse),
    ]
}

fn list(cx: &Context<'_>, target: &Authorized<ChangeRequestTarget>, call: &Call) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let wanted = match call.query().text("pageId") {
        Some(id) => Some(PageId::parse(id).ok_or_else(|| {
            Error::invalid("allowed: the id of a page").at(Location::Query("pageId"))
        })?),
        None => None,
    };
    let found = editing::list_suggestions(cx, &(&**target).into(), wanted)?;
    let count = i64::try_from(found.len()).unwrap_or(i64::MAX);
    let begin = match page.after() {
        Some(after) => {
            found.iter().position(|one| one.id == after).map_or(found.len(), |at| at + 1)
        }
        None => 0,
    };
    let rows = usize::try_from(page.rows()).unwrap_or(usize::MAX);
    let found: Vec<Suggestion> = found.into_iter().skip(begin).take(rows).collect();
    let list = page.list(
        found,
        count,
        |suggestion| suggestion.id.clone(),
        |suggestion| present_one(cx, suggestion),
    )?;
    Reply::json(200, &list)
}

fn present_one(cx: &Context<'_>, suggestion: Suggestion) -> Result<response::Suggestion> {
    let Suggestion {
        id,
        page,
        author,
        kind,
        before,
        after,
        range: (from, to),
        version,
        session,
        suggested_range: (suggested_from, suggested_to),
        suggested_version,
    } = suggestion;
    let author = users::get(cx, author)?;
    Ok(response::Suggestion {
        id,
        page: page.to_string(),
        author: author.map(|author| present::user(cx.app, author)),
        kind: suggestion_kind(kind),
        before,
        after,
        from: position(from),
        to: position(to),
        version: version.map(i64::unsigned_abs),
        suggested: response::SuggestedRange {
            session: session.to_string(),
            from: position(suggested_from),
            to: position(suggested_to),
            version: suggested_version.unsigned_abs(),
        },
    })
}

fn position(at: usize) -> u64 {
    u64::try_from(at).unwrap_or(u64::MAX)
}

fn accept(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    call: &Call,
) -> Result<Reply> {
    let ChosenSuggestions { suggestions } = call.body()?;
    let revision = editing::accept(cx, &(&**target).into(), &suggestions)?;
    Reply::json(200, &response::AcceptedSuggestions { revision: revision.to_string() })
}

fn refuse(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    call: &Call,
) -> Result<Reply> {
    let ChosenSuggestions { suggestions } = call.body()?;
    editing::refuse(cx, &(&**target).into(), &suggestions)?;
    Ok(Reply::empty(204))
}
