//! `getComputedDocument`, `getComputedRevision`: content that a source computes from data outside
//! the space.

use std::sync::Arc;

use bindery_app::Context;
use bindery_app::access::{Action, Authorized};
use bindery_app::content::computed::{self, DocumentSource, PageSource};
use bindery_app::content::documents;
use bindery_app::content::snapshot::{Snapshot, broken_object};
use bindery_app::content::spaces::Space;
use bindery_app::publishing::adaptive::Answers;
use bindery_model::{Error, Result};
use bindery_revision::Revision;
use bindery_revision::tree::Tree;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::call::Call;
use crate::operation::{Operation, read_with_body};
use crate::present::{self, ContentView, PresentedRevision};
use crate::reply::Reply;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        read_with_body("getComputedDocument", Action::ReadSpace, document),
        read_with_body("getComputedRevision", Action::ReadSpace, revision),
    ]
}

/// The request. The seed is ignored, as no source is random.
#[derive(Deserialize)]
struct ComputedContentRequest {
    source: Value,
}

/// `getComputedDocument`: returns the document that a source computes.
fn document(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let ComputedContentRequest { source } = call.body()?;
    let named = DocumentSource::read(&source).ok_or_else(|| missing(&source))?;
    let found = computed::markdown(cx.tx, space.organization, &named)?;
    let text = found.ok_or_else(|| missing(&source))?;
    let text = text.ok_or_else(|| Error::not_found("page of the OpenAPI specification"))?;
    let json = documents::of_markdown(&text)?;
    let json = RawValue::from_string(json)
        .map_err(|error| Error::internal(format!("a computed document: {error}")))?;
    Reply::json(200, &json)
}

/// `getComputedRevision`: returns the pages that a source computes.
fn revision(cx: &Context<'_>, space: &Authorized<Space>, call: &Call) -> Result<Reply> {
    let ComputedContentRequest { source } = call.body()?;
    let made = match PageSource::read(&source) {
        Some(_) => computed::alone(cx.tx, space.organization, &source)?,
        None => None,
    };
    let (content, objects) = made.ok_or_else(|| missing(&source))?;
    let mut snapshot = Snapshot::of(cx.app, cx.tx, space, None)?;
    snapshot.revision = Arc::new(Revision { content, ..(*snapshot.revision).clone() });
    let presented = PresentedRevision {
        organization: space.organization,
        public: false,
        published: None,
        blobs: None,
        commit: None,
        visitor: false,
        answers: Answers::new(None),
        snapshot,
    };
    let view = ContentView { app: cx.app, objects: &objects, presented: &presented };
    let tree = Tree::new(&presented.snapshot.revision.content, &objects);
    let top = tree.children(None).collect::<Result<Vec<_>, _>>().map_err(broken_object)?;
    let pages = top.iter().map(|child| present::page(&view, child.id));
    let pages = pages.collect::<Result<Vec<_>>>()?;
    Reply::json(200, &json!({ "pages": pages, "files": [], "reusableContents": [] }))
}

/// Builds the error for a missing dependency of a source, according to the kind of the source.
fn missing(source: &Value) -> Error {
    match source.get("type").and_then(Value::as_str) {
        Some("builtin:openapi") => Error::not_found("OpenAPI specification"),
        Some("builtin:translation") => Error::not_found("translation"),
        _ => Error::not_found("integration"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_missing_dependency_is_named() {
        for (source, expected) in [
            (json!({ "type": "builtin:openapi" }), "OpenAPI specification"),
            (json!({ "type": "builtin:translation" }), "translation"),
            (json!({ "type": "integration:some:source" }), "integration"),
        ] {
            assert!(missing(&source).to_string().contains(expected), "{expected}");
        }
    }
}
