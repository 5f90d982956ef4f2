//! `listPages`, `getPageById`, `getPageByPath`, `listSpacePageMetaLinks` and the same operations on
//! a revision.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::documents;
use bindery_app::content::former_paths::{self, FormerTarget, PresentPages};
use bindery_app::content::markdown::{self, EvaluationFor};
use bindery_app::content::snapshot::broken_object;
use bindery_app::publishing::published::ReadableSpace;
use bindery_model::{Error, PageId, Result};
use bindery_revision::tree::Tree;
use bindery_wire::response::{ListPagesResponse, RevisionPage, RevisionPageDocument};
use serde_json::value::RawValue;

use super::{HasContent, LoadedRevision};
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
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let loaded = LoadedRevision::of(cx, &**target, call)?;
    loaded.page_list(&ListPagesResponse { pages: Vec::new() })
}

pub(in crate::groups) fn by_id<T: HasContent>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let page = PageId::parse(call.path("pageId")).ok_or_else(|| Error::not_found("page"))?;
    let loaded = LoadedRevision::of(cx, &**target, call)?;
    Reply::json(200, &with_text(&loaded, call, page)?)
}

pub(in crate::groups) fn by_path<T: HasContent>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let loaded = LoadedRevision::of(cx, &**target, call)?;
    let (content, path) = (&loaded.snapshot().revision.content, call.path("pagePath"));
    let page = match loaded.at(path)? {
        Some(page) => Some(FormerTarget::Page(page)),
        None => former_paths::target(content, &loaded.objects, &loaded, path)?,
    };
    let Some(FormerTarget::Page(page)) = page else { return Err(Error::not_found("page")) };
    Reply::json(200, &present::by_path(with_text(&loaded, call, page)?)?)
}

impl PresentPages for LoadedRevision<'_> {
    fn at(&self, path: &str) -> Result<Option<PageId>> {
        let tree = Tree::new(&self.snapshot().revision.content, &self.objects);
        let Some(page) = tree.by_path(path).map_err(broken_object)? else { return Ok(None) };
        Ok(self.is_present(page)?.then_some(page))
    }

    fn is_present(&self, page: PageId) -> Result<bool> {
        let content = &self.snapshot().revision.content;
        let record = content.page(&self.objects, page).map_err(broken_object)?;
        record.map_or(Ok(false), |record| self.view().is_present(&record))
    }
}

/// Returns the `canonical` and `alternate` links of a page's HTML head.
pub(in crate::groups) fn meta_links<T: HasContent>(
    cx: &Context<'_>,
    target: &Authorized<T>,
    call: &Call,
) -> Result<Reply> {
    let page = PageId::parse(call.path("pageId")).ok_or_else(|| Error::not_found("page"))?;
    let loaded = LoadedRevision::of(cx, &**target, call)?;
    let record = loaded.record(page)?;
    Reply::json(200, &present::meta_links(&record.meta_links))
}

/// Returns a page with its text in the requested format.
fn with_text(loaded: &LoadedRevision<'_>, call: &Call, page: PageId) -> Result<RevisionPage> {
    let _present = loaded.record(page)?;
    let page_response = present::page(&loaded.view(), page)?;
    let RevisionPage::Document(mut page_response) = page_response else {
        return Ok(page_response);
    };
    add_text(loaded, call, page, &mut page_response)?;
    Ok(RevisionPage::Document(page_response))
}

fn add_text(
    loaded: &LoadedRevision<'_>,
    call: &Call,
    page: PageId,
    page_response: &mut RevisionPageDocument,
) -> Result<()> {
    let record = loaded.record(page)?;
    match call.query().text("format") {
        Some("markdown") => {
            let addresses = present::FromPage { view: loaded.view(), path: &page_response.path };
            let content = &loaded.snapshot().revision.content;
            let visitor = loaded.answers().of_page(&content.variables, &record.variables);
            let markdown = markdown::of_page(
                loaded.app,
                &loaded.objects,
                content,
                &record,
                EvaluationFor { evaluated: loaded.evaluated(call), visitor: Some(&visitor) },
                &addresses,
            )?;
            page_response.markdown = Some(markdown);
        }
        // Without a format the page carries its document, as clients of the contract expect.
        _ => {
            let json = documents::of_page(
                loaded.app,
                &loaded.objects,
                loaded.snapshot(),
                &record,
                loaded.evaluated(call),
                loaded.answers(),
            )?;
            let raw = RawValue::from_string(json)
                .map_err(|error| Error::internal(format!("a document is not JSON: {error}")))?;
            page_response.document = Some(raw);
        }
    }
    Ok(())
}
