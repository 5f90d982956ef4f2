//! `listPages`, `getPageById`, `getPageByPath`, `listSpacePageMetaLinks` and the same operations on
//! a
//! revision.

use bindery_app::access::{Action, Authorized};
use bindery_app::content::broken_object;
use bindery_app::published::ReadableSpace;
use bindery_app::{Cx, documents};
use bindery_model::{Error, PageId, Result};
use bindery_revision::tree::Tree;
use bindery_wire::response::{ListPagesResponse, RevisionPage, RevisionPageDocument};
use serde_json::value::RawValue;

use super::{HasContent, Held};
use crate::call::Call;
use crate::operation::{Operation, read_long};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_long("listPages", Action::ReadSpace, list::<ReadableSpace>),
        read_long("listPagesInRevisionById", Action::ReadSpace, list::<ReadableSpace>),
        read_long("getPageById", Action::ReadSpace, by_id::<ReadableSpace>),
        read_long("getPageInRevisionById", Action::ReadSpace, by_id::<ReadableSpace>),
        read_long("getPageByPath", Action::ReadSpace, by_path::<ReadableSpace>),
        read_long("getPageInRevisionByPath", Action::ReadSpace, by_path::<ReadableSpace>),
        read_long("listSpacePageMetaLinks", Action::ReadSpace, meta_links::<ReadableSpace>),
        read_long("listRevisionPageMetaLinks", Action::ReadSpace, meta_links::<ReadableSpace>),
    ]
}

pub(in crate::groups) fn list<T: HasContent>(
    cx: &Cx<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let held = Held::of(cx, &**target, call)?;
    held.page_list(&ListPagesResponse { pages: Vec::new() })
}

pub(in crate::groups) fn by_id<T: HasContent>(
    cx: &Cx<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let page = PageId::parse(call.path("pageId")).ok_or_else(|| Error::not_found("page"))?;
    let held = Held::of(cx, &**target, call)?;
    Reply::json(200, &with_text(&held, call, page)?)
}

pub(in crate::groups) fn by_path<T: HasContent>(
    cx: &Cx<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let held = Held::of(cx, &**target, call)?;
    let tree = Tree::new(&held.snapshot().revision.content, &held.objects);
    let page = tree.by_path(call.path("pagePath")).map_err(broken_object)?;
    let page = page.ok_or_else(|| Error::not_found("page"))?;
    Reply::json(200, &present::by_path(with_text(&held, call, page)?)?)
}

/// Returns the `canonical` and `alternate` links of a page's HTML head.
pub(in crate::groups) fn meta_links<T: HasContent>(
    cx: &Cx<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let page = PageId::parse(call.path("pageId")).ok_or_else(|| Error::not_found("page"))?;
    let held = Held::of(cx, &**target, call)?;
    let record = held.record(page)?;
    Reply::json(200, &present::meta_links(&record.meta_links))
}

/// Returns a page with its text in the requested format.
fn with_text(held: &Held<'_>, call: &Call, page: PageId) -> Result<RevisionPage> {
    let _present = held.record(page)?;
    let shown = present::page(&held.shown(), page)?;
    let RevisionPage::Document(mut shown) = shown else {
        return Ok(shown);
    };
    add_text(held, call, page, &mut shown)?;
    Ok(RevisionPage::Document(shown))
}

fn add_text(
    held: &Held<'_>,
    call: &Call,
    page: PageId,
    shown: &mut RevisionPageDocument,
) -> Result<()> {
    let record = held.record(page)?;
    match call.query().text("format") {
        Some("markdown") => {
            let addresses = present::FromPage { shown: held.shown(), path: &shown.path };
            let markdown = documents::markdown(
                held.app,
                &held.objects,
                &held.snapshot().revision.content,
                &record,
                held.evaluated(call),
                &addresses,
            )?;
            shown.markdown = Some(markdown);
        }
        // Without a format the page carries its document, as clients of the contract expect.
        _ => {
            let json = documents::of_page(
                held.app,
                &held.objects,
                held.snapshot(),
                &record,
                held.evaluated(call),
            )?;
            let raw = RawValue::from_string(json)
                .map_err(|error| Error::internal(format!("a document is not JSON: {error}")))?;
            shown.document = Some(raw);
        }
    }
    Ok(())
}
