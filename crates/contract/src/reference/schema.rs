//! The pages of schemas.

use maud::{Markup, html};

use super::page::{Frame, page as framed};
use super::{ROOT, fields, group_title, schema_areas, schema_named};
use crate::contract::Contract;

/// Renders the list of all schemas by area.
pub(super) fn list(contract: &Contract) -> Markup {
    let content = html! {
        p.lead { "The schemas that requests and answers share." }
        @for (area, names) in schema_areas() {
            h2 #(area) { (group_title(area)) }
            ul.plain {
                @for name in &names { li { a href={ (ROOT) "/schemas/" (name) } { (name) } } }
            }
        }
    };
    let frame = Frame {
        title: "Schemas",
        description: "The schemas that requests and answers of the HTTP API share.",
        current: "schemas",
        query: "",
    };
    framed(contract, &frame, &content)
}

/// Renders the page of a schema; `None` if there is none with this name.
pub(super) fn page(contract: &Contract, name: &str) -> Option<Markup> {
    let schema = schema_named(name)?;
    let content = html! {
        p { a href={ (ROOT) "/schemas" } { "All schemas" } }
        (fields::render(schema, fields::Purpose::Schema))
    };
    let description = format!("The fields of the schema {name} of the HTTP API.");
    let frame = Frame { title: name, description: &description, current: "schemas", query: "" };
    Some(framed(contract, &frame, &content))
}
