//! Resolves written references to their targets in a content.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use bindery_content::AnchorIndex;
use bindery_content::anchor_index::html_ids;
use bindery_content::reference::{ContentRef as Reference, path_reference};
use bindery_model::{FileId, PageId, Result, ReusableContentId, SpaceId};
use bindery_revision::{Content, Facet, Hash, ObjectError, Objects, PageBody, Record};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::written::{MAX_TARGET, Name, Relation, To, Within, Written, short};
use crate::content::documents::Known;
use crate::content::snapshot::broken_object;
use crate::content::texts::{self, Paths};

/// Maximum bytes of a text in a key. Longer texts are shortened to a prefix and a hash.
const MAX_KEY_TEXT: usize = 80;

/// The status of a target, as far as the content alone determines it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(super) enum Group {
    /// The target does not exist.
    Broken,
    /// The status depends on data outside the space and on the caller.
    Elsewhere,
    /// The target exists.
    Sound,
}

impl Group {
    pub(super) const ALL: [Self; 3] = [Self::Broken, Self::Elsewhere, Self::Sound];

    /// Returns the first byte of the keys of its entries.
    pub(super) const fn tag(self) -> u8 {
        self as u8
    }
}

/// The target that a reference resolves to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Found {
    /// A page of the space, or an anchor on one.
    Page(PageId, Option<String>),
    /// A file of the space.
    File(FileId),
    /// A reusable content of the space.
    Reusable(ReusableContentId),
    /// Another space, or content of one.
    OfSpace(SpaceId, Within),
    /// A URL.
    Url(String),
    /// A person.
    User(String),
    /// A collection.
    Collection(String),
    /// An OpenAPI specification.
    OpenApi(String),
    /// No target; holds the reference as written, from the root of the content.
    Nothing(String),
}

/// A target of references, which is one item of a list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Target {
    pub(super) group: Group,
    pub(super) relation: Relation,
    pub(super) found: Found,
}

impl Target {
    /// Returns the key by which targets are ordered.
    pub(super) fn key(&self) -> Bytes {
        let group = self.group;
        let mut key = vec![group.tag()];
        let push_anchor = |key: &mut Vec<u8>, anchor: &Option<String>| match anchor {
            None => key.push(0),
            Some(anchor) => {
                key.push(1);
                text(key, anchor);
            }
        };
        match &self.found {
            Found::Page(page, anchor) => {
                key = of_page(group, *page);
                push_anchor(&mut key, anchor);
            }
            Found::File(file) => key = of_file(group, *file),
            Found::Reusable(reusable) => {
                key.push(2);
                key.extend(reusable.as_bytes());
            }
            Found::OfSpace(space, within) => {
                key = of_any_space(group);
                key.extend(space.as_bytes());
                match within {
                    Within::Whole => key.push(0),
                    Within::Path(path, anchor) => {
                        key.push(1);
                        text(&mut key, path);
                        push_anchor(&mut key, anchor);
                    }
                    Within::Page(page, anchor) => {
                        key.push(2);
                        key.extend(page.as_bytes());
                        push_anchor(&mut key, anchor);
                    }
                    Within::Reusable(id) => {
                        key.push(3);
                        text(&mut key, id);
                    }
                }
            }
            Found::Url(url) => {
                key.push(4);
                text(&mut key, url);
            }
            Found::User(user) => {
                key.push(5);
                text(&mut key, user);
            }
            Found::Collection(collection) => {
                key.push(6);
                text(&mut key, collection);
            }
            Found::OpenApi(spec) => key = of_spec(group, spec),
            Found::Nothing(written) => {
                key.push(8);
                text(&mut key, written);
            }
        }
        key.push(self.relation as u8);
        key.into()
    }
}

/// Returns the key prefix of a page and its anchors.
pub(super) fn of_page(group: Group, page: PageId) -> Vec<u8> {
    [&[group.tag(), 0], page.as_bytes().as_slice()].concat()
}

/// Returns the key prefix of a file.
pub(super) fn of_file(group: Group, file: FileId) -> Vec<u8> {
    [&[group.tag(), 1], file.as_bytes().as_slice()].concat()
}

/// Returns the key of an OpenAPI specification.
pub(super) fn of_spec(group: Group, slug: &str) -> Vec<u8> {
    let mut key = vec![group.tag(), 7];
    text(&mut key, slug);
    key
}

/// Returns the key prefix of all targets in other spaces.
pub(super) fn of_any_space(group: Group) -> Vec<u8> {
    vec![group.tag(), 3]
}

/// Returns the key prefixes of references to a page of another space: by its path there, and by its
/// id.
pub(super) fn of_page_in(space: SpaceId, path: &str, page: PageId) -> [Vec<u8>; 2] {
    let of = |kind: u8| [of_any_space(Group::Elsewhere), space.as_bytes().to_vec(), vec![kind]];
    let (mut by_path, mut by_id) = (of(1).concat(), of(2).concat());
    text(&mut by_path, path);
    by_id.extend(page.as_bytes());
    [by_path, by_id]
}

/// Appends a text to a key. Different texts result in different keys, and long texts are shortened.
fn text(key: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    if bytes.len() <= MAX_KEY_TEXT && !bytes.contains(&0) {
        key.extend(bytes);
    } else {
        key.extend(bytes.iter().filter(|byte| **byte != 0).take(MAX_KEY_TEXT));
        key.push(u8::MAX);
        key.extend(short(bytes).map(|byte| byte | 1));
    }
    key.push(0);
}

/// Objects that record the facets that are read, as short names.
struct ReadTracker<'a> {
    objects: &'a dyn Objects,
    seen: RefCell<Vec<Name>>,
}

impl Objects for ReadTracker<'_> {
    fn get(&self, hash: &Hash) -> std::result::Result<Bytes, ObjectError> {
        self.objects.get(hash)
    }

    fn record_read(&self, facet: Facet<'_>) {
        self.seen.borrow_mut().push(facet_name(facet));
    }
}

/// Returns the short name of a facet of the content.
pub(super) fn facet_name(facet: Facet<'_>) -> Name {
    let (kind, key): (u8, &[u8]) = match &facet {
        Facet::Page(id) => (0, id.as_bytes()),
        Facet::Text(id) => (1, id.as_bytes()),
        Facet::Entry(id) => (2, id.as_bytes()),
        Facet::Children(Some(id)) => (3, id.as_bytes()),
        Facet::Children(None) => (3, &[]),
        Facet::Slug(key) => (4, key),
        Facet::File(id) => (5, id.as_bytes()),
        Facet::Reusable(id) => (6, id.as_bytes()),
        Facet::Path(path) => (7, path),
        Facet::Redirect(path) => (8, path),
        Facet::Source(path) => (9, path),
    };
    short(&[&[kind], key].concat())
}

/// The anchors of a text.
struct Anchors {
    index: AnchorIndex,
    /// Ids that the source sets in HTML.
    ids: HashSet<String>,
    /// Reusable contents that the text includes.
    included: Vec<ReusableContentId>,
}

impl Anchors {
    /// Returns `true` if a link to an anchor leads somewhere.
    fn contain(&self, anchor: &str) -> bool {
        self.ids.contains(anchor) || self.index.resolve(anchor).is_some()
    }
}

/// Resolves references in one content.
pub(super) struct Resolver<'a> {
    content: &'a Content,
    objects: &'a dyn Objects,
    anchors: RefCell<HashMap<Hash, Rc<Anchors>>>,
    read: Cell<usize>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(content: &'a Content, objects: &'a dyn Objects) -> Self {
        Self { content, objects, anchors: RefCell::default(), read: Cell::new(0) }
    }

    /// Returns the bytes of the texts that were read to find anchors in them.
    pub(super) fn bytes_read(&self) -> usize {
        self.read.get()
    }

    /// Resolves a reference. Also returns the names of the facets that the result depends on.
    pub(super) fn resolve(&self, written: &Written) -> Result<(Target, Vec<Name>)> {
        let tracker = ReadTracker { objects: self.objects, seen: RefCell::default() };
        let (group, found) = self.find(&written.to, &tracker)?;
        let mut seen = tracker.seen.into_inner();
        seen.sort_unstable();
        seen.dedup();
        Ok((Target { group, relation: written.relation, found }, seen))
    }

    fn find(&self, to: &To, on: &dyn Objects) -> Result<(Group, Found)> {
        let sound = |there: bool| if there { Group::Sound } else { Group::Broken };
        Ok(match to {
            To::Path { known, path, absolute, anchor } => {
                let stored = known.map(|entry| Paths::one(path, entry)).unwrap_or_default();
                let lookup = Known::beside(stored, self.content, on);
                let found = path_reference(path, anchor.clone(), *absolute, &lookup);
                match found {
                    Some(found) => self.resolved_path(found, on)?,
                    None => {
                        let anchor = anchor.iter().map(|anchor| format!("#{anchor}"));
                        let written = format!("/{path}{}", anchor.collect::<String>());
                        (Group::Broken, Found::Nothing(written))
                    }
                }
            }
            To::Page(page, anchor) => {
                (sound(self.has_page(*page, anchor, on)?), Found::Page(*page, anchor.clone()))
            }
            To::File(file) => {
                let there = self.content.file(on, *file).map_err(broken_object)?.is_some();
                (sound(there), Found::File(*file))
            }
            To::Reusable(reusable) => {
                let there = self.content.reusable(on, *reusable).map_err(broken_object)?.is_some();
                (sound(there), Found::Reusable(*reusable))
            }
            To::OfSpace(space, within) => {
                (Group::Elsewhere, Found::OfSpace(*space, within.clone()))
            }
            To::Url(url) => {
                let group = if is_like_ours(url) { Group::Elsewhere } else { Group::Sound };
                (group, Found::Url(url.clone()))
            }
            To::User(user) => (Group::Elsewhere, Found::User(user.clone())),
            To::Collection(id) => (Group::Elsewhere, Found::Collection(id.clone())),
            To::OpenApi(spec) => (Group::Elsewhere, Found::OpenApi(spec.clone())),
            To::Nothing(written) => (Group::Broken, Found::Nothing(written.clone())),
        })
    }

    /// Returns the target of a resolved path. Only anchors can still be missing.
    fn resolved_path(&self, found: Reference, on: &dyn Objects) -> Result<(Group, Found)> {
        let nothing = || (Group::Broken, Found::Nothing(String::new()));
        Ok(match found {
            Reference::Page { page, .. } => PageId::parse(&page)
                .map_or_else(nothing, |page| (Group::Sound, Found::Page(page, None))),
            Reference::Anchor { anchor, page: Some(page), .. } => match PageId::parse(&page) {
                Some(page) => {
                    let anchor = Some(anchor);
                    let there = self.has_page(page, &anchor, on)?;
                    let group = if there { Group::Sound } else { Group::Broken };
                    (group, Found::Page(page, anchor))
                }
                None => nothing(),
            },
            Reference::File { file } => {
                FileId::parse(&file).map_or_else(nothing, |file| (Group::Sound, Found::File(file)))
            }
            Reference::ReusableContent { reusable_content, .. } => {
                ReusableContentId::parse(&reusable_content)
                    .map_or_else(nothing, |id| (Group::Sound, Found::Reusable(id)))
            }
            _ => nothing(),
        })
    }

    fn has_page(&self, page: PageId, anchor: &Option<String>, on: &dyn Objects) -> Result<bool> {
        let Some(record) = self.content.page(on, page).map_err(broken_object)? else {
            return Ok(false);
        };
        let Some(anchor) = anchor.as_deref().filter(|anchor| !anchor.is_empty()) else {
            return Ok(true);
        };
        on.record_read(Facet::Text(page));
        let Some(body) = record.body else { return Ok(false) };
        let anchors = self.anchors(&body)?;
        if anchors.contain(anchor) {
            return Ok(true);
        }
        for included in &anchors.included {
            let included = self.content.reusable(on, *included).map_err(broken_object)?;
            if let Some(body) = included.and_then(|included| included.body)
                && self.anchors(&body)?.contain(anchor)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn anchors(&self, hash: &Hash) -> Result<Rc<Anchors>> {
        if let Some(known) = self.anchors.borrow().get(hash) {
            return Ok(Rc::clone(known));
        }
        let bytes = self.objects.get(hash).map_err(broken_object)?;
        self.read.set(self.read.get().saturating_add(bytes.len()));
        let body = PageBody::decode(&bytes).map_err(broken_object)?;
        let document = texts::parse(&body, &Paths::of([&body]));
        let included =
            document.references().into_iter().filter_map(|held| match &held.reference.target {
                Reference::ReusableContent { reusable_content, space: None } => {
                    ReusableContentId::parse(reusable_content)
                }
                _ => None,
            });
        let source = String::from_utf8_lossy(&body.source);
        let ids = html_ids(&source);
        let anchors = Rc::new(Anchors {
            index: AnchorIndex::of(&document),
            ids: ids.filter(|id| id.len() <= MAX_TARGET).map(str::to_owned).collect(),
            included: included.collect(),
        });
        self.anchors.borrow_mut().insert(*hash, Rc::clone(&anchors));
        Ok(anchors)
    }
}

/// Returns `true` if a URL may lead into the application. The check ignores the host, because the
/// application's address can change.
fn is_like_ours(url: &str) -> bool {
    url.contains("/app/o/")
}
