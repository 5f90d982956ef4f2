//! A page as a revision holds it, and the light entry that navigation reads.

use bindery_model::{Layout, PageId, Timestamp};
use serde::{Deserialize, Serialize};

use super::{ContentRef, Record, Variables};
use crate::object::Hash;
use crate::order::OrderKey;

/// What a page is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum PageKind {
    /// A page with a document.
    Document,
    /// A heading over pages, without a document.
    Group,
    /// An entry that leads elsewhere.
    Link {
        /// Where it leads.
        target: ContentRef,
    },
    /// A place that generated pages fill; see [`PageRecord::computed`].
    Computed,
}

/// Everything about a page but its text, which is an object of its own.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PageRecord {
    /// Stable for life.
    pub id: PageId,
    /// What it is.
    pub kind: PageKind,
    /// The page it stands under; `None` at top level.
    pub parent: Option<PageId>,
    /// Its place among its siblings.
    pub order: OrderKey,
    /// Its title.
    pub title: String,
    /// Its title in the navigation, where that differs.
    pub link_title: Option<String>,
    /// Its segment of the path, unique among its siblings. Links have one too, which no path shows.
    pub slug: String,
    /// The emoji in front of the title, as hexadecimal code points.
    pub emoji: Option<String>,
    /// The icon in front of the title, by name.
    pub icon: Option<String>,
    /// One or two sentences.
    pub description: Option<String>,
    /// Which parts of the page are shown.
    pub layout: Layout,
    /// The picture above the page.
    pub cover: Option<Cover>,
    /// Variables of this page.
    pub variables: Variables,
    /// Not in the navigation.
    pub hidden: bool,
    /// Not in search.
    pub no_index: bool,
    /// Search engines are asked not to list it.
    pub no_robots_index: bool,
    /// The expression that decides who sees it.
    pub condition: Option<String>,
    /// Its tags.
    pub tags: Vec<PageTag>,
    /// Links for machines.
    pub meta_links: MetaLinks,
    /// The source of a computed page, as JSON text.
    pub computed: Option<String>,
    /// When it was made.
    #[serde(with = "super::millis")]
    pub created_at: Timestamp,
    /// When its text or an attribute last changed.
    #[serde(with = "super::millis")]
    pub updated_at: Timestamp,
    /// The object of its text, a [`PageBody`](super::PageBody); `None` if it has none.
    pub body: Option<Hash>,
    /// The path of its file in the repository, from the folder that holds the content, if it has one.
    pub source_path: Option<String>,
}

impl Record for PageRecord {
    const NAME: &'static str = "a page";
}

impl PageRecord {
    /// A page with nothing but a title, a slug and a kind, at top level.
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
        }
    }

    /// Its entry in the navigation.
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
        }
    }
}

/// What navigation shows of a page, beside its place.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NavigationEntry {
    /// The page's title.
    pub title: String,
    /// The title in the navigation, where that differs.
    pub link_title: Option<String>,
    /// The segment of the path.
    pub slug: String,
    /// What it is.
    pub kind: NavigationKind,
    /// The emoji in front of the title.
    pub emoji: Option<String>,
    /// The icon in front of the title.
    pub icon: Option<String>,
    /// Not to be shown.
    pub hidden: bool,
    /// The expression that decides who sees it.
    pub condition: Option<String>,
    /// Whether pages stand under it.
    pub has_children: bool,
}

impl Record for NavigationEntry {
    const NAME: &'static str = "a navigation entry";
}

impl NavigationEntry {
    /// What navigation calls it.
    pub fn label(&self) -> &str {
        self.link_title.as_deref().unwrap_or(&self.title)
    }
}

/// What an entry of the navigation is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum NavigationKind {
    /// A page with a document.
    Document,
    /// A heading over pages.
    Group,
    /// It leads here.
    Link(ContentRef),
    /// Generated pages.
    Computed,
}

/// The picture above a page.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Cover {
    /// A file or an address.
    pub image: Option<ContentRef>,
    /// The same for dark mode.
    pub image_dark: Option<ContentRef>,
    /// How far the picture is shifted, in pixels.
    pub y_pos: f64,
    /// How high it is, in pixels, if that is said.
    pub height: Option<f64>,
}

/// A tag of a page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PageTag {
    /// The tag's slug.
    pub tag: String,
    /// Whether it is the page's main tag, if that is said.
    pub primary: Option<bool>,
}

/// Links for machines in a page's head.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct MetaLinks {
    /// The address that counts for search engines.
    pub canonical: Option<ContentRef>,
    /// The page in other languages or forms.
    pub alternates: Vec<ContentRef>,
}
