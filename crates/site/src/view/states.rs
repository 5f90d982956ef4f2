//! Pages for states without content: not found, no pages yet, access denied.

use maud::{Markup, html};

use super::SiteView;
use super::chrome::document;
use super::head::Head;
use super::navigation::NavNode;
use super::search::search_form;
use crate::i18n::Messages;

/// A page that is suggested to the reader.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Suggestion {
    /// The page's title.
    pub title: String,
    /// The page's address.
    pub href: String,
    /// The titles of the page's ancestors.
    pub ancestors: Option<String>,
}

/// Renders the response for an address without a page, with suggestions of pages with similar
/// addresses and a search for the `words` of the address.
pub fn render_not_found(
    site: &SiteView,
    navigation: &[NavNode],
    nearest: &[Suggestion],
    words: &str,
) -> String {
    let messages = site.messages();
    let more = html! {
        @if let Some(search) = &site.search { (search_form(search, words, &[], messages)) }
        @if !nearest.is_empty() {
            h2 { (messages.nearest) }
            (suggestions(nearest))
        }
        p { a.button.button-secondary href=(site.base) { (messages.home) } }
    };
    state(
        site,
        navigation,
        messages.not_found,
        messages.not_found_text,
        &more,
        site.search.is_some(),
    )
}

fn suggestions(pages: &[Suggestion]) -> Markup {
    html! {
        ul.nearest {
            @for page in pages {
                li {
                    a href=(page.href) {
                        span { (page.title) }
                        @if let Some(ancestors) = &page.ancestors { small { (ancestors) } }
                    }
                }
            }
        }
    }
}

/// Renders the pages that are related to a page, for the script.
pub fn render_related(messages: &Messages, pages: &[Suggestion]) -> String {
    let markup = html! {
        @if !pages.is_empty() {
            nav.related aria-labelledby="B--related" {
                h2 id="B--related" { (messages.related) }
                (suggestions(pages))
            }
        }
    };
    markup.into_string()
}

/// Renders a published site that has no pages.
pub fn render_empty_space(site: &SiteView) -> String {
    let messages = site.messages();
    state(site, &[], messages.empty, messages.empty_text, &html! {}, false)
}

/// Renders a site that is open to certain readers only. `sign_in` is the address of the sign-in
/// form.
pub fn render_forbidden(site: &SiteView, sign_in: Option<&str>) -> String {
    let messages = site.messages();
    let more = html! {
        @if let Some(href) = sign_in { p { a.button.button-primary href=(href) { (messages.sign_in) } } }
    };
    state(site, &[], messages.forbidden, messages.forbidden_text, &more, false)
}

/// Renders a page that tells about a state. `is_search` is `true` if it has a form for a search.
pub(super) fn state(
    site: &SiteView,
    navigation: &[NavNode],
    title: &str,
    text: &str,
    more: &Markup,
    is_search: bool,
) -> String {
    let main = html! {
        main.page.state.no-outline id="B--content" tabindex="-1" {
            div.prose {
                h1 { (title) }
                @if !text.is_empty() { p.lead { (text) } }
                (more)
            }
        }
    };
    document(site, &Head { title, description: None, page: None, is_search }, navigation, &main)
}
