//! What a reader sees where there is no page: not found, nothing written yet, not allowed.

use maud::{Markup, html};

use super::SiteView;
use super::chrome::document;
use super::head::Head;
use super::navigation::NavNode;

/// A page that the reader may have meant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Nearest {
    /// Its title.
    pub title: String,
    /// Its address.
    pub href: String,
    /// Where it is: the titles of its ancestors.
    pub place: Option<String>,
}

/// No page at this address, and the pages whose addresses are nearest.
pub fn render_not_found(site: &SiteView, navigation: &[NavNode], nearest: &[Nearest]) -> String {
    let words = site.words();
    let more = html! {
        @if !nearest.is_empty() {
            h2 { (words.nearest) }
            ul.nearest {
                @for page in nearest {
                    li {
                        a href=(page.href) {
                            span { (page.title) }
                            @if let Some(place) = &page.place { small { (place) } }
                        }
                    }
                }
            }
        }
        p { a.button.button-secondary href=(site.base) { (words.home) } }
    };
    state(site, navigation, words.not_found, words.not_found_text, &more)
}

/// A published site that has no pages.
pub fn render_empty_space(site: &SiteView) -> String {
    let words = site.words();
    state(site, &[], words.empty, words.empty_text, &html! {})
}

/// A site that is open to some readers, of whom this may be one.
pub fn render_forbidden(site: &SiteView, sign_in: Option<&str>) -> String {
    let words = site.words();
    let more = html! {
        @if let Some(href) = sign_in { p { a.button.button-primary href=(href) { (words.sign_in) } } }
    };
    state(site, &[], words.forbidden, words.forbidden_text, &more)
}

fn state(
    site: &SiteView,
    navigation: &[NavNode],
    title: &str,
    text: &str,
    more: &Markup,
) -> String {
    let main = html! {
        main.page.state.no-outline id="~content" tabindex="-1" {
            div.prose {
                h1 { (title) }
                p.lead { (text) }
                (more)
            }
        }
    };
    document(site, &Head { title, description: None, page: None }, navigation, &main)
}
