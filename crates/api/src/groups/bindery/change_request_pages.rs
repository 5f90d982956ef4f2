//! Groups and links of a change request, and how its pages look.

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::content_changes::{
    ContentChange, LayoutChange, LookChange, NavigationPage, NewCover, PageTarget as Target,
};
use bindery_app::review::change_requests::{self, ChangeRequestTarget};
use bindery_app::review::editing::MadeFor;
use bindery_model::{
    CoverSize, Error, FieldPath, FileId, Layout, LayoutWidth, PageId, Result, SpaceId,
};
use bindery_wire::request::{
    ContentRefFile, ContentRefPage, ContentRefURL, NewNavigationPage, PageLayoutChange,
    PageLookChange, PageTarget, RevisionPageDocumentCover, RevisionPageDocumentCoverRef,
};
use bindery_wire::response::ChangedPage;
use bindery_wire::values::{
    NewNavigationPageType, RevisionPageLayoutOptionsCoverSize, RevisionPageLayoutOptionsWidth,
};

use crate::call::Call;
use crate::groups::space_content::LoadedRevision;
use crate::operation::{Operation, write};
use crate::present;
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        write("insertChangeRequestPage", Action::EditChangeRequest, insert),
        write("updateChangeRequestPage", Action::EditChangeRequest, update),
    ]
}

fn insert(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    call: &Call,
) -> Result<Reply> {
    let NewNavigationPage { r#type: kind, title, into, at, target: link } = call.body()?;
    let body = FieldPath::new("");
    let link =
        link.map(|link| target_of(target.space.id, &body.field("target"), link)).transpose()?;
    match (kind, &link) {
        (NewNavigationPageType::Link, None) => {
            return Err(body.field("target").invalid("a link needs a target"));
        }
        (NewNavigationPageType::Group, Some(_)) => {
            return Err(body.field("target").invalid("a group has no target"));
        }
        _ => {}
    }
    let into = into.map(|id| page_id(&body.field("into"), &id)).transpose()?;
    let page = NavigationPage { title, into, at, target: link };
    change(cx, target, call, ContentChange::InsertNavigationPage(page))
}

fn update(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    call: &Call,
) -> Result<Reply> {
    let PageLookChange { layout, cover, target: link } = call.body()?;
    let body = FieldPath::new("");
    let page = PageId::parse(call.path("pageId")).ok_or_else(|| Error::not_found("page"))?;
    let cover = match cover.change() {
        None => None,
        Some(None) => Some(None),
        Some(Some(cover)) => Some(Some(cover_of(&body.field("cover"), cover)?)),
    };
    let link =
        link.map(|link| target_of(target.space.id, &body.field("target"), link)).transpose()?;
    let look = LookChange { layout: layout.map(layout_change), cover, target: link };
    change(cx, target, call, ContentChange::ChangeLook(page, look))
}

/// Makes one change, and answers with the page that it is about.
fn change(
    cx: &Context<'_>,
    target: &Authorized<ChangeRequestTarget>,
    call: &Call,
    change: ContentChange,
) -> Result<Reply> {
    call.check_if_match(target.change_request.head)?;
    let (revision, changed) =
        change_requests::change_content(cx, target, vec![change], MadeFor::Head)?;
    let id = changed.touched.first().map(|(id, _)| *id);
    let id = id.ok_or_else(|| Error::internal("a changed page is missing"))?;
    let loaded = LoadedRevision::at(cx, &target.space, call, revision)?;
    let page = present::page(&loaded.view(), id)?;
    let answer = ChangedPage { revision: revision.to_string(), page };
    Ok(Reply::json(200, &answer)?.with_revision_etag(revision))
}

fn page_id(at: &FieldPath, id: &str) -> Result<PageId> {
    PageId::parse(id).ok_or_else(|| at.not_found("page"))
}

fn file_id(at: &FieldPath, id: &str) -> Result<FileId> {
    FileId::parse(id).ok_or_else(|| at.not_found("file"))
}

fn target_of(space: SpaceId, at: &FieldPath, target: PageTarget) -> Result<Target> {
    Ok(match target {
        PageTarget::URL(ContentRefURL { url }) => Target::Url(url),
        PageTarget::File(ContentRefFile { file }) => {
            Target::File(file_id(&at.field("file"), &file)?)
        }
        PageTarget::Page(ContentRefPage { page, space: other }) => {
            if other.is_some_and(|other| other != space.to_string()) {
                return Err(at.field("space").invalid("allowed: pages of this space"));
            }
            Target::Page(page_id(&at.field("page"), &page)?)
        }
    })
}

fn cover_of(at: &FieldPath, cover: RevisionPageDocumentCover) -> Result<NewCover> {
    let RevisionPageDocumentCover { r#ref: image, ref_dark, y_pos, height } = cover;
    let image_of = |name: &str, image: Option<RevisionPageDocumentCoverRef>| match image {
        None => Ok(None),
        Some(RevisionPageDocumentCoverRef::URL(ContentRefURL { url })) => {
            Ok(Some(Target::Url(url)))
        }
        Some(RevisionPageDocumentCoverRef::File(ContentRefFile { file })) => {
            file_id(&at.field(name).field("file"), &file).map(|file| Some(Target::File(file)))
        }
    };
    let (image, image_dark) = (image_of("ref", image)?, image_of("refDark", ref_dark)?);
    Ok(NewCover { image, image_dark, y_pos, height })
}

fn layout_change(change: PageLayoutChange) -> LayoutChange {
    let PageLayoutChange {
        width,
        cover,
        cover_size,
        title,
        description,
        table_of_contents,
        outline,
        pagination,
        metadata,
    } = change;
    Box::new(move |layout| Layout {
        width: width.as_ref().map_or(layout.width, |width| match width {
            RevisionPageLayoutOptionsWidth::Default => LayoutWidth::Default,
            RevisionPageLayoutOptionsWidth::Wide => LayoutWidth::Wide,
        }),
        cover: cover.unwrap_or(layout.cover),
        cover_size: cover_size.as_ref().map_or(layout.cover_size, |size| match size {
            RevisionPageLayoutOptionsCoverSize::Hero => CoverSize::Hero,
            RevisionPageLayoutOptionsCoverSize::Full => CoverSize::Full,
        }),
        title: title.unwrap_or(layout.title),
        description: description.unwrap_or(layout.description),
        table_of_contents: table_of_contents.unwrap_or(layout.table_of_contents),
        outline: outline.unwrap_or(layout.outline),
        pagination: pagination.unwrap_or(layout.pagination),
        metadata: metadata.unwrap_or(layout.metadata),
        ..layout
    })
}
