//! Content changes as they are in a request.

use bindery_app::content::Snapshot;
use bindery_app::content_changes::{
    At, ContentChange, FileSource, Metadata, NewDocument, NewFile, PreparedFile, prepare,
};
use bindery_app::{App, Cx};
use bindery_model::{Error, PageId, Result, RevisionId};
use bindery_store::spaces::Space;
use bindery_wire::request::{
    ChangeRequestContentChange, ChangeRequestContentChangeInsertPage,
    ChangeRequestContentChangeRevertPage, ChangeRequestContentChangeUpdatePage, Document,
    UpdateChangeRequestContentBody,
};
use serde::Deserialize;
use serde_json::Value;

use crate::call::Call;
use crate::operation::Preparing;

/// A file of a change, as the contract has it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    r#ref: Option<String>,
    name: String,
    content_type: Option<String>,
    url: Option<String>,
    base64: Option<String>,
}

/// The place of a change in the request.
fn at(index: usize) -> At {
    At::new(format!("/changes/{index}"))
}

/// Gathers the files of all changes, in their order.
pub(in crate::groups) fn gather<'a>(app: &'a App, call: &'a Call) -> Preparing<'a> {
    Box::pin(async move {
        let changes = call.body.as_ref().and_then(|body| body.get("changes"));
        let changes = changes.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut gathered = Vec::new();
        for (index, change) in changes.iter().enumerate() {
            let Some(files) = change.get("files").and_then(Value::as_array) else { continue };
            for (file, value) in files.iter().enumerate() {
                let at = at(index).field("files").field(file);
                gathered.push(prepare(app, &at, new_file(&at, value)?).await?);
            }
        }
        Ok(gathered)
    })
}

fn new_file(at: &At, value: &Value) -> Result<NewFile> {
    let broken = |what: &str| Error::invalid(format!("body at {}: {what}", at.pointer()));
    let File { r#ref, name, content_type, url, base64 } =
        File::deserialize(value).map_err(|error| broken(&error.to_string()))?;
    let source = match (url, base64) {
        (Some(url), None) => FileSource::Url(url),
        (None, Some(_)) if content_type.is_none() => {
            return Err(broken("with base64 a contentType is required"));
        }
        (None, Some(base64)) => FileSource::Base64(base64),
        _ => return Err(broken("allowed: either url or base64")),
    };
    Ok(NewFile { reference: r#ref, name, content_type, source })
}

/// The changes that a request asks for.
///
/// # Errors
/// Ids of pages and revisions that are not there.
pub(in crate::groups) fn of_call(
    cx: &Cx<'_>,
    space: &Space,
    call: &Call,
) -> Result<Vec<ContentChange>> {
    let UpdateChangeRequestContentBody { changes } = call.body()?;
    let mut files = call.files.iter().cloned();
    changes
        .into_iter()
        .enumerate()
        .map(|(index, change)| of_one(cx, space, &at(index), change, &mut files))
        .collect()
}

fn of_one(
    cx: &Cx<'_>,
    space: &Space,
    at: &At,
    change: ChangeRequestContentChange,
    gathered: &mut impl Iterator<Item = PreparedFile>,
) -> Result<ContentChange> {
    Ok(match change {
        ChangeRequestContentChange::InsertPage(change) => {
            let ChangeRequestContentChangeInsertPage {
                title,
                slug,
                emoji,
                icon,
                description,
                hidden,
                no_index,
                no_robots_index,
                condition,
                into,
                at: position,
                r#ref: reference,
                document,
            } = *change;
            ContentChange::InsertPage {
                into: into.map(|id| page(&at.field("into"), &id)).transpose()?,
                at: position,
                reference,
                metadata: Metadata {
                    title,
                    slug,
                    emoji,
                    icon,
                    description,
                    hidden,
                    no_index,
                    no_robots_index,
                    condition,
                },
                document: text(document),
            }
        }
        ChangeRequestContentChange::UpdatePage(change) => {
            let ChangeRequestContentChangeUpdatePage {
                title,
                slug,
                emoji,
                icon,
                description,
                hidden,
                no_index,
                no_robots_index,
                condition,
                page: id,
                document,
                into,
                at: position,
            } = *change;
            let into = match into.change() {
                Some(Some(id)) => Some(Some(page(&at.field("into"), &id)?)),
                Some(None) => Some(None),
                None => None,
            };
            ContentChange::UpdatePage {
                page: page(&at.field("page"), &id)?,
                into,
                at: position,
                metadata: Metadata {
                    title,
                    slug,
                    emoji,
                    icon,
                    description,
                    hidden,
                    no_index,
                    no_robots_index,
                    condition,
                },
                document: document.map(text),
            }
        }
        ChangeRequestContentChange::DeletePage(change) => {
            ContentChange::DeletePage(page(&at.field("page"), &change.page)?)
        }
        ChangeRequestContentChange::RevertPage(change) => {
            let ChangeRequestContentChangeRevertPage { page: id, revision, block } = change;
            let to = match revision {
                None => None,
                Some(id) => Some(Box::new(content_of(cx, space, &at.field("revision"), &id)?)),
            };
            ContentChange::RevertPage { page: page(&at.field("page"), &id)?, to, blocks: block }
        }
        ChangeRequestContentChange::InsertFiles(change) => {
            ContentChange::InsertFiles(gathered.take(change.files.len()).collect())
        }
    })
}

fn missing(at: &At, what: &str) -> Error {
    Error::not_found(&format!("body at {}: {what}", at.pointer()))
}

fn page(at: &At, id: &str) -> Result<PageId> {
    PageId::parse(id).ok_or_else(|| missing(at, "page"))
}

fn content_of(cx: &Cx<'_>, space: &Space, at: &At, id: &str) -> Result<bindery_revision::Content> {
    let found =
        RevisionId::parse(id).and_then(|id| Snapshot::of(cx.app, cx.tx, space, Some(id)).ok());
    let snapshot = found.ok_or_else(|| missing(at, "revision"))?;
    Ok(snapshot.revision.content.clone())
}

fn text(document: Document) -> NewDocument {
    match document {
        Document::MarkdownDocument(document) => NewDocument::Markdown(document.markdown),
        Document::Document(document) => NewDocument::Json(document.document),
        Document::Empty(_) | Document::Other(_) => NewDocument::Empty,
    }
}
