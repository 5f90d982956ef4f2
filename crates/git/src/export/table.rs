//! The table of contents.
//!
//! The pages of the previous content are paired with the entries of the file that they came from.
//! Pages that did not change keep their entries as they are written, so that only lines of changed
//! pages differ.

use std::collections::{HashMap, HashSet, VecDeque};

use bindery_content::summary::{self, Entry, EntryKind, Item, Summary};
use bindery_model::PageId;
use bindery_revision::tree::{Child, Tree};
use bindery_revision::{Content, ContentRef, NavigationEntry, NavigationKind, Objects};
use serde_json::Value;

use super::ExportError;
use super::front::Paths;

/// The parameters of [`write()`].
pub(super) struct Table<'a> {
    /// The content that the source describes.
    pub(super) before: &'a Content,
    /// The content to describe.
    pub(super) now: &'a Content,
    /// The pages whose files have other paths than before.
    pub(super) moved: &'a HashSet<PageId>,
    pub(super) objects: &'a dyn Objects,
    /// The path of the file.
    pub(super) path: &'a str,
    /// The present text of the file; empty if there is none.
    pub(super) source: &'a str,
}

/// An entry of the source with the index of its parent.
struct Listed<'s> {
    entry: &'s Entry,
    parent: Option<usize>,
}

/// A page of the content, as an entry.
struct Draft {
    item: Item,
    parent: Option<usize>,
    /// The entry of the source that the page came from.
    listed: Option<usize>,
}

/// Returns the source with the pages of the content.
pub(super) fn write(table: &Table<'_>) -> Result<String, ExportError> {
    let summary = summary::parse(table.source, table.path);
    let listed = flatten(&summary);
    let origins = table.origins(&listed)?;
    let mut drafts: Vec<Draft> = Vec::new();
    // The index of each page's draft. A page without an entry passes its parent's on.
    let mut places: HashMap<PageId, Option<usize>> = HashMap::new();
    let mut last_child: HashMap<Option<usize>, usize> = HashMap::new();
    for child in Tree::new(table.now, table.objects).walk() {
        let child = child?;
        let holder = child.parent.and_then(|parent| places.get(&parent).copied().flatten());
        let origin = origins.get(&child.id);
        let is_unlisted = origin.is_some_and(|origin| origin.listed.is_none());
        let is_same = origin.is_some_and(|origin| origin.is_like(&child));
        if is_unlisted && is_same && !listed.is_empty() {
            places.insert(child.id, holder);
            continue;
        }
        let entry = origin.and_then(|origin| origin.listed);
        let known = entry.and_then(|at| listed.get(at)).map(|listed| listed.entry);
        let item = match known {
            Some(known) if is_same && !table.moved.contains(&child.id) => shallow(known),
            _ => table.item(&child, known)?,
        };
        // Entries below a link are siblings of the link in the content.
        let above = entry.and_then(|at| listed.get(at)?.parent);
        let link = last_child.get(&holder).filter(|_| above.is_some());
        let link = link.and_then(|previous| enclosing(&drafts, *previous, above));
        let at = drafts.len();
        drafts.push(Draft { item, parent: link.or(holder), listed: entry });
        last_child.insert(holder, at);
        places.insert(child.id, Some(at));
    }
    settle_repeated(&mut drafts, table.path);
    Ok(summary::edit(table.source, table.path, &nest(drafts)))
}

/// Returns the draft of the link that contained an entry, if it precedes the entry's page directly
/// or with other entries of the link between them.
fn enclosing(drafts: &[Draft], previous: usize, above: Option<usize>) -> Option<usize> {
    let mut at = Some(previous);
    while let Some(draft) = at.and_then(|at| drafts.get(at)) {
        if matches!(draft.item.kind, EntryKind::Link { .. }) && draft.listed == above {
            return at;
        }
        at = draft.parent;
    }
    None
}

/// Makes the first entry of a page that is listed more than once the page, and the others links to
/// it, as they are read.
fn settle_repeated(drafts: &mut [Draft], path: &str) {
    let mut unseen: HashSet<String> = HashSet::new();
    for draft in drafts.iter() {
        if let EntryKind::Page { path } = &draft.item.kind {
            unseen.insert(path.clone());
        }
    }
    for draft in drafts {
        let kind = &mut draft.item.kind;
        match kind {
            EntryKind::Page { path: page } if !unseen.remove(page) => {
                *kind = EntryKind::Link { target: summary::target(page, path) };
            }
            EntryKind::Link { target } => {
                if let Some(page) = summary::listed_page(target, path)
                    && unseen.remove(&page)
                {
                    *kind = EntryKind::Page { path: page };
                }
            }
            _ => {}
        }
    }
}

/// Returns all entries, each before its children.
fn flatten(summary: &Summary) -> Vec<Listed<'_>> {
    let mut flat: Vec<Listed<'_>> = Vec::new();
    let mut stack: Vec<(&Entry, Option<usize>)> =
        summary.entries.iter().rev().map(|entry| (entry, None)).collect();
    while let Some((entry, parent)) = stack.pop() {
        let at = flat.len();
        flat.push(Listed { entry, parent });
        stack.extend(entry.children.iter().rev().map(|child| (child, Some(at))));
    }
    flat
}

/// Builds the tree of entries.
fn nest(drafts: Vec<Draft>) -> Vec<Item> {
    let mut children: Vec<Vec<Item>> = drafts.iter().map(|_| Vec::new()).collect();
    let mut top = Vec::new();
    // Children follow their parents, so all children of an entry are complete before it.
    for (at, draft) in drafts.into_iter().enumerate().rev() {
        let mut item = draft.item;
        item.children = children.get_mut(at).map(std::mem::take).unwrap_or_default();
        item.children.reverse();
        match draft.parent.and_then(|parent| children.get_mut(parent)) {
            Some(siblings) => siblings.push(item),
            None => top.push(item),
        }
    }
    top.reverse();
    top
}

/// Returns an entry without its children.
fn shallow(entry: &Entry) -> Item {
    Item {
        kind: entry.kind.clone(),
        title: entry.title.clone(),
        link_title: entry.link_title.clone(),
        emoji: entry.emoji.clone(),
        children: Vec::new(),
    }
}

/// A page of the previous content.
struct Origin {
    page: Child,
    /// Its entry in the source.
    listed: Option<usize>,
}

impl Origin {
    /// Returns `true` if an entry shows the same for this page and for `now`.
    fn is_like(&self, now: &Child) -> bool {
        let shown = |entry: &NavigationEntry| {
            let NavigationEntry { title, link_title, emoji, kind, .. } = entry.clone();
            (title, link_title, emoji, kind)
        };
        shown(&self.page.entry) == shown(&now.entry)
    }
}

/// The properties by which pages without a file are paired with entries.
type Looks = (Class, String, Option<String>);

/// The kinds of entries without a file, as far as pages tell them apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Class {
    Title,
    Link,
    Computed,
}

impl Class {
    const fn of(kind: &EntryKind) -> Self {
        match kind {
            EntryKind::Link { .. } => Self::Link,
            EntryKind::Computed { .. } => Self::Computed,
            // A text without a link becomes a group.
            EntryKind::Text | EntryKind::Group { .. } | EntryKind::Page { .. } => Self::Title,
        }
    }
}

impl Table<'_> {
    /// Returns the pages of the previous content with the entries that they came from.
    fn origins(&self, listed: &[Listed<'_>]) -> Result<HashMap<PageId, Origin>, ExportError> {
        let mut files: HashMap<String, usize> = HashMap::new();
        let mut others: HashMap<Looks, VecDeque<usize>> = HashMap::new();
        for (at, Listed { entry, .. }) in listed.iter().enumerate() {
            match &entry.kind {
                EntryKind::Page { path } => {
                    files.entry(path.clone()).or_insert(at);
                }
                kind => {
                    let looks = (Class::of(kind), entry.title.clone(), entry.emoji.clone());
                    others.entry(looks).or_default().push_back(at);
                }
            }
        }
        let mut taken = HashSet::new();
        let mut origins = HashMap::new();
        for child in Tree::new(self.before, self.objects).walk() {
            let page = child?;
            let path = self.path_in(self.before, &page)?;
            let found = match path.as_ref().and_then(|path| files.get(path)) {
                Some(at) => Some(*at),
                None => {
                    let kind = Class::of(&self.kind(self.before, &page, None)?);
                    let looks = (kind, page.entry.title.clone(), page.entry.emoji.clone());
                    others.get_mut(&looks).and_then(VecDeque::pop_front)
                }
            };
            let found = found.filter(|at| taken.insert(*at));
            origins.insert(page.id, Origin { page, listed: found });
        }
        Ok(origins)
    }

    /// Returns the path of a document's file.
    fn path_in(&self, content: &Content, page: &Child) -> Result<Option<String>, ExportError> {
        if page.entry.kind != NavigationKind::Document {
            return Ok(None);
        }
        let record = content.page(self.objects, page.id)?;
        Ok(record.and_then(|record| record.source_path))
    }

    /// Returns the entry of a page. `known` is the entry that it came from.
    fn item(&self, page: &Child, known: Option<&Entry>) -> Result<Item, ExportError> {
        let NavigationEntry { title, link_title, emoji, .. } = &page.entry;
        Ok(Item {
            kind: self.kind(self.now, page, known)?,
            title: title.clone(),
            link_title: link_title.clone(),
            emoji: emoji.clone(),
            children: Vec::new(),
        })
    }

    fn kind(
        &self,
        content: &Content,
        page: &Child,
        known: Option<&Entry>,
    ) -> Result<EntryKind, ExportError> {
        let known = known.map(|known| &known.kind);
        Ok(match &page.entry.kind {
            NavigationKind::Document => match self.path_in(content, page)? {
                Some(path) => EntryKind::Page { path },
                None => EntryKind::Text,
            },
            NavigationKind::Group => match known {
                Some(EntryKind::Text) => EntryKind::Text,
                Some(EntryKind::Group { slug }) => EntryKind::Group { slug: slug.clone() },
                _ => EntryKind::Group { slug: None },
            },
            NavigationKind::Link(target) => {
                EntryKind::Link { target: self.target(target, known, content) }
            }
            NavigationKind::Computed => {
                let record = content.page(self.objects, page.id)?;
                let source = record.and_then(|record| record.computed).unwrap_or_default();
                let source = serde_json::from_str(&source).unwrap_or(Value::Null);
                EntryKind::Computed { source }
            }
        })
    }

    /// Returns the target of a link as the file writes it.
    fn target(&self, target: &ContentRef, known: Option<&EntryKind>, content: &Content) -> String {
        let written = match known {
            Some(EntryKind::Link { target }) => Some(target.clone()),
            _ => None,
        };
        let paths = Paths { content, objects: self.objects };
        paths.target(target, self.path).or(written).unwrap_or_else(|| "broken-reference".to_owned())
    }
}
