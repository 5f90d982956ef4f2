//! Presents the differences between two contents block by block: as JSON, HTML or text.

mod html;
mod links;
mod text;

use std::borrow::Cow;

use bindery_app::content::differences::{Difference, Pair, Thing, documents};
use bindery_app::content::snapshot::broken_tree;
use bindery_content::Document;
use bindery_content::diff::{Attribute, diff};
use bindery_model::{Error, PageId, Result};
use bindery_revision::merge::Value;
use bindery_revision::{
    Content, FileAttribute, FileRecord, Hash, PageAttribute, PageKind, PageRecord,
    ReusableAttribute, ReusableRecord, Variable,
};
use bindery_wire::response::{AttributeDifference, ContentDifference, ContentDifferenceMoved};
use bindery_wire::values::{ContentDifferenceChange as Change, ContentDifferenceKind as Kind};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::ContentView;
use super::conflict::value_json;

pub(crate) use html::Heading;

/// Two contents that are compared.
pub(crate) struct Comparison<'a> {
    pub(crate) before: ContentView<'a>,
    pub(crate) after: ContentView<'a>,
}

/// A differing item, ready to be rendered in any form.
pub(crate) struct DifferenceItem {
    kind: Kind,
    id: String,
    title: String,
    path: Option<String>,
    change: Change,
    /// The paths of the parent before and after, if the page was moved.
    moved: Option<[Option<String>; 2]>,
    attributes: Vec<Attribute>,
    /// The document before and after, if it differs.
    documents: Option<[Document; 2]>,
}

/// Converts a name of the code to the contract's form, such as `LinkTitle` to `linkTitle`.
fn name(attribute: impl std::fmt::Debug) -> Cow<'static, str> {
    let name = format!("{attribute:?}");
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect::<String>().into()
}

fn change_of<T>(pair: &Pair<T>, is_edited: bool, is_moved: bool) -> Change {
    match (&pair.before, &pair.after) {
        (None, _) => Change::Created,
        (_, None) => Change::Deleted,
        _ if is_edited => Change::Edited,
        _ if is_moved => Change::Moved,
        _ => Change::Same,
    }
}

impl DifferenceItem {
    /// Returns the title of the item.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// Returns `true` if anything differs.
    pub(crate) fn is_different(&self) -> bool {
        self.change != Change::Same
    }
}

impl Comparison<'_> {
    /// Returns both contents.
    pub(crate) fn contents(&self) -> [&Content; 2] {
        [&self.before, &self.after].map(|side| &side.presented.snapshot.revision.content)
    }

    /// Gathers the details of a difference.
    pub(crate) fn item(&self, difference: Difference) -> Result<DifferenceItem> {
        match difference.thing {
            Thing::Page(pair, moved) => self.page(&pair, moved),
            Thing::Reusable(pair) => self.reusable(&pair),
            Thing::File(pair) => self.file(&pair),
            Thing::Variable(name, pair) => self.variable(name, pair),
        }
    }

    fn page(&self, pair: &Pair<PageRecord>, moved: bool) -> Result<DifferenceItem> {
        let (side, page) = match (&pair.before, &pair.after) {
            (_, Some(page)) => (&self.after, page),
            (Some(page), None) => (&self.before, page),
            (None, None) => return Err(Error::not_found("page")),
        };
        let mut attributes = Vec::new();
        if let (Some(before), Some(after)) = (&pair.before, &pair.after) {
            for attribute in before.differing(after) {
                // The document is compared block by block, and the source path is not an attribute
                // of the page.
                if !matches!(attribute, PageAttribute::Document | PageAttribute::SourcePath) {
                    let values =
                        [before, after].map(|page| Value::PageAttribute(page.get(attribute)));
                    attributes.push(self.attribute(name(attribute), values.map(Some))?);
                }
            }
        }
        let texts = Pair {
            before: pair.before.as_ref().and_then(|page| page.body),
            after: pair.after.as_ref().and_then(|page| page.body),
        };
        let is_edited = !attributes.is_empty() || texts.before != texts.after;
        let moved = match (&pair.before, &pair.after) {
            (Some(before), Some(after)) if moved => Some([
                before.parent.map(|parent| path(&self.before, parent)).transpose()?,
                after.parent.map(|parent| path(&self.after, parent)).transpose()?,
            ]),
            _ => None,
        };
        let path = match page.kind {
            PageKind::Link { .. } => None,
            _ => Some(path(side, page.id)?),
        };
        Ok(DifferenceItem {
            kind: Kind::Page,
            id: page.id.to_string(),
            title: page.title.clone(),
            path,
            change: change_of(pair, is_edited, moved.is_some()),
            moved,
            attributes,
            documents: self.documents(&texts)?,
        })
    }

    fn reusable(&self, pair: &Pair<ReusableRecord>) -> Result<DifferenceItem> {
        let text = pair.after.as_ref().or(pair.before.as_ref());
        let text = text.ok_or_else(|| Error::not_found("reusable content"))?;
        let mut attributes = Vec::new();
        if let (Some(before), Some(after)) = (&pair.before, &pair.after) {
            for attribute in before.differing(after) {
                if attribute != ReusableAttribute::Document {
                    let values =
                        [before, after].map(|text| Value::ReusableAttribute(text.get(attribute)));
                    attributes.push(self.attribute(name(attribute), values.map(Some))?);
                }
            }
        }
        let texts = Pair {
            before: pair.before.as_ref().and_then(|text| text.body),
            after: pair.after.as_ref().and_then(|text| text.body),
        };
        Ok(DifferenceItem {
            kind: Kind::ReusableContent,
            id: text.id.to_string(),
            title: text.title.clone(),
            path: None,
            change: change_of(pair, true, false),
            moved: None,
            attributes,
            documents: self.documents(&texts)?,
        })
    }

    fn file(&self, pair: &Pair<FileRecord>) -> Result<DifferenceItem> {
        let file = pair.after.as_ref().or(pair.before.as_ref());
        let file = file.ok_or_else(|| Error::not_found("file"))?;
        let mut attributes = Vec::new();
        if let (Some(before), Some(after)) = (&pair.before, &pair.after) {
            for attribute in before.differing(after) {
                // The hash is internal and has no meaning for the caller.
                if attribute != FileAttribute::Hash {
                    let values =
                        [before, after].map(|file| Value::FileAttribute(file.get(attribute)));
                    attributes.push(self.attribute(name(attribute), values.map(Some))?);
                }
            }
        }
        Ok(DifferenceItem {
            kind: Kind::File,
            id: file.id.to_string(),
            title: file.name.clone(),
            path: file.path.clone(),
            change: change_of(pair, true, false),
            moved: None,
            attributes,
            documents: None,
        })
    }

    fn variable(&self, name: String, pair: Pair<Variable>) -> Result<DifferenceItem> {
        let change = change_of(&pair, true, false);
        let values = [pair.before, pair.after].map(|value| value.map(Value::Variable));
        Ok(DifferenceItem {
            kind: Kind::Variable,
            id: name.clone(),
            title: name,
            path: None,
            change,
            moved: None,
            attributes: vec![self.attribute("value".into(), values)?],
            documents: None,
        })
    }

    fn attribute(
        &self,
        name: Cow<'static, str>,
        [before, after]: [Option<Value>; 2],
    ) -> Result<Attribute> {
        let value = |side: &ContentView<'_>, value: Option<Value>| -> Result<Json> {
            let space = side.presented.snapshot.space;
            let value =
                value.map(|value| value_json(side.app, space, side.objects, value)).transpose()?;
            Ok(value.unwrap_or(Json::Null))
        };
        let (before, after) = (value(&self.before, before)?, value(&self.after, after)?);
        Ok(Attribute { name, before, after })
    }

    fn documents(&self, texts: &Pair<Hash>) -> Result<Option<[Document; 2]>> {
        if texts.before == texts.after {
            return Ok(None);
        }
        let [old, new] = self.contents();
        documents(self.after.app, self.after.objects, (old, new), texts).map(Some)
    }
}

fn path(side: &ContentView<'_>, page: PageId) -> Result<String> {
    side.tree().path(page).map_err(broken_tree)
}

/// Presents an item as JSON.
pub(crate) fn content_difference(item: DifferenceItem) -> Result<ContentDifference> {
    let DifferenceItem { kind, id, title, path, change, moved, attributes, documents } = item;
    let document = documents.map(|[before, after]| {
        serde_json::to_string(&diff(&before, &after))
            .and_then(RawValue::from_string)
            .map_err(|error| Error::internal(format!("a difference is not JSON: {error}")))
    });
    let attributes = attributes.into_iter().map(|attribute| {
        let Attribute { name, before, after } = attribute;
        AttributeDifference { name: name.into_owned(), before, after }
    });
    Ok(ContentDifference {
        kind,
        id,
        title,
        path,
        change,
        moved: moved.map(|[before, after]| ContentDifferenceMoved { before, after }),
        attributes: attributes.collect(),
        document: document.transpose()?,
    })
}
