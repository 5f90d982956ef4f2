//! The `head` element of a document, read by browsers, search engines and link previews.

use maud::{Markup, PreEscaped, html};

use super::locale::open_graph_locale;
use super::openapi::ConsoleLabels;
use super::structured_data::json_ld;
use super::{Choice, Direction, Favicon, PageView, Scheme, SiteView};
use crate::urls::{API_CONSOLE, OPEN_SEARCH};
use crate::{card, style};

/// The beginning of a diagram's source in a rendered document. Quotes in texts are escaped, so that
/// only markup matches.
const DIAGRAM: &str = "<code class=\"language-mermaid\">";

/// The beginning of a part of an OpenAPI specification in a rendered document.
const API_PART: &str = "<section class=\"api\">";

/// The values that differ between the heads of documents.
pub(super) struct Head<'a> {
    pub(super) title: &'a str,
    pub(super) description: Option<&'a str>,
    /// The page, or `None` for a state page, which is never indexed.
    pub(super) page: Option<&'a PageView>,
    /// `true` if the document shows the results of a search.
    pub(super) is_search: bool,
}

pub(super) fn head(site: &SiteView, head: &Head<'_>) -> Markup {
    let noindex = site.noindex || head.page.is_none_or(|page| page.noindex);
    let window_title = if head.title == site.title || head.title.is_empty() {
        site.title.clone()
    } else {
        format!("{} · {}", head.title, site.title)
    };
    let color_scheme = match site.scheme {
        _ if site.switches_scheme => "light dark",
        Scheme::Reader => "light dark",
        Scheme::Light => "only light",
        Scheme::Dark => "only dark",
    };
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width,initial-scale=1";
            meta name="color-scheme" content=(color_scheme);
            title { (window_title) }
            @if let Some(description) = head.description {
                meta name="description" content=(description);
            }
            @if noindex { meta name="robots" content="noindex"; }
            (script(site))
            (search_script(site))
            link rel="stylesheet" href=(site.shared(style::stylesheet().path()));
            @if site.has_optional_parts() || head.page.is_some_and(PageView::has_optional_parts) {
                link rel="stylesheet" href=(site.shared(style::looks().path()));
            }
            @if let Some(theme) = site.theme.path() {
                link rel="stylesheet" href=(site.shared(&theme));
            }
            @if head.page.is_some_and(|page| page.body.contains(API_PART)) {
                link rel="stylesheet" href=(site.shared(style::api().path()));
            }
            @for path in &site.font_stylesheets { link rel="stylesheet" href=(site.shared(path)); }
            @if head.is_search {
                link rel="stylesheet" href=(site.shared(style::search_stylesheet().path()));
            }
            (fonts(site, head.page))
            (diagrams(site, head.page))
            (api_console(site, head.page))
            (favicon(site))
            @if let Some(page) = head.page { (page_links(site, page, head)) }
        }
    }
}

/// Names the icon of the site. Windows are light or dark as the reader's system, whatever the scheme
/// of the site; browsers that read no conditions take the last icon.
fn favicon(site: &SiteView) -> Markup {
    html! {
        @match &site.favicon {
            None => link rel="icon" href=(site.shared(style::favicon().path()));,
            Some(Favicon { light, dark: None }) => link rel="icon" href=(light);,
            Some(Favicon { light, dark: Some(dark) }) => {
                link rel="icon" href=(dark) media="(prefers-color-scheme: dark)";
                link rel="icon" href=(light) media="(prefers-color-scheme: light)";
            }
        }
    }
}

/// Names the fonts before the browser finds them in stylesheets, and the stylesheets of formulas and
/// of letters that only some pages have.
fn fonts(site: &SiteView, page: Option<&PageView>) -> Markup {
    let has_own_font = site.theme.font.is_some() || !site.font_stylesheets.is_empty();
    let has_formula = page.is_some_and(|page| page.body.contains("<math"));
    let text = style::text_font().filter(|_| !has_own_font);
    let formulas = style::math_font().filter(|_| has_formula);
    let texts = page.map_or(["", ""], |page| [page.title.as_str(), page.body.as_str()]);
    let language = if site.direction == Direction::ByText { "" } else { &site.language };
    html! {
        @if !has_own_font {
            @for sheet in style::further_text_fonts(language, texts) {
                link rel="stylesheet" href=(site.shared(sheet.path()));
            }
        }
        @if has_formula { link rel="stylesheet" href=(site.shared(style::math().path())); }
        @for font in text.into_iter().chain(formulas) {
            link rel="preload" href=(site.shared(font.path())) as="font" type="font/woff2" crossorigin;
        }
    }
}

/// Names the script and the stylesheet of diagrams, if the page contains one.
fn diagrams(site: &SiteView, page: Option<&PageView>) -> Markup {
    let messages = site.messages();
    html! {
        @if page.is_some_and(|page| page.body.contains(DIAGRAM)) {
            link rel="stylesheet" href=(site.shared(style::diagram_stylesheet().path()));
            script defer src=(site.shared(style::diagram_script().path()))
                data-frame=(site.shared(style::diagram_frame().path()))
                data-diagram=(messages.diagram) data-source=(messages.diagram_source) {}
        }
    }
}

/// Names the script of the console for operations, if the page contains one, with the texts that it
/// shows before it has received the others.
fn api_console(site: &SiteView, page: Option<&PageView>) -> Markup {
    let labels = ConsoleLabels::of(site.messages().language);
    html! {
        @if page.is_some_and(|page| page.body.contains("class=\"api-try\"")) {
            script defer src=(site.shared(style::api_console_script().path()))
                data-at={ (site.base) (API_CONSOLE) }
                data-style=(site.shared(style::api_console_stylesheet().path()))
                data-close=(labels.close) data-failed=(labels.failed) {}
        }
    }
}

/// Names the script and the texts that it shows. It stands before the stylesheets, for which it would
/// wait otherwise.
fn script(site: &SiteView) -> Markup {
    let messages = site.messages();
    html! {
        script src=(site.shared(style::script().path()))
            data-dark=[site.switches_scheme.then_some(messages.dark)]
            data-copy=(messages.copy) data-copied=(messages.copied) data-wrap=(messages.wrap)
            data-enlarge=(messages.enlarge) data-close=(messages.close) {}
    }
}

/// Names the script of the search, which runs when the page is read, and describes the search to
/// browsers (the OpenSearch format).
fn search_script(site: &SiteView) -> Markup {
    let messages = site.messages();
    html! {
        @if site.search.is_some() {
            script defer src=(site.shared(style::search_script().path()))
                data-style=(site.shared(style::search_stylesheet().path()))
                data-close=(messages.close) data-recent=(messages.recent_searches)
                data-clear=(messages.clear) {}
            link rel="search" type="application/opensearchdescription+xml" title=(site.title)
                href={ (site.base) (OPEN_SEARCH) };
        }
    }
}

fn page_links(site: &SiteView, page: &PageView, head: &Head<'_>) -> Markup {
    let canonical =
        page.canonical.clone().unwrap_or_else(|| format!("{}{}", site.origin, page.href));
    let image = page.cover.as_ref().map(|cover| cover.image.src.as_str());
    let image = image.or(site.social_image.as_deref());
    let card = page.card.as_deref().filter(|_| image.is_none());
    let image = image.or(card).map(|src| absolute(site, src));
    html! {
        link rel="canonical" href=(canonical);
        @if let Some(markdown) = &page.markdown_href {
            link rel="alternate" type="text/markdown" href=(markdown);
        }
        @for feed in &page.feeds {
            link rel="alternate" type="application/atom+xml" title=(feed.title) href=(feed.href);
        }
        (translations(site, &canonical))
        @if let Some(previous) = &page.previous { link rel="prev" href=(previous.href); }
        @if let Some(next) = &page.next { link rel="next" href=(next.href); }
        (link_preview(site, page, head, &canonical))
        @if let Some(image) = &image {
            meta property="og:image" content=(image);
            @if card.is_some() {
                meta property="og:image:width" content=(card::WIDTH);
                meta property="og:image:height" content=(card::HEIGHT);
                meta property="og:image:type" content="image/png";
            }
            meta property="og:image:alt" content=(head.title);
        }
        meta name="twitter:card"
            content=(if image.is_some() { "summary_large_image" } else { "summary" });
        @if !(site.noindex || page.noindex || site.is_preview) {
            script type="application/ld+json" {
                (PreEscaped(json_ld(site, page, &canonical, image.as_deref())))
            }
        }
    }
}

/// Describes the page to programs that show previews of links (the Open Graph protocol).
fn link_preview(site: &SiteView, page: &PageView, head: &Head<'_>, canonical: &str) -> Markup {
    html! {
        meta property="og:type" content="article";
        meta property="og:site_name" content=(site.title);
        meta property="og:title" content=(head.title);
        meta property="og:url" content=(canonical);
        (locales(site))
        @if let Some(description) = head.description {
            meta property="og:description" content=(description);
        }
        // The protocol expects the language and the country.
        @if let Some((language, country)) = site.language.split_once('-') {
            @if country.len() == 2 {
                meta property="og:locale" content={ (language) "_" (country.to_uppercase()) };
            }
        }
        @if let Some(published) = page.published {
            meta property="article:published_time" content=(published.to_string());
        }
        @if let Some(updated) = page.updated {
            meta property="article:modified_time" content=(updated.to_string());
        }
    }
}

/// Names the languages in which the page exists, if there are several. Search engines expect the
/// page itself among them.
fn translations(site: &SiteView, canonical: &str) -> Markup {
    let exists = |one: &&Choice| one.is_same_page;
    let count = site.translations.iter().filter(exists).count();
    let pages = site.translations.iter().filter(exists).filter(|_| count > 1);
    html! {
        @for page in pages {
            @let href = if page.current { canonical.to_owned() } else { absolute(site, &page.href) };
            @if let Some(language) = &page.language {
                link rel="alternate" hreflang=(language) href=(href);
            }
            @if page.is_default { link rel="alternate" hreflang="x-default" href=(href); }
        }
    }
}

/// Names the locale of the page and those of its translations, as far as languages are known.
fn locales(site: &SiteView) -> Markup {
    let is_known = site.direction != Direction::ByText;
    let own = open_graph_locale(&site.language).filter(|_| is_known);
    let others = site.translations.iter().filter(|one| one.is_same_page && !one.current);
    let others = others.filter_map(|one| open_graph_locale(one.language.as_deref()?));
    html! {
        @if let Some(own) = &own {
            meta property="og:locale" content=(own);
            @for other in others.filter(|other| other != own) {
                meta property="og:locale:alternate" content=(other);
            }
        }
    }
}

/// Returns an address with scheme and host, as link previews and search engines require it.
pub(super) fn absolute(site: &SiteView, href: &str) -> String {
    if href.starts_with('/') && !href.starts_with("//") {
        format!("{}{href}", site.origin)
    } else {
        href.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::NavNode;

    #[test]
    fn names_in_the_navigation_load_no_font() {
        let fonts = |language: &str, body: &str| {
            let site = SiteView::new("S", "https://x.example", "/");
            let site = SiteView { language: language.to_owned(), ..site };
            let navigation =
                vec![NavNode { title: "Русский".repeat(9), ..NavNode::default() }];
            let page = PageView { body: body.to_owned(), navigation, ..PageView::default() };
            fonts(&site, Some(&page)).into_string()
        };
        assert!(!fonts("en", "<p>Text</p>").contains("cyrillic"));
        for (language, body) in [("ru", "<p>Text</p>"), ("en", "<p>Первая страница</p>")]
        {
            assert!(fonts(language, body).contains("/~assets/inter-cyrillic-"), "{body}");
        }
    }

    #[test]
    fn dark_windows_have_the_dark_icon() {
        let site = SiteView::new("S", "https://x.example", "/");
        let icon = |dark: Option<&str>| {
            let icon = Favicon { light: "/a.svg".to_owned(), dark: dark.map(str::to_owned) };
            favicon(&SiteView { favicon: Some(icon), ..site.clone() }).into_string()
        };
        assert_eq!(icon(None), "<link rel=\"icon\" href=\"/a.svg\">");
        assert_eq!(
            icon(Some("/b.svg")),
            "<link rel=\"icon\" href=\"/b.svg\" media=\"(prefers-color-scheme: dark)\">\
             <link rel=\"icon\" href=\"/a.svg\" media=\"(prefers-color-scheme: light)\">"
        );
    }
}
