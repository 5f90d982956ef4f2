//! Which parts of a page are shown, as its front matter says and its record keeps.

use serde::{Deserialize, Serialize};

/// How wide a page is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum LayoutWidth {
    /// A column that reads well.
    #[default]
    Default,
    /// The whole width.
    Wide,
}

/// How large the cover is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum CoverSize {
    /// Above the page's column.
    #[default]
    Hero,
    /// Over the whole width.
    Full,
    /// Behind the page; the contract has no word for it and says full.
    Background,
}

/// Which parts of a page are shown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Layout {
    /// How wide it is.
    pub width: LayoutWidth,
    /// Whether the cover is shown.
    pub cover: bool,
    /// How large the cover is.
    pub cover_size: CoverSize,
    /// Whether the cover fades out, if that is said.
    pub cover_mask: Option<bool>,
    /// Whether the title is shown.
    pub title: bool,
    /// Whether the description is shown.
    pub description: bool,
    /// Whether the navigation is shown.
    pub table_of_contents: bool,
    /// Whether the outline is shown.
    pub outline: bool,
    /// Whether previous and next are shown.
    pub pagination: bool,
    /// Whether the last change is shown.
    pub metadata: bool,
    /// Whether the tags are shown.
    pub tags: bool,
    /// Whether the page's actions are shown.
    pub actions: bool,
    /// Whether headings have anchors.
    pub anchors: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            width: LayoutWidth::Default,
            cover: true,
            cover_size: CoverSize::Hero,
            cover_mask: None,
            title: true,
            description: true,
            table_of_contents: true,
            outline: true,
            pagination: true,
            metadata: true,
            tags: true,
            actions: true,
            anchors: true,
        }
    }
}
