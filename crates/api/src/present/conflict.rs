//! A conflict with the value of each side.

use bindery_app::App;
use bindery_app::content::snapshot::broken_object;
use bindery_app::review::change_requests::conflict_id;
use bindery_model::{Error, Result, SpaceId};
use bindery_revision::merge::{
    Conflict, FileSubject, PageSubject, ReusableSubject, Sides, Subject, Value,
};
use bindery_revision::{FileValue, Hash, Objects, PageKind, PageValue, ReusableValue, Variable};
use bindery_wire::response::ContentConflict;
use bindery_wire::values::ContentConflictAbout as About;
use serde_json::{Value as Json, json};

use super::content::{page_cover, page_layout, page_variables, reference};

pub(crate) fn conflict(
    app: &App,
    space: SpaceId,
    objects: &dyn Objects,
    conflict: Conflict,
) -> Result<ContentConflict> {
    let id = conflict_id(&conflict)?;
    let Conflict { subject, number: _, sides: Sides { base, ours, theirs } } = conflict;
    let side = |value: Option<Value>| {
        value.map(|value| value_json(app, space, objects, value)).transpose()
    };
    let mut response = ContentConflict {
        id,
        about: About::Existence,
        page: None,
        file: None,
        reusable_content: None,
        variable: None,
        path: None,
        attribute: None,
        block: None,
        base: side(base)?,
        proposed: side(ours)?,
        main: side(theirs)?,
    };
    let attribute = |name: String| {
        let mut letters = name.chars();
        let first = letters.next().map(|first| first.to_ascii_lowercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    match subject {
        Subject::Page(page, of) => {
            response.page = Some(page.to_string());
            match of {
                PageSubject::Existence => {}
                PageSubject::Position => response.about = About::Place,
                PageSubject::Attribute(of) => {
                    response.about = About::Attribute;
                    response.attribute = Some(attribute(format!("{of:?}")));
                }
                PageSubject::Part(part) => {
                    response.about = About::Block;
                    response.block = Some(part);
                }
            }
        }
        Subject::File(file, of) => {
            response.file = Some(file.to_string());
            match of {
                FileSubject::Existence => {}
                FileSubject::Bytes => response.about = About::Bytes,
                FileSubject::Attribute(of) => {
                    response.about = About::Attribute;
                    response.attribute = Some(attribute(format!("{of:?}")));
                }
            }
        }
        Subject::Reusable(text, of) => {
            response.reusable_content = Some(text.to_string());
            match of {
                ReusableSubject::Existence => {}
                ReusableSubject::Attribute(of) => {
                    response.about = About::Attribute;
                    response.attribute = Some(attribute(format!("{of:?}")));
                }
                ReusableSubject::Part(part) => {
                    response.about = About::Block;
                    response.block = Some(part);
                }
            }
        }
        Subject::Variable(name) => {
            (response.about, response.variable) = (About::Variable, Some(name))
        }
        Subject::Redirect(path) => (response.about, response.path) = (About::Redirect, Some(path)),
        Subject::Source(path) => (response.about, response.path) = (About::Source, Some(path)),
    }
    Ok(response)
}

/// Presents a side's value as JSON.
pub(super) fn value_json(
    app: &App,
    space: SpaceId,
    objects: &dyn Objects,
    value: Value,
) -> Result<Json> {
    let document =
        |body: Option<Hash>| json!(body.map(|body| app.secrets.document_id(space, &body)));
    Ok(match value {
        Value::Page(page) => json!({
            "id": page.id, "title": page.title, "slug": page.slug, "document": document(page.body),
        }),
        Value::Position(position) => json!({ "parent": position.parent }),
        Value::PageAttribute(value) => match value {
            PageValue::Title(text) | PageValue::Slug(text) => json!(text),
            PageValue::LinkTitle(text)
            | PageValue::Emoji(text)
            | PageValue::Icon(text)
            | PageValue::Description(text)
            | PageValue::Condition(text) => json!(text),
            PageValue::Hidden(flag) | PageValue::NoIndex(flag) | PageValue::NoRobotsIndex(flag) => {
                json!(flag)
            }
            PageValue::Document(body) => document(body),
            PageValue::Kind(kind) => match kind {
                PageKind::Document => json!("document"),
                PageKind::Group => json!("group"),
                PageKind::Computed => json!("computed"),
                PageKind::Link { target } => json!({ "link": reference(&target) }),
            },
            PageValue::Layout(layout) => json!(page_layout(layout)),
            PageValue::Cover(cover) => json!(cover.map(page_cover)),
            PageValue::Variables(variables) => json!(page_variables(variables)),
            PageValue::Tags(tags) => {
                json!(tags.into_iter().map(|tag| tag.tag).collect::<Vec<_>>())
            }
            PageValue::MetaLinks(links) => json!({
                "canonical": links.canonical.as_ref().map(reference),
                "alternates": links.alternates.iter().map(reference).collect::<Vec<_>>(),
            }),
            PageValue::Computed(source) => json!(source),
            PageValue::SourcePath(path) => json!(path),
        },
        Value::File(file) => json!({
            "id": file.id, "name": file.name, "contentType": file.content_type, "size": file.size,
        }),
        Value::FileAttribute(value) => match value {
            FileValue::Name(text) | FileValue::ContentType(text) => json!(text),
            FileValue::Path(text) => json!(text),
            FileValue::Size(size) => json!(size),
            // The hash is internal and has no meaning for the caller.
            FileValue::Hash(_) => Json::Null,
            FileValue::Dimensions(size) => {
                json!(size.map(|size| json!({ "width": size.width, "height": size.height })))
            }
        },
        Value::Reusable(text) => json!({
            "id": text.id, "title": text.title, "document": document(text.body),
        }),
        Value::ReusableAttribute(value) => match value {
            ReusableValue::Title(text) => json!(text),
            ReusableValue::Path(text) | ReusableValue::Computed(text) => json!(text),
            ReusableValue::Document(body) => document(body),
        },
        Value::Variable(variable) => match variable {
            Variable::Text(text) => json!(text),
            Variable::Number(number) => json!(number),
            Variable::Boolean(flag) => json!(flag),
        },
        Value::Redirect(to) => match to {
            bindery_revision::Redirect::Page(page) => json!({ "page": page }),
            bindery_revision::Redirect::Path(path) => json!({ "path": path }),
        },
        Value::Source(hash) => {
            let bytes = objects.get(&hash).map_err(broken_object)?;
            json!(String::from_utf8_lossy(&bytes))
        }
        Value::Part(hash) => {
            let bytes = objects.get(&hash).map_err(broken_object)?;
            let document: Json = serde_json::from_slice(&bytes)
                .map_err(|error| Error::internal(format!("a block is not JSON: {error}")))?;
            document.pointer("/nodes/0").cloned().unwrap_or(Json::Null)
        }
    })
}
