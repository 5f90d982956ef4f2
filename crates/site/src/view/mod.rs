//! The data that a published page shows, as plain values, and its rendering as HTML.

mod chrome;
mod feedback;
mod footer;
mod head;
mod locale;
pub mod navigation;
pub(crate) mod openapi;
mod page;
mod search;
mod states;
mod structured_data;

use bindery_model::{LanguageTag, Timestamp};
use serde::{Deserialize, Serialize};

use crate::i18n::{Messages, messages};
use crate::style::Theme;

pub use feedback::{FeedbackView, render_feedback};
pub use navigation::{NavKind, NavNode};
pub use page::render_page;
pub use search::{
    Filter, FilterGroup, FoundPage, FoundSection, FoundView, Marked, SearchView, render_result,
    render_search,
};
pub use states::{
    Suggestion, render_empty_space, render_forbidden, render_not_found, render_related,
};

/// The values that all pages of a site (in one variant and language) share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SiteView {
    /// The title in the header and after each page's title.
    pub title: String,
    /// The site's emoji, shown if there is no logo.
    pub emoji: Option<String>,
    /// The logo, on this server or at an `https` address.
    pub logo: Option<ThemedImage>,
    /// The path with which all addresses of the site begin. It begins and ends with `/`.
    pub base: String,
    /// The path of the files that all sites have in common. It begins and ends with `/`.
    pub root: String,
    /// Scheme and host of canonical addresses, without a trailing `/`.
    pub origin: String,
    /// The BCP 47 tag of the content's language (`en`, `pt-BR`).
    pub language: String,
    /// The direction of the content.
    pub direction: Direction,
    /// The primary colours.
    pub theme: Theme,
    /// The paths of the stylesheets of custom fonts.
    pub font_stylesheets: Vec<String>,
    /// The colour scheme.
    pub scheme: Scheme,
    /// `true` if readers can switch the colour scheme.
    pub switches_scheme: bool,
    /// The site's own icon. Without one, Bindery's is used.
    pub favicon: Option<Favicon>,
    /// The image that link previews show.
    pub social_image: Option<String>,
    /// The address to which the search form sends its `q`. Without one, there is no form.
    pub search: Option<String>,
    /// Links and menus in the header.
    pub header: Vec<HeaderItem>,
    /// `true` if pages have no header.
    pub hides_header: bool,
    /// A message above the header.
    pub announcement: Option<Announcement>,
    /// The sections of the site, shown as tabs and menus below the header.
    pub sections: Vec<SectionEntry>,
    /// Variants of the content, such as versions, shown as a menu in the header.
    pub variants: Vec<Choice>,
    /// The same content in other languages, shown as a menu in the header.
    pub translations: Vec<Choice>,
    /// The copyright line in the footer of every page.
    pub copyright: Option<String>,
    /// Links in the footer of every page.
    pub footer: Vec<LinkGroup>,
    /// The logo in the footer.
    pub footer_logo: Option<ThemedImage>,
    /// The address of the privacy policy.
    pub privacy_policy: Option<String>,
    /// `true` if the footer names this program.
    pub trademark: bool,
    /// `true` if links to other hosts open in a new window.
    pub opens_windows: bool,
    /// `true` if search engines must not index the site (unlisted or not public).
    pub noindex: bool,
    /// `true` if a member reads the site before it is published.
    pub is_preview: bool,
    /// The number and the subject of the change request whose content a preview shows.
    pub proposed: Option<(i64, String)>,
}

impl SiteView {
    /// Creates a site with a title, an origin and a base path, and defaults for everything else.
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
            root: "/".to_owned(),
            origin: origin.into(),
            language: "en".to_owned(),
            direction: Direction::LeftToRight,
            theme: Theme::default(),
            font_stylesheets: Vec::new(),
            scheme: Scheme::Reader,
            switches_scheme: true,
            favicon: None,
            social_image: None,
            search: None,
            header: Vec::new(),
            hides_header: false,
            announcement: None,
            sections: Vec::new(),
            variants: Vec::new(),
            translations: Vec::new(),
            copyright: None,
            footer: Vec::new(),
            footer_logo: None,
            privacy_policy: None,
            trademark: false,
            opens_windows: false,
            noindex: false,
            is_preview: false,
            proposed: None,
        }
    }

    /// Returns `true` if a page of the site shows parts that only some sites have.
    pub(crate) fn has_optional_parts(&self) -> bool {
        !self.header.is_empty()
            || self.announcement.is_some()
            || self.footer_logo.is_some()
            || self.privacy_policy.is_some()
            || self.trademark
    }

    /// Returns the address of a file that all sites have in common.
    pub(crate) fn shared(&self, path: &str) -> String {
        format!("{}{}", self.root, path.trim_start_matches('/'))
    }

    /// Returns the texts of the interface in the site's language.
    pub(crate) fn messages(&self) -> &'static Messages {
        messages(&self.language)
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
    /// Determined by the first characters of each text, if the language is unknown.
    ByText,
}

impl Direction {
    /// Returns the direction in which a language is written, by its BCP 47 tag.
    pub fn of_language(tag: &str) -> Self {
        match LanguageTag::parse(tag) {
            Ok(tag) if tag.is_right_to_left() => Self::RightToLeft,
            _ => Self::LeftToRight,
        }
    }

    /// Returns the value of the document's `dir` attribute.
    pub const fn attribute(self) -> &'static str {
        match self {
            Self::LeftToRight => "ltr",
            Self::RightToLeft => "rtl",
            Self::ByText => "ltr",
        }
    }

    /// Returns the value of the `dir` attribute of texts that may run the other way.
    pub const fn of_text(self) -> Option<&'static str> {
        match self {
            Self::LeftToRight | Self::RightToLeft => None,
            Self::ByText => Some("auto"),
        }
    }
}

/// The colour scheme of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scheme {
    /// Light or dark, as the reader's system prefers.
    #[default]
    Reader,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// The icon of a site in windows and bookmarks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Favicon {
    /// The address of the image, in light windows if there is one for dark windows.
    pub light: String,
    /// The address of the image in dark windows, if it differs.
    pub dark: Option<String>,
}

/// An image with a variant for the dark scheme.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ThemedImage {
    /// The address in the light scheme.
    pub src: String,
    /// The address in the dark scheme, if it differs.
    pub dark: Option<String>,
    /// The text alternative.
    pub alt: String,
    /// Width in pixels, which prevents layout shifts while the image loads.
    pub width: Option<u32>,
    /// Height in pixels.
    pub height: Option<u32>,
}

/// The image above a page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CoverView {
    /// The image.
    pub image: ThemedImage,
    /// The displayed height in pixels. Without one, the image's own height applies, within limits.
    pub height: Option<u32>,
    /// The visible part of an image that is too high, from 0 (top) to 20 (bottom).
    pub focus: u8,
}

/// A link with a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Link {
    /// The text.
    pub title: String,
    /// The target address.
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

/// A link or a menu in the header.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HeaderItem {
    /// The displayed text.
    pub title: String,
    /// The target address; `None` for a menu only.
    pub href: Option<String>,
    /// The links of the menu.
    pub links: Vec<Link>,
    /// The shape of a link.
    pub style: HeaderItemStyle,
}

/// The shape of a link in the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HeaderItemStyle {
    /// Plain text.
    #[default]
    Link,
    /// A button in the primary colour.
    PrimaryButton,
    /// A button with a border.
    SecondaryButton,
}

/// A message above the header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Announcement {
    /// The message.
    pub message: String,
    /// A link after the message.
    pub link: Option<Link>,
    /// The colour.
    pub tone: Tone,
}

/// The meaning of a coloured message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tone {
    /// Information.
    #[default]
    Info,
    /// Success.
    Success,
    /// A warning.
    Warning,
    /// Danger.
    Danger,
}

/// One of several sections, variants or translations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Choice {
    /// The displayed name.
    pub title: String,
    /// The target address.
    pub href: String,
    /// The emoji.
    pub emoji: Option<String>,
    /// The icon's name.
    pub icon: Option<String>,
    /// The language of a translation.
    pub language: Option<String>,
    /// `true` if the page belongs to this section, variant or translation.
    pub current: bool,
    /// `true` if the target is the same page in another variant or language.
    pub is_same_page: bool,
    /// `true` if readers see it when they choose none.
    pub is_default: bool,
}

/// A section of a site, a link beside the sections, or a menu of these.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SectionEntry {
    /// A section.
    Section(Choice),
    /// A link to another website.
    Link(ExternalLink),
    /// A group of sections.
    Menu(SectionMenu),
}

impl SectionEntry {
    /// Returns `true` if the page belongs to this section, or to one in this menu.
    pub fn is_current(&self) -> bool {
        match self {
            Self::Section(choice) => choice.current,
            Self::Link(_) => false,
            Self::Menu(menu) => menu.entries.iter().any(Self::is_current),
        }
    }
}

/// A link to another website.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ExternalLink {
    /// The title and the address.
    pub link: Link,
    /// The icon's name.
    pub icon: Option<String>,
}

/// A group of sections.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SectionMenu {
    /// The displayed name.
    pub title: String,
    /// The icon's name.
    pub icon: Option<String>,
    /// The sections, links and groups in it.
    pub entries: Vec<SectionEntry>,
}

/// The parts of a page that its layout shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// `true` if the text may be wider than a comfortable line.
    pub wide: bool,
    /// `true` if the cover is shown.
    pub cover: bool,
    /// `true` if the cover spans the whole window instead of the text's width.
    pub cover_full: bool,
    /// `true` if the title is shown.
    pub title: bool,
    /// `true` if the description is shown.
    pub description: bool,
    /// `true` if the navigation is shown.
    pub table_of_contents: bool,
    /// `true` if the outline of the page is shown.
    pub outline: bool,
    /// `true` if links to the previous and the next page are shown.
    pub pagination: bool,
    /// `true` if the last change, the edit link and the Markdown link are shown.
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
    /// The id of the heading's element.
    pub anchor: String,
    /// The heading's plain text.
    pub title: String,
}

/// The addresses of the PDFs that a page offers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PdfLinks {
    /// The PDF of the page.
    pub page: Link,
    /// The PDF of the whole space.
    pub everything: Link,
}

/// The links that connect programs with a site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct McpLinks {
    /// The absolute address of the server for programs.
    pub address: String,
    /// Links that add the server to programs.
    pub clients: Vec<Link>,
}

/// One published page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PageView {
    /// The title.
    pub title: String,
    /// The ids of the title besides its own, which links of the content lead to.
    pub title_ids: Vec<String>,
    /// The title of the window, if it differs from the page's.
    pub window_title: Option<String>,
    /// A sentence about the page as plain text.
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
    /// The address of the form with which readers rate the page; `None` if it has no form.
    pub feedback: Option<String>,
    /// The address of the pages that are related to the page.
    pub related: Option<String>,
    /// The address that the script tells of the view; `None` if views are not recorded.
    pub view: Option<String>,
    /// The absolute canonical address, if it is not `origin` + `href`.
    pub canonical: Option<String>,
    /// The address of the page as Markdown.
    pub markdown_href: Option<String>,
    /// Atom feeds that the page belongs to.
    pub feeds: Vec<Link>,
    /// The addresses of PDFs; `None` if the site offers none.
    pub pdf: Option<PdfLinks>,
    /// The address at which the source can be edited.
    pub edit_href: Option<String>,
    /// The path of the image that link previews show if neither the page nor the site has one.
    pub card: Option<String>,
    /// Links to AI assistants, which ask about this page.
    pub assistants: Vec<Link>,
    /// The links that connect programs with the site; `None` if the page offers none.
    pub mcp: Option<McpLinks>,
    /// The navigation.
    pub navigation: Vec<NavNode>,
    /// The ancestors from the outermost to the parent. A group has an empty `href`.
    pub breadcrumbs: Vec<Link>,
    /// The headings.
    pub outline: Vec<OutlineEntry>,
    /// The body as trusted HTML.
    pub body: String,
    /// The previous page.
    pub previous: Option<Link>,
    /// The next page.
    pub next: Option<Link>,
    /// The time of the first publication.
    pub published: Option<Timestamp>,
    /// The time of the last change.
    pub updated: Option<Timestamp>,
    /// The name of the last editor.
    pub author: Option<String>,
    /// `true` if search engines must not index the page.
    pub noindex: bool,
    /// `true` if the page is outside of the navigation and says so.
    pub is_unlisted: bool,
}

impl PageView {
    /// Returns `true` if the page shows parts that only some pages have.
    pub(crate) fn has_optional_parts(&self) -> bool {
        self.body.contains("<fieldset class=\"update-filter\"")
    }
}

#[cfg(test)]
mod tests;
