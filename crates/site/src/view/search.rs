//! The results of a search, as a page and as a part of a page that the script shows.

use std::ops::Range;

use bindery_app::search::MAX_QUERY_CHARS;
use maud::{Markup, html};

use super::SiteView;
use super::chrome::document;
use super::head::Head;
use super::navigation::NavNode;
use crate::i18n::{Messages, fill};

/// A search on a site.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchView {
    /// The address of the form.
    pub action: String,
    /// The text as typed.
    pub query: String,
    /// The parts of the site to which the reader can limit the search; empty if there is only one.
    pub filters: Vec<FilterGroup>,
    /// The result; `None` if the query is empty.
    pub found: Option<FoundView>,
}

/// A group of parts of a site.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FilterGroup {
    /// The name of the group; empty for parts without a group.
    pub title: String,
    /// The parts.
    pub filters: Vec<Filter>,
}

/// A part of a site to which a search can be limited.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// The value of the parameter `in`.
    pub value: String,
    /// The displayed name.
    pub title: String,
    /// `true` if the search is limited to this part.
    pub is_selected: bool,
}

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FoundView {
    /// The number of pages that match.
    pub total: usize,
    /// `true` if the number is a lower bound.
    pub is_more: bool,
    /// The pages that are shown, best first.
    pub pages: Vec<FoundPage>,
    /// The words that were searched instead of those that were typed.
    pub corrections: Vec<String>,
    /// `true` if the pages have only some of the words.
    pub is_partial: bool,
    /// `true` if the index cannot be read at the moment.
    pub is_unavailable: bool,
    /// The previous part of the result.
    pub previous: Option<String>,
    /// The next part of the result.
    pub next: Option<String>,
    /// The address of the same search in the whole site, if this one was limited.
    pub wider: Option<String>,
    /// The address of the complete result, if this is its beginning.
    pub all: Option<String>,
}

/// A page that was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FoundPage {
    /// The title with the matches.
    pub title: Marked,
    /// The address.
    pub href: String,
    /// The ids of its space and of the page, with a slash between them.
    pub id: String,
    /// The address that is told when the page is opened.
    pub ping: Option<String>,
    /// The section, the variant and the titles of the pages above, outermost first.
    pub ancestors: Vec<String>,
    /// The matching sentences before the first heading, or the description if no section matches.
    pub text: Marked,
    /// The best sections below headings.
    pub sections: Vec<FoundSection>,
}

/// A section that was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FoundSection {
    /// The heading with the matches.
    pub heading: Marked,
    /// The address.
    pub href: String,
    /// Sentences with the matches.
    pub snippet: Marked,
}

/// A text with the byte ranges of matches, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Marked {
    /// The text.
    pub text: String,
    /// The ranges.
    pub marks: Vec<Range<usize>>,
}

impl Marked {
    /// Returns the parts of the text, and for each `true` if it is a match. Ignores ranges that are
    /// not in order or not between characters.
    fn parts(&self) -> Vec<(&str, bool)> {
        let mut parts = Vec::with_capacity(self.marks.len() * 2 + 1);
        let mut done = 0;
        for mark in &self.marks {
            let before = self.text.get(done..mark.start);
            let (Some(before), Some(marked)) = (before, self.text.get(mark.clone())) else {
                continue;
            };
            parts.extend([(before, false), (marked, true)]);
            done = mark.end;
        }
        parts.push((self.text.get(done..).unwrap_or_default(), false));
        parts.retain(|(part, _)| !part.is_empty());
        parts
    }

    fn render(&self) -> Markup {
        html! {
            @for (part, is_match) in self.parts() {
                @if is_match { mark { (part) } } @else { (part) }
            }
        }
    }
}

/// Renders the page with the results of a search.
pub fn render_search(site: &SiteView, navigation: &[NavNode], search: &SearchView) -> String {
    let messages = site.messages();
    let SearchView { action, query, filters, found } = search;
    let main = html! {
        main.page.no-outline id="B--content" tabindex="-1" {
            div.prose { h1 { (messages.search) } }
            (search_form(action, query, filters, messages))
            @if let Some(found) = found { (result(found, query, messages)) }
        }
    };
    let title = match query.is_empty() {
        true => messages.search.to_owned(),
        false => format!("{query} · {}", messages.search),
    };
    let head = Head { title: &title, description: None, page: None, is_search: true };
    document(site, &head, navigation, &main)
}

/// Renders the results of a search and the filters, for the script.
pub fn render_result(messages: &Messages, search: &SearchView) -> String {
    let SearchView { query, filters, found, .. } = search;
    let part = html! {
        (filter_field(filters, messages))
        @if let Some(found) = found { (result(found, query, messages)) }
    };
    part.into_string()
}

/// Renders a form for a search in a page.
pub(super) fn search_form(
    action: &str,
    query: &str,
    filters: &[FilterGroup],
    messages: &Messages,
) -> Markup {
    html! {
        form.search-form action=(action) {
            (search_field(query, messages, &search_sign()))
            (filter_field(filters, messages))
            button.button.button-primary type="submit" { (messages.search) }
        }
    }
}

/// Renders a field for the text of a search whose sign is a button that starts the search.
pub(super) fn search_start(messages: &Messages) -> Markup {
    let button = html! {
        button.search-go type="submit" aria-label=(messages.search) { (search_sign()) }
    };
    search_field("", messages, &button)
}

fn search_sign() -> Markup {
    html! { span.glyph.glyph-search aria-hidden="true" {} }
}

/// Renders a field for the text of a search. The stylesheet shows the sign at its start.
fn search_field(query: &str, messages: &Messages, sign: &Markup) -> Markup {
    html! {
        span.search {
            input type="search" name="q" value=[Some(query).filter(|query| !query.is_empty())]
                placeholder=(messages.search) aria-label=(messages.search)
                maxlength=(MAX_QUERY_CHARS) autocomplete="off" spellcheck="false";
            (sign)
        }
    }
}

fn filter_field(filters: &[FilterGroup], messages: &Messages) -> Markup {
    html! {
        @if !filters.is_empty() {
            select.search-filter name="in" aria-label=(messages.search_in) {
                @for group in filters {
                    @if group.title.is_empty() { (filter_options(&group.filters)) }
                    @else { optgroup label=(group.title) { (filter_options(&group.filters)) } }
                }
            }
        }
    }
}

fn filter_options(filters: &[Filter]) -> Markup {
    html! {
        @for filter in filters {
            option value=(filter.value) selected[filter.is_selected] { (filter.title) }
        }
    }
}

fn result(found: &FoundView, query: &str, messages: &Messages) -> Markup {
    html! {
        div.found-note { (summary(found, query, messages)) }
        @if !found.pages.is_empty() {
            ol.found { @for page in &found.pages { li { (found_page(page)) } } }
        }
        @if let Some(all) = &found.all { p.found-all { a href=(all) { (messages.all_results) } } }
        @if found.previous.is_some() || found.next.is_some() {
            nav.pagination aria-label=(messages.neighbours) {
                (step(found.previous.as_deref(), "prev", messages.previous))
                (step(found.next.as_deref(), "next", messages.next))
            }
        }
    }
}

fn step(href: Option<&str>, rel: &str, title: &str) -> Markup {
    html! { @if let Some(href) = href { a.button.button-secondary href=(href) rel=(rel) { (title) } } }
}

/// Renders the number of pages that were found and how they were found, or help if there are none.
fn summary(found: &FoundView, query: &str, messages: &Messages) -> Markup {
    html! {
        @if found.is_unavailable {
            p { (messages.search_unavailable) }
        } @else if found.total == 0 {
            p.found-nothing { (fill(messages.nothing_found, query)) }
            p { (messages.nothing_found_help) }
        } @else {
            p {
                (fill(messages.pages_found, count(found)))
                @if !found.corrections.is_empty() {
                    " · " (fill(messages.searched_instead, found.corrections.join(", ")))
                }
            }
            @if found.is_partial { p { (messages.some_words) } }
        }
        @if let Some(href) = &found.wider {
            p { (messages.search_in) ": " a href=(href) { (messages.search_everywhere) } }
        }
    }
}

fn count(found: &FoundView) -> String {
    let more = if found.is_more { "+" } else { "" };
    format!("{}{more}", found.total)
}

fn found_page(page: &FoundPage) -> Markup {
    html! {
        a.found-page href=(page.href) data-page=(page.id) ping=[&page.ping] {
            @if !page.ancestors.is_empty() {
                span.found-above {
                    @for (at, title) in page.ancestors.iter().enumerate() {
                        // Outside of the titles, which can run the other way than the page.
                        @if at > 0 { span aria-hidden="true" { "/" } }
                        bdi { (title) }
                    }
                }
            }
            span.found-title { (page.title.render()) }
            (found_text(&page.text))
        }
        @if !page.sections.is_empty() {
            ul { @for section in &page.sections { li { (found_section(page, section)) } } }
        }
    }
}

fn found_section(page: &FoundPage, section: &FoundSection) -> Markup {
    html! {
        a.found-section href=(section.href) data-page=(page.id) ping=[&page.ping] {
            span.found-heading { (section.heading.render()) }
            (found_text(&section.snippet))
        }
    }
}

fn found_text(text: &Marked) -> Markup {
    html! { @if !text.text.is_empty() { span.found-text { (text.render()) } } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::tests::{evil, evil_site, expect_escaped};

    #[test]
    fn matches_are_marked() {
        for (text, marks, expect) in [
            ("a <b>", vec![0..1, 2..5], "<mark>a</mark> <mark>&lt;b&gt;</mark>"),
            ("ab", vec![0..1, 1..2], "<mark>a</mark><mark>b</mark>"),
            ("äb", vec![1..2, 2..3], "ä<mark>b</mark>"),
            ("abc", vec![1..2, 0..1, 2..9], "a<mark>b</mark>c"),
            ("", vec![], ""),
        ] {
            let marked = Marked { text: text.to_owned(), marks };
            assert_eq!(marked.render().into_string(), expect);
        }
    }

    #[test]
    fn the_slashes_between_titles_are_outside_of_them() {
        let page = FoundPage {
            title: Marked { text: "T".to_owned(), marks: vec![] },
            href: "/t".to_owned(),
            id: "t".to_owned(),
            ping: None,
            ancestors: vec!["a".to_owned(), "b".to_owned()],
            text: Marked { text: String::new(), marks: vec![] },
            sections: vec![],
        };
        let html = found_page(&page).into_string();
        let slash = "<bdi>a</bdi><span aria-hidden=\"true\">/</span><bdi>b</bdi></span>";
        assert!(html.contains(slash), "{html}");
    }

    #[test]
    fn every_text_is_escaped() {
        let marked = || Marked { text: evil(), marks: vec![0..1, 1..2] };
        let section = FoundSection { heading: marked(), href: evil(), snippet: marked() };
        let found = FoundView {
            total: 1,
            is_more: true,
            pages: vec![FoundPage {
                title: marked(),
                href: evil(),
                id: evil(),
                ping: Some(evil()),
                ancestors: vec![evil()],
                text: marked(),
                sections: vec![section],
            }],
            corrections: vec![evil()],
            is_partial: true,
            is_unavailable: false,
            previous: Some(evil()),
            next: Some(evil()),
            wider: Some(evil()),
            all: Some(evil()),
        };
        let filter = Filter { value: evil(), title: evil(), is_selected: true };
        let search = SearchView {
            action: evil(),
            query: evil(),
            filters: vec![FilterGroup { title: evil(), filters: vec![filter] }],
            found: Some(found),
        };
        expect_escaped(&render_search(&evil_site(), &[], &search));
    }
}
