//! Groups and links of the page tree, and how pages look: layout, cover, and the targets of links.

use bindery_content::slug;
use bindery_model::{FieldPath, FileId, Layout, PageId, Result};
use bindery_outbound::Url;
use bindery_revision::tree::{self, Position};
use bindery_revision::{ContentRef, Cover, PageAttribute, PageKind, PageRecord};

use super::decided::Decided;
use super::pages::TITLE;
use super::{PageChange, Work, refused};
use crate::content::snapshot::broken_object;
use crate::text;

/// Maximum length of an address, in bytes.
const ADDRESS: usize = 4_096;

/// A change of a layout; absent parts stay unchanged.
pub type LayoutChange = Box<dyn Fn(Layout) -> Layout + Send + Sync>;

/// The target of a link in the navigation, or the image of a cover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PageTarget {
    /// An address of the web.
    Url(String),
    /// A page of the same space.
    Page(PageId),
    /// A file of the same space.
    File(FileId),
}

/// A group or a link that is inserted into the page tree.
#[derive(Clone, Debug)]
pub struct NavigationPage {
    /// The title.
    pub title: String,
    /// The parent of the page.
    pub into: Option<PageId>,
    /// The number of siblings before it; `None` inserts it after all siblings.
    pub at: Option<u64>,
    /// The target of a link; `None` for a group.
    pub target: Option<PageTarget>,
}

/// A new cover of a page.
#[derive(Clone, PartialEq, Debug)]
pub struct NewCover {
    /// The image.
    pub image: Option<PageTarget>,
    /// The image for dark mode.
    pub image_dark: Option<PageTarget>,
    /// The vertical offset of the image in pixels.
    pub y_pos: f64,
    /// The height of the cover in pixels; `None` for the default.
    pub height: Option<f64>,
}

/// A change of how a page looks; absent parts stay unchanged.
#[derive(Default)]
pub struct LookChange {
    /// The change of the layout.
    pub layout: Option<LayoutChange>,
    /// The new cover; the inner `None` removes it.
    pub cover: Option<Option<NewCover>>,
    /// The new target of a link.
    pub target: Option<PageTarget>,
}

impl std::fmt::Debug for LookChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { layout, cover, target } = self;
        f.debug_struct("LookChange")
            .field("layout", &layout.is_some())
            .field("cover", cover)
            .field("target", target)
            .finish()
    }
}

impl Work<'_, '_> {
    pub(super) fn insert_navigation_page(&mut self, new: NavigationPage) -> Result<()> {
        let body = FieldPath::new("");
        let NavigationPage { title, into, at: position, target } = new;
        let kind = match target {
            Some(target) => PageKind::Link { target: self.target(&body.field("target"), target)? },
            None => PageKind::Group,
        };
        if let Some(parent) = into {
            let at = body.field("into");
            self.parent(&at, parent)?;
            if kind == PageKind::Group {
                return Err(at.invalid("groups stand at the top level"));
            }
        }
        let title = text::title(body.field("title"), &title, 1, TITLE)?;
        let id = PageId::random(&self.app.entropy);
        let mut page = PageRecord::new(id, kind, &title, &slug::page(&title), self.now);
        page.parent = into;
        let position = position.map_or(Position::Last, Position::At);
        let (content, _) = tree::insert(&self.content, self.staging, page, position)
            .map_err(|error| refused(&body, error))?;
        self.content = content;
        self.touch(id, PageChange::Inserted(None));
        Ok(())
    }

    pub(super) fn change_look(&mut self, id: PageId, change: LookChange) -> Result<()> {
        let body = FieldPath::new("");
        let mut page = self.page(&body.field("page"), id)?;
        let before = page.clone();
        let LookChange { layout, cover, target } = change;
        let is_document = matches!(page.kind, PageKind::Document | PageKind::Computed);
        let mut attributes = Vec::new();
        if let Some(layout) = layout {
            document_only(&body.field("layout"), is_document)?;
            page.layout = layout(page.layout);
            attributes.push(PageAttribute::Layout);
        }
        if let Some(cover) = cover {
            let at = body.field("cover");
            document_only(&at, is_document)?;
            page.cover = cover.map(|cover| self.cover(&at, cover)).transpose()?;
            attributes.push(PageAttribute::Cover);
        }
        if let Some(target) = target {
            let at = body.field("target");
            if !matches!(page.kind, PageKind::Link { .. }) {
                return Err(at.invalid("this page is no link: it has no target"));
            }
            page.kind = PageKind::Link { target: self.target(&at, target)? };
            attributes.push(PageAttribute::Kind);
        }
        self.decided.push(Decided { page: id, attributes, place: false, text: false });
        if page != before {
            page.updated_at = self.now;
            self.put(&body, page)?;
        }
        self.touch(id, PageChange::Updated);
        Ok(())
    }

    fn cover(&self, at: &FieldPath, cover: NewCover) -> Result<Cover> {
        let NewCover { image, image_dark, y_pos, height } = cover;
        let image_of = |name: &str, image: Option<PageTarget>| match image {
            Some(PageTarget::Page(_)) => {
                Err(at.field(name).invalid("allowed: a file or an address"))
            }
            Some(image) => self.target(&at.field(name), image).map(Some),
            None => Ok(None),
        };
        let (image, image_dark) = (image_of("ref", image)?, image_of("refDark", image_dark)?);
        Ok(Cover { image, image_dark, y_pos, height })
    }

    /// Returns a reference to an existing page or file, or to an address that a browser can open.
    fn target(&self, at: &FieldPath, target: PageTarget) -> Result<ContentRef> {
        match target {
            PageTarget::Url(url) => {
                let allowed = "an address that begins with http:, https: or mailto:";
                let is_web = Url::parse(&url)
                    .is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "mailto"));
                if !is_web || url.len() > ADDRESS {
                    return Err(at
                        .field("url")
                        .invalid(format_args!("allowed: {allowed}, of at most {ADDRESS} bytes")));
                }
                Ok(ContentRef::Url(url))
            }
            PageTarget::Page(page) => {
                self.page(&at.field("page"), page)?;
                Ok(ContentRef::Page { page, space: None })
            }
            PageTarget::File(file) => {
                let found = self.content.file(&*self.staging, file).map_err(broken_object)?;
                found.ok_or_else(|| at.field("file").not_found(format_args!("file {file}")))?;
                Ok(ContentRef::File { file, space: None })
            }
        }
    }
}

fn document_only(at: &FieldPath, is_document: bool) -> Result<()> {
    match is_document {
        true => Ok(()),
        false => Err(at.invalid("this page is a group or a link: it has none")),
    }
}
