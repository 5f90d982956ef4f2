//! The frame of all pages, and the first page.

use maud::{DOCTYPE, Markup, html};

use super::{Group, ROOT, group_description, group_title, groups, prose};
use crate::contract::Contract;

/// The values that differ between the frames of pages.
pub(super) struct Frame<'a> {
    pub(super) title: &'a str,
    pub(super) description: &'a str,
    /// The group or `schemas`, which the navigation marks.
    pub(super) current: &'a str,
    /// The text in the search field.
    pub(super) query: &'a str,
}

/// Renders a page. The navigation follows the content, so that readers of small windows and screen
/// readers reach the content first.
pub(super) fn page(contract: &Contract, frame: &Frame<'_>, content: &Markup) -> Markup {
    let window_title = if frame.current == "overview" {
        "API reference".to_owned()
    } else {
        format!("{} · API reference", frame.title)
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (window_title) }
                meta name="description" content=(frame.description);
                link rel="stylesheet" href={ (ROOT) "/reference.css" };
                script src={ (ROOT) "/reference.js" } defer {}
            }
            body {
                a.skip href="#content" { "Skip to the content" }
                header {
                    a.name href=(ROOT) { "API reference" }
                    form role="search" action={ (ROOT) "/search" } {
                        label for="search" { "Search operations and schemas" }
                        input #search type="search" name="q" value=(frame.query)
                            placeholder="Search" autocomplete="off" data-index={ (ROOT) "/search.json" };
                        button { "Search" }
                        ul #found hidden {}
                        p #count .hidden role="status" {}
                    }
                    a.menu href="#groups" { "Groups" }
                }
                div.frame {
                    main #content { h1 { (frame.title) } (content) }
                    nav #groups aria-label="Groups" { (navigation(contract, frame.current)) }
                }
            }
        }
    }
}

fn navigation(contract: &Contract, current: &str) -> Markup {
    let groups = groups(contract);
    let (built, pending): (Vec<_>, Vec<_>) = groups.iter().partition(|group| group.built() > 0);
    let item = |href: &str, title: &str, is_current: bool| {
        html! { li { a href=(href) aria-current=[is_current.then_some("page")] { (title) } } }
    };
    let list = |groups: &[&Group<'_>]| {
        html! {
            ul {
                @for group in groups {
                    (item(&group.href(), &group_title(group.name), group.name == current))
                }
            }
        }
    };
    html! {
        ul {
            (item(ROOT, "Overview", current == "overview"))
            (item(&format!("{ROOT}/schemas"), "Schemas", current == "schemas"))
        }
        h2 { "Operations" }
        (list(&built))
        @if !pending.is_empty() {
            h2 { "Not available yet" }
            (list(&pending))
        }
    }
}

/// Renders the first page.
pub(super) fn overview(contract: &Contract) -> Markup {
    let groups = groups(contract);
    let (built, pending): (Vec<_>, Vec<_>) = groups.iter().partition(|group| group.built() > 0);
    let operations: usize = groups.iter().map(Group::built).sum();
    let content = html! {
        p.lead {
            "The HTTP API has " (operations) " operations below " code { "/v1" } ". The same "
            "description is available as " a href="/v1/openapi.json" { "OpenAPI" } "."
        }
        h2 #calls { "Calls" }
        p { (prose(
            "Every request carries `Authorization: Bearer` and a token, unless the operation works \
             without one. Bodies and answers are JSON, if nothing else is stated."
        )) }
        pre tabindex="0" aria-label="Example" { code {
            "curl -H \"Authorization: Bearer $BINDERY_TOKEN\" \\\n  \"$BINDERY_SERVER/v1/user\""
        } }
        p { (prose(
            "In JavaScript, the npm package `@gitbook/api` has a function for most operations:"
        )) }
        pre tabindex="0" aria-label="Example in JavaScript" { code {
            "import { GitBookAPI } from '@gitbook/api';\n\n\
             const api = new GitBookAPI({\n  endpoint: process.env.BINDERY_SERVER,\n  \
             authToken: process.env.BINDERY_TOKEN,\n});\n\
             const { data } = await api.user.getAuthenticatedUser();"
        } }
        h2 #errors { "Errors" }
        p { (prose(
            "Errors have the form `{\"error\": {\"code\", \"message\"}}`. Any operation may answer \
             400, 401, 403, 404, 409, 412, 413, 414, 415, 422, 429, 431, 500, 501 and 503. An \
             operation that is not available yet answers 501."
        )) }
        h2 #lists { "Lists" }
        p { (prose(
            "A list has `items` and, unless it is complete, `next.page`. Send that value as the \
             parameter `page` to get the next items."
        )) }
        h2 #all { "Groups" }
        ul.cards {
            @for group in &built {
                li {
                    h3 { a href=(group.href()) { (group_title(group.name)) } }
                    p { (group_description(group.name)) }
                    p.note { (counted(group.built(), "operation")) }
                }
            }
        }
        @if !pending.is_empty() {
            h2 #pending { "Not available yet" }
            ul.plain {
                @for group in &pending {
                    li { a href=(group.href()) { (group_title(group.name)) } }
                }
            }
        }
    };
    let frame = Frame {
        title: "API reference",
        description: "The operations of the HTTP API, with parameters, fields and examples.",
        current: "overview",
        query: "",
    };
    page(contract, &frame, &content)
}

/// Returns a number with a noun: `1 operation`, `2 operations`.
pub(super) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
