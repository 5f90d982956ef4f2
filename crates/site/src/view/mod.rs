//! Everything that a published page shows, as plain values, and the way from there to HTML.

mod chrome;
mod feet;
mod head;
pub mod navigation;
mod page;
mod states;

use bindery_model::Timestamp;
use serde::{Deserialize, Serialize};

use crate::style::Theme;
use crate::words::{Words, words};

pub use navigation::{NavKind, NavNode};
pub use page::render_page;
pub use states::{Nearest, render_empty_space, render_forbidden, render_not_found};

/// What all pages of one site (in one variant and language) share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiteView {
    /// The title in the header and after each page's title.
    pub title: String,
    /// The site's emoji, shown where there is no logo.
    pub emoji: Option<String>,
    /// The logo, `self` or `https`.
    pub logo: Option<ThemedImage>,
    /// The path that all of the site's addresses begin with; begins and ends with `/`.
    pub base: String,
    /// Scheme and host of canonical addresses, without a `/` at the end.
    pub origin: String,
    /// The language of the content, as BCP 47 (`en`, `pt-BR`).
    pub language: String,
    /// The direction of the content.
    pub direction: Direction,
    /// The primary colours.
    pub theme: Theme,
    /// Whether the reader's preference decides between light and dark.
    pub scheme: Scheme,
    /// An icon of the site's own; absent: Bindery's.
    pub favicon: Option<String>,
    /// The image that previews of links show.
    pub social_image: Option<String>,
    /// Where the search form sends its `q`; absent: no form.
    pub search: Option<String>,
    /// Links in the header.
    pub links: Vec<Link>,
    /// The sections of the site, as tabs below the header.
    pub sections: Vec<Choice>,
    /// Versions of the content, for a menu in the header.
    pub variants: Vec<Choice>,
    /// The same content in other languages, for a menu in the header.
    pub translations: Vec<Choice>,
    /// The line at the foot of every page.
    pub copyright: Option<String>,
    /// Links at the foot of every page.
    pub footer: Vec<LinkGroup>,
    /// Kept out of search engines (unlisted or not public).
    pub noindex: bool,
}

impl SiteView {
    /// A site with a title and a base path, and the defaults for everything else.
    pub fn new(
        title: impl Into<String>,
        origin: impl Into<String>,
        base: impl Into<String>,
    ) -> Self {
        Self {
            title: title.into(),
            emoji: None,
            logo: None,
            base: base.into(),
            origin: origin.into(),
            language: "en".to_owned(),
            direction: Direction::LeftToRight,
            theme: Theme::default(),
            scheme: Scheme::Reader,
            favicon: None,
            social_image: None,
            search: None,
            links: Vec::new(),
            sections: Vec::new(),
            variants: Vec::new(),
            translations: Vec::new(),
            copyright: None,
            footer: Vec::new(),
            noindex: false,
        }
    }

    /// The words of the interface in the site's language.
    pub(crate) fn words(&self) -> &'static Words {
        words(&self.language)
    }
}

/// The direction of writing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Direction {
    /// Left to right.
    #[default]
    LeftToRight,
    /// Right to left.
    RightToLeft,
    /// As each text begins, where no language is said.
    ByText,
}

impl Direction {
    /// The direction in which a language is written, by its BCP 47 tag.
    pub fn of_language(tag: &str) -> Self {
        let primary = tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
        match primary.as_str() {
            "ar" | "ckb" | "dv" | "fa" | "he" | "ps" | "sd" | "ug" | "ur" | "yi" => {
                Self::RightToLeft
            }
            _ => Self::LeftToRight,
        }
    }

    /// The value of the `dir` attribute of the document.
    pub const fn attribute(self) -> &'static str {
        match self {
            Self::LeftToRight => "ltr",
            Self::RightToLeft => "rtl",
            Self::ByText => "ltr",
        }
    }

    /// The value of the `dir` attribute of texts that may run the other way.
    pub const fn of_text(self) -> Option<&'static str> {
        match self {
            Self::LeftToRight | Self::RightToLeft => None,
            Self::ByText => Some("auto"),
        }
    }
}

/// Who chooses between light and dark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scheme {
    /// The reader's system.
    #[default]
    Reader,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// An image with a variant for dark surroundings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ThemedImage {
    /// The address in light.
    pub src: String,
    /// The address in dark, where it differs.
    pub dark: Option<String>,
    /// What it shows, for those who do not see it.
    pub alt: String,
    /// Width in pixels, so that nothing jumps.
    pub width: Option<u32>,
    /// Height in pixels.
    pub height: Option<u32>,
}

/// The picture above a page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CoverView {
    /// The picture.
    pub image: ThemedImage,
    /// How high it is shown, in pixels; absent: as high as it is, within bounds.
    pub height: Option<u32>,
    /// Which part of a picture that is too high is seen: from 0, its top, to 20, its bottom.
    pub focus: u8,
}

/// A link with a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Link {
    /// The text.
    pub title: String,
    /// Where to.
    pub href: String,
}

/// Links under a heading.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LinkGroup {
    /// The heading.
    pub title: String,
    /// The links.
    pub links: Vec<Link>,
}

/// One of several sections, variants or translations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choice {
    /// What it is called.
    pub title: String,
    /// Where to.
    pub href: String,
    /// Its emoji.
    pub emoji: Option<String>,
    /// Its icon's name.
    pub icon: Option<String>,
    /// Its language, where it is a translation.
    pub language: Option<String>,
    /// Whether the reader is in it.
    pub current: bool,
}

/// The parts of a page that its layout shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The text may be wider than a comfortable line.
    pub wide: bool,
    /// The cover.
    pub cover: bool,
    /// The cover spans the whole window instead of the text.
    pub cover_full: bool,
    /// The title.
    pub title: bool,
    /// The description.
    pub description: bool,
    /// The navigation.
    pub table_of_contents: bool,
    /// The outline of the page.
    pub outline: bool,
    /// Previous and next.
    pub pagination: bool,
    /// Last change, editing and Markdown links.
    pub metadata: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            wide: false,
            cover: true,
            cover_full: false,
            title: true,
            description: true,
            table_of_contents: true,
            outline: true,
            pagination: true,
            metadata: true,
        }
    }
}

/// A heading of the page, for its outline.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct OutlineEntry {
    /// The heading's level in the document: 1, 2 or 3.
    pub level: u8,
    /// The id of the element.
    pub anchor: String,
    /// The plain text.
    pub title: String,
}

/// One published page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PageView {
    /// The title.
    pub title: String,
    /// What the window's title says, where it differs.
    pub window_title: Option<String>,
    /// A sentence about the page, plain text.
    pub description: Option<String>,
    /// The page's emoji.
    pub emoji: Option<String>,
    /// The name of the page's icon.
    pub icon: Option<String>,
    /// The cover.
    pub cover: Option<CoverView>,
    /// The parts that are shown.
    pub layout: Layout,
    /// The address of the page on this site, beginning with the base.
    pub href: String,
    /// The preferred address, absolute, where it is not `origin` + `href`.
    pub canonical: Option<String>,
    /// The address of the page as Markdown.
    pub markdown_href: Option<String>,
    /// Where the source can be edited.
    pub edit_href: Option<String>,
    /// The navigation.
    pub navigation: Vec<NavNode>,
    /// The ancestors, the outermost first, without the page itself. An empty `href` is a group.
    pub breadcrumbs: Vec<Link>,
    /// The headings.
    pub outline: Vec<OutlineEntry>,
    /// The body: finished HTML, trusted.
    pub body: String,
    /// The page before this one.
    pub previous: Option<Link>,
    /// The page after this one.
    pub next: Option<Link>,
    /// When it was last changed.
    pub updated: Option<Timestamp>,
    /// Who changed it last.
    pub author: Option<String>,
    /// Kept out of search engines.
    pub noindex: bool,
}

#[cfg(test)]
mod tests;
