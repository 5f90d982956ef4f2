//! The ordered differences between two contents of a space: pages by path, reusable contents, files
//! and variables.

use std::collections::HashMap;

use bindery_content::Document;
use bindery_model::{PageId, Result};
use bindery_revision::diff::{Change, diff};
use bindery_revision::tree::Tree;
use bindery_revision::{
    Content, FileRecord, Hash, Objects, PageAttribute, PageRecord, ReusableRecord, Variable,
};

use crate::App;
use crate::content::documents;
use crate::content::snapshot::{broken_object, broken_tree};

/// Maximum number of changes that are compared. Further changes are only counted.
const LOOKED_AT: usize = 10_000;

/// An item before and after the change; `None` on a side that does not have it.
#[derive(Clone, PartialEq, Debug)]
pub struct Pair<T> {
    /// The item before.
    pub before: Option<T>,
    /// The item after.
    pub after: Option<T>,
}

/// An item that differs.
#[derive(Clone, PartialEq, Debug)]
pub enum Thing {
    /// A page; `true` if it was moved.
    Page(Box<Pair<PageRecord>>, bool),
    /// A reusable content.
    Reusable(Pair<ReusableRecord>),
    /// A file.
    File(Pair<FileRecord>),
    /// A variable of the space, with its name.
    Variable(String, Pair<Variable>),
}

/// An item that differs, with its position in the list.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// The sort key of the position.
    pub place: String,
    /// The item that differs.
    pub thing: Thing,
}

/// Returns the differences between two contents, in order, and the number of items that were not
/// compared.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn between(
    old: &Content,
    new: &Content,
    objects: &dyn Objects,
) -> Result<(Vec<Difference>, u64)> {
    let found = diff(old, new, objects, LOOKED_AT).map_err(broken_object)?;
    let mut pages: HashMap<PageId, (Pair<PageRecord>, bool)> = HashMap::new();
    let mut things = Vec::new();
    let both = |before, after| Pair { before: Some(before), after: Some(after) };
    for change in found.changes {
        match change {
            Change::PageCreated(page) => {
                pages.insert(page.id, (Pair { before: None, after: Some(*page) }, false));
            }
            Change::PageDeleted(page) => {
                pages.insert(page.id, (Pair { before: Some(*page), after: None }, false));
            }
            Change::PageMoved(edit) => {
                let known = pages.entry(edit.after.id);
                known.or_insert_with(|| (both(edit.before, edit.after), true)).1 = true;
            }
            Change::PageEdited(edit, attributes) => {
                // The path of a page's file in a repository is not part of the page.
                if attributes.iter().any(|attribute| *attribute != PageAttribute::SourcePath) {
                    let known = pages.entry(edit.after.id);
                    let _ = known.or_insert_with(|| (both(edit.before, edit.after), false));
                }
            }
            Change::FileCreated(file) => {
                things.push(Thing::File(Pair { before: None, after: Some(file) }));
            }
            Change::FileDeleted(file) => {
                things.push(Thing::File(Pair { before: Some(file), after: None }));
            }
            Change::FileEdited(edit, _) => {
                let pair = Pair { before: Some(edit.before), after: Some(edit.after) };
                things.push(Thing::File(pair));
            }
            Change::ReusableCreated(text) => {
                things.push(Thing::Reusable(Pair { before: None, after: Some(text) }));
            }
            Change::ReusableDeleted(text) => {
                things.push(Thing::Reusable(Pair { before: Some(text), after: None }));
            }
            Change::ReusableEdited(edit, _) => {
                let pair = Pair { before: Some(edit.before), after: Some(edit.after) };
                things.push(Thing::Reusable(pair));
            }
            Change::VariablesEdited(variables) => {
                things.extend(variables.into_iter().map(|(name, edit)| {
                    Thing::Variable(name, Pair { before: edit.before, after: edit.after })
                }));
            }
            // Readers see neither redirects nor sources without a page.
            Change::RedirectEdited(..) | Change::SourceEdited(..) => {}
        }
    }
    things.extend(pages.into_values().map(|(pair, moved)| Thing::Page(Box::new(pair), moved)));
    let placed = things
        .into_iter()
        .map(|thing| Ok(Difference { place: place(&thing, old, new, objects)?, thing }));
    let mut placed = placed.collect::<Result<Vec<_>>>()?;
    placed.sort_by(|one, other| one.place.cmp(&other.place));
    Ok((placed, found.more))
}

/// Returns the difference of one page; `None` if neither content has it.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn of_page(
    old: &Content,
    new: &Content,
    objects: &dyn Objects,
    page: PageId,
) -> Result<Option<Difference>> {
    let before = old.page(objects, page).map_err(broken_object)?;
    let after = new.page(objects, page).map_err(broken_object)?;
    let moved = match (&before, &after) {
        (None, None) => return Ok(None),
        (Some(before), Some(after)) => before.parent != after.parent,
        _ => false,
    };
    let thing = Thing::Page(Box::new(Pair { before, after }), moved);
    Ok(Some(Difference { place: String::new(), thing }))
}

fn place(thing: &Thing, old: &Content, new: &Content, objects: &dyn Objects) -> Result<String> {
    Ok(match thing {
        Thing::Page(pair, _) => {
            let (content, page) = match (&pair.before, &pair.after) {
                (_, Some(page)) => (new, page),
                (Some(page), None) => (old, page),
                (None, None) => return Ok(String::new()),
            };
            let path = Tree::new(content, objects).path(page.id).map_err(broken_tree)?;
            // The pages below a page follow it, before its next sibling.
            format!("0 {}\u{1}{}", path.replace('/', "\u{2}"), page.id)
        }
        Thing::Reusable(Pair { before, after }) => {
            let text = after.as_ref().or(before.as_ref());
            text.map_or_else(String::new, |text| format!("1 {} {}", text.title, text.id))
        }
        Thing::File(Pair { before, after }) => {
            let file = after.as_ref().or(before.as_ref());
            file.map_or_else(String::new, |file| format!("2 {} {}", file.name, file.id))
        }
        Thing::Variable(name, _) => format!("3 {name}"),
    })
}

/// Returns the documents of a text before and after; an empty document on a side that has no text.
///
/// # Errors
/// Returns an error if an object cannot be read.
pub fn documents(
    app: &App,
    objects: &dyn Objects,
    (old, new): (&Content, &Content),
    texts: &Pair<Hash>,
) -> Result<[Document; 2]> {
    let parse = |content: &Content, text: Option<&Hash>| match text {
        None => Ok(Document::default()),
        Some(body) => {
            documents::parse(app, objects, Some(content), body).map(|parsed| parsed.document)
        }
    };
    Ok([parse(old, texts.before.as_ref())?, parse(new, texts.after.as_ref())?])
}
