//! Links and backlinks of spaces, pages and files, in the main content and in change requests. The
//! operations belong to the groups `space-content`, `change-request-content`, `spaces` and
//! `change-requests-links`.

use std::cell::RefCell;
use std::collections::HashMap;

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::links::{
    BrokenBy, LinkContext, LinkQuery, Links, ReferenceLocation, Stats, Status, Usages,
};
use bindery_app::content::snapshot::Snapshot;
use bindery_app::content::spaces::{Space, VisibleSpace};
use bindery_app::people::organizations;
use bindery_app::review::change_requests::{self, ChangeRequest, ChangeRequestTarget};
use bindery_model::{Error, FileId, PageId, Result, Role};
use bindery_wire::response::{ContentLocation, ContentReferenceUsage};
use bindery_wire::{List, Next};
use serde::Serialize;

use super::organizations::organization_response;
use super::space_content::{HasContent, LoadedRevision};
use crate::call::Call;
use crate::lists::Page;
use crate::operation::{Operation, read_long};
use crate::present::{self, Locations};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    type Proposal = ChangeRequestTarget;
    let action = Action::ReadSpace;
    vec![
        read_long("listSpaceLinks", action, of_space::<Space>),
        read_long("listPageLinksInSpace", action, of_page::<Space>),
        read_long("listSpacePageBacklinks", action, to_page::<Space>),
        read_long("listSpaceFileBacklinks", action, to_file::<Space>),
        read_long("listChangeRequestLinks", action, of_space::<Proposal>),
        read_long("listPageLinksInChangeRequest", action, of_page::<Proposal>),
        read_long("listChangeRequestPageBacklinks", action, to_page::<Proposal>),
        read_long("listChangeRequestFileBacklinks", action, to_file::<Proposal>),
    ]
}

/// A target with links: a space or a change request.
trait HasLinks: HasContent {
    fn change_request(&self) -> Option<&ChangeRequest>;
}

impl HasLinks for Space {
    fn change_request(&self) -> Option<&ChangeRequest> {
        None
    }
}

impl HasLinks for ChangeRequestTarget {
    fn change_request(&self) -> Option<&ChangeRequest> {
        Some(&self.change_request)
    }
}

/// A page of reference targets with the counts of all targets.
#[derive(Serialize)]
struct LinkList {
    #[serde(flatten)]
    list: List<ContentReferenceUsage>,
    stats: StatsResponse,
}

#[derive(Serialize)]
struct StatsResponse {
    total: u64,
    broken: BrokenCounts,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BrokenCounts {
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    change_request: Option<u64>,
}

fn of_space<T: HasLinks>(cx: &Context<'_>, target: &Authorized<T>, call: &Call) -> Result<Reply> {
    usages(cx, target, call, |links, query| links.of_space(query))
}

fn of_page<T: HasLinks>(cx: &Context<'_>, target: &Authorized<T>, call: &Call) -> Result<Reply> {
    let page = PageId::parse(call.path("pageId")).ok_or_else(|| Error::not_found("page"))?;
    usages(cx, target, call, |links, query| links.of_page(page, query))
}

fn to_page<T: HasLinks>(cx: &Context<'_>, target: &Authorized<T>, call: &Call) -> Result<Reply> {
    let page = PageId::parse(call.path("pageId")).ok_or_else(|| Error::not_found("page"))?;
    backlinks(cx, target, call, |links, after, rows| links.to_page(page, after, rows))
}

fn to_file<T: HasLinks>(cx: &Context<'_>, target: &Authorized<T>, call: &Call) -> Result<Reply> {
    let file = FileId::parse(call.path("fileId")).ok_or_else(|| Error::not_found("file"))?;
    backlinks(cx, target, call, |links, after, rows| links.to_file(file, after, rows))
}

fn usages<T: HasLinks>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
    list: impl Fn(&Links<'_>, &LinkQuery) -> Result<Usages>,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    let query = LinkQuery {
        status: match call.query().text("status") {
            Some("ok") => Some(Status::Ok),
            Some("broken") => Some(Status::Broken),
            Some("in-app") => Some(Status::InApp),
            _ => None,
        },
        broken_by: match call.query().text("brokenContext") {
            Some("change-request") => Some(BrokenBy::ChangeRequest),
            Some("space") => Some(BrokenBy::Space),
            _ => None,
        },
        after: page.after().map(str::to_owned),
        limit: usize::try_from(page.limit).unwrap_or(usize::MAX),
    };
    with_links(cx, &**target, target.role(), call, |links, locations| {
        let Usages { items, more, count, stats } = list(links, &query)?;
        let Stats { total, broken, broken_here } = stats;
        let next = items.last().filter(|_| more);
        let next = next.map(|last| Next { page: page.cursor(&last.place) });
        let items = items.into_iter().map(|usage| locations.usage(usage));
        let list = List { next, count: Some(count), items: items.collect::<Result<_>>()? };
        let broken = BrokenCounts { total: broken, change_request: broken_here };
        Reply::json(200, &LinkList { list, stats: StatsResponse { total, broken } })
    })
}

fn backlinks<T: HasLinks>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
    list: impl Fn(&Links<'_>, Option<&str>, usize) -> Result<(Vec<ReferenceLocation>, u64)>,
) -> Result<Reply> {
    let page = Page::of(cx.app, call)?;
    with_links(cx, &**target, target.role(), call, |links, locations| {
        let rows = usize::try_from(page.rows()).unwrap_or(usize::MAX);
        let (places, count) = list(links, page.after(), rows)?;
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let list: List<ContentLocation> =
            page.list(places, count, ReferenceLocation::to_string, |place| {
                locations.location(place)
            })?;
        Reply::json(200, &list)
    })
}

fn with_links<T: HasLinks>(
    cx: &Context<'_>,
    target: &T,
    role: Role,
    call: &Call,
    answer: impl FnOnce(&Links<'_>, &Locations<'_>) -> Result<Reply>,
) -> Result<Reply> {
    let space = target.space();
    let loaded = LoadedRevision::at(cx, space, call, target.revision(call)?)?;
    let view = loaded.view();
    let proposal = target.change_request();
    let at = |row: &ChangeRequest| Snapshot::of(cx.app, cx.tx, space, Some(row.merged_ancestor));
    let base = proposal.map(at).transpose()?;
    let change_request = match proposal {
        Some(row) => {
            let view = change_requests::view(cx.tx, row.clone())?;
            Some(present::change_request(cx.app, view)?)
        }
        None => None,
    };
    let context = LinkContext::new(cx, space);
    let base = base.as_ref().map(|base| &base.revision.content);
    let content = &view.presented.snapshot.revision.content;
    let links = Links::of(content, base, view.objects, &context);
    let locations = Locations {
        cx,
        links: &context,
        organization: organization_response(cx, organizations::owner(cx, space)?)?,
        space: present::space_of(cx, VisibleSpace { space: space.clone(), role })?,
        change_request,
        other_spaces: RefCell::new(HashMap::new()),
        view,
    };
    answer(&links, &locations)
}
