//! Reads content changes from a request.

use bindery_app::content::content_changes::{
    self, ContentChange, FileSource, Metadata, NewDocument, NewFile, PreparedFile,
};
use bindery_app::content::snapshot::Snapshot;
use bindery_app::content::spaces::Space;
use bindery_app::{App, Context};
use bindery_model::{Error, FieldPath, PageId, Result, RevisionId};
use bindery_revision::PageTag;
use bindery_wire::request::{
    ChangeRequestContentChangeDeletePage, ChangeRequestContentChangeInsertPage,
    ChangeRequestContentChangeRevertPage, ChangeRequestContentChangeUpdatePage, Document,
    RevisionPageTag,
};
use serde::Deserialize;
use serde_json::Value;

use crate::call::Call;
use crate::pipeline::run::PrepareFuture;

/// The changes of a request in their order. `F` is a file as the request or the store has it.
#[derive(Debug)]
pub(in crate::groups) struct Changes<F>(Vec<RequestedChange<F>>);

/// A change and its location in the request.
#[derive(Debug)]
struct RequestedChange<F> {
    at: FieldPath,
    /// The part of the change that cannot be set.
    refusal: Option<Refusal>,
    /// The change, or the reason why its values have no type of the contract.
    change: Result<Change<F>, String>,
}

/// A change in the contract's shape. It owns its files.
#[derive(Debug, Deserialize)]
#[serde(tag = "operation", rename_all = "snake_case")]
enum Change<F> {
    InsertPage(Box<ChangeRequestContentChangeInsertPage>),
    UpdatePage(Box<ChangeRequestContentChangeUpdatePage>),
    DeletePage(ChangeRequestContentChangeDeletePage),
    RevertPage(ChangeRequestContentChangeRevertPage),
    InsertFiles { files: Vec<F> },
}

/// A file of a request, or the reason why its values have no type of the contract. The error is
/// reported when the files before it have been prepared.
#[derive(Debug, Deserialize)]
#[serde(from = "Value")]
struct SentFile(Result<File, String>);

impl From<Value> for SentFile {
    fn from(value: Value) -> Self {
        Self(File::deserialize(value).map_err(|error| error.to_string()))
    }
}

/// A file in the contract's shape.
#[derive(Debug, Deserialize)]
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

/// Parses the changes of a request and prepares their files, in order.
pub(in crate::groups) fn prepare<'a>(
    app: &'a App,
    call: &'a Call,
) -> PrepareFuture<'a, Changes<PreparedFile>> {
    Box::pin(async move {
        let mut prepared = Vec::new();
        for change in parse(call.body.as_ref())?.0 {
            prepared.push(change.prepare(app).await?);
        }
        Ok(Changes(prepared))
    })
}

fn parse(body: Option<&Value>) -> Result<Changes<SentFile>> {
    let changes = body.and_then(|body| body.get("changes")).and_then(Value::as_array);
    let changes = changes.ok_or_else(|| Error::invalid("body: missing field `changes`"))?;
    let parsed = changes.iter().enumerate().map(|(index, change)| RequestedChange {
        at: at(index),
        refusal: Refusal::of(change),
        change: Change::deserialize(change).map_err(|error| error.to_string()),
    });
    Ok(Changes(parsed.collect()))
}

impl RequestedChange<SentFile> {
    /// Prepares the files of the change, so that the transaction waits for nothing.
    async fn prepare(self, app: &App) -> Result<RequestedChange<PreparedFile>> {
        let Self { at, refusal, change } = self;
        let change = match change {
            Ok(Change::InsertFiles { files: sent }) => {
                let mut files = Vec::with_capacity(sent.len());
                for (index, file) in sent.into_iter().enumerate() {
                    let at = at.field("files").field(index);
                    files.push(content_changes::prepare(app, &at, file.into_new(&at)?).await?);
                }
                Ok(Change::InsertFiles { files })
            }
            Ok(Change::InsertPage(change)) => Ok(Change::InsertPage(change)),
            Ok(Change::UpdatePage(change)) => Ok(Change::UpdatePage(change)),
            Ok(Change::DeletePage(change)) => Ok(Change::DeletePage(change)),
            Ok(Change::RevertPage(change)) => Ok(Change::RevertPage(change)),
            Err(error) => Err(error),
        };
        Ok(RequestedChange { at, refusal, change })
    }
}

impl SentFile {
    fn into_new(self, at: &FieldPath) -> Result<NewFile> {
        let File { r#ref, name, content_type, url, base64 } =
            self.0.map_err(|error| at.invalid(error))?;
        let source = match (url, base64) {
            (Some(url), None) => FileSource::Url(url),
            (None, Some(_)) if content_type.is_none() => {
                return Err(at.invalid("with base64 a contentType is required"));
            }
            (None, Some(base64)) => FileSource::Base64(base64),
            _ => return Err(at.invalid("allowed: either url or base64")),
        };
        Ok(NewFile { reference: r#ref, name, content_type, source })
    }
}

impl Changes<PreparedFile> {
    /// Returns the changes of the content of a space. A transaction that is repeated calls this
    /// again.
    ///
    /// # Errors
    /// Fails on fields that cannot be set, and on ids of pages and revisions that do not exist.
    pub(in crate::groups) fn resolve(
        &self,
        cx: &Context<'_>,
        space: &Space,
    ) -> Result<Vec<ContentChange>> {
        for RequestedChange { at, refusal, .. } in &self.0 {
            if let Some(refusal) = refusal {
                return Err(refusal.error(at));
            }
        }
        let broken = |error: &String| Error::invalid(format!("body: {error}"));
        let typed = self
            .0
            .iter()
            .map(|RequestedChange { at, change, .. }| Ok((at, change.as_ref().map_err(broken)?)));
        let typed = typed.collect::<Result<Vec<_>>>()?;
        typed.into_iter().map(|(at, change)| resolve(cx, space, at, change)).collect()
    }
}

fn resolve(
    cx: &Context<'_>,
    space: &Space,
    at: &FieldPath,
    change: &Change<PreparedFile>,
) -> Result<ContentChange> {
    Ok(match change {
        Change::InsertPage(change) => {
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
            } = ChangeRequestContentChangeInsertPage::clone(change);
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
        Change::UpdatePage(change) => {
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
            } = ChangeRequestContentChangeUpdatePage::clone(change);
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
        Change::DeletePage(change) => {
            ContentChange::DeletePage(page(&at.field("page"), &change.page)?)
        }
        Change::RevertPage(change) => {
            let ChangeRequestContentChangeRevertPage { page: id, revision, block } = change;
            let to = match revision {
                None => None,
                Some(id) => Some(Box::new(content_of(cx, space, &at.field("revision"), id)?)),
            };
            let page = page(&at.field("page"), id)?;
            ContentChange::RevertPage { page, to, blocks: block.clone() }
        }
        Change::InsertFiles { files } => ContentChange::InsertFiles(files.clone()),
    })
}

/// Page fields of answers that a change cannot set.
const READ_ONLY_FIELDS: [&str; 8] =
    ["layout", "cover", "variables", "metaLinks", "computed", "target", "pages", "type"];

/// A part of a change that would be ignored if it were not refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Refusal {
    /// A page field that a change cannot set.
    Field(&'static str),
    /// A document in an unknown form.
    Document,
}

impl Refusal {
    /// Returns the first part of a change that has to be refused.
    fn of(change: &Value) -> Option<Self> {
        let change = change.as_object()?;
        if let Some(field) = READ_ONLY_FIELDS.into_iter().find(|field| change.contains_key(*field))
        {
            return Some(Self::Field(field));
        }
        let document = change.get("document").and_then(Value::as_object)?;
        let is_markdown = document.get("markdown").is_some_and(Value::is_string);
        let is_json = document.get("document").is_some_and(Value::is_object);
        (!document.is_empty() && is_markdown == is_json).then_some(Self::Document)
    }

    fn error(self, at: &FieldPath) -> Error {
        match self {
            Self::Field(field) => {
                let hint = match field {
                    "layout" | "cover" | "variables" => {
                        ": write it into the front matter of a Markdown document"
                    }
                    _ => "",
                };
                at.field(field).invalid(format_args!("a change cannot set this{hint}"))
            }
            Self::Document => at.field("document").invalid(
                "allowed: an object like {\"markdown\": \"…\"}, one like {\"document\": {…}}, or {} \
                 for no text",
            ),
        }
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(changes: &Value) -> Vec<RequestedChange<SentFile>> {
        parse(Some(&json!({ "changes": changes }))).unwrap().0
    }

    #[test]
    fn every_change_owns_its_files() {
        let file = |name: &str| json!({ "name": name, "url": "https://example.com/a.png" });
        let changes = parsed(&json!([
            { "operation": "insert_files", "files": [file("a"), file("b")] },
            { "operation": "delete_page", "page": "p", "files": [file("ignored")] },
            { "operation": "insert_files", "files": [file("c")] },
        ]));
        let names = changes.into_iter().map(|change| match change.change.unwrap() {
            Change::InsertFiles { files } => {
                files.into_iter().map(|SentFile(file)| file.unwrap().name).collect()
            }
            _ => Vec::new(),
        });
        assert_eq!(names.collect::<Vec<_>>(), [vec!["a", "b"], vec![], vec!["c"]]);
    }

    #[test]
    fn a_file_has_exactly_one_source() {
        for (file, expect) in [
            (json!({ "name": "a", "url": "u" }), ""),
            (json!({ "name": "a", "base64": "", "contentType": "image/png" }), ""),
            (json!({ "name": "a", "base64": "" }), "with base64 a contentType is required"),
            (json!({ "name": "a", "url": "u", "base64": "" }), "allowed: either url or base64"),
            (
                json!({ "name": "a", "url": "u", "base64": 5 }),
                "invalid type: integer `5`, expected a string",
            ),
        ] {
            let at = at(0).field("files").field(0);
            let read = SentFile::from(file).into_new(&at);
            let found = read.map_or_else(|error| error.message().to_owned(), |_| String::new());
            let expect = match expect {
                "" => String::new(),
                expect => format!("/changes/0/files/0: {expect}"),
            };
            assert_eq!(found, expect);
        }
    }

    #[test]
    fn refuses_fields_and_documents_that_would_be_ignored() {
        for (change, expect) in [
            (json!({ "document": {} }), None),
            (json!({ "document": { "markdown": "a" } }), None),
            (json!({ "document": { "html": "a" } }), Some(Refusal::Document)),
            (json!({ "document": { "markdown": "a", "document": {} } }), Some(Refusal::Document)),
            (json!({ "cover": null, "document": { "html": "a" } }), Some(Refusal::Field("cover"))),
        ] {
            assert_eq!(Refusal::of(&change), expect, "{change}");
        }
    }

    #[test]
    fn keeps_the_error_of_a_value_without_a_type() {
        let changes = parsed(&json!([
            { "operation": "delete_page", "page": "p" },
            { "operation": "insert_page", "document": {}, "at": 1.5 },
        ]));
        assert!(changes[0].change.is_ok());
        let error = changes[1].change.as_ref().unwrap_err();
        assert!(error.contains("floating point `1.5`"), "{error}");
    }
}
