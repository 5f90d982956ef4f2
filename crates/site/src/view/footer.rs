//! The footer of a page: its last change, links to its source, and the neighbouring pages.

use maud::{Markup, html};

use super::{Link, PageView, SiteView};
use crate::i18n::Messages;

pub(super) fn metadata(site: &SiteView, page: &PageView, messages: &Messages) -> Markup {
    let target = site.opens_windows.then_some("_blank");
    html! {
        @if page.updated.is_some() || page.edit_href.is_some() || page.markdown_href.is_some()
            || page.pdf.is_some() || !page.assistants.is_empty() || page.mcp.is_some() {
            ul.metadata {
                @if let Some(at) = page.updated {
                    li {
                        @let pattern = if page.author.is_some() { messages.updated_by } else { messages.updated };
                        @let (before, after) = pattern.split_once("{}").unwrap_or((pattern, ""));
                        (before) time datetime=(at.to_string()) { (messages.date(at)) } (after)
                        @if let Some(author) = &page.author { " " bdi { (author) } }
                    }
                }
                @if let Some(edit) = &page.edit_href {
                    li { a href=(edit) rel="noopener" target=[target] { (messages.edit) } }
                }
                @if let Some(markdown) = &page.markdown_href {
                    li { a href=(markdown) type="text/markdown" { (messages.markdown) } }
                    li.scripted {
                        button.text-button type="button" data-copy-page=(markdown) {
                            (messages.copy_page)
                        }
                    }
                }
                @if let Some(pdf) = &page.pdf {
                    @for link in [&pdf.page, &pdf.everything] {
                        li {
                            a href=(link.href) type="application/pdf" rel="nofollow" {
                                (link.title)
                            }
                        }
                    }
                }
                @for assistant in &page.assistants {
                    li { a href=(assistant.href) rel="noopener" target=[target] { (assistant.title) } }
                }
                @if let Some(mcp) = &page.mcp {
                    @for client in &mcp.clients {
                        li { a href=(client.href) { (client.title) } }
                    }
                    li.scripted {
                        button.text-button type="button" data-copy-text=(mcp.address) {
                            (messages.copy_mcp)
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn pagination(page: &PageView, messages: &Messages) -> Markup {
    html! {
        @if page.previous.is_some() || page.next.is_some() {
            nav.pagination aria-label=(messages.neighbours) {
                @if let Some(link) = &page.previous { (neighbour(link, messages.previous, "prev")) }
                @if let Some(link) = &page.next { (neighbour(link, messages.next, "next")) }
            }
        }
    }
}

fn neighbour(link: &Link, label: &str, rel: &str) -> Markup {
    html! {
        a class=(rel) rel=(rel) href=(link.href) {
            small { (label) }
            span { (link.title) }
        }
    }
}
