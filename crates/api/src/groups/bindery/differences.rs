//! `comparePage`, `getChangeRequestDifferences`: differences block by block, for programs and for
//! people.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::differences;
use bindery_app::content::spaces::Space;
use bindery_app::review::change_requests::ChangeRequestTarget;
use bindery_model::{Error, PageId, Result};

use crate::call::Call;
use crate::groups::space_content::LoadedRevision;
use crate::groups::space_content::changes::at_query;
use crate::lists::Page;
use crate::operation::{Operation, read_long};
use crate::present::{Comparison, DifferenceHeading, content_difference};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_long("comparePage", Action::ReadSpace, of_page),
        read_long("getChangeRequestDifferences", Action::ReadSpace, of_change_request),
    ]
}

/// The output formats of differences.
#[derive(Clone, Copy)]
enum Format {
    Json,
    Html,
    Text,
}

impl Format {
    fn of(call: &Call) -> Self {
        match call.query().text("format") {
            Some("html") => Self::Html,
            Some("text") => Self::Text,
            _ => Self::Json,
        }
    }
}

fn comparison<'a>(before: &'a LoadedRevision<'_>, after: &'a LoadedRevision<'_>) -> Comparison<'a> {
    Comparison { before: before.view(), after: after.view() }
}

fn of_page(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let (before, after) = (at_query(cx, space, call, "from")?, at_query(cx, space, call, "to")?);
    let comparison = comparison(&before, &after);
    let missing = || Error::not_found("page");
    let page = PageId::parse(call.path("pageId")).ok_or_else(missing)?;
    let [old, new] = comparison.contents();
    let found = differences::of_page(old, new, &cx.tx.objects(), page)?.ok_or_else(missing)?;
    let item = comparison.item(found)?;
    match Format::of(call) {
        Format::Json => Reply::json(200, &content_difference(item)?),
        Format::Html => {
            let title = item.title().to_owned();
            let count = u64::from(item.is_different());
            let heading = DifferenceHeading { title: &title, count, next: None };
            Ok(Reply::html(comparison.html(&heading, &[item])))
        }
        Format::Text => Ok(Reply::text(comparison.text(None, &[item], 0))),
    }
}

fn of_change_request(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    call: &Call,
) -> Result<Reply> {
    let ChangeRequestTarget { space, change_request } = &**target;
    let page = Page::of(cx.app, call)?;
    let before = LoadedRevision::at(cx, space, call, change_request.merged_ancestor)?;
    let after = LoadedRevision::at(cx, space, call, change_request.head)?;
    let comparison = comparison(&before, &after);
    let [old, new] = comparison.contents();
    let (found, more) = differences::between(old, new, &cx.tx.objects())?;
    let all = u64::try_from(found.len()).unwrap_or(u64::MAX).saturating_add(more);
    let follows = |position: &str| page.after().is_none_or(|after| position > after);
    let rows = usize::try_from(page.rows()).unwrap_or(usize::MAX);
    let rows = found.into_iter().filter(|found| follows(&found.place)).take(rows).collect();
    let count = i64::try_from(all).unwrap_or(i64::MAX);
    let list =
        page.list(rows, count, |found| found.place.clone(), |found| comparison.item(found))?;
    let title = format!("#{} {}", change_request.number, change_request.subject);
    let reply = match Format::of(call) {
        Format::Json => {
            let items = list.items.into_iter().map(content_difference).collect::<Result<_>>()?;
            let bindery_wire::List { next, count, items: _ } = list;
            Reply::json(200, &bindery_wire::List { next, count, items })?
        }
        Format::Html => {
            let next = list
                .next
                .as_ref()
                .map(|next| format!("format=html&limit={}&page={}", page.limit, next.page));
            let heading = DifferenceHeading { title: &title, count: all, next };
            Reply::html(comparison.html(&heading, &list.items))
        }
        Format::Text => {
            let shown = u64::try_from(list.items.len()).unwrap_or(u64::MAX);
            let left = if list.next.is_some() { all.saturating_sub(shown) } else { more };
            Reply::text(comparison.text(Some(&title), &list.items, left))
        }
    };
    Ok(reply.with_revision_etag(change_request.head))
}
