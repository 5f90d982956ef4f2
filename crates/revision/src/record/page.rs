//! The record of a page and its smaller navigation entry.

use bindery_model::{Layout, PageId, Timestamp};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{ContentRef, Record, Variables};
use crate::object::{Hash, ObjectError};
use crate::order::OrderKey;

/// The kind of a page.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum PageKind {
    /// A page with a document.
    Document,
    /// A title with pages below it, without a document.
    Group,
    /// An entry in the navigation that links to another address.
    Link {
        /// The target of the link.
        target: ContentRef,
    },
    /// A placeholder for generated pages; see [`PageRecord::computed`].
    Computed,
}

/// All properties of a page except its document, which is an object of its own.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PageRecord {
    /// The id, which never changes.
    pub id: PageId,
    /// The kind of the page.
    pub kind: PageKind,
    /// The parent page; `None` at the top level.
    pub parent: Option<PageId>,
    /// The position among its siblings.
    pub order: OrderKey,
    /// The title.
    pub title: String,
    /// The title in the navigation; `None` if it is the same.
    pub link_title: Option<String>,
    /// The page's path segment, unique among its siblings. Links have a slug too, although no path
    /// contains it.
    pub slug: String,
    /// The emoji in front of the title, as hexadecimal code points.
    pub emoji: Option<String>,
    /// The name of the icon in front of the title.
    pub icon: Option<String>,
    /// A description of one or two sentences.
    pub description: Option<String>,
    /// The parts of the page that are shown.
    pub layout: Layout,
    /// The cover image above the page.
    pub cover: Option<Cover>,
    /// The variables of the page.
    pub variables: Variables,
    /// `true` if the page is not in the navigation.
    pub hidden: bool,
    /// `true` if the page is not in search results.
    pub no_index: bool,
    /// `true` if search engines are asked not to list the page.
    pub no_robots_index: bool,
    /// The expression that decides which visitors see the page.
    pub condition: Option<String>,
    /// The tags of the page.
    pub tags: Vec<PageTag>,
    /// Link elements in the page's head.
    pub meta_links: MetaLinks,
    /// The source of a computed page, as JSON.
    pub computed: Option<String>,
    /// The time of creation.
    #[serde(with = "super::millis")]
    pub created_at: Timestamp,
    /// The time when the document or an attribute last changed.
    #[serde(with = "super::millis")]
    pub updated_at: Timestamp,
    /// The object of the document, a [`PageBody`](super::PageBody); `None` if the page has none.
    pub body: Option<Hash>,
    /// The path of the page's file in the repository, relative to the content's root folder.
    pub source_path: Option<String>,
    /// The operation of an API that the page is about.
    pub operation: Option<PageOperation>,
}

/// The operation of an API that a computed page is about, as navigation shows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PageOperation {
    /// The method in capital letters.
    pub method: String,
    /// `true` if it should not be used any more.
    pub is_deprecated: bool,
}

/// Version 1 of the records below, which has no operation and is still written for those without
/// one.
const WITHOUT_OPERATION: u8 = 1;

/// Encodes a record whose last field is an operation.
fn encode_with_operation<T: Record>(record: &T, has_operation: bool) -> Result<Bytes, ObjectError> {
    let mut bytes =
        postcard::to_extend(record, vec![T::VERSION]).map_err(|_| ObjectError::Corrupt(T::NAME))?;
    if !has_operation {
        // The last byte says that there is none.
        let _none = bytes.pop();
        if let Some(version) = bytes.first_mut() {
            *version = WITHOUT_OPERATION;
        }
    }
    Ok(bytes.into())
}

/// Decodes a record whose last field is an operation.
fn decode_with_operation<T: Record>(bytes: &[u8]) -> Result<T, ObjectError> {
    let Some((&WITHOUT_OPERATION, fields)) = bytes.split_first() else {
        return T::decode_current(bytes);
    };
    T::decode_current(&[&[T::VERSION], fields, &[0]].concat())
}

impl Record for PageRecord {
    const VERSION: u8 = 2;
    const NAME: &'static str = "a page";

    fn encode(&self) -> Result<Bytes, ObjectError> {
        encode_with_operation(self, self.operation.is_some())
    }

    fn decode(bytes: &[u8]) -> Result<Self, ObjectError> {
        decode_with_operation(bytes)
    }
}

impl PageRecord {
    /// Returns a page at the top level with a title, a slug and a kind, and default values
    /// otherwise.
    pub fn new(id: PageId, kind: PageKind, title: &str, slug: &str, at: Timestamp) -> Self {
        Self {
            id,
            kind,
            parent: None,
            order: OrderKey::default(),
            title: title.to_owned(),
            link_title: None,
            slug: slug.to_owned(),
            emoji: None,
            icon: None,
            description: None,
            layout: Layout::default(),
            cover: None,
            variables: Variables::new(),
            hidden: false,
            no_index: false,
            no_robots_index: false,
            condition: None,
            tags: Vec::new(),
            meta_links: MetaLinks::default(),
            computed: None,
            created_at: at,
            updated_at: at,
            body: None,
            source_path: None,
            operation: None,
        }
    }

    /// Returns `true` if crawlers may index the page: its settings permit it, and it is no
    /// placeholder for a page that was not generated yet.
    #[must_use]
    pub fn is_for_crawlers(&self) -> bool {
        let is_placeholder = self.kind == PageKind::Computed && self.body.is_none();
        !self.no_index && !self.no_robots_index && !is_placeholder
    }

    /// Returns the page's navigation entry.
    pub fn navigation(&self, has_children: bool) -> NavigationEntry {
        NavigationEntry {
            title: self.title.clone(),
            link_title: self.link_title.clone(),
            slug: self.slug.clone(),
            kind: match &self.kind {
                PageKind::Document => NavigationKind::Document,
                PageKind::Group => NavigationKind::Group,
                PageKind::Link { target } => NavigationKind::Link(target.clone()),
                PageKind::Computed => NavigationKind::Computed,
            },
            emoji: self.emoji.clone(),
            icon: self.icon.clone(),
            hidden: self.hidden,
            condition: self.condition.clone(),
            has_children,
            operation: self.operation.clone(),
        }
    }
}

/// The data of a page that navigation shows, without its position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NavigationEntry {
    /// The page's title.
    pub title: String,
    /// The title in the navigation; `None` if it is the same.
    pub link_title: Option<String>,
    /// The page's path segment.
    pub slug: String,
    /// The kind of the entry.
    pub kind: NavigationKind,
    /// The emoji in front of the title.
    pub emoji: Option<String>,
    /// The icon in front of the title.
    pub icon: Option<String>,
    /// `true` if the entry is not shown.
    pub hidden: bool,
    /// The expression that decides which visitors see the page.
    pub condition: Option<String>,
    /// `true` if there are pages under this one.
    pub has_children: bool,
    /// The operation of an API that the page is about.
    pub operation: Option<PageOperation>,
}

impl Record for NavigationEntry {
    const VERSION: u8 = 2;
    const NAME: &'static str = "a navigation entry";

    fn encode(&self) -> Result<Bytes, ObjectError> {
        encode_with_operation(self, self.operation.is_some())
    }

    fn decode(bytes: &[u8]) -> Result<Self, ObjectError> {
        decode_with_operation(bytes)
    }
}

impl NavigationEntry {
    /// Returns the title that navigation shows.
    pub fn label(&self) -> &str {
        self.link_title.as_deref().unwrap_or(&self.title)
    }
}

/// The kind of a navigation entry.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum NavigationKind {
    /// A page with a document.
    Document,
    /// A title with pages below it.
    Group,
    /// A link with its target.
    Link(ContentRef),
    /// A placeholder for generated pages.
    Computed,
}

/// The cover image of a page.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Cover {
    /// The image: a file or an address.
    pub image: Option<ContentRef>,
    /// The image for dark mode.
    pub image_dark: Option<ContentRef>,
    /// The vertical offset of the image in pixels.
    pub y_pos: f64,
    /// The height of the cover in pixels; `None` for the default.
    pub height: Option<f64>,
}

/// A tag of a page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PageTag {
    /// The tag's slug.
    pub tag: String,
    /// `true` if it is the page's main tag; `None` if this is not stated.
    pub primary: Option<bool>,
}

/// Link elements in a page's head.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MetaLinks {
    /// The canonical address for search engines.
    pub canonical: Option<ContentRef>,
    /// Versions of the page in other languages or formats.
    pub alternates: Vec<ContentRef>,
}
