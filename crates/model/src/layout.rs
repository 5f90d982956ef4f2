//! The layout of a page, as its front matter sets it and its record stores it.

use serde::{Deserialize, Serialize};

/// The width of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum LayoutWidth {
    /// A column with a readable line length.
    #[default]
    Default,
    /// The full width.
    Wide,
}

/// The size of the cover.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum CoverSize {
    /// Above the page's column.
    #[default]
    Hero,
    /// Across the full width.
    Full,
    /// Behind the page. The API contract has no such value and reports "full".
    Background,
}

/// The layout of a page: its width and its visible parts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Layout {
    /// The width of the page.
    pub width: LayoutWidth,
    /// `true` if the cover is shown.
    pub cover: bool,
    /// The size of the cover.
    pub cover_size: CoverSize,
    /// `true` if the cover fades out; `None` if unspecified.
    pub cover_mask: Option<bool>,
    /// `true` if the title is shown.
    pub title: bool,
    /// `true` if the description is shown.
    pub description: bool,
    /// `true` if the navigation is shown.
    pub table_of_contents: bool,
    /// `true` if the outline is shown.
    pub outline: bool,
    /// `true` if links to the previous and the next page are shown.
    pub pagination: bool,
    /// `true` if the time of the last change is shown.
    pub metadata: bool,
    /// `true` if the tags are shown.
    pub tags: bool,
    /// `true` if the page's actions are shown.
    pub actions: bool,
    /// `true` if headings have anchors.
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
