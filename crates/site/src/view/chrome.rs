//! Everything around the content of a page: header, sections, navigation and footer.

use std::borrow::Cow;

use bindery_revision::PageOperation;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::head::{Head, head};
use super::navigation::{NavKind, NavNode};
use super::search::search_start;
use super::{
    Announcement, Choice, ExternalLink, HeaderItem, HeaderItemStyle, Link, Scheme, SectionEntry,
    SectionMenu, SiteView, ThemedImage, Tone,
};
use crate::i18n::{Messages, fill};
use crate::icons;

/// Renders a complete HTML document around `main`.
pub(super) fn document(
    site: &SiteView,
    head_of: &Head<'_>,
    navigation: &[NavNode],
    main: &Markup,
) -> String {
    let messages = site.messages();
    let scheme = match site.scheme {
        Scheme::Reader => None,
        Scheme::Light => Some("light"),
        Scheme::Dark => Some("dark"),
    };
    let markup = html! {
        (DOCTYPE)
        html lang=(site.language) dir=(site.direction.attribute()) data-scheme=[scheme] {
            (head(site, head_of))
            body {
                a.skip href="#B--content" { (messages.skip) }
                (index_for_programs(site, head_of))
                @if site.is_preview { (preview_notice(site, messages)) }
                @if let Some(announcement) = &site.announcement { (self::announcement(site, announcement)) }
                @if site.hides_header { (narrow_header(site, messages, !navigation.is_empty())) }
                @else { (header(site, messages, !navigation.is_empty())) }
                @if has_choice(&site.sections) { (sections(site, messages)) }
                div.frame.no-nav[navigation.is_empty()] {
                    @if !navigation.is_empty() {
                        nav.site-nav id="B--pages" popover aria-label=(messages.pages) {
                            (panel_head(site, messages))
                            (nav_tools(site, messages))
                            (entries(site, navigation, messages))
                        }
                    }
                    (main)
                }
                (footer(site, messages))
            }
        }
    };
    icons::draw(markup.into_string(), site.theme.icons)
}

/// Tells programs that read a page as text where they find the other pages. People neither see nor
/// hear it.
fn index_for_programs(site: &SiteView, head: &Head<'_>) -> Markup {
    html! {
        @if head.page.is_some() && !site.is_preview {
            p.sr aria-hidden="true" lang="en" {
                "For AI agents: an index of all pages is at " (site.origin) (site.base)
                "llms.txt. The address of a page with the suffix .md is its Markdown."
            }
        }
    }
}

/// The notice that a page is a preview, with the change request whose content it shows.
fn preview_notice(site: &SiteView, messages: &Messages) -> Markup {
    html! {
        p.preview-notice role="status" {
            (messages.preview)
            @if let Some((number, subject)) = &site.proposed {
                " · " bdi dir="auto" { "#" (number) @if !subject.trim().is_empty() { " " (subject) } }
            }
        }
    }
}

fn header(site: &SiteView, messages: &Messages, has_navigation: bool) -> Markup {
    html! {
        header.site-header {
            div.bar {
                @if has_navigation { (menu_button(messages)) }
                a.site-title href=(site.base) {
                    @if let Some(logo) = &site.logo {
                        (themed_image(logo, "logo", site.scheme))
                    } @else {
                        @if let Some(emoji) = &site.emoji {
                            span aria-hidden="true" { (emoji) }
                        }
                        span.site-name dir="auto" { (site.title) }
                    }
                }
                (menu(&site.variants, messages.versions))
                (search_form(site, messages))
                @if !site.header.is_empty() { (header_items(site, messages)) }
                (menu(&site.translations, messages.languages))
                (theme_switch(site, messages))
            }
        }
    }
}

fn menu_button(messages: &Messages) -> Markup {
    html! {
        button.menu-button type="button" popovertarget="B--pages" {
            span.glyph.glyph-menu aria-hidden="true" {}
            span.sr { (messages.menu) }
        }
    }
}

/// Renders the header of a site without one, where the navigation is not beside the page: a way to
/// it, and what is in it otherwise.
fn narrow_header(site: &SiteView, messages: &Messages, has_navigation: bool) -> Markup {
    html! {
        header.site-header.header-narrow[has_navigation] {
            div.bar {
                @if has_navigation { (menu_button(messages)) }
                (menu(&site.variants, messages.versions))
                (search_form(site, messages))
                (menu(&site.translations, messages.languages))
            }
        }
    }
}

/// Renders the form that leads to the results of a search.
fn search_form(site: &SiteView, messages: &Messages) -> Markup {
    html! {
        @if let Some(search) = &site.search {
            form.search-start role="search" action=(search) { (search_start(messages)) }
        }
    }
}

/// Renders the first line of the navigation where it is a panel over the page: the name of the site
/// and a button that closes the panel.
fn panel_head(site: &SiteView, messages: &Messages) -> Markup {
    html! {
        div.panel-head {
            a.site-name dir="auto" href=(site.base) { (site.title) }
            button type="button" popovertarget="B--pages" popovertargetaction="hide"
                aria-label=(messages.close) {
                span.glyph.glyph-close aria-hidden="true" {}
            }
        }
    }
}

/// Renders the search and the menus in the navigation of a site without a header. On other sites the
/// navigation has them where the header has no room for them.
fn nav_tools(site: &SiteView, messages: &Messages) -> Markup {
    let has_menus = site.variants.len() > 1 || site.translations.len() > 1;
    html! {
        @if site.hides_header || has_menus || site.search.is_some() {
            div.nav-tools.narrow-tools[!site.hides_header] {
                @if site.hides_header {
                    (search_form(site, messages))
                } @else if let Some(search) = &site.search {
                    // The search of the header is the landmark.
                    form.search-start action=(search) { (search_start(messages)) }
                }
                (menu(&site.variants, messages.versions))
                (menu(&site.translations, messages.languages))
            }
        }
    }
}

/// Renders the button that switches between the light and the dark scheme. The stylesheet hides it
/// where scripts do not run.
fn theme_switch(site: &SiteView, messages: &Messages) -> Markup {
    html! {
        @if site.switches_scheme {
            button.theme-switch type="button" aria-label=(messages.dark) title=(messages.dark) {
                span.glyph.glyph-theme aria-hidden="true" {}
            }
        }
    }
}

fn announcement(site: &SiteView, announcement: &Announcement) -> Markup {
    let Announcement { message, link, tone } = announcement;
    let class = match tone {
        Tone::Info => "announcement",
        Tone::Success => "announcement announcement-success",
        Tone::Warning => "announcement announcement-warning",
        Tone::Danger => "announcement announcement-danger",
    };
    html! {
        aside class=(class) {
            bdi { (message) }
            @if let Some(link) = link { " " (site_link(site, link, None)) }
        }
    }
}

/// Renders a link that a site chooses.
fn site_link(site: &SiteView, link: &Link, class: Option<&str>) -> Markup {
    link_with_symbol(site, link, class, &Markup::default())
}

/// Renders a link to another website among the sections.
fn external_link(site: &SiteView, link: &ExternalLink) -> Markup {
    link_with_symbol(site, &link.link, None, &symbol(None, link.icon.as_deref()))
}

/// Returns `true` if a link leads to another website that the site opens in a new window.
fn opens_window(site: &SiteView, href: &str) -> bool {
    site.opens_windows && (href.starts_with("http://") || href.starts_with("https://"))
}

/// Returns `true` for an address that is not below that of the site.
fn leaves(site: &SiteView, href: &str) -> bool {
    href.starts_with("//") || !href.starts_with(&site.base)
}

fn link_with_symbol(site: &SiteView, link: &Link, class: Option<&str>, symbol: &Markup) -> Markup {
    let opens_window = opens_window(site, &link.href);
    html! {
        a class=[class] href=(link.href) target=[opens_window.then_some("_blank")]
            rel=[opens_window.then_some("noopener")] { (symbol) bdi { (link.title) } }
    }
}

/// The widths that the links of a header take, from which on they are shown beside each other in very
/// wide windows only, and in none.
const LONG_HEADER: f64 = 32.0;
const LONGEST_HEADER: f64 = 56.0;

/// Returns an estimate of the width that the links of a header take, in rem.
fn header_width(items: &[HeaderItem]) -> f64 {
    let char_width = |char: char| if char < '\u{1100}' { 0.5 } else { 0.95 };
    let width = |item: &HeaderItem| {
        let title: f64 = item.title.chars().map(char_width).sum();
        // The gap, and the sign of a menu or the padding of a button.
        match (item.links.is_empty(), item.style) {
            (true, HeaderItemStyle::Link) => title + 1.25,
            (true, _) => title + 3.0,
            (false, _) => title.min(11.0) + 2.75,
        }
    };
    items.iter().map(width).sum()
}

/// Renders the links and menus of the header, once for windows in which they fit and once as one menu
/// for narrower ones.
fn header_items(site: &SiteView, messages: &Messages) -> Markup {
    let width = header_width(&site.header);
    html! {
        @if width < LONGEST_HEADER {
            ul.site-links.long[width >= LONG_HEADER] {
                @for item in &site.header { li { (header_item(site, item)) } }
            }
        }
        details.menu.narrow-links {
            summary { span.sr { (messages.menu) } span aria-hidden="true" { "⋯" } }
            ul {
                @for item in &site.header {
                    @if item.href.is_some() { li { (header_link(site, &plain(item))) } }
                    @else { li { span.menu-group { bdi { (item.title) } } } }
                    @for link in &item.links { li { (site_link(site, link, None)) } }
                }
            }
        }
    }
}

/// Renders a link or a menu of the header.
fn header_item(site: &SiteView, item: &HeaderItem) -> Markup {
    html! {
        @if item.links.is_empty() { (header_link(site, item)) }
        @else {
            details.menu name="B--links" {
                summary { bdi.menu-current { (item.title) } }
                ul {
                    @if item.href.is_some() { li { (header_link(site, item)) } }
                    @for link in &item.links { li { (site_link(site, link, None)) } }
                }
            }
        }
    }
}

fn plain(item: &HeaderItem) -> HeaderItem {
    HeaderItem { style: HeaderItemStyle::Link, ..item.clone() }
}

fn header_link(site: &SiteView, item: &HeaderItem) -> Markup {
    let class = match item.style {
        HeaderItemStyle::Link => None,
        HeaderItemStyle::PrimaryButton => Some("button button-primary"),
        HeaderItemStyle::SecondaryButton => Some("button"),
    };
    let href = item.href.clone().unwrap_or_default();
    site_link(site, &Link { title: item.title.clone(), href }, class)
}

/// Renders a menu that opens without scripts, or nothing if there are fewer than two choices.
fn menu(choices: &[Choice], label: &str) -> Markup {
    let current = choices.iter().find(|choice| choice.current).or(choices.first());
    html! {
        @if let (Some(current), true) = (current, choices.len() > 1) {
            details.menu {
                summary { span.sr { (label) ": " } bdi.menu-current { (current.title) } }
                ul { @for choice in choices { li { (choice_link(choice)) } } }
            }
        }
    }
}

fn choice_link(choice: &Choice) -> Markup {
    html! {
        a href=(choice.href) hreflang=[choice.language.as_deref()]
            aria-current=[choice.current.then_some("true")] {
            (symbol(choice.emoji.as_deref(), choice.icon.as_deref()))
            bdi { (choice.title) }
        }
    }
}

fn sections(site: &SiteView, messages: &Messages) -> Markup {
    html! {
        nav.sections aria-label=(messages.sections) {
            ul {
                @for entry in &site.sections {
                    li {
                        @match entry {
                            SectionEntry::Section(choice) => (choice_link(choice)),
                            SectionEntry::Link(link) => (external_link(site, link)),
                            SectionEntry::Menu(menu) => (section_menu(site, menu, entry.is_current())),
                        }
                    }
                }
            }
        }
    }
}

/// Returns `true` if there is more than one section, or a link.
fn has_choice(entries: &[SectionEntry]) -> bool {
    match entries {
        [SectionEntry::Menu(menu)] => has_choice(&menu.entries),
        [] | [SectionEntry::Section(_)] => false,
        [SectionEntry::Link(_)] | [_, _, ..] => true,
    }
}

/// Renders a group of sections as a menu that opens without scripts. The browser closes it when
/// the reader opens another one.
fn section_menu(site: &SiteView, menu: &SectionMenu, is_current: bool) -> Markup {
    html! {
        details.menu name="B--sections" {
            summary aria-current=[is_current.then_some("true")] { (section_menu_title(menu)) }
            (section_list(site, &menu.entries))
        }
    }
}

fn section_menu_title(menu: &SectionMenu) -> Markup {
    html! { (symbol(None, menu.icon.as_deref())) bdi.menu-current { (menu.title) } }
}

/// Renders the content of a menu. The groups in it are headings over indented lists.
fn section_list(site: &SiteView, entries: &[SectionEntry]) -> Markup {
    html! {
        ul {
            @for entry in entries {
                li {
                    @match entry {
                        SectionEntry::Section(choice) => (choice_link(choice)),
                        SectionEntry::Link(link) => (external_link(site, link)),
                        SectionEntry::Menu(menu) => {
                            span.menu-group { (section_menu_title(menu)) }
                            (section_list(site, &menu.entries))
                        }
                    }
                }
            }
        }
    }
}

fn footer(site: &SiteView, messages: &Messages) -> Markup {
    let has_switch = site.hides_header && site.switches_scheme;
    let has_notes = site.privacy_policy.is_some() || site.trademark || has_switch;
    html! {
        @if !site.footer.is_empty() || site.copyright.is_some() || site.footer_logo.is_some() || has_notes {
            footer.site-footer {
                @if let Some(logo) = &site.footer_logo {
                    div.footer-brand { (themed_image(logo, "footer-logo", site.scheme)) }
                }
                @for group in &site.footer {
                    div {
                        @if !group.title.is_empty() { p.footer-title { (group.title) } }
                        ul { @for link in &group.links { li { (site_link(site, link, None)) } } }
                    }
                }
                @if let Some(copyright) = &site.copyright { p.copyright dir="auto" { (copyright) } }
                @if has_notes {
                    div.footer-notes {
                        @if let Some(privacy) = &site.privacy_policy {
                            @let title = messages.privacy.to_owned();
                            (site_link(site, &Link { title, href: privacy.clone() }, None))
                        }
                        @if site.trademark {
                            span { (fill(messages.made_with, "Bindery")) }
                        }
                        @if has_switch { (theme_switch(site, messages)) }
                    }
                }
            }
        }
    }
}

/// Renders an emoji or, without one, a known icon.
pub(super) fn symbol(emoji: Option<&str>, icon: Option<&str>) -> Markup {
    let icon = icon.map(|name| name.strip_prefix("fa-").unwrap_or(name));
    html! {
        @if let Some(emoji) = emoji.filter(|text| !text.is_empty()) {
            span.symbol aria-hidden="true" { (emoji) }
        } @else if let Some(icon) = icon.filter(|name| icons::is_known(name)) {
            span.symbol.icon data-icon=(icon) aria-hidden="true" {}
        }
    }
}

/// Renders an image with its dark variant and its size.
pub(super) fn themed_image(image: &ThemedImage, class: &str, scheme: Scheme) -> Markup {
    let ThemedImage { src, dark, alt, width, height } = image;
    let img = html! { img class=(class) src=(src) alt=(alt) width=[width] height=[height]; };
    let markup = html! {
        @if let Some(dark) = dark {
            picture {
                source srcset=(srcset(dark)) media="(prefers-color-scheme: dark)";
                (img)
            }
        } @else { (img) }
    };
    PreEscaped(apply_scheme(&markup.0, scheme).into_owned())
}

/// The media condition of an image's dark variant, here and in rendered documents.
const DARK_MEDIA: &str = " media=\"(prefers-color-scheme: dark)\">";

/// Replaces the media conditions of dark variants if the site, and not the reader, decides between
/// light and dark. The quotes in the pattern are escaped in texts and attributes, so that only
/// markup matches.
pub(super) fn apply_scheme(markup: &str, scheme: Scheme) -> Cow<'_, str> {
    match scheme {
        Scheme::Reader => Cow::Borrowed(markup),
        Scheme::Light => Cow::Owned(markup.replace(DARK_MEDIA, " media=\"not all\">")),
        Scheme::Dark => Cow::Owned(markup.replace(DARK_MEDIA, " media=\"all\">")),
    }
}

/// The relation of links to other hosts in rendered documents.
const FOREIGN: &str = " rel=\"noopener nofollow\"";

/// Makes links to other hosts in a rendered document open in a new window. As the quotes in the
/// pattern are escaped in texts and attributes, only markup matches.
pub(super) fn open_windows(markup: Cow<'_, str>) -> Cow<'_, str> {
    match markup.contains(FOREIGN) {
        true => Cow::Owned(markup.replace(FOREIGN, &format!(" target=\"_blank\"{FOREIGN}"))),
        false => markup,
    }
}

/// Encodes spaces and commas, which separate candidates in a `srcset`.
fn srcset(src: &str) -> String {
    src.replace(' ', "%20").replace(',', "%2C")
}

fn entries(site: &SiteView, nodes: &[NavNode], messages: &Messages) -> Markup {
    // The markup of a large tree is built in one string instead of nested ones, because each level
    // of `html!` would copy everything below it.
    let mut out = String::with_capacity(nodes.len() * 160);
    push_list(&mut out, site, nodes, messages);
    PreEscaped(out)
}

fn push_list(out: &mut String, site: &SiteView, nodes: &[NavNode], messages: &Messages) {
    out.push_str("<ul>");
    for node in nodes {
        push_entry(out, site, node, messages);
    }
    out.push_str("</ul>");
}

fn push_entry(out: &mut String, site: &SiteView, node: &NavNode, messages: &Messages) {
    let NavNode { kind, title, href, emoji, icon, operation, current, parent, children, .. } = node;
    let symbol = symbol(emoji.as_deref(), icon.as_deref());
    // A name without a drawing gets a dot, so that titles align with those of their siblings.
    let dot = symbol.0.is_empty() && icon.is_some();
    let label = html! {
        (symbol)
        @if dot { span.symbol.icon data-icon="dot" aria-hidden="true" {} }
        @if let Some(PageOperation { method, is_deprecated }) = operation {
            span.openapi-method data-method=(method) { (method) }
            " "
            @if *is_deprecated { bdi { s { (title) } } } @else { bdi { (title) } }
        } @else {
            bdi { (title) }
        }
    };
    let current = current.then_some("page");
    match kind {
        NavKind::Earlier | NavKind::Later => {
            let pattern = if *kind == NavKind::Earlier { messages.earlier } else { messages.more };
            let text = fill(pattern, title);
            let class = if *kind == NavKind::Earlier { "rest earlier" } else { "rest" };
            let entry = html! {
                li class=(class) {
                    @if let Some(href) = href { a href=(href) { (text) } } @else { span { (text) } }
                }
            };
            out.push_str(&entry.into_string());
        }
        NavKind::Group if !children.is_empty() => {
            out.push_str("<li class=\"group\">");
            push_details(out, site, node, &label, messages);
            out.push_str("</li>");
        }
        NavKind::Group => {
            let entry = html! {
                li.group { @if let Some(href) = href { a href=(href) { (label) } } @else { span { (label) } } }
            };
            out.push_str(&entry.into_string());
        }
        NavKind::Page | NavKind::Link => {
            let href = href.as_deref().unwrap_or("#");
            let external = *kind == NavKind::Link && leaves(site, href);
            let opens_window = opens_window(site, href);
            let link = html! {
                a href=(href) aria-current=[current] class=[external.then_some("external")]
                    target=[opens_window.then_some("_blank")]
                    rel=[opens_window.then_some("noopener")] { (label) }
            };
            out.push_str(if *parent { "<li class=\"branch\">" } else { "<li>" });
            out.push_str(&link.into_string());
            if !children.is_empty() {
                let label = html! { span.sr { (fill(messages.pages_in, title)) } };
                push_details(out, site, node, &label, messages);
            }
            out.push_str("</li>");
        }
    }
}

fn push_details(
    out: &mut String,
    site: &SiteView,
    node: &NavNode,
    label: &Markup,
    messages: &Messages,
) {
    out.push_str(if node.open { "<details open>" } else { "<details>" });
    out.push_str("<summary>");
    out.push_str(&label.0);
    out.push_str("</summary>");
    push_list(out, site, &node.children, messages);
    out.push_str("</details>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style;
    use crate::view::{PageView, render_page};

    fn site() -> SiteView {
        SiteView::new("S", "https://x.example", "/")
    }

    fn page_with(href: &str, kind: NavKind) -> PageView {
        let node = NavNode {
            kind,
            title: "N".to_owned(),
            href: Some(href.to_owned()),
            ..NavNode::default()
        };
        PageView { navigation: vec![node], ..PageView::default() }
    }

    #[test]
    fn links_of_the_navigation_to_pages_are_not_marked() {
        let site = SiteView::new("S", "https://x.example", "/s/");
        for (href, is_marked) in
            [("/s/a", false), ("/s/a#b", false), ("/other/", true), ("//out.example/", true)]
        {
            let html = render_page(&site, &page_with(href, NavKind::Link));
            assert_eq!(html.contains("class=\"external\""), is_marked, "{href}");
        }
    }

    #[test]
    fn links_of_the_navigation_to_other_hosts_are_marked_and_open_windows() {
        let link = page_with("https://out.example/", NavKind::Link);
        let html = render_page(&site(), &link);
        assert!(html.contains("class=\"external\"><bdi>N</bdi>"), "{html}");
        let css = String::from_utf8_lossy(style::stylesheet().prepared().body()).into_owned();
        assert!(css.contains(".external>bdi::after{"), "{css}");
        assert!(!html.contains("_blank"), "{html}");
        let site = SiteView { opens_windows: true, ..site() };
        let html = render_page(&site, &link);
        assert!(html.contains("class=\"external\" target=\"_blank\" rel=\"noopener\">"), "{html}");
        let html = render_page(&site, &page_with("/page", NavKind::Page));
        assert!(!html.contains("_blank"), "{html}");
    }

    #[test]
    fn links_that_do_not_fit_into_the_header_are_one_menu() {
        let item = |title: &str| HeaderItem {
            title: title.to_owned(),
            href: Some("https://out.example/".to_owned()),
            ..HeaderItem::default()
        };
        for (title, count, list) in [
            ("Blog", 6, Some("<ul class=\"site-links\">")),
            ("製品情報", 6, Some("<ul class=\"site-links\">")),
            ("Reference of the API", 4, Some("<ul class=\"site-links long\">")),
            ("Reference of the API", 12, None),
        ] {
            let site = SiteView { header: vec![item(title); count], ..site() };
            let html = render_page(&site, &PageView::default());
            assert_eq!(html.contains("site-links"), list.is_some(), "{title} {count} {html}");
            assert!(html.contains(list.unwrap_or("narrow-links")), "{title} {count} {html}");
        }
    }
}
