//! Revisions, pages and files.

use std::collections::HashMap;

use bindery_app::App;
use bindery_app::content::git::{BlobState, Commit, SyncedFile};
use bindery_app::content::snapshot::{self, Snapshot, broken_object, broken_tree};
use bindery_app::publishing::adaptive::Answers;
use bindery_app::publishing::published::admits;
use bindery_model::{Error, OrganizationId, PageId, Result, SpaceId};
use bindery_revision::tree::Tree;
use bindery_revision::{
    ContentKind, ContentRef, Cover, CoverSize, Direction, FileRecord, Layout, LayoutWidth, Map,
    MetaLinks, Objects, PageKind, PageRecord, PageTag, Record, ReusableRecord, Variable, Variables,
};
use bindery_wire::response::{
    self, GetPageInChangeRequestByPathResponse, Revision, RevisionPage, RevisionPageDocumentPage,
};
use bindery_wire::values::{
    self, RevisionPageDocumentKind, RevisionPageGroupKind, RevisionPageLayoutOptionsCoverSize,
    RevisionPageLayoutOptionsWidth, RevisionPageLinkKind,
};

use super::computed;

/// A revision that is presented, with the objects it is read from.
#[derive(Clone, Copy)]
pub(crate) struct ContentView<'a> {
    pub(crate) app: &'a App,
    pub(crate) objects: &'a dyn Objects,
    pub(crate) presented: &'a PresentedRevision,
}

/// A revision with the facts for its presentation that its objects do not contain.
pub(crate) struct PresentedRevision {
    pub(crate) organization: OrganizationId,
    pub(crate) snapshot: Snapshot,
    /// `true` if the reader sees only the content that a site shows to the public.
    pub(crate) visitor: bool,
    /// The answers of the visitor to conditions on pages.
    pub(crate) answers: Answers,
    /// `true` if the files are publicly readable.
    pub(crate) public: bool,
    /// The address at which readers see the space.
    pub(crate) published: Option<String>,
    /// The Git commit that the revision was imported from, if requested.
    pub(crate) commit: Option<Commit>,
    /// Paths and blobs of the commit; `None` if they were not requested.
    pub(crate) blobs: Option<BlobState>,
}

impl ContentView<'_> {
    pub(super) fn tree(&self) -> Tree<'_> {
        Tree::new(&self.presented.snapshot.revision.content, self.objects)
    }

    /// Returns `true` if the caller sees the page, assuming that the caller sees its parents.
    pub(super) fn admits(&self, page: &PageRecord) -> bool {
        let PresentedRevision { visitor, answers, snapshot, .. } = self.presented;
        !visitor || admits(answers, &snapshot.revision.content.variables, page)
    }

    /// Returns `true` if the caller sees the page and all its parents.
    pub(crate) fn is_present(&self, page: &PageRecord) -> Result<bool> {
        if !self.presented.visitor {
            return Ok(true);
        }
        let tree = self.tree();
        let mut page = page.clone();
        loop {
            if !self.admits(&page) {
                return Ok(false);
            }
            let Some(parent) = page.parent else { return Ok(true) };
            page = tree.page(parent).map_err(broken_tree)?;
        }
    }

    /// Returns `true` if a list of pages contains the page, assuming that it contains its parents.
    pub(super) fn lists(&self, page: &PageRecord) -> bool {
        !self.presented.visitor || !page.hidden && self.admits(page)
    }

    fn space(&self) -> SpaceId {
        self.presented.snapshot.space
    }

    /// Returns the file of a page or other part in the Git repository, if requested.
    fn blob(
        &self,
        find: impl FnOnce(&BlobState, &dyn Objects) -> Result<Option<SyncedFile>>,
    ) -> Result<Option<response::GitSyncBlob>> {
        let Some(blobs) = &self.presented.blobs else { return Ok(None) };
        let found = find(blobs, self.objects)?;
        Ok(found.map(|SyncedFile { oid, path }| response::GitSyncBlob { oid, path }))
    }
}

/// Pages by their parents, in order.
struct PagesByParent {
    by_parent: HashMap<PageId, Vec<PageRecord>>,
}

fn tree_page(
    view: &ContentView<'_>,
    pages: &mut PagesByParent,
    record: PageRecord,
    above: &str,
) -> Result<RevisionPage> {
    let path =
        if above.is_empty() { record.slug.clone() } else { format!("{above}/{}", record.slug) };
    let children = pages.by_parent.remove(&record.id).unwrap_or_default();
    match &record.kind {
        PageKind::Link { .. } => Ok(RevisionPage::Link(Box::new(link(record)))),
        PageKind::Computed if let Some(source) = computed::page_source(&record) => {
            Ok(RevisionPage::Computed(Box::new(computed_page(record, source))))
        }
        PageKind::Group => {
            let children = children
                .into_iter()
                .map(|child| as_child(tree_page(view, pages, child, &path)?))
                .collect::<Result<_>>()?;
            Ok(RevisionPage::Group(Box::new(group(record, path, children))))
        }
        PageKind::Document | PageKind::Computed => {
            let children = children
                .into_iter()
                .map(|child| as_child(tree_page(view, pages, child, &path)?))
                .collect::<Result<_>>()?;
            Ok(RevisionPage::Document(Box::new(document(view, record, path, children)?)))
        }
    }
}

fn group_below() -> Error {
    Error::internal("a group stands below another page")
}

fn as_child(page: RevisionPage) -> Result<RevisionPageDocumentPage> {
    match page {
        RevisionPage::Document(page) => Ok(RevisionPageDocumentPage::Document(page)),
        RevisionPage::Link(page) => Ok(RevisionPageDocumentPage::Link(page)),
        RevisionPage::Computed(page) => Ok(RevisionPageDocumentPage::Computed(page)),
        RevisionPage::Group(_) => Err(group_below()),
    }
}

/// Presents one page at a known path without its descendants.
pub(super) fn page_at_path(
    view: &ContentView<'_>,
    record: PageRecord,
    path: String,
) -> Result<RevisionPage> {
    Ok(match &record.kind {
        PageKind::Link { .. } => RevisionPage::Link(Box::new(link(record))),
        PageKind::Computed if let Some(source) = computed::page_source(&record) => {
            RevisionPage::Computed(Box::new(computed_page(record, source)))
        }
        PageKind::Group => RevisionPage::Group(Box::new(group(record, path, Vec::new()))),
        PageKind::Document | PageKind::Computed => {
            RevisionPage::Document(Box::new(document(view, record, path, Vec::new())?))
        }
    })
}

/// Presents one page with its descendants.
pub(crate) fn page(view: &ContentView<'_>, id: PageId) -> Result<RevisionPage> {
    let tree = view.tree();
    let record = tree.page(id).map_err(broken_tree)?;
    let above = match record.parent {
        Some(parent) => tree.path(parent).map_err(broken_tree)?,
        None => String::new(),
    };
    let mut pages = PagesByParent { by_parent: HashMap::new() };
    collect_children(view, &tree, &mut pages, id)?;
    tree_page(view, &mut pages, record, &above)
}

/// Presents one page without its descendants; `None` if it does not exist.
pub(crate) fn single_page(view: &ContentView<'_>, id: PageId) -> Result<Option<RevisionPage>> {
    let content = &view.presented.snapshot.revision.content;
    let Some(record) = content.page(view.objects, id).map_err(broken_object)? else {
        return Ok(None);
    };
    let path = view.tree().path(id).map_err(broken_tree)?;
    page_at_path(view, record, path).map(Some)
}

fn collect_children(
    view: &ContentView<'_>,
    tree: &Tree<'_>,
    pages: &mut PagesByParent,
    above: PageId,
) -> Result<()> {
    let mut open = vec![above];
    while let Some(parent) = open.pop() {
        let mut children = Vec::new();
        for child in tree.children(Some(parent)) {
            let child = child.map_err(broken_object)?;
            let record = tree.page(child.id).map_err(broken_tree)?;
            if !view.lists(&record) {
                continue;
            }
            children.push(record);
            if child.entry.has_children {
                open.push(child.id);
            }
        }
        pages.by_parent.insert(parent, children);
    }
    Ok(())
}

fn document(
    view: &ContentView<'_>,
    record: PageRecord,
    path: String,
    children: Vec<RevisionPageDocumentPage>,
) -> Result<response::RevisionPageDocument> {
    let git = view.blob(|blobs, objects| blobs.of_page(objects, &record))?;
    let (computed, computed_seed) = computed::document_source(&record).unzip();
    let PageRecord {
        id,
        kind: _,
        parent: _,
        order: _,
        title,
        link_title,
        slug,
        emoji,
        icon,
        description,
        layout,
        cover,
        variables,
        hidden,
        no_index,
        no_robots_index,
        condition,
        tags,
        meta_links: _,
        computed: _,
        created_at,
        updated_at,
        body,
        source_path: _,
        operation: _,
    } = record;
    let app_url =
        format!("{}/{id}", view.app.urls.app_space(view.presented.organization, view.space()));
    Ok(response::RevisionPageDocument {
        id: id.to_string(),
        title: display_title(title),
        emoji,
        icon,
        created_at: Some(created_at),
        updated_at: Some(updated_at),
        link_title,
        condition,
        markdown: None,
        document: None,
        kind: RevisionPageDocumentKind::Sheet,
        urls: response::RevisionPageDocumentUrls { app: app_url },
        slug,
        path,
        description,
        pages: children,
        git,
        layout: page_layout(layout),
        cover: cover.map(page_cover),
        variables: (!variables.is_empty() && !view.presented.visitor)
            .then(|| page_variables(variables)),
        tags: (!tags.is_empty()).then(|| tags.into_iter().map(page_tag).collect()),
        hidden: Some(hidden),
        no_index: Some(no_index),
        no_robots_index: Some(no_robots_index),
        // A client asks for the document of a computed page by its source.
        document_id: body
            .filter(|_| computed.is_none())
            .map(|body| view.app.secrets.document_id(view.space(), &body)),
        computed,
        computed_seed,
    })
}

fn computed_page(
    record: PageRecord,
    computed: response::ComputedContentSourceRevision,
) -> response::RevisionPageComputed {
    response::RevisionPageComputed {
        id: record.id.to_string(),
        title: display_title(record.title),
        emoji: record.emoji,
        icon: record.icon,
        created_at: Some(record.created_at),
        updated_at: Some(record.updated_at),
        link_title: record.link_title,
        condition: record.condition,
        computed,
    }
}

fn page_tag(tag: PageTag) -> response::RevisionPageTag {
    let PageTag { tag, primary } = tag;
    response::RevisionPageTag { tag, primary }
}

/// The contract requires a title of at least one character.
pub(super) fn display_title(title: String) -> String {
    if title.is_empty() { "Untitled".to_owned() } else { title }
}

fn group(
    record: PageRecord,
    path: String,
    children: Vec<RevisionPageDocumentPage>,
) -> response::RevisionPageGroup {
    response::RevisionPageGroup {
        id: record.id.to_string(),
        title: display_title(record.title),
        emoji: record.emoji,
        icon: record.icon,
        created_at: Some(record.created_at),
        updated_at: Some(record.updated_at),
        link_title: record.link_title,
        condition: record.condition,
        kind: RevisionPageGroupKind::Group,
        slug: record.slug,
        path,
        hidden: Some(record.hidden),
        no_index: Some(record.no_index),
        no_robots_index: Some(record.no_robots_index),
        pages: children,
    }
}

fn link(record: PageRecord) -> response::RevisionPageLink {
    let target = match &record.kind {
        PageKind::Link { target } => reference(target),
        _ => url(""),
    };
    let href = match &target {
        response::ContentRef::URL(url) => Some(url.url.clone()),
        _ => None,
    };
    response::RevisionPageLink {
        id: record.id.to_string(),
        title: display_title(record.title),
        emoji: record.emoji,
        icon: record.icon,
        created_at: Some(record.created_at),
        updated_at: Some(record.updated_at),
        link_title: record.link_title,
        condition: record.condition,
        kind: RevisionPageLinkKind::Link,
        target,
        href,
        hidden: Some(record.hidden),
    }
}

fn url(text: &str) -> response::ContentRef {
    response::ContentRef::URL(response::ContentRefURL { url: text.to_owned() })
}

/// Converts a reference to the contract's shape. A broken or unknown reference becomes its text as
/// a URL.
pub(super) fn reference(target: &ContentRef) -> response::ContentRef {
    let text = |id: &dyn std::fmt::Display| id.to_string();
    match target {
        ContentRef::Url(address) | ContentRef::Other(address) | ContentRef::Broken(address) => {
            url(address)
        }
        ContentRef::File { file, space: _ } => {
            response::ContentRef::File(response::ContentRefFile { file: text(file) })
        }
        ContentRef::Page { page, space } => response::ContentRef::Page(response::ContentRefPage {
            page: text(page),
            space: space.as_ref().map(|space| text(space)),
        }),
        ContentRef::Anchor { page, space, anchor } => {
            response::ContentRef::Anchor(response::ContentRefAnchor {
                anchor: anchor.clone(),
                space: space.as_ref().map(|space| text(space)),
                page: page.as_ref().map(|page| text(page)),
            })
        }
        ContentRef::Reusable { reusable, space } => {
            response::ContentRef::ReusableContent(response::ContentRefReusableContent {
                reusable_content: text(reusable),
                space: space.as_ref().map(|space| text(space)),
            })
        }
        ContentRef::Space(space) => {
            response::ContentRef::Space(response::ContentRefSpace { space: text(space) })
        }
    }
}

/// Presents the links of a page's HTML head. The contract allows pages and URLs as targets, so
/// other targets are left out.
pub(crate) fn meta_links(links: &MetaLinks) -> response::RevisionPageMetaLinks {
    let target = |link: &ContentRef| match reference(link) {
        response::ContentRef::Page(page) => Some(response::RevisionPageMetaLinkTarget::Page(page)),
        response::ContentRef::URL(url) => Some(response::RevisionPageMetaLinkTarget::URL(url)),
        _ => None,
    };
    response::RevisionPageMetaLinks {
        canonical: links.canonical.as_ref().and_then(target),
        alternates: Some(links.alternates.iter().filter_map(target).collect()),
    }
}

pub(super) fn page_layout(layout: Layout) -> response::RevisionPageLayoutOptions {
    let Layout {
        width,
        cover,
        cover_size,
        cover_mask: _,
        title,
        description,
        table_of_contents,
        outline,
        pagination,
        metadata,
        tags: _,
        actions: _,
        anchors: _,
    } = layout;
    response::RevisionPageLayoutOptions {
        width: match width {
            LayoutWidth::Default => RevisionPageLayoutOptionsWidth::Default,
            LayoutWidth::Wide => RevisionPageLayoutOptionsWidth::Wide,
        },
        cover,
        cover_size: match cover_size {
            CoverSize::Hero => RevisionPageLayoutOptionsCoverSize::Hero,
            CoverSize::Full | CoverSize::Background => RevisionPageLayoutOptionsCoverSize::Full,
        },
        title,
        description,
        table_of_contents,
        outline,
        pagination,
        metadata,
    }
}

pub(super) fn page_cover(cover: Cover) -> response::RevisionPageDocumentCover {
    use response::RevisionPageDocumentCoverRef as Image;
    let Cover { image, image_dark, y_pos, height } = cover;
    let image_ref = |image: ContentRef| match reference(&image) {
        response::ContentRef::File(file) => Image::File(file),
        response::ContentRef::URL(url) => Image::URL(url),
        _ => Image::URL(response::ContentRefURL { url: String::new() }),
    };
    response::RevisionPageDocumentCover {
        r#ref: image.map(image_ref),
        ref_dark: image_dark.map(image_ref),
        y_pos,
        height: height.map(|height| height.clamp(10.0, 700.0)),
    }
}

pub(super) fn variable(value: Variable) -> response::VariableValue {
    match value {
        Variable::Text(text) => response::VariableValue::Text(text),
        Variable::Boolean(flag) => response::VariableValue::Bool(flag),
        Variable::Number(number) => {
            // A whole number is written without a fraction: 4, not 4.0.
            #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
            let whole = (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64);
            let number = whole
                .map(serde_json::Number::from)
                .or_else(|| serde_json::Number::from_f64(number));
            number.map_or_else(
                || response::VariableValue::Text(String::new()),
                response::VariableValue::Number,
            )
        }
    }
}

pub(super) fn page_variables(variables: Variables) -> response::Variables {
    variables.into_iter().map(|(name, value)| (name, variable(value))).collect()
}

/// Presents a file.
pub(crate) fn file(view: &ContentView<'_>, record: FileRecord) -> Result<response::RevisionFile> {
    let download_url =
        snapshot::download_url(view.app, &view.presented.snapshot, &record, view.presented.public);
    let git = view.blob(|blobs, objects| blobs.of_file(objects, &record))?;
    let FileRecord { id, name, path: _, content_type, size, hash: _, dimensions } = record;
    Ok(response::RevisionFile {
        id: id.to_string(),
        name,
        content_type,
        download_url,
        size,
        dimensions: dimensions.map(|size| response::RevisionFileDimensions {
            width: size.width.into(),
            height: size.height.into(),
        }),
        git,
    })
}

/// Presents all records of a map, in its order.
fn records<T>(
    view: &ContentView<'_>,
    map: &Map,
    make: impl Fn(&[u8]) -> Result<T>,
) -> Result<Vec<T>> {
    let entries = map.range(view.objects, None, Direction::Ascending);
    entries.map(|entry| make(&entry.map_err(broken_object)?.1)).collect()
}

/// Presents a reusable content.
pub(crate) fn reusable_content(
    view: &ContentView<'_>,
    record: ReusableRecord,
) -> Result<response::RevisionReusableContent> {
    let git = view.blob(|blobs, objects| blobs.of_reusable(objects, &record))?;
    let ReusableRecord { id, title, path: _, body, computed: _ } = record;
    Ok(response::RevisionReusableContent {
        id: id.to_string(),
        title,
        git,
        computed: None,
        computed_seed: None,
        document: body.map(|body| view.app.secrets.document_id(view.space(), &body)),
    })
}

/// Presents a revision without its pages, which are listed separately. `merged_from` is the change
/// request whose merge created it.
pub(crate) fn revision(
    view: &ContentView<'_>,
    merged_from: Option<response::ChangeRequest>,
) -> Result<response::Revision> {
    let (row, revision) = (&view.presented.snapshot.row, &view.presented.snapshot.revision);
    let commit = view.presented.commit.clone();
    let app_url = view.app.urls.app_space(view.presented.organization, view.space());
    let content = &revision.content;
    // A visitor sees variables only where texts refer to them.
    let variables =
        if view.presented.visitor { Variables::new() } else { content.variables.clone() };
    // The contract repeats the fields of all revisions in the shape of each kind.
    macro_rules! revision_of {
        ($shape:ident, $kind:ident $(, $extra:ident)*) => {
            response::$shape {
                id: row.id.to_string(),
                parents: revision.parents.iter().map(ToString::to_string).collect(),
                pages: Vec::new(),
                files: records(view, &content.files, |bytes| {
                    file(view, FileRecord::decode(bytes).map_err(broken_object)?)
                })?,
                reusable_contents: records(view, &content.reusable, |bytes| {
                    reusable_content(view, ReusableRecord::decode(bytes).map_err(broken_object)?)
                })?,
                variables: (!variables.is_empty()).then(|| page_variables(variables)),
                created_at: row.created_at,
                git: commit.map(|commit| response::GitSyncCommit {
                    oid: commit.oid,
                    message: commit.message,
                    created_by_git_book: commit.created_here,
                    url: commit.url,
                    r#ref: Some(commit.reference),
                }),
                urls: response::RevisionBaseUrls {
                    app: format!("{app_url}/~/revisions/{}", row.id),
                    published: view.presented.published.clone(),
                    public: view.presented.published.clone().filter(|_| view.presented.public),
                },
                r#type: values::$kind::ALL[0],
                $($extra,)*
            }
        };
    }
    Ok(match (revision.kind, merged_from) {
        (ContentKind::Merge, Some(merged_from)) => {
            let revision = revision_of!(RevisionTypeMerge, RevisionTypeMergeType, merged_from);
            Revision::Merge(Box::new(revision))
        }
        // A copied space has the revision of a merge, but not its change request.
        (ContentKind::Edits | ContentKind::Merge, _) => {
            Revision::Edits(Box::new(revision_of!(RevisionTypeEdits, RevisionTypeEditsType)))
        }
        (ContentKind::Update, _) => {
            Revision::Update(Box::new(revision_of!(RevisionTypeUpdate, RevisionTypeUpdateType)))
        }
        (ContentKind::Rollback, _) => Revision::Rollback(Box::new(revision_of!(
            RevisionTypeRollback,
            RevisionTypeRollbackType
        ))),
        (ContentKind::Computed, _) => Revision::Computed(Box::new(revision_of!(
            RevisionTypeComputed,
            RevisionTypeComputedType
        ))),
    })
}

/// Converts a page that was found by its path. Links have no path.
pub(crate) fn by_path(page: RevisionPage) -> Result<GetPageInChangeRequestByPathResponse> {
    match page {
        RevisionPage::Document(page) => Ok(GetPageInChangeRequestByPathResponse::Document(page)),
        RevisionPage::Group(page) => Ok(GetPageInChangeRequestByPathResponse::Group(page)),
        RevisionPage::Link(_) | RevisionPage::Computed(_) => Err(Error::not_found("page")),
    }
}
