//! Reads content changes from a request.

use bindery_app::content::content_changes::{
    ContentChange, FileSource, Metadata, NewDocument, NewFile, PreparedFile, prepare,
};
use bindery_app::content::snapshot::Snapshot;
use bindery_app::content::spaces::Space;
use bindery_app::{App, Context};
use bindery_model::{Error, FieldPath, PageId, Result, RevisionId};
use bindery_revision::PageTag;
use bindery_wire::request::{
    ChangeRequestContentChange, ChangeRequestContentChangeInsertPage,
    ChangeRequestContentChangeRevertPage, ChangeRequestContentChangeUpdatePage, Document,
    RevisionPageTag, UpdateChangeRequestContentBody,
};
use serde::Deserialize;
use serde_json::Value;

use crate::call::Call;
use crate::pipeline::run::PrepareFuture;

/// A file of a change, in the contract's shape.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    r#ref: Option<String>,
    name: String,
    content_type: Option<String>,
    url: Option<String>,
    base64: Option<String>,
}

/// Returns the location of a change in the request body.
fn at(index: usize) -> FieldPath {
    FieldPath::new("/changes").field(index)
}

/// Fetches the files of all changes, in their order.
pub(in crate::groups) fn prepare_files<'a>(app: &'a App, call: &'a Call) -> PrepareFuture<'a> {
    Box::pin(async move {
        let changes = call.body.as_ref().and_then(|body| body.get("changes"));
        let changes = changes.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut prepared = Vec::new();
        for (index, change) in changes.iter().enumerate() {
            let Some(files) = change.get("files").and_then(Value::as_array) else { continue };
            for (file, value) in files.iter().enumerate() {
                let at = at(index).field("files").field(file);
                prepared.push(prepare(app, &at, new_file(&at, value)?).await?);
            }
        }
        Ok(prepared)
    })
}

fn new_file(at: &FieldPath, value: &Value) -> Result<NewFile> {
    let broken = |what: &str| at.invalid(what);
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

/// Reads the changes of a request.
///
/// # Errors
/// Fails on fields that cannot be set, and on ids of pages and revisions that do not exist.
pub(in crate::groups) fn of_call(
    cx: &Context<'_>,
    space: &Space,
    call: &Call,
) -> Result<Vec<ContentChange>> {
    refuse_read_only(call)?;
    let UpdateChangeRequestContentBody { changes } = call.body()?;
    let mut files = call.files.iter().cloned();
    changes
        .into_iter()
        .enumerate()
        .map(|(index, change)| of_one(cx, space, &at(index), change, &mut files))
        .collect()
}

fn of_one(
    cx: &Context<'_>,
    space: &Space,
    at: &FieldPath,
    change: ChangeRequestContentChange,
    prepared: &mut impl Iterator<Item = PreparedFile>,
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
                link_title,
                tags: page_tags,
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
                    link_title,
                    slug,
                    emoji,
                    icon,
                    description,
                    hidden,
                    no_index,
                    no_robots_index,
                    condition,
                    tags: page_tags.map(tags),
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
                link_title,
                tags: page_tags,
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
                    link_title,
                    slug,
                    emoji,
                    icon,
                    description,
                    hidden,
                    no_index,
                    no_robots_index,
                    condition,
                    tags: page_tags.map(tags),
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
            ContentChange::InsertFiles(prepared.take(change.files.len()).collect())
        }
    })
}

/// Page fields of answers that a change cannot set.
const READ_ONLY_FIELDS: [&str; 8] =
    ["layout", "cover", "variables", "metaLinks", "computed", "target", "pages", "type"];

/// Refuses input that would otherwise be ignored: page fields that a change cannot set, and
/// documents in an unknown form.
fn refuse_read_only(call: &Call) -> Result<()> {
    let changes = call.body.as_ref().and_then(|body| body.get("changes"));
    for (index, change) in changes.and_then(Value::as_array).into_iter().flatten().enumerate() {
        let at = at(index);
        let Some(change) = change.as_object() else { continue };
        if let Some(field) = READ_ONLY_FIELDS.into_iter().find(|field| change.contains_key(*field))
        {
            let at = at.field(field);
            let hint = match field {
                "layout" | "cover" | "variables" => {
                    ": write it into the front matter of a Markdown document"
                }
                _ => "",
            };
            return Err(Error::invalid(format!(
                "body at {}: a change cannot set this{hint}",
                at.pointer()
            )));
        }
        let Some(document) = change.get("document").and_then(Value::as_object) else { continue };
        let is_markdown = document.get("markdown").is_some_and(Value::is_string);
        let is_json = document.get("document").is_some_and(Value::is_object);
        if !document.is_empty() && is_markdown == is_json {
            return Err(Error::invalid(format!(
                "body at {}: allowed: an object like {{\"markdown\": \"…\"}}, one like \
                 {{\"document\": {{…}}}}, or {{}} for no text",
                at.field("document").pointer()
            )));
        }
    }
    Ok(())
}

fn missing(at: &FieldPath, what: &str) -> Error {
    at.not_found(what)
}

fn page(at: &FieldPath, id: &str) -> Result<PageId> {
    PageId::parse(id).ok_or_else(|| missing(at, "page"))
}

fn content_of(
    cx: &Context<'_>,
    space: &Space,
    at: &FieldPath,
    id: &str,
) -> Result<bindery_revision::Content> {
    let found =
        RevisionId::parse(id).and_then(|id| Snapshot::of(cx.app, cx.tx, space, Some(id)).ok());
    let snapshot = found.ok_or_else(|| missing(at, "revision"))?;
    Ok(snapshot.revision.content.clone())
}

fn tags(tags: Vec<RevisionPageTag>) -> Vec<PageTag> {
    tags.into_iter().map(|RevisionPageTag { tag, primary }| PageTag { tag, primary }).collect()
}

fn text(document: Document) -> NewDocument {
    match document {
        Document::MarkdownDocument(document) => NewDocument::Markdown(document.markdown),
        Document::Document(document) => NewDocument::Json(document.document),
        Document::Empty(_) | Document::Other(_) => NewDocument::Empty,
    }
}
