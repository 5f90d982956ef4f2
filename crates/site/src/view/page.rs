//! Renders a published page as HTML.
//!
//! The ids of the page's own elements begin with `B--`, which anchors of headings never do.

use std::borrow::Cow;

use maud::{Markup, PreEscaped, html};

use super::chrome::{apply_scheme, document, open_windows, symbol, themed_image};
use super::feedback;
use super::footer;
use super::head::Head;
use super::{CoverView, Layout, OutlineEntry, PageView, Scheme, SiteView, ThemedImage};
use crate::i18n::{Messages, fill};

/// Renders the complete document, which works without scripts.
pub fn render_page(site: &SiteView, page: &PageView) -> String {
    let messages = site.messages();
    let head = Head {
        title: page.window_title.as_deref().unwrap_or(&page.title),
        description: page.description.as_deref().filter(|text| !text.is_empty()),
        page: Some(page),
        is_search: false,
    };
    let navigation = if page.layout.table_of_contents { page.navigation.as_slice() } else { &[] };
    document(site, &head, navigation, &main(site, page, messages))
}

fn main(site: &SiteView, page: &PageView, messages: &Messages) -> Markup {
    let Layout {
        wide,
        cover,
        cover_full,
        title: _,
        description: _,
        outline,
        pagination,
        metadata,
        table_of_contents: _,
    } = page.layout;
    let has_outline = outline && page.outline.len() > 1;
    html! {
        main.page id="B--content" tabindex="-1" .wide[wide] .no-outline[!has_outline] {
            @if let (Some(view), true) = (&page.cover, cover) {
                div.cover.cover-full[cover_full] { (cover_image(view, site.scheme)) }
            }
            (page_header(site, page, messages))
            @if has_outline { (outline_nav(&page.outline, messages)) }
            article.prose dir=[site.direction.of_text()] aria-labelledby=[page.layout.title.then_some("B--title")] {
                @if page.body.is_empty() {
                    p.empty-page { (messages.empty_page) }
                } @else {
                    (PreEscaped(body(site, page)))
                }
            }
            footer.page-foot data-related=[page.related.as_deref().filter(|_| pagination)]
                data-view=[page.view.as_deref()] {
                @if let Some(address) = &page.feedback {
                    (feedback::question(address, site.is_preview, messages))
                }
                @if metadata { (footer::metadata(site, page, messages)) }
                @if pagination { (footer::pagination(page, messages)) }
            }
        }
    }
}

fn body<'a>(site: &SiteView, page: &'a PageView) -> Cow<'a, str> {
    let body = apply_scheme(&page.body, site.scheme);
    if site.opens_windows { open_windows(body) } else { body }
}

fn cover_image(cover: &CoverView, scheme: Scheme) -> Markup {
    let CoverView { image, height, focus } = cover;
    // The content security policy permits no inline styles, so the height is an attribute and the
    // visible part one of a few classes.
    let high = if height.is_some() { " cover-high" } else { "" };
    let class = format!("cover-image cover-y-{}{high}", (*focus).min(20));
    themed_image(&ThemedImage { height: *height, ..image.clone() }, &class, scheme)
}

fn page_header(site: &SiteView, page: &PageView, messages: &Messages) -> Markup {
    html! {
        header.page-head dir=[site.direction.of_text()] {
            (other_version(site, messages))
            @if !page.breadcrumbs.is_empty() {
                nav.breadcrumbs aria-label=(messages.breadcrumbs) {
                    ol {
                        @for crumb in &page.breadcrumbs {
                            li {
                                @if crumb.href.is_empty() { span { (crumb.title) } }
                                @else { a href=(crumb.href) { (crumb.title) } }
                            }
                        }
                    }
                }
            }
            @for id in &page.title_ids { span.alias id=(id) {} }
            h1.page-title id="B--title" .sr[!page.layout.title] {
                (symbol(page.emoji.as_deref(), page.icon.as_deref()))
                (page.title)
            }
            @if page.is_unlisted { p.unlisted { (messages.unlisted) } }
            @if let (Some(text), true) = (&page.description, page.layout.description) {
                @if !text.is_empty() { p.lead { (text) } }
            }
        }
    }
}

/// Tells readers of another version than the default one where to find that.
fn other_version(site: &SiteView, messages: &Messages) -> Markup {
    let current = site.variants.iter().find(|one| one.current && !one.is_default);
    let default = site.variants.iter().find(|one| one.is_default);
    html! {
        @if let (Some(current), Some(default)) = (current, default) {
            div.prose {
                div.hint.hint-info role="note" {
                    div.hint-icon aria-hidden="true" {}
                    div.hint-body {
                        (fill(messages.reading, &current.title)) " "
                        a href=(default.href) { (fill(messages.go_to, &default.title)) }
                    }
                }
            }
        }
    }
}

fn outline_nav(outline: &[OutlineEntry], messages: &Messages) -> Markup {
    let highest = outline.iter().map(|entry| entry.level).min().unwrap_or(1);
    html! {
        nav.outline aria-label=(messages.outline) {
            details {
                summary { (messages.outline) }
                ul {
                    @for entry in outline {
                        li class=[depth(entry.level, highest)] {
                            a href={ "#" (entry.anchor) } { (entry.title) }
                        }
                    }
                }
            }
        }
    }
}

fn depth(level: u8, highest: u8) -> Option<&'static str> {
    match level.saturating_sub(highest) {
        0 => None,
        1 => Some("sub"),
        _ => Some("subsub"),
    }
}
