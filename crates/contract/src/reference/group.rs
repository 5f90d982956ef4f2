//! The page of a group of operations.

use maud::{Markup, html};

use super::page::{Frame, counted, page as framed};
use super::{
    Group, breakable, example, fields, group_description, group_title, groups, method_label, prose,
    summary,
};
use crate::contract::Contract;
use crate::descriptions;
use crate::operation::{Content, Operation, Parameter, ParameterLocation};

/// Renders the page of a group that exists.
pub(super) fn page_of(contract: &Contract, group: &Group<'_>) -> Markup {
    let (built, pending): (Vec<&Operation>, Vec<&Operation>) =
        group.operations.iter().copied().partition(|operation| !operation.pending);
    let content = html! {
        p.lead { (group_description(group.name)) }
        @if group.operations.len() > 1 {
            ul.contents aria-label="Operations" {
                @for operation in &group.operations {
                    li {
                        (method_label(operation)) " "
                        a href={ "#" (operation.id) } { (operation.id) }
                        @if operation.pending { " " span.badge { "not available yet" } }
                    }
                }
            }
        }
        @for operation in &built { (article(operation)) }
        @if !pending.is_empty() {
            h2 { "Not available yet" }
            p { (counted(pending.len(), "operation")) " of the contract, with the answer 501." }
            @for operation in &pending { (article(operation)) }
        }
    };
    let title = group_title(group.name);
    let frame = Frame {
        title: &title,
        description: group_description(group.name),
        current: group.name,
        query: "",
    };
    framed(contract, &frame, &content)
}

/// Renders the page of a group by its name.
pub(super) fn page(contract: &Contract, name: &str) -> Markup {
    let groups = groups(contract);
    match groups.iter().find(|group| group.name == name) {
        Some(group) => page_of(contract, group),
        None => html! {},
    }
}

fn article(operation: &Operation) -> Markup {
    let notes = [
        (operation.deprecated, "deprecated"),
        (operation.pending, "not available yet"),
        (operation.public, "works without a token"),
        (operation.share_key, "accepts a share key"),
    ];
    html! {
        article #(operation.id) {
            h2 { a href={ "#" (operation.id) } { (operation.id) } }
            p { (prose(summary(operation))) }
            p.call { (method_label(operation)) " " code { (breakable(&operation.path)) } }
            @if notes.iter().any(|(holds, _)| *holds) {
                p.badges {
                    @for (_, note) in notes.iter().filter(|(holds, _)| *holds) {
                        span.badge { (note) } " "
                    }
                }
            }
            div.sides {
                div {
                    (parameters(operation))
                    (body(operation))
                    (responses(operation))
                }
                @if !operation.pending { div.examples { (examples(operation)) } }
            }
        }
    }
}

fn parameters(operation: &Operation) -> Markup {
    let locations = [
        ("in the path", ParameterLocation::Path),
        ("in the query", ParameterLocation::Query),
        ("in a header", ParameterLocation::Header),
    ];
    let all = locations.iter().flat_map(|(place, location)| {
        operation.parameters_in(*location).map(move |parameter| (*place, parameter))
    });
    let all: Vec<(&str, &Parameter)> = all.collect();
    html! {
        @if !all.is_empty() {
            h3 { "Parameters" }
            dl.fields {
                @for (place, parameter) in all {
                    div {
                        dt {
                            code { (parameter.name) } " "
                            span.kind { (fields::type_name(&parameter.schema)) ", " (place) }
                            @if parameter.required { " " span.required { "required" } }
                        }
                        dd {
                            @if let Some(text) = descriptions::of_parameter(&parameter.name) {
                                p { (prose(text)) }
                            }
                            (fields::constraints(&parameter.schema))
                        }
                    }
                }
            }
        }
    }
}

fn body(operation: &Operation) -> Markup {
    let Some(body) = &operation.body else { return html! {} };
    html! {
        h3 { "Body" @if !body.required { " " span.kind { "optional" } } }
        @for content in &body.content { (content_fields(content, fields::Purpose::Request)) }
    }
}

fn responses(operation: &Operation) -> Markup {
    html! {
        h3 { "Responses" }
        @for response in &operation.responses {
            @let status = response.status.map_or("Other".to_owned(), |status| status.to_string());
            @if response.content.is_empty() {
                p.response { code { (status) } " without a body" }
            }
            @for content in &response.content {
                details.response {
                    summary {
                        code { (status) } " "
                        @if let Some(schema) = &content.schema {
                            span.kind { (fields::plain_type_name(schema)) }
                        }
                    }
                    (content_fields(content, fields::Purpose::Response))
                }
            }
        }
    }
}

fn content_fields(content: &Content, purpose: fields::Purpose) -> Markup {
    html! {
        @if content.media_type != "application/json" {
            p { code { (content.media_type) } }
        }
        @if let Some(schema) = &content.schema { (fields::render(schema, purpose)) }
    }
}

fn examples(operation: &Operation) -> Markup {
    let answer = example::answer(operation);
    html! {
        h3 { "Example" }
        p.caption { "curl" }
        pre tabindex="0" aria-label={ "curl: " (operation.id) } { code { (example::curl(operation)) } }
        details {
            summary { "JavaScript" }
            pre tabindex="0" aria-label={ "JavaScript: " (operation.id) } {
                code { (example::javascript(operation)) }
            }
        }
        @if let Some(answer) = answer {
            details {
                summary { "Answer" }
                pre tabindex="0" aria-label={ "Answer: " (operation.id) } { code { (answer) } }
            }
        }
    }
}
